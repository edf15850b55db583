/* Memtable: the facts that are in the write-ahead log and not yet in a run (private to store/).
 *
 * As in an LSM tree, but unordered: a hash table from key (be32 game, exact key) to an immutable packed record, in 256
 * shards with a reader-writer lock each; a flush sorts it. Only the writer's thread changes it; any thread reads. A
 * shard's lock is held for the change of one pointer, never while a table grows: a reader waits for less than 1 us.
 *
 * Each shard has two tables: `active` takes new facts, `frozen` is being flushed to a run. Look-ups begin with the
 * active one. A record is *complete* when it holds all known reasons of its position. Records that were replayed from
 * the log may not be: the reasons in runs have to be added.
 *
 * A stage holds a batch's records, all complete. Room for them is reserved before the commit, which then cannot
 * fail. */
#pragma once

#include <pthread.h>

#include "proto/base/error.h"
#include "proto/base/fact.h"
#include "proto/base/mutex.h"
#include "store/key.h"

enum { ST_SHARD_BITS = 8, ST_SHARDS = 1 << ST_SHARD_BITS };

struct st_record {
	uint32_t fact_size : 31, complete : 1;
	uint16_t key_size;
	uint8_t bytes[]; /* the key (be32 game, exact key), then the packed fact */
};

struct st_slot {
	uint64_t hash;
	const struct st_record *record; /* NULL: free */
};

/* Open addressing, linear probing, never shrinks. Each slot has a tag: a byte of its hash, 0 while the slot is free.
 * The tags follow the slots in one array, so that most look-ups of an absent key touch one cache line of tags and no
 * slot. */
struct st_slots {
	struct st_slot *slot; /* owned; NULL while capacity is 0 */
	uint8_t *tag;         /* one for each slot, in the same memory */
	uint64_t capacity;    /* 0 or a power of two */
	uint64_t count;
};

struct st_chunk;

/* Memory for records, freed all at once. */
struct st_arena {
	struct st_chunk *head;
	uint64_t bytes; /* taken from the system */
};

/* The records of a batch, until its commit. */
struct st_stage {
	struct st_slots slots;
	struct st_arena arena;
	uint64_t bytes;               /* that the records need in the memtable */
	uint32_t in_shard[ST_SHARDS]; /* records per shard */
};

struct st_shard {
	pthread_rwlock_t lock;
	struct st_slots active, frozen;
};

struct st_memtable {
	struct st_shard *shard;              /* owned, ST_SHARDS of them */
	struct st_arena active, frozen;      /* the writer's */
	uint64_t active_count, frozen_count; /* the writer's */
	struct pd_mutex applying;            /* held while the records of a batch are added */
	bool is_frozen;                      /* the writer's: there is a frozen table, perhaps an empty one */
};

static inline const uint8_t *st_record_fact(const struct st_record *record)
{
	return record->bytes + record->key_size;
}

bool st_memtable_init(struct st_memtable *memtable);
void st_memtable_fini(struct st_memtable *memtable);

/* Any thread: 1 and the fact when the memtable has the key, else 0; -1 when there is no memory for it. */
int st_memtable_get(struct st_memtable *memtable, const struct st_fact_key *key, struct pd_fact *out, bool *complete,
		    struct pd_fail *fail);

/* Any thread: prefetches what st_memtable_get of a key with that hash reads. Worth it if other work is done in
 * between. */
void st_memtable_prefetch(struct st_memtable *memtable, uint64_t hash);

/* The writer's. Puts or replaces one record at once; false when memory runs out. */
bool st_memtable_put(struct st_memtable *memtable, const struct st_fact_key *key, const struct pd_fact *fact,
		     bool complete);
/* Makes room for the stage; false when memory runs out (nothing visible has changed). */
bool st_memtable_reserve(struct st_memtable *memtable, const struct st_stage *stage);
/* Adds the staged records; cannot fail after a reserve. */
void st_memtable_apply(struct st_memtable *memtable, const struct st_stage *stage);
/* Any thread: waits until no batch is partly added. */
void st_memtable_settle(struct st_memtable *memtable);
/* The active table becomes the frozen one (there must be none), and an empty one takes its place. */
void st_memtable_freeze(struct st_memtable *memtable);
/* Frees the frozen table, whose facts are in a run now. */
void st_memtable_drop_frozen(struct st_memtable *memtable);
/* Removes all records. */
void st_memtable_clear(struct st_memtable *memtable);

/* Any thread: a copy of all records in key order. */
struct st_memtable_copy {
	const struct st_record **record; /* owned */
	size_t count;
	struct st_arena arena;
};
bool st_memtable_copy(struct st_memtable *memtable, struct st_memtable_copy *out);
void st_memtable_copy_fini(struct st_memtable_copy *copy);

/* The writer's: the records of a shard's frozen table in key order, a new array of *count pointers that are good until
 * st_memtable_drop_frozen; NULL when memory runs out. */
const struct st_record **st_memtable_frozen(const struct st_memtable *memtable, unsigned shard, uint32_t *count);

void st_stage_fini(struct st_stage *stage);
/* Empties the stage; keeps some memory. */
void st_stage_reset(struct st_stage *stage);
/* As st_memtable_get. */
int st_stage_get(const struct st_stage *stage, const struct st_fact_key *key, struct pd_fact *out,
		 struct pd_fail *fail);
bool st_stage_put(struct st_stage *stage, const struct st_fact_key *key, const struct pd_fact *fact);
