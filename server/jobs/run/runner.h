/* Runner: one job's search, from the transposition table on disk to the answer.
 *
 * The solver runs in slices of a few milliseconds, alone or with a search group (search_group.h). Between two slices
 * the runner obeys requests, publishes progress, and takes a checkpoint when one is due (checkpoint.h). It waits
 * only if the checkpoint before is not written yet. */
#pragma once

struct sv_core;
struct sv_job;

/* Searches a job until it ends or has to stop; called by the search thread that has it. */
void sv_run(struct sv_core *core, struct sv_job *job);
