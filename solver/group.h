/* Search group: what the search threads of one solver share next to the transposition table and the cache.
 *
 * Each search thread has a whole level-1 search: frames, arena and fact buffer of its own. A thread that searches below
 * a position, or evaluates it, adds a virtual proof number to it (Kaneko 2010): to other threads both numbers look
 * larger by one, so that they go elsewhere where that is as good. The counts are kept by hash and may be wrong: they
 * steer the search and prove nothing. `solved` counts the positions that were solved: a thread that sees it change
 * looks whether one of them stands on its path, and is cut off there. `halt` asks all threads to return to the host.
 *
 * A single thread uses none of it, so that it searches as if there were no threads (P4). */
#ifndef PN_GROUP_H
#define PN_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/assert.h"
#include "proto/base/hash.h"

enum { GROUP_SLOTS = 1 << 14 };

struct search_group {
	bool several;      /* more than one thread; changed only while none searches */
	uint64_t solved;   /* positions solved while there are several */
	uint64_t progress; /* leaves evaluated, nodes met for the first time or solved, by any thread while there are
			    * several */
	bool halt;
	uint64_t leaves;                     /* leaves that were to be searched elsewhere so far (remote.h) */
	uint64_t grain;                      /* nodes that such a leaf gets at least */
	uint32_t virtual_count[GROUP_SLOTS]; /* no count overflows: it is at most the frames of all threads */
};

static inline uint32_t *group_slot(struct search_group *group, struct pd_id id)
{
	return &group->virtual_count[id.hi % GROUP_SLOTS];
}

static inline void group_enter(struct search_group *group, struct pd_id id)
{
	if (group->several)
		__atomic_fetch_add(group_slot(group, id), 1, __ATOMIC_RELAXED);
}

static inline void group_leave(struct search_group *group, struct pd_id id)
{
	if (!group->several)
		return;
	uint32_t before = __atomic_fetch_sub(group_slot(group, id), 1, __ATOMIC_RELAXED);
	PD_ASSERT(before);
}

/* How many threads search below the position or evaluate it, or seem to. */
static inline unsigned group_virtual(struct search_group *group, struct pd_id id)
{
	return group->several ? __atomic_load_n(group_slot(group, id), __ATOMIC_RELAXED) : 0;
}

static inline uint64_t group_solved(const struct search_group *group)
{
	return __atomic_load_n(&group->solved, __ATOMIC_ACQUIRE);
}

static inline void group_note_solved(struct search_group *group)
{
	__atomic_fetch_add(&group->solved, 1, __ATOMIC_RELEASE);
}

static inline bool group_halted(const struct search_group *group)
{
	return __atomic_load_n(&group->halt, __ATOMIC_RELAXED);
}

static inline void group_halt(struct search_group *group, bool halt)
{
	__atomic_store_n(&group->halt, halt, __ATOMIC_RELAXED);
}

#endif
