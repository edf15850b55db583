/* Checkpoint: one consistent moment of a run, taken between two slices of the search and handed to the writer as one
 * task: changed entries of the transposition table, new facts, counters, and a share of the snapshot of the table (D2).
 *
 * Checkpoints come early at first, an eighth of the run's age apart until the configured interval is reached, so that a
 * crash loses at most a small share of what a run has done, however short it was. When the journal of changed entries
 * has grown past twice the table, a snapshot of the whole table begins; each checkpoint adds a bounded share of it.
 *
 * All of this is for the worker that has the job. */
#ifndef SV_CHECKPOINT_H
#define SV_CHECKPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "server/jobs/run/run.h"

/* Makes the first record of the run and waits until it is on disk, before anything of the run is in memory: should the
 * run end the process, the next start knows which job it was. False when the run cannot go on. */
bool sv_run_begin(struct sv_run *run);
/* Takes everything since the last checkpoint and hands it over; `state` is the job's from then on. False when the run
 * cannot go on. A cancelled job is taken from at once, before there is room for the checkpoint before. */
bool sv_run_checkpoint(struct sv_run *run, enum sv_state state, const char *event);
/* Waits until the checkpoint before is written. False when it never will be. */
bool sv_run_wait_written(struct sv_run *run);
/* Waits in the same way; true when the job is cancelled while there is no room: the search need not wait for that. */
bool sv_run_cancelled_meanwhile(struct sv_run *run);
/* Under the lock: copies progress, seconds and rate from the search to the job. */
void sv_run_publish(struct sv_run *run);
/* Under the lock: the run cannot be finished; the worker leaves the job and records that it ends in `state`. The writer
 * may have broken it before. */
void sv_run_break(struct sv_job *job, enum sv_state state);
/* Under the lock: what was taken for a checkpoint is lost for want of memory. The run ends, as of its last checkpoint.
 */
void sv_run_lose(struct sv_run *run);
/* Work that a job has stored: table entries and facts. A search without a table begins again at each start and finds
 * the same facts, so there its tree alone counts. */
uint64_t sv_run_work(const struct sv_job *job);

#endif
