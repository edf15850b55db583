/* Table: level 1's memory, one entry a position and claim.
 *
 * 64-byte buckets of two entries. Two ways of using them:
 *  - lossless (the default): open addressing; an entry sits in the first free slot on its probe path. Below `capacity`
 * nothing is lost; from there on a new entry takes a free slot among the first few of its path, or the place of the one
 * with the least work among them (Breuker et al. 1996 call this "Big"), so that no probe path is ever cut and none gets
 * longer. The table starts small and grows fourfold as it fills, so that a short search stays in the processor's own
 * caches.
 *  - TwoBig (Breuker, Uiterwijk, van den Herik, ICCA J. 19(3), 1996; `paper`): an entry lives in its own bucket only.
 * The first slot keeps the larger searched sub-tree, the second the newest; a displaced big entry moves into the
 * second.
 *
 * Several walkers may share a table (`shared`): an entry is locked by a bit of its own while it is read or written, and
 * what has to have the table alone, growing, waits until `tt_settle` is called. An identity may then stand in two
 * places, when two walkers put it at one time into a full table; either is true.
 *
 * Identity is 128 bits (F5). Solved entries are not privileged: their facts are durable elsewhere. Changed entries are
 * listed once in `dirty` until they are taken for a checkpoint. */
#ifndef PN_TT_H
#define PN_TT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/hash.h"
#include "solver/solver.h"

enum {
	TT_DEPTH_MAX = 0x3fff, /* what an entry's depth may be; larger ones are kept as this */
	TT_DIRTY_SLACK =
		2048 /* places of the dirty list that are left when it counts as full: all walkers' turns go in there */
};

struct tt {
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
	bool two_big; /* not together with shared */
	bool shared;  /* several threads get and put at one time; changed only while none does */
	bool cramped; /* it would have grown if it were not shared */
};

/* False when memory cannot be had. */
bool tt_init(struct tt *table, uint64_t bytes, bool two_big);
void tt_fini(struct tt *table);

/* Copies the entry; false when it is not there. */
bool tt_get(const struct tt *table, struct pd_id id, struct pn_entry *out);
/* Stores the entry under its id (depth: the smaller of old and new is kept). */
void tt_put(struct tt *table, const struct pn_entry *entry);
/* As tt_put, for entries that are on disk already: not made dirty. */
void tt_load(struct tt *table, const struct pn_entry *entry);

/* Entries that are not empty, and those lost to others, while others may be putting. */
static inline uint64_t tt_used(const struct tt *table)
{
	return __atomic_load_n(&table->used, __ATOMIC_RELAXED);
}

static inline uint64_t tt_replaced(const struct tt *table)
{
	return __atomic_load_n(&table->replaced, __ATOMIC_RELAXED);
}

/* The dirty list has no room for many more, or the table wants to grow: let the host take, and settle. */
static inline bool tt_wants_host(const struct tt *table)
{
	return __atomic_load_n(&table->dirty_count, __ATOMIC_RELAXED) >= table->dirty_capacity - TT_DIRTY_SLACK ||
	       __atomic_load_n(&table->cramped, __ATOMIC_RELAXED);
}

/* Does what had to wait while the table was shared. Nobody may be using it. */
void tt_settle(struct tt *table);

size_t tt_take_dirty(struct tt *table, struct pn_entry *out, size_t max);
size_t tt_snapshot(const struct tt *table, uint64_t *cursor, struct pn_entry *out, size_t max);

#endif
