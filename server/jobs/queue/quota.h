/* Quotas: jobs pause before the disk or the memory ends, and go on by themselves.
 *
 * The writer looks five times a second. While less of the disk is free than config.disk_reserve, all running jobs
 * are paused. While the memory that the process has to itself comes near what it may have (core->memory_bound, which
 * follows the limit of the control group), the running job that would give way first is, and the next one when that
 * has freed what it had; until then searches come no nearer to it (memory_pacer.h). No other job begins meanwhile
 * (judgement.h). Such a job is on hold: its record says so, and it is queued again once there is some more room than
 * the quota asks for, also after a restart of the server. Paused on request meanwhile, it stays paused. Queries go
 * on.
 *
 * For want of room on the disk all are queued again at once; for want of memory one a second, if what is free is as
 * much as the job may take, or no job of its priority or a higher one runs: then another is the first to leave. One
 * that uses the memory up again soon after it went on waits 2 s, then 4 s and so on to 15 minutes, as its reason
 * says; the count begins again when it has searched for a minute and four times as long as it had waited.
 *
 * Under the core's lock but where it says otherwise. */
#ifndef SV_QUOTA_H
#define SV_QUOTA_H

#include <stdbool.h>
#include <stdint.h>

#include "server/jobs/index/search_threads.h"

struct sv_core;

/* The writer, without the lock: measures when it is time, and pauses or queues jobs. */
void sv_quota_measure(struct sv_core *core);
/* Whether a running job is to be put on hold now; and its run ends for that reason. */
bool sv_quota_holds(const struct sv_core *core, const struct sv_job *job);
void sv_quota_hold(struct sv_core *core, struct sv_job *job);
/* There was no memory to load its table: it is put on hold. */
void sv_quota_hold_loading(struct sv_core *core, struct sv_job *job);

#endif
