/* Runner: one job's search, from the table on disk to the answer.
 *
 * The worker steps the solver in slices of a few milliseconds, alone or with a crew (crew.h). Between two slices it
 * looks at what is wanted of it, publishes progress, and when a checkpoint is due takes what changed and hands it to
 * the writer as one task: table entries, facts, counters, one moment of the search (D2). It goes on at once and waits
 * only if the checkpoint before is not written yet.
 *
 * Checkpoints come early at first, an eighth of the run's age apart until the configured interval is reached, so that a
 * crash loses at most a small share of what a run has done, however short it was. The snapshot is swept in bounded
 * shares when the journal has grown past twice the table. */
#ifndef SV_RUNNER_H
#define SV_RUNNER_H

struct sv_core;
struct sv_job;

/* Searches a job until it ends or is told to; called by the worker that holds it. */
void sv_run(struct sv_core *core, struct sv_job *job);

#endif
