/* Settle: queued jobs that others concern.
 *
 * The index lists a queued job as due when a job that it waits for ends or goes, when one that it is under is solved,
 * and when it is queued after either has happened. Here the due jobs are looked at: those that may run are queued as
 * such, those that have nothing to wait for or to serve are paused. The cost is that of the jobs concerned. */
#ifndef SV_SETTLE_H
#define SV_SETTLE_H

#include <stdbool.h>

struct sv_core;

/* The writer, under the core's lock: looks at the due jobs, at most SV_SETTLE_MAX at a time. True when there are more
 * to be looked at now. */
enum { SV_SETTLE_MAX = 256 };
bool sv_settle_due(struct sv_core *core);

#endif
