/* Quota: jobs pause before the disk or the memory is full, and go on by themselves.
 *
 * The writer thread measures five times a second. While less than config.disk_reserve is free on the disk, all running
 * jobs are paused. While the private memory of the process comes near its bound (which follows the limit of
 * the control group), the running job that would give way first is paused, and the next one when that has freed its
 * memory; until then searches slow down (run/memory_pacer.h). No other job begins meanwhile (judgement.h). Such a job
 * is on hold: its record says so, and it is queued again, also after a restart of the server, once somewhat more is
 * free than the quota asks for. Paused on request meanwhile, it stays paused. Queries go on.
 *
 * After want of disk all are queued again at once. After want of memory one a second is, if as much is free as it may
 * take, or if no job of its priority or a higher one runs, so that another would be the first to leave. A job that
 * uses the memory up again soon after it went on waits 2 s, then 4 s, up to 15 minutes, as its reason says; the count
 * restarts when it has searched for a minute and four times as long as it had waited.
 *
 * Under the core's lock, except where noted. */
#pragma once

#include "server/jobs/index/search_threads.h"

struct sv_core;

/* The writer thread, without the lock: measures when it is time, and pauses or queues jobs. */
void sv_quota_measure(struct sv_core *core);
/* Whether a running job is to be put on hold now; and ends its run for that reason. */
bool sv_quota_holds(const struct sv_core *core, const struct sv_job *job);
void sv_quota_hold(struct sv_core *core, struct sv_job *job);
/* Puts a job on hold whose table could not be loaded for want of memory. */
void sv_quota_hold_loading(struct sv_core *core, struct sv_job *job);
