/* Team: what the walkers of one search tell each other, beside the table.
 *
 * Each walker is a whole level-1 search with frames, arena and facts of its own; they share the table, the cache and
 * this. A walker that stands below a position, or evaluates it, makes it *busy*: to others its numbers then look larger
 * than they are (virtual proof numbers, Kaneko 2010), so that they go elsewhere where that is as good. Busy counts are
 * kept by hash and may be wrong: they steer, they prove nothing. `news` counts the positions that were solved: a walker
 * that sees it change looks whether one of them stands on its path, and is cut off there. `halt` asks all to come back
 * to the host.
 *
 * A walker alone uses none of it, so that it searches as if there were no threads (P4). */
#ifndef PN_GROUP_H
#define PN_GROUP_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "proto/base/hash.h"

enum { GROUP_SLOTS = 1 << 14 };

struct search_group {
	bool several; /* changed only while nobody walks, like the next */
	uint64_t solved;
	uint64_t progress; /* leaves evaluated, nodes met first or solved, by any walker while there are several */
	bool halt;
	uint32_t virtual_count
		[GROUP_SLOTS]; /* all walkers stand below the root, and one may stand in a place many times: no
				       count can overflow */
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
	assert(before);
	(void)before;
}

/* How many walkers stand below the position or evaluate it, or seem to. */
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
