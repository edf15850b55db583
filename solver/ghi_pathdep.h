/* GHI path-dependent results: the store of ghi.h.
 *
 * For each position whose result on some path depends on an ancestor, the store keeps what justified the result: the
 * move of the side that has the outcome, the fact that all moves were answered, or a position that it dominates. A
 * result here proves nothing. It is a proposal for ghi_close_cycle and ghi_settle, which check it one ply down (F2)
 * before it becomes a fact. It may be lost at any time: the node at which the cycle closes then becomes a fact alone,
 * as a leaf with an effort. */
#pragma once

#include "proto/base/hash.h"

struct ghi_pathdep_slot {
	struct pd_id id;    /* of position and claim; {0, 0} is empty */
	uint32_t at;        /* offset of its key in `keys` */
	uint16_t size;      /* of the key, bytes */
	uint16_t move;      /* in the key's frame; PD_NO_MOVE: every move */
	uint64_t dominated; /* 1 + the order part of the position that it dominates (dominance.h), instead of a move */
};

struct ghi_pathdep {
	struct ghi_pathdep_slot *slots; /* owned; open addressing, a power of two */
	uint8_t *keys;                  /* owned */
	uint32_t room, count;
	size_t size, capacity; /* of keys, bytes */
	size_t bytes_max;      /* for slots and keys together; when they are full, all results are dropped */
};

void ghi_pathdep_init(struct ghi_pathdep *store, size_t bytes_max);
void ghi_pathdep_fini(struct ghi_pathdep *store);
/* Adds or replaces the result of a position; `dominated` as in the slot. Does nothing when memory runs out. */
void ghi_pathdep_put(struct ghi_pathdep *store, struct pd_id id, const uint8_t *key, size_t size, unsigned move,
		     uint64_t dominated);
/* NULL when it is not there. Borrowed until the next put. */
const struct ghi_pathdep_slot *ghi_pathdep_get(const struct ghi_pathdep *store, struct pd_id id);

static inline bool ghi_pathdep_empty(const struct ghi_pathdep_slot *slot)
{
	return !slot->id.lo && !slot->id.hi;
}

static inline const uint8_t *ghi_pathdep_key(const struct ghi_pathdep *store, const struct ghi_pathdep_slot *slot)
{
	return store->keys + slot->at;
}
