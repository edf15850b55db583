/* Desk: where a run of a job hands leaves to the cluster and takes their results.
 *
 * Only the run's thread calls it. Posts and cancels are collected until sv_desk_flush, so that many leaves cost one
 * hand-over. Each slot (a remote search thread of the solver) has at most one leaf out. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/error.h"
#include "server/cluster/cluster_types.h"
#include "solver/remote.h"

struct sv_cluster;
struct sv_desk;

struct sv_desk_setup {
	int priority;
	const struct game *game; /* borrowed until the desk is closed */
	uint64_t rules;          /* game_version */
	bool weak, mobility, heuristics, knowledge;
	uint64_t seed;
	unsigned slots_max; /* the most leaves out at a time */
	bool prompt;        /* the run's thread only hands out leaves: it may do the cluster thread's work for them */
};

int sv_desk_open(struct sv_cluster *cluster, const struct sv_desk_setup *setup, struct sv_desk **out,
		 struct pd_fail *fail);
/* Cancels all leaves that are out. NULL is fine. */
void sv_desk_close(struct sv_desk *desk);
void sv_desk_priority(struct sv_desk *desk, int priority);

/* How many leaves the job should have out now: 1.25 times the workers' threads, shared between the jobs of the highest
 * priority; 0: the job should work without the cluster. */
unsigned sv_desk_wanted(const struct sv_desk *desk);
/* The fewest nodes for which a leaf should be sent. */
uint64_t sv_desk_grain(const struct sv_desk *desk);

void sv_desk_post(struct sv_desk *desk, unsigned slot, const struct pn_leaf_task *task);
/* Withdraws the slot's leaf. */
void sv_desk_cancel(struct sv_desk *desk, unsigned slot);
void sv_desk_flush(struct sv_desk *desk);

/* The next result; false: there is none now. A result for a cancelled leaf is dropped. */
bool sv_desk_take(struct sv_desk *desk, struct sv_desk_result *out);
/* Waits until there is a result, at most `ns`. */
void sv_desk_wait(struct sv_desk *desk, uint64_t ns);

/* The name of the worker that has the slot's leaf, or "". */
void sv_desk_worker(const struct sv_desk *desk, unsigned slot, char out[64]);
