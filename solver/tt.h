/* Transposition table: level 1's memory, one 32-byte entry for each position and claim, two in a 64-byte bucket.
 *
 * Two replacement schemes (Breuker, Uiterwijk and van den Herik, ICCA J. 17(4), 1994, and 19(3), 1996):
 *
 *  - Big (default): open addressing with linear probing. Up to `capacity` entries nothing is replaced. Beyond that, a
 *    new entry takes an empty slot among the first WINDOW of its probe path, or the slot of the entry with the least
 *    work among them, so that no probe path is cut and none gets longer. The table starts small and grows fourfold as
 *    it fills, so that a short search stays in the processor's caches.
 *  - TwoBig (the algorithm `paper`): an entry lives in its own bucket only. The first slot keeps the entry with more
 *    work, the second the newest; an entry displaced from the first slot moves into the second.
 *
 * Work is the number of nodes searched below the entry. Solved entries have no privilege: their facts are durable.
 *
 * Threads. While `shared`, several search threads get and put; each entry is locked by a bit of its own while it is
 * read or written. The table can only grow while no thread uses it, in tt_settle. One identity may be in two slots, if
 * two threads put it into a full table at the same time; both entries are true.
 *
 * Identities have 128 bits (F5). A changed slot is listed once in `dirty` until its entry is taken for a checkpoint. */
#pragma once

#include <stdatomic.h>

#include "solver/search.h"

enum {
	TT_DEPTH_MAX = 0x3fff, /* greatest depth of an entry; larger depths are stored as this */
	TT_DIRTY_SLACK = 2048  /* the dirty list counts as full when it has only this many free places */
};

/* A struct pn_entry as the table stores it. Identity and work are also read without the lock, as hints. */
struct tt_slot {
	_Atomic uint64_t id_lo, id_hi; /* {0, 0}: empty */
	uint32_t num[2];
	_Atomic uint32_t work;
	uint16_t move;
	_Atomic uint16_t depth; /* and the bits of the lock and of the dirty list */
};

/* Shared by the search threads of a solver. Members that are not atomic change only while none searches. */
struct tt {
	struct tt_slot *table;     /* owned; 2 slots a bucket */
	uint64_t slots;            /* current number, even */
	uint64_t slots_max;        /* even */
	uint64_t capacity;         /* entries up to which nothing is replaced, < slots_max */
	uint64_t grown;            /* how often the table has grown, which moves all slots */
	_Atomic uint64_t longest;  /* slots of the longest probe path so far; a look-up never goes further */
	_Atomic uint64_t used;     /* entries that are not empty */
	_Atomic uint64_t replaced; /* entries replaced by others since the start */
	uint64_t *dirty;           /* owned; slots changed since the last take, each once */
	_Atomic uint64_t dirty_count;
	size_t dirty_capacity, dirty_taken; /* at most about an eighth of the slots, because a checkpoint copies them */
	bool two_big;                       /* the scheme; never with `shared` */
	bool shared;                        /* several threads get and put at the same time */
	bool fixed; /* growing is suspended: when full, the table replaces entries as it does at its full size */
	atomic_bool grow_wanted; /* a shared table has to grow */
};

/* False when memory runs out. */
bool tt_init(struct tt *tt, uint64_t bytes, bool two_big);
void tt_fini(struct tt *tt);
/* Makes an empty table not list changed slots; for a table that is only loaded and read. */
void tt_forget_dirty(struct tt *tt);

/* Copies the entry; false when it is not there. */
bool tt_get(const struct tt *tt, struct pd_id id, struct pn_entry *out);
/* Stores the entry under its id; keeps the smaller of the old and the new depth. */
void tt_put(struct tt *tt, const struct pn_entry *entry);
/* Like tt_put, for entries that come from disk: they are not made dirty, and damaged ones (no id, no sound pair of
 * numbers: P1) are dropped, as if the table had lost them. */
void tt_load(struct tt *tt, const struct pn_entry *entry);

/* Entries in use, and entries replaced by others; other threads may put entries meanwhile. */
static inline uint64_t tt_used(const struct tt *tt)
{
	return atomic_load_explicit(&tt->used, memory_order_relaxed);
}

static inline uint64_t tt_replaced(const struct tt *tt)
{
	return atomic_load_explicit(&tt->replaced, memory_order_relaxed);
}

/* The dirty list is nearly full, or the table has to grow: the host must take entries, and settle. */
static inline bool tt_wants_host(const struct tt *tt)
{
	return atomic_load_explicit(&tt->dirty_count, memory_order_relaxed) >= tt->dirty_capacity - TT_DIRTY_SLACK ||
	       atomic_load_explicit(&tt->grow_wanted, memory_order_relaxed);
}

/* Grows a shared table that has to grow. No thread may be using it. */
void tt_settle(struct tt *tt);
/* The additional bytes that the table takes if `entries` more entries make it grow; 0: it does not grow. */
uint64_t tt_growth(const struct tt *tt, uint64_t entries);

size_t tt_take_dirty(struct tt *tt, struct pn_entry *out, size_t max);
size_t tt_snapshot(const struct tt *tt, uint64_t *cursor, struct pn_entry *out, size_t max);
