/* Search group: what the search threads of one solver share besides the transposition table and the cache.
 *
 * Each search thread has a whole level-1 search: frames, arena and fact buffer of its own. A thread that searches below
 * a position, or evaluates it, adds a virtual proof number to it (Kaneko 2010): to other threads both numbers look
 * larger by one, so that they search elsewhere when that is as good. The counts are kept by hash and may be wrong: they
 * steer the search and prove nothing. `solved` counts the positions that were solved: a thread that sees it change
 * checks whether one of them is on its path, and gives up the search below it. `halt` asks all threads to return to the
 * host.
 *
 * A single thread uses none of this, so that it searches as if there were no threads (P4). */
#pragma once

#include <stdatomic.h>

#include "proto/base/assert.h"
#include "proto/base/hash.h"

enum { GROUP_SLOTS = 1 << 14 };

struct rp_shared;

struct search_group {
	bool several;              /* more than one search: threads or walkers; changed only while none searches */
	_Atomic uint64_t solved;   /* positions solved while there are several searches */
	_Atomic uint64_t progress; /* leaves evaluated, nodes first visited or solved, while there are several */
	atomic_bool halt;
	struct rp_shared *tree;                      /* of rp-pn: owned by the engine of search thread 0; else NULL */
	_Atomic uint64_t leaves;                     /* remote leaves so far (remote.h) */
	_Atomic uint64_t grain;                      /* least nodes that a remote leaf is given */
	_Atomic unsigned look;                       /* nodes of one that are searched before it is sent */
	_Atomic bool looking;                        /* they are searched now, in the tree of all remote threads */
	_Atomic uint32_t virtual_count[GROUP_SLOTS]; /* each at most the frames of all threads */
};

static inline _Atomic uint32_t *group_slot(struct search_group *group, struct pd_id id)
{
	return &group->virtual_count[id.hi % GROUP_SLOTS];
}

static inline void group_enter(struct search_group *group, struct pd_id id)
{
	if (group->several)
		atomic_fetch_add_explicit(group_slot(group, id), 1, memory_order_relaxed);
}

static inline void group_leave(struct search_group *group, struct pd_id id)
{
	if (!group->several)
		return;
	uint32_t before = atomic_fetch_sub_explicit(group_slot(group, id), 1, memory_order_relaxed);
	PD_ASSERT(before);
}

/* Clears all virtual proof numbers, while no thread searches. */
static inline void group_clear_virtual(struct search_group *group)
{
	for (unsigned i = 0; i < GROUP_SLOTS; i++)
		atomic_init(&group->virtual_count[i], 0);
}

/* How many threads search below the position or evaluate it; too many when hashes collide. */
static inline unsigned group_virtual(struct search_group *group, struct pd_id id)
{
	return group->several ? atomic_load_explicit(group_slot(group, id), memory_order_relaxed) : 0;
}

static inline uint64_t group_solved(const struct search_group *group)
{
	return atomic_load_explicit(&group->solved, memory_order_acquire);
}

static inline void group_note_solved(struct search_group *group)
{
	atomic_fetch_add_explicit(&group->solved, 1, memory_order_release);
}

static inline bool group_halted(const struct search_group *group)
{
	return atomic_load_explicit(&group->halt, memory_order_relaxed);
}

static inline void group_halt(struct search_group *group, bool halt)
{
	atomic_store_explicit(&group->halt, halt, memory_order_relaxed);
}
