/* Desk slots: the structs of a desk (desk.h), and the owner of each member.
 *
 * A leaf goes from `mine` (the run's thread) to `posted` when the run's thread flushes, and becomes the slot's task
 * when the cluster thread looks at the desk. Its result goes the other way. Each slot has room for one of each, so
 * nothing is allocated. The cluster thread owns a closed desk, and frees it. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/queue.h>

#include "proto/base/mutex.h"
#include "server/cluster/games.h"
#include "server/cluster/task_book.h"

struct sc_slot {
	/* The run's thread's. */
	struct pn_leaf_task mine;
	bool out, touched; /* a leaf is out; the slot has changed since the last flush */
	/* Under the desk's lock. */
	struct pn_leaf_task posted;
	bool wanted, changed; /* the run waits for the result; the cluster thread has not seen the change */
	struct sv_desk_result result;
	bool ready, listed; /* the result is there; the slot is in the list `ready` */
	uint64_t ready_ns;  /* when the result came */
	/* The cluster thread's. */
	struct sc_task task;
	uint64_t last_worker; /* the worker that was last given a task of this slot; 0: none */
	/* Written by the cluster thread. */
	atomic_uint_fast64_t worker; /* the worker that has the task; 0: none */
};

/* Up to slots_max indices of slots. */
struct sc_slot_list {
	unsigned first, count;
	unsigned *at; /* owned by the desk */
};

struct sv_desk {
	/* Set once. */
	struct sv_cluster *cluster;
	struct sc_game *game; /* shared */
	uint32_t options;
	uint64_t seed;
	unsigned slots_max;
	bool prompt;
	/* Any thread. */
	atomic_int priority;
	atomic_uint wanted;
	/* The run's thread's. */
	struct sc_slot_list touched; /* its memory holds the three lists */
	struct pd_mutex lock;
	pthread_cond_t arrived;
	/* Under the lock. `ready` is a ring. */
	struct sc_slot_list changed, ready;
	uint64_t takes, takes_ns; /* results taken since the grain was last adjusted; how long they waited */
	/* Under the inbox's lock. */
	bool queued, closing;
	STAILQ_ENTRY(sv_desk) next;
	/* The cluster thread's. */
	bool known,
		delivered; /* in the list of desks; results were delivered that the run's thread was not woken for */
	int rank;          /* the priority by which it is listed */
	TAILQ_ENTRY(sv_desk) link;
	struct sc_tasks waiting;
	unsigned share; /* of the leaves that all desks should have out */
	struct sc_slot slot[];
};
TAILQ_HEAD(sc_desks, sv_desk);

/* Frees a desk whose game was released. */
void sc_desk_free(struct sv_desk *desk);
/* For the cluster thread: delivers the result of a slot's leaf. False: the run does not wait for it. */
bool sc_desk_deliver(struct sv_desk *desk, const struct sv_desk_result *result);
/* For the cluster thread: wakes the run's thread, once for all results since the last call. */
void sc_desk_wake(struct sv_desk *desk);
/* For the cluster thread: takes back the results of a giver that the run's thread has not taken, and calls `again` for
 * each of their slots, under the desk's lock. Returns how many of them were solved and not searched again. */
unsigned sc_desk_take_back(struct sv_desk *desk, uint32_t giver, void (*again)(void *ctx, unsigned slot), void *ctx);
