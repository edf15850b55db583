/* Internal: the store's struct and what its files ask of each other (private to store/).
 *
 *   store.c    open, close, statistics                   format.c   formats, counters, databases;  games.c  the list of
 * games batch.c    a batch's begin, commit, abort; conflicts jobs.c     jobs and their events; cards.c table.c    a
 * job's journal and snapshot; sweep.c drops what is over factlog.c  facts into the log, and back at start     delta.c
 * facts in memory runs.c     the list of runs, looking up in them      build.c    writing one;  flush.c    delta to a
 * run;  merge.c  runs to a run;  maintain.c  when reader.c   st_fact_get, st_fact_each                 check.c st_check
 *   rewrite.c  st_facts_rewrite                          identity.c the key that table entries are named with
 *   memory.c   the work environment of a store in memory env.c      LMDB's files;  txn.c, record.c, cursor.c  what is
 * in them scan.c     a damaged file, page by page;  salvage.c  what is sound of a directory guard.c    faults in maps;
 * pages.c  LMDB's pages     pack.c, block.c, runblock.c  bytes lock.c     who writes create.c   a new directory;
 * window.c  who reads;  mend.c  a failed commit
 *
 * Threads: the writer's thread alone begins batches and maintains. What others read beside it is guarded: the delta by
 * its shards' locks, games and statistics by `lock`, everything on disk by read transactions. */
#ifndef ST_INTERNAL_H
#define ST_INTERNAL_H

#include <pthread.h>

#include "store/block.h"
#include "store/memtable.h"
#include "store/env.h"
#include "store/lock.h"
#include "store/memory_store.h"
#include "store/pack.h"
#include "store/runblock.h"
#include "store/store.h"

_Static_assert(sizeof(struct st_tt_entry) == ST_ENTRY, "pack.h and store.h mean the same entries");
_Static_assert(ST_KEY_MAX + 4 <= ST_DB_KEY_MAX, "a key of LMDB's holds the game and the exact key");

enum { ST_FORMAT_VERSION = 2 };

/* The named databases of the work environment. */
#define ST_WORK_DBIS(X)                                                                                                \
	X(META, "meta")                                                                                                \
	X(GAMES, "games")                                                                                              \
	X(JOBS, "jobs")                                                                                                \
	X(CARDS, "cards")                                                                                              \
	X(EVENTS, "events")                                                                                            \
	X(TABLES, "tables")                                                                                            \
	X(JOURNAL, "journal")                                                                                          \
	X(SNAPSHOT, "snapshot")                                                                                        \
	X(FACTLOG, "factlog")                                                                                          \
	X(CONFLICTS, "conflicts")

enum st_work_dbi {
#define X(id, name) ST_##id,
	ST_WORK_DBIS(X)
#undef X
		ST_WORK_COUNT
};

enum {
	ST_RUN_SLOTS = 24, /* databases run.0 .. run.23 of the facts environment: there from the start, filled and
			      emptied in turn */
	ST_RUNS_MAX = 16   /* of them in use at once; the others are being built or rest */
};

/* meta/"counters": what only grows. */
struct st_counters {
	uint32_t next_job, next_game; /* numbers not given yet, from 1 */
	uint64_t next_log;            /* number of the next block of the fact log, from 1 */
	uint64_t dropped_log;         /* blocks up to this number may have been deleted: they stand in runs */
	uint32_t jobs;                /* how many jobs have a card */
};

/* cards/JOB: what there must be of a job, so that nothing of it can be missing in silence. Made with its number, it
 * goes with the job. */
struct st_card {
	uint64_t events; /* of its history */
	bool record;     /* it has been put */
	bool table;      /* there is a record of its table */
};

/* tables/JOB: where a job's table stands. */
struct st_tt_state {
	uint64_t journal_start, journal_next; /* blocks [start, next) count; older ones wait to be deleted */
	uint32_t snapshot, snapshot_blocks;   /* the snapshot that counts, and its blocks; 0: none */
	uint32_t building, building_blocks;   /* the sweep in progress; 0: none */
	uint64_t building_start;              /* journal_next when it began */
	uint32_t last_snapshot;               /* numbers of sweeps are never used again */
	bool dropped;                         /* the job is over: when its blocks are deleted, this record goes too */
	struct pd_id question;                /* what the entries belong to; {0, 0}: nobody has said */
};

struct st_run {
	uint32_t slot;
	uint64_t id; /* a number that no other run has: blocks of the run that had the database before do not pass for
			its own */
	uint64_t entries, blocks;
};

/* A run being built, between two steps. */
struct st_build {
	struct st_run run;
	uint16_t fence_size; /* the last block's upper fence */
	uint8_t fence[ST_DB_KEY_MAX];
};

