/* Quota: jobs pause before the disk or the memory is full, and resume by themselves.
 *
 * The writer thread measures five times a second. While less than config.disk_reserve is free on the disk, all running
 * jobs are paused. While the private memory of the process is near its bound (which follows the limit of the control
 * group), the running job that would give way first is paused, and the next one when that job has freed its memory;
 * until then searches slow down (run/memory_pacer.h). No other job begins meanwhile (judgement.h). A job paused in this
 * way is on hold: its record says so, and it is queued again, even after a restart of the server, once somewhat more
 * is free than the quota asks for. If it is paused on request meanwhile, it stays paused. Queries are still answered.
 *
 * When the disk has room again, all jobs on hold are queued at once. When memory is free again, one job a second is
 * queued, provided that the free memory suffices for it or that no job of its priority or a higher one runs. A job that
 * uses up the memory again soon after it was resumed waits 2 s, then 4 s, up to 15 minutes; the count restarts when it
 * has searched for a minute and for four times as long as it waited.
 *
 * Under the core's lock, except where noted. */
#pragma once

#include "server/jobs/index/search_threads.h"

struct sv_core;

/* The writer thread, without the lock: measures when a measurement is due, and pauses or queues jobs. */
void sv_quota_measure(struct sv_core *core);
/* Whether a running job is to be put on hold now; and ends its run in order to do so. */
bool sv_quota_holds(const struct sv_core *core, const struct sv_job *job);
void sv_quota_hold(struct sv_core *core, struct sv_job *job);
/* Puts a job on hold whose table could not be loaded for lack of memory. */
void sv_quota_hold_loading(struct sv_core *core, struct sv_job *job);
