/* Table: level 1's memory, one entry a position and claim.
 *
 * 64-byte buckets of two entries. Two ways of using them:
 *  - lossless (the default): open addressing; an entry sits in the first free slot on its probe path. Below `capacity` nothing is lost;
 *    from there on a new entry takes a free slot among the first few of its path, or the place of the one with the least work among them
 *    (Breuker et al. 1996 call this "Big"), so that no probe path is ever cut and none gets longer. The table starts small and grows
 *    fourfold as it fills, so that a short search stays in the processor's own caches.
 *  - TwoBig (Breuker, Uiterwijk, van den Herik, ICCA J. 19(3), 1996; `paper`): an entry lives in its own bucket only. The first slot keeps
 *    the larger searched sub-tree, the second the newest; a displaced big entry moves into the second.
 *
 * Identity is 128 bits (F5). Solved entries are not privileged: their facts are durable elsewhere. Changed entries are listed once in `dirty`
 * until they are taken for a checkpoint. */
#ifndef PN_TABLE_H
#define PN_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/hash.h"
#include "solver/solver.h"

struct table {
	struct pn_entry *entries; /* owned; 2 a bucket; an id of {0, 0} is empty */
	uint64_t slots;           /* even; now */
	uint64_t slots_max;       /* even */
	uint64_t capacity;        /* entries up to which nothing is lost, < slots_max */
	uint64_t grown;           /* times it has grown: slot numbers mean nothing across that */
	uint64_t longest;         /* slots of the longest probe path so far; a look-up never goes further */
	uint64_t used;            /* entries that are not empty */
	uint64_t replaced;        /* entries lost to others, since the start */
	uint64_t *dirty;          /* owned; slots changed since the last take, each once */
	size_t dirty_count, dirty_capacity, dirty_taken;
	bool two_big;
};

/* False when memory cannot be had. */
bool table_init(struct table *table, uint64_t bytes, bool two_big);
void table_fini(struct table *table);

/* NULL when it is not there. Borrowed until the next put. */
const struct pn_entry *table_get(const struct table *table, struct pd_id id);
/* Stores the entry under its id (depth: the smaller of old and new is kept). */
void table_put(struct table *table, const struct pn_entry *entry);
/* As table_put, for entries that are on disk already: not made dirty. */
void table_load(struct table *table, const struct pn_entry *entry);

/* The dirty list has no room for many more: let the host take. */
static inline bool table_dirty_full(const struct table *table)
{
	return table->dirty_count >= table->dirty_capacity - 64;
}

size_t table_take(struct table *table, struct pn_entry *out, size_t max);
size_t table_sweep(const struct table *table, uint64_t *cursor, struct pn_entry *out, size_t max);

#endif