/* meta/"runs" of the facts environment. */
struct st_run_list {
	uint64_t merged; /* blocks of the fact log up to this number stand in runs */
	uint32_t count;
	struct st_run run[ST_RUNS_MAX]; /* newest first */
};

struct st_game {
	uint32_t id;
	uint64_t rules_version;
	char *name; /* owned */
};

/* A bulk load in progress: the writer's. */
struct st_flush {
	bool active;
	uint64_t last_log;                          /* the frozen delta holds the log up to this block */
	unsigned sorted;                            /* shards that are sorted */
	const struct st_record **record[ST_SHARDS]; /* owned arrays, each in key order once sorted */
	uint32_t count[ST_SHARDS], next[ST_SHARDS]; /* records of each, and how many of them are written */
	struct st_build build;
};

struct st_compaction {
	bool active;
	uint32_t count;
	struct st_run source[ST_RUNS_MAX]; /* newest first; they stand side by side in the list */
	struct st_build build;
	uint32_t last_size; /* bytes of the last key written; 0: none yet */
	uint8_t last[ST_DB_KEY_MAX];
};

struct st_batch {
	struct st_store *store;
	bool open;
	MDB_txn *txn;                /* NULL in memory */
	struct pd_fail failed;       /* code 0 while all is well; else every further call and the commit repeat it */
	struct pd_fail scratch;      /* of the call in progress */
	struct st_counters counters; /* as they will be */
	struct st_tt_state table;    /* of table_job, as it will be */
	uint32_t table_job;          /* 0: none loaded */
	struct st_block journal, snapshot, log; /* being filled */
	uint16_t log_key_size;
	uint8_t log_key[ST_DB_KEY_MAX];
	struct st_stage stage;
	uint32_t games_new; /* games at the end of the store's list that are not committed */
	uint64_t entries;   /* table entries in this batch */
	bool garbage;       /* it made blocks of a table obsolete */
	uint8_t *conflict;  /* owned: the record to keep once the batch is aborted */
	size_t conflict_size;
};

struct st_store {
	bool read_only;
	struct st_memory *memory; /* of a store in memory; else NULL */
	char *dir;
	int lock_fd;     /* the writer's lock (lock.h); -1: none */
	bool facts_made; /* there was no facts.mdb at this start */
	struct st_faults faults;
	struct st_env work, facts;
	MDB_dbi dbi[ST_WORK_COUNT];
	MDB_dbi facts_meta, facts_games, run[ST_RUN_SLOTS];

	uint64_t identity;           /* the key that table entries are named with */
	struct st_counters counters; /* as committed; the writer's */
	struct st_run_list runs;     /* as committed; the writer's */
	atomic_uint runs_live;       /* runs.count, for readers that want to save a transaction */
	struct st_memtable memtable;
	struct st_batch batch;
	struct st_flush flush;
	struct st_compaction merge;
	struct st_tuning tuning;
	uint32_t spoiled;         /* a run's database that a failed rewrite left half filled, plus 1; 0: none */
	struct st_reader *reader; /* the writer's own */
	bool garbage;             /* there may be blocks of tables to delete */
	bool garbage_stuck;       /* they stand in damaged pages, and are left alone */
	uint64_t checked_readers_ns;
	uint64_t followed_log; /* read-only: blocks up to this number are in the delta */

	pthread_mutex_t lock; /* guards what follows */
	struct st_game *game; /* owned, in order of id */
	uint32_t games, games_committed, games_capacity;
	struct st_stats stats; /* the fields that are counted as they happen */
};

/* --- store.c, format.c, games.c ----------------------------------------------------------- */
extern const struct st_tuning st_tuning_default; /* maintain.c */
int st_tables_open_work(struct st_store *store, MDB_txn *txn, struct pd_fail *fail);
int st_tables_open_facts(struct st_store *store, MDB_txn *txn, struct pd_fail *fail);
int st_counters_get(const struct st_store *store, MDB_txn *txn, struct st_counters *out, struct pd_fail *fail);
int st_counters_put(struct st_store *store, MDB_txn *txn, const struct st_counters *counters, struct pd_fail *fail);
/* Of an unsealed record. */
bool st_counters_unpack(const uint8_t *p, size_t size, struct st_counters *out);
/* Renews the figures that the writer knows, for st_stats. */
void st_stats_renew(struct st_store *store);
/* games/ID, in both environments: le64 rules version, name. */
int st_game_put(const struct st_env *env, MDB_txn *txn, MDB_dbi dbi, const struct st_game *game, struct pd_fail *fail);

