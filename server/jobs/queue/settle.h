/* Settle: queued jobs that others concern.
 *
 * The index lists a queued job as due when a job that it waits for ends or goes, when its parent is solved, and when it
 * is queued after either has happened. Due jobs are queued as ready, or paused (dependency.h, sub_job.h). */
#pragma once

#include <stdbool.h>

struct sv_core;

/* The writer thread, under the core's lock: settles at most SV_SETTLE_MAX due jobs. True when more are left. */
enum { SV_SETTLE_MAX = 256 };
bool sv_settle_due(struct sv_core *core);
