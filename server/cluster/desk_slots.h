/* Desk slots: what a desk (desk.h) is made of, and who owns which part of it.
 *
 * A leaf goes from `mine` (the run's thread) to `posted` when the run's thread flushes, and becomes the slot's task
 * when the cluster thread looks at the desk. Its result goes the other way. Each slot has room for one of each, so
 * nothing is allocated on the way. A desk belongs to the cluster thread from its closing on, which frees it. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/queue.h>

#include "proto/base/mutex.h"
#include "server/cluster/desk_result.h"
#include "server/cluster/games.h"
#include "server/cluster/task_book.h"

struct sc_slot {
	/* The run's thread's. */
	struct pn_leaf_task mine;
	bool out, touched; /* it has a leaf out; it was changed since the last flush */
	/* Under the desk's lock. */
	struct pn_leaf_task posted;
	bool wanted, changed; /* its result is waited for; the cluster thread has not seen the change */
	struct sv_desk_result result;
	bool ready, listed; /* the result is there; the slot stands among those that have one */
	uint64_t ready_ns;  /* since when */
	/* The cluster thread's. */
	struct sc_task task;
	uint64_t last_worker; /* that was given its task or the one before; 0: none */
	/* Written by the cluster thread. */
	atomic_uint_fast64_t worker; /* that has it; 0: none */
};

struct sv_desk {
	/* Set once. */
	struct sv_cluster *cluster;
	struct sc_game *game; /* shared */
	uint32_t job, options;
	uint64_t seed;
	unsigned slots_max;
	/* Any thread. */
	atomic_int priority;
	atomic_uint wanted;
	/* The run's thread's. */
	unsigned touched_count;
	unsigned *touched; /* slots_max of them, as the other lists; owned */
	struct pd_mutex lock;
	pthread_cond_t arrived;
	/* Under the lock. `ready` is a ring. */
	unsigned changed_count, ready_first, ready_count;
	unsigned *changed, *ready;
	uint64_t takes, takes_ns; /* results that were taken since the last look at the grain; how long they waited */
	/* Under the inbox's lock. */
	bool queued, closing;
	STAILQ_ENTRY(sv_desk) next;
	/* The cluster thread's. */
	bool known;
	int rank; /* the priority by which it stands in the list */
	TAILQ_ENTRY(sv_desk) link;
	struct sc_tasks waiting;
	unsigned share; /* of the leaves that all are to have out */
	struct sc_slot slot[];
};
TAILQ_HEAD(sc_desks, sv_desk);

/* Ends what the desk is made of; its game was given back. */
void sc_desk_free(struct sv_desk *desk);
/* For the cluster thread: brings a result of the slot's leaf, and wakes the run's thread. False: it is not waited
 * for. */
bool sc_desk_deliver(struct sv_desk *desk, const struct sv_desk_result *result);
/* For the cluster thread: takes back results of that giver that the run's thread has not taken, and calls `again` for
 * each slot, under the desk's lock. Returns how many of them were solved and not searched again. */
unsigned sc_desk_take_back(struct sv_desk *desk, uint32_t giver, void (*again)(void *ctx, unsigned slot), void *ctx);
