/* Scheduler: which running job gives way to a queued one.
 *
 * A free search thread takes the queued job of highest priority that is ready (judgement.h). Among equals, jobs that
 * ran before a restart come first, then the one whose turn is first, then the oldest.
 *
 * When no search thread is free, or a running job's memory keeps a queued one waiting, a running job gives way at a
 * checkpoint and is queued again with its table on disk:
 *   - to a job of higher priority, as soon as it may;
 *   - to a job of its own priority when its time slice (config.slice_s) is over; then it gets a new turn behind all
 *     that wait. Without a slice it runs to its end.
 * It may give way when its search has lasted config.run_min_s and nine times as long as loading its table took, and
 * only if the other job can be taken then. The running job of lowest priority gives way, among equals the one that has
 * run longest; one at a time, the next one only when the search thread of the previous one is free. Suspects
 * (model/crashes.h) neither give way nor make others give way. */
#pragma once

#include "server/jobs/index/search_threads.h"

struct sv_core;
struct sv_job;

/* Under the lock, at a checkpoint of a running job: the queued job that it is to give way to now; NULL: none. */
struct sv_job *sv_find_heir(struct sv_core *core, const struct sv_job *job);
/* Under the lock: the running job that would give way first; NULL: none can. */
const struct sv_job *sv_find_first_to_leave(const struct sv_core *core);
/* Under the lock: whether a running job must leave because its group is paused, or runs too many jobs and the others
 * take precedence; and ends its run for that reason. */
bool sv_group_ends_run(const struct sv_core *core, const struct sv_job *job);
void sv_end_run_for_group(struct sv_core *core, struct sv_job *job);
/* Under the lock: ends a run because the job gives way. */
void sv_give_way(struct sv_core *core, struct sv_job *job, const struct sv_job *next);
