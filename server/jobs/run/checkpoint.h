/* Checkpoint: one consistent moment of a run, taken between two slices of the search and handed to the writer as one
 * task: changed entries of the transposition table, new facts, counters, and a share of the table's snapshot (D2).
 *
 * While a run is young, checkpoints are an eighth of its age apart, up to the configured interval, so that a crash
 * costs only a small share of a run. When the journal of changed entries exceeds twice the table, a snapshot of the
 * whole table begins; each checkpoint adds a bounded share of it.
 *
 * For the search thread that has the job. */
#pragma once

#include "server/jobs/run/run.h"

/* Makes the first record of the run and waits until it is on disk, so that the next start knows which jobs ran. False
 * when the run cannot go on. */
bool sv_run_begin(struct sv_run *run);
/* Takes everything since the last checkpoint and posts it; `state` is the job's from then on. Does not wait for the
 * previous checkpoint of a cancelled job. False when the run cannot go on. */
bool sv_run_checkpoint(struct sv_run *run, enum sv_state state, const char *event);
/* Waits until the previous checkpoint is written. False when it never will be. */
bool sv_run_wait_written(struct sv_run *run);
/* Waits likewise, but returns true as soon as the job is cancelled while the disk is full. */
bool sv_run_cancelled_meanwhile(struct sv_run *run);
/* Under the lock: publishes the snapshot of the search. */
void sv_run_publish(struct sv_run *run);
/* Under the lock: the run cannot be finished. The search thread leaves the job and records that it ends in `state`. The
 * writer may have broken the run before. */
void sv_run_break(struct sv_job *job, enum sv_state state);
/* Under the lock: what was taken for a checkpoint is lost for lack of memory. The run ends as of its last
 * checkpoint. */
void sv_run_lose(struct sv_run *run);
/* Table entries and facts that a job has stored. A search without a table starts over each time and finds the same
 * facts, so there only its tree counts. */
uint64_t sv_run_work(const struct sv_job *job);