/* Reads the games that are not in the list yet. */
int st_games_load(struct st_store *store, MDB_txn *txn, struct pd_fail *fail);
/* Whether each game of the facts environment has the same number and rules in the work environment, which may know
 * more. PD_E_CORRUPT: facts of one game would be taken for another's. The facts' transaction is the older one, or as
 * old. */
int st_games_agree(const struct st_store *store, MDB_txn *facts, struct pd_fail *fail);

/* --- identity.c --------------------------------------------------------------------------- */
/* Reads the key, or draws one; part of opening. */
int st_identity_open(struct st_store *store, MDB_txn *txn, struct pd_fail *fail);
/* --- create.c, mend.c --------------------------------------------------------------------- */
/* Makes both files of a new directory; part of opening, under the lock. */
int st_create(struct st_store *store, struct pd_fail *fail);
int st_create_facts(struct st_store *store, struct pd_fail *fail);
/* The names in a directory reach the disk. */
int st_sync_directory(const char *dir, struct pd_fail *fail);
/* Puts right what failed commits have left in doubt, if there is any. The writer's; without a transaction or an awake
 * reader of its own. */
int st_commit_repair(struct st_store *store, struct pd_fail *fail);

/* --- batch.c ------------------------------------------------------------------------------ */
/* 0, or the error that the batch already has. */
int st_batch_usable(const struct st_batch *batch, struct pd_fail *fail);
/* Likewise, and PD_E_NO_JOB for a number that was not given. */
int st_batch_job(const struct st_batch *batch, uint32_t job, struct pd_fail *fail);
/* Ends a call that worked on the transaction with batch->scratch in place of the caller's *fail: an error sticks. */
int st_batch_result(struct st_batch *batch, int rc, struct pd_fail *fail);
/* Into the memory that stands for the work environment. */
int st_batch_stage(struct st_batch *batch, enum st_kind kind, uint32_t job, const void *data, size_t size,
		   struct pd_fail *fail);

/* --- cards.c ------------------------------------------------------------------------------ */
/* PD_E_NOT_FOUND (*fail untouched) when no job has the number, or not any more. */
int st_card_get(const struct st_store *store, MDB_txn *txn, uint32_t job, struct st_card *out, struct pd_fail *fail);
int st_card_put(const struct st_store *store, MDB_txn *txn, uint32_t job, const struct st_card *card,
		struct pd_fail *fail);
/* Of a sealed record; false when it does not decode. */
bool st_card_unpack(const uint8_t *p, size_t size, struct st_card *out);
/* For reading what belongs to a job: NOT_FOUND becomes an error if the job must be there, and else an empty card. */
int st_card_read(const struct st_store *store, MDB_txn *txn, uint32_t job, struct st_card *out, struct pd_fail *fail);

/* --- table.c, sweep.c --------------------------------------------------------------------- */
enum { ST_TABLE_STATE = 61 }; /* bytes of its record */
void st_tt_state_pack(uint8_t *p, const struct st_tt_state *state);
bool st_tt_state_unpack(const uint8_t *p, size_t size, struct st_tt_state *out);
/* As st_batch_tt_drop, but where there is no table it writes nothing. */
int st_tt_forget(struct st_batch *batch, uint32_t job, struct pd_fail *fail);
/* Nothing of the table counts any more. */
void st_tt_state_drop(struct st_tt_state *state);
/* Writes out what the batch still holds of journals and snapshots. */
int st_tt_flush(struct st_batch *batch, struct pd_fail *fail);
/* Forgets unfinished sweeps; part of opening. */
int st_snapshot_recover(struct st_store *store, MDB_txn *txn, struct pd_fail *fail);
/* Deletes at most `limit` blocks that no longer count, of tables and of the fact log; *left says whether there may be
 * more. */
int st_gc_step(struct st_store *store, MDB_txn *txn, struct st_counters *counters, unsigned limit, bool *left,
	       struct pd_fail *fail);

/* --- factlog.c ---------------------------------------------------------------------------- */
/* One record of the log. */
struct st_wal_record {
	uint8_t key[ST_DB_KEY_MAX]; /* be32 game, exact key */
	size_t key_size;
	struct pd_reason reason;
};
/* Reads the record at view->p; `record` holds the one before it (key_size 0: none). False when it does not decode. */
bool st_wal_next(struct st_block_view *view, struct st_wal_record *record);
int st_wal_flush(struct st_batch *batch, struct pd_fail *fail);
/* Takes the blocks after `after` into the delta; *last is the last one seen. */
int st_wal_replay(struct st_store *store, uint64_t after, uint64_t *last, struct pd_fail *fail);

