/* The store's state (private to store/): the structs of an open store, its batch, and its background work.
 *
 * Threads. The writer's thread begins batches and maintains runs. Other threads read: the memtable under its shards'
 * locks, games and statistics under `lock`, everything on disk in read transactions. Members without a remark are set
 * at opening, or belong to the writer. */
#pragma once

#include <pthread.h>

#include "store/block.h"
#include "store/build.h"
#include "store/counters.h"
#include "store/memtable.h"
#include "store/store_types.h"
#include "store/tt_state.h"

struct st_memory;

struct st_game {
	uint32_t id;
	uint64_t rules_version;
	char *name; /* owned */
};

/* A flush: the frozen memtable becomes a run (flush.h). */
struct st_flush {
	bool active;
	uint64_t last_log;                          /* the frozen memtable holds the log up to this block */
	unsigned sorted;                            /* shards that are sorted */
	const struct st_record **record[ST_SHARDS]; /* owned arrays, in key order once sorted */
	uint32_t count[ST_SHARDS], next[ST_SHARDS]; /* records of each, and how many of them are written */
	struct st_build build;
};

/* A compaction: several runs become one (compaction.h). */
struct st_compaction {
	bool active;
	uint32_t count;
	struct st_run source[ST_RUNS_MAX]; /* newest first; adjacent in the list of runs */
	struct st_build build;
	uint32_t last_size; /* bytes of the last key written; 0: none yet */
	uint8_t last[ST_DB_KEY_MAX];
};

/* What a call adds to a batch. */
enum st_put {
	ST_PUT_JOB,      /* the job's record; the last one counts */
	ST_PUT_EVENT,    /* an event of its history */
	ST_PUT_NOTE,     /* about removed jobs; belongs to no job */
	ST_PUT_QUESTION, /* of its table: a struct pd_id */
	ST_PUT_JOURNAL,  /* table entries */
	ST_PUT_SNAPSHOT_START,
	ST_PUT_SNAPSHOT, /* table entries */
	ST_PUT_SNAPSHOT_END,
	ST_PUT_TT_DROP,
	ST_PUT_REMOVE /* removes record, events and table; only in memory */
};

struct st_batch {
	struct st_store *store;
	bool open;
	MDB_txn *txn;                           /* NULL in memory */
	struct pd_fail failed;                  /* code 0: none; else every further call and the commit repeat it */
	struct pd_fail scratch;                 /* the error of the call in progress */
	struct st_counters counters;            /* as of the commit */
	struct st_tt_state tt;                  /* of tt_job, as of the commit */
	uint32_t tt_job;                        /* 0: none loaded */
	struct st_block journal, snapshot, log; /* being filled */
	uint16_t log_key_size;
	uint8_t log_key[ST_DB_KEY_MAX];
	struct st_stage stage;
	uint32_t games_new; /* games at the end of the store's list that are not committed */
	uint64_t entries;   /* transposition table entries in this batch */
	bool garbage;       /* it made blocks of a table obsolete */
	uint8_t *conflict;  /* owned: the record to keep once the batch is aborted */
	size_t conflict_size;
	struct pd_reason conflict_sides[2]; /* the stored reason and the new one */
};

/* Background work that is left to do. */
struct st_upkeep {
	bool garbage;        /* there may be blocks to delete */
	bool garbage_stuck;  /* these are in damaged pages and are left alone */
	uint32_t half_built; /* 1 plus the slot of a run that a failed rewrite could not empty; 0: none */
	uint64_t checked_readers_ns;
};

/* A store that was opened read-only follows the writer of another process. */
struct st_follower {
	uint64_t followed_log; /* the memtable has the log up to this block */
	uint64_t frozen_log;   /* its frozen half has the log up to this block; 0: that half is empty */
};

struct st_store {
	bool read_only;
	bool retracted_only;      /* reads only while no retraction is pending */
	struct st_memory *memory; /* owned: the records of a store without a directory; else NULL */
	char *dir;                /* owned; NULL in memory */
	int lock_fd;              /* the writer's lock (lock.h); -1: none */
	bool facts_made;          /* facts.mdb was created by this start */
	struct st_faults faults;
	struct st_work work;
	struct st_facts facts;

	uint64_t identity;           /* the key that names positions in transposition tables */
	struct st_counters counters; /* as committed */
	struct st_run_list runs;     /* as committed */
	atomic_uint runs_live;       /* runs.count: with 0, readers need no transaction */
	struct st_memtable memtable;
	struct st_batch batch;
	struct st_flush flush;
	struct st_compaction compaction;
	struct st_tuning tuning;
	struct st_upkeep upkeep;
	struct st_follower follower;
	struct st_reader *reader; /* the writer's own */

	struct pd_mutex lock; /* guards what follows */
	struct st_game *game; /* owned, in order of id */
	uint32_t games, games_committed, games_capacity;
	struct st_stats stats; /* the fields that are counted as they happen */
};
