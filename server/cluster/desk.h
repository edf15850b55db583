/* Desk: where one run of a job hands its leaves to the cluster and takes the results.
 *
 * The run's thread is the only one that calls it. Posts and cancels are gathered until sv_desk_flush, so that many
 * leaves cost one hand-over. Each slot (a remote search thread of the solver) has one leaf out at most. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/error.h"
#include "server/cluster/desk_result.h"
#include "solver/remote.h"

struct sv_cluster;
struct sv_desk;

struct sv_desk_setup {
	uint32_t job;
	int priority;
	const struct game *game; /* borrowed until the desk is closed */
	uint64_t rules;          /* game_version */
	bool weak, mobility, heuristics, knowledge;
	uint64_t seed;
	unsigned slots_max; /* no more leaves are wanted */
};

int sv_desk_open(struct sv_cluster *cluster, const struct sv_desk_setup *setup, struct sv_desk **out,
		 struct pd_fail *fail);
/* What is out is cancelled. NULL is fine. */
void sv_desk_close(struct sv_desk *desk);
void sv_desk_priority(struct sv_desk *desk, int priority);

/* How many leaves the job should have out now: 1.25 times the workers' threads, shared between the jobs of the highest
 * priority; 0: work without the cluster. And the nodes that one should get at least. */
unsigned sv_desk_wanted(const struct sv_desk *desk);
uint64_t sv_desk_grain(const struct sv_desk *desk);

void sv_desk_post(struct sv_desk *desk, unsigned slot, const struct pn_leaf_task *task);
/* The slot's leaf is of no use any more. */
void sv_desk_cancel(struct sv_desk *desk, unsigned slot);
void sv_desk_flush(struct sv_desk *desk);

/* The next result; false: there is none now. A result whose slot was cancelled or has another leaf out is dropped. */
bool sv_desk_take(struct sv_desk *desk, struct sv_desk_result *out);
/* Waits until there is a result, or `ns` are over. */
void sv_desk_wait(struct sv_desk *desk, uint64_t ns);

/* For pictures of the search: the name of the worker that has the slot's leaf; "" for none. */
void sv_desk_worker(const struct sv_desk *desk, unsigned slot, char out[64]);