/* --- runs.c ------------------------------------------------------------------------------- */
int st_run_list_get(const struct st_store *store, MDB_txn *txn, struct st_run_list *out, struct pd_fail *fail);
int st_run_list_put(const struct st_store *store, MDB_txn *txn, const struct st_run_list *list, struct pd_fail *fail);
/* Of an unsealed record; false when it does not decode. */
bool st_run_list_unpack(const uint8_t *p, size_t size, struct st_run_list *out);
/* Cursors for look-ups in runs. Begins as {0}. */
struct st_finder {
	struct st_cursor cursor[ST_RUN_SLOTS];
	uint32_t awake;  /* bit i: cursor i is good for the transaction */
	unsigned opened; /* the environment's `opened` that they belong to */
};
/* Before the finder is used in another read transaction. */
void st_finder_rest(struct st_finder *finder);
void st_finder_fini(struct st_finder *finder, const struct st_store *store);
/* 1 and the fact from the newest run that has the key; 0 when the runs prove that they do not; -1. */
int st_run_find(struct st_finder *finder, const struct st_store *store, MDB_txn *txn, const struct st_run_list *list,
		const uint8_t *key, size_t size, struct pd_fact *out, struct pd_fail *fail);
/* A database that is neither in the list nor being built. */
uint32_t st_run_slot_free(const struct st_store *store);
/* Empties what an interrupted flush or merge left behind; part of opening. */
int st_run_recover(struct st_store *store, MDB_txn *txn, struct pd_fail *fail);
/* After a commit that published `list`. */
void st_run_published(struct st_store *store, const struct st_run_list *list);

struct st_run_source {
	struct st_run run;
	struct st_cursor cursor;
	struct st_run_view view; /* of the cursor's block */
	bool alive;
};

/* A walk through several runs in key order, the newest record of each key. What is missing is damage. */
struct st_run_walk {
	const struct st_store *store;
	uint32_t count, least;
	struct st_run_source *source; /* owned */
};
/* `run`: newest first. Begins behind the key `after`, or with the first key when size is 0. If opening fails there is
 * nothing to close. */
int st_run_walk_open(struct st_run_walk *walk, const struct st_store *store, MDB_txn *txn, const struct st_run *run,
		     uint32_t count, const uint8_t *after, size_t size, struct pd_fail *fail);
void st_run_walk_close(struct st_run_walk *walk);
/* The record the walk is at, good until it goes on; false at the end. */
bool st_run_walk_get(struct st_run_walk *walk, MDB_val *key, MDB_val *value);
/* Goes on to the next key; only after st_run_walk_get said true. */
int st_run_walk_next(struct st_run_walk *walk, struct pd_fail *fail);

/* --- build.c ------------------------------------------------------------------------------ */
/* A step of a build: a transaction's share. */
struct st_builder {
	const struct st_store *store;
	MDB_txn *txn;
	struct st_build build; /* as it will be */
	struct st_run_block block;
};
void st_build_init(struct st_build *build, uint32_t slot);
/* st_builder_close must follow in any case. */
int st_builder_open(struct st_builder *b, const struct st_store *store, MDB_txn *txn, const struct st_build *build,
		    struct pd_fail *fail);
void st_builder_close(struct st_builder *b);
/* Keys rise from one call, and one step, to the next. */
int st_builder_add(struct st_builder *b, const uint8_t *key, size_t size, const void *value, size_t value_size,
		   struct pd_fail *fail);
/* Ends a step: writes what is left, `next` being the first key of the next step; NULL: the run is complete. */
int st_builder_cut(struct st_builder *b, const uint8_t *next, size_t size, struct pd_fail *fail);

/* --- flush.c, merge.c: steps of bounded time, each a transaction of its own; 0 or an error, */
void st_flush_start(struct st_store *store);
int st_flush_step(struct st_store *store, struct pd_fail *fail);
void st_flush_fini(struct st_store *store);
/* `count` runs from position `first` of the list on. */
void st_compaction_start(struct st_store *store, uint32_t first, uint32_t count);
enum { ST_STEP_NS = 40000000 }; /* after this long a step commits what it has: with the commit it stays below 100 ms */
int st_compaction_step(struct st_store *store, struct pd_fail *fail);

/* --- reader.c ----------------------------------------------------------------------------- */
/* As st_fact_get, with the key of the database. The transaction stays open until st_reader_rest. */
int st_reader_find(struct st_reader *reader, uint64_t hash, const uint8_t *key, size_t size, struct pd_fact *out,
		   struct pd_fail *fail);
void st_reader_rest(struct st_reader *reader);

#endif
