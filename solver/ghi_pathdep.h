/* Pending: positions that were solved on some path, leaning on an ancestor, and how.
 *
 * In a game with cycles, level 1 may find that a side holds a position because it can lead back to an ancestor. That is
 * no fact until the circle closes (F1). Here stands for each such position what was played: the move, or that every
 * move was answered. When a node is solved that leans on nothing any more, `pds` looks here for what lies between; if
 * all of it is justified one ply down by facts and by each other, all of it becomes facts. So whatever stands here is a
 * proposal, and it may be lost at any time: then the node alone becomes a fact, with the search that finds it again. */
#ifndef PN_GHI_PATHDEP_H
#define PN_GHI_PATHDEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/hash.h"

struct ghi_pathdep_slot {
	struct pd_id id; /* of position and claim; {0, 0} is empty */
	uint32_t at;     /* of its key in `keys` */
	uint16_t size;   /* of the key, bytes */
	uint16_t move;   /* in the key's frame; PD_NO_MOVE: every move */
};

struct ghi_pathdep {
	struct ghi_pathdep_slot *slots; /* owned; open addressing, a power of two */
	uint8_t *keys;                  /* owned */
	uint32_t room, count;
	size_t size, capacity; /* of keys, bytes */
	size_t bytes_max;      /* of slots and keys together; when they are full, all is forgotten */
};

void ghi_pathdep_init(struct ghi_pathdep *pending, size_t bytes_max);
void ghi_pathdep_fini(struct ghi_pathdep *pending);
/* Puts a position in, in the place of what was said of it before. Does nothing where memory cannot be had. */
void ghi_pathdep_put(struct ghi_pathdep *pending, struct pd_id id, const uint8_t *key, size_t size, unsigned move);
/* NULL when it is not there. Borrowed until the next put. */
const struct ghi_pathdep_slot *ghi_pathdep_get(const struct ghi_pathdep *pending, struct pd_id id);

static inline const uint8_t *ghi_pathdep_key(const struct ghi_pathdep *pending, const struct ghi_pathdep_slot *slot)
{
	return pending->keys + slot->at;
}

#endif
