/* Scheduler: which queued job a free worker is to take, and which running job gives way to a queued one.
 *
 * A free worker takes the queued job of highest priority that is ready (judgement.h): its memory fits next to that of
 * the running jobs. Of equals first one that ran before a restart, then the one whose turn comes first, then the
 * oldest.
 *
 * When no worker is free, or the memory of a running job is what keeps a queued one waiting, a running job gives way at
 * a checkpoint, and goes back into the queue with its table on disk:
 *   - to a job of higher priority, as soon as it may;
 *   - to a job of its own priority when its time slice (config.slice_s) is over. It gets a new turn then, behind all
 *     that wait. Without a slice it runs to its end.
 * It may when its search has lasted for config.run_min_s and nine times as long as loading its table took. It is made
 * sure before that the other can be taken once it has left. Of several running jobs the one of lowest priority gives
 * way, of equals the one that has run longest; one at a time, and the next only when its worker is free. Suspects
 * (crashes.h) neither give way nor cause it. */
#ifndef SV_SCHEDULER_H
#define SV_SCHEDULER_H

#include <stdbool.h>

#include "server/jobs/index/search_threads.h"

struct sv_core;
struct sv_job;

/* Under the lock: the job that a free worker is to take; NULL when there is none now. */
struct sv_job *sv_find_next_job(struct sv_core *core);
/* Under the lock, at a checkpoint of a running job: the queued job to which it is to give way now; NULL: none. */
struct sv_job *sv_find_heir(struct sv_core *core, const struct sv_job *job);
/* Under the lock: the running job that would give way first, whatever comes after it; NULL: none can. */
const struct sv_job *sv_find_first_to_leave(const struct sv_core *core);
/* Under the lock: whether a running job is to leave because its group is paused, or runs more jobs than it may and the
 * others come first; and its run ends for that reason. */
bool sv_group_ends_run(const struct sv_core *core, const struct sv_job *job);
void sv_end_run_for_group(struct sv_core *core, struct sv_job *job);
/* Under the lock: its run ends for that reason. */
void sv_give_way(struct sv_core *core, struct sv_job *job, const struct sv_job *next);

#endif
