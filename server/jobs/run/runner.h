/* Runner: one job's search, from the transposition table on disk to the answer.
 *
 * The worker steps the solver in slices of a few milliseconds, alone or with a search group (search_group.h). Between
 * two slices it looks at what is wanted of it, publishes progress, and takes a checkpoint when one is due
 * (checkpoint.h). It goes on at once and waits only if the checkpoint before is not written yet. */
#ifndef SV_RUNNER_H
#define SV_RUNNER_H

struct sv_core;
struct sv_job;

/* Searches a job until it ends or is told to; called by the worker that holds it. */
void sv_run(struct sv_core *core, struct sv_job *job);

#endif
