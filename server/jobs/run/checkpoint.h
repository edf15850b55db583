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

#include "proto/base/hash.h"
#include "server/jobs/run/memory_pacer.h"
#include "server/jobs/model/job.h"
#include "server/jobs/run/own_facts.h"
#include "server/jobs/run/remote_driver.h"
#include "server/jobs/run/search_group.h"
#include "solver/solver.h"

struct sv_core;

/* A run: one worker's search of a job, from taking it to its last record. */
struct sv_run {
	struct sv_core *core;
	struct sv_job *job;
	struct game *game;
	struct sv_lookup lookup; /* its game has no number before its first facts */
	struct sv_own_facts own; /* of a search by one thread alone */
	struct pn_solver *solver;
	struct pd_id question; /* what the table's entries mean */
	struct sv_search_group group;
	struct sv_remote remote;
	bool in_round;                /* a round of the search group is under way */
	uint8_t *state;               /* the root */
	uint64_t slice;               /* nodes */
	struct sv_brake brake;        /* the leader's */
	uint64_t start_ns;            /* of this run */
	uint64_t due_ns;              /* of the next checkpoint */
	uint64_t event_ns;            /* when the next point of the history is due */
	uint64_t work_before;         /* table entries and facts of the job when the run began */
	double searched_before;       /* seconds of earlier runs */
	uint64_t searched_ns;         /* of this one */
	double cpu_before;            /* seconds of processor time of earlier runs */
	uint64_t cpu_ns;              /* of this one's leader */
	uint64_t rate_ns, rate_nodes; /* at the last measuring of the rate */
	uint64_t journal_entries;     /* written since the last snapshot began */
	bool snapshotting;
	uint64_t cursor;
	bool table_lost;      /* it is damaged on disk */
	bool still;           /* nothing was searched in the last step, for want of memory */
	bool hold;            /* its tables keep their size for now, for want of memory */
	bool short_of_memory; /* there was no room below `memory_most` bytes of the process for its table */
	uint64_t memory_most;
};

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
