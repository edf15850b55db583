/* Store: one data directory, durable.
 *
 * Two LMDB environments (FORMAT.md describes every byte). `work`, private to the server: meta, jobs, events, the
 * journal and snapshot of transposition tables, the write-ahead log of facts. `facts`, public: game and exact key to a
 * fact, in sorted runs (an LSM tree). The store knows bytes, not games and not JSON.
 *
 * Rules
 *  S1 One batch at a time, from one thread (D3), the writer's. A batch is one synchronous transaction (D2): when
 *     st_batch_commit has returned 0, it is on disk (D1); when it failed, nothing of it is.
 *  S2 Facts are durable in the write-ahead log, visible to st_fact_get from the commit on through the memtable, and
 *     moved in bulk to runs by st_facts_maintain, idempotently.
 *  S3 A reader (st_reader) belongs to one thread, never waits for the writer's transaction, and holds a read
 *     transaction only during a call.
 *  S4 A failed commit (full disk, full map, I/O) leaves the store as it was and usable (D4). Where that takes another
 *     write, as after a failed write of LMDB's meta page, later batches fail until the disk allows it; reading goes on.
 *  S5 In memory (dir NULL) everything behaves the same and nothing reaches a disk (backend.h).
 *  S6 Nothing is committed to files that the directory does not contain any more: PD_E_IO while they are removed or
 *     replaced. */
#ifndef ST_STORE_H
#define ST_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/error.h"
#include "proto/base/fact.h"
#include "proto/base/hash.h"

struct st_store;

enum {                    /* flags of st_open */
       ST_READ_ONLY = 1,  /* for checks and tools; takes no lock, writes nothing, the directory must exist */
       ST_UNRETRACTED = 2 /* with ST_READ_ONLY: also while a retraction is pending, when facts may be false */
};

/* Opens (and unless ST_READ_ONLY creates) a data directory; NULL: in memory. PD_E_LOCKED when another process writes to
 * it, PD_E_FORMAT for another format version or byte order, PD_E_CORRUPT, PD_E_IO, PD_E_NO_SPACE; with ST_READ_ONLY
 * those of st_retraction_refuse as well. What an interrupted flush or compaction left is cleaned up here. A process
 * opens a directory once at a time (LMDB's rule). */
int st_open(const char *dir, unsigned flags, struct st_store **out, struct pd_fail *fail);
/* PD_E_STATE with field "data" while a retraction is pending in the directory (FORMAT.md, `retract`): what it says may
 * be false, and is not to be told or copied. */
int st_retraction_refuse(const char *dir, struct pd_fail *fail);
/* Nothing to lose: what was committed is on disk. Readers and batches must be closed first. NULL is fine. */
void st_close(struct st_store *store);

/* The key that the entries of tables in this store are named with (solver.h: pn_options.identity); never 0, and
 * secret: for the searches only. A directory keeps it from its creation on, a store in memory for as long as it
 * lives. */
uint64_t st_identity(const struct st_store *store);

/* --- games -------------------------------------------------------------------------------- */

/* The number under which facts of a game under these rules are kept; 0 when the store has none. Any thread. */
uint32_t st_game_find(struct st_store *store, const char *name, uint64_t rules_version);
/* Calls `each` for every registered game. Any thread. */
void st_game_each(struct st_store *store,
		  void (*each)(void *ctx, uint32_t id, const char *name, uint64_t rules_version), void *ctx);

/* --- the batch: one checkpoint, one transaction ------------------------------------------- */

struct st_batch;

struct st_tt_entry { /* 32 bytes in memory; the store does not look inside */
	uint8_t bytes[32];
};

int st_batch_begin(struct st_store *store, struct st_batch **out, struct pd_fail *fail);
/* Gives the game a number (again the same when it has one already). */
int st_batch_game(struct st_batch *batch, const char *name, uint64_t rules_version, uint32_t *id, struct pd_fail *fail);
/* The job's record: opaque bytes, at most ST_JOB_MAX. Job numbers start at 1 and are given by st_batch_job_new in
 * order, never twice. */
int st_batch_job_new(struct st_batch *batch, uint32_t *job, struct pd_fail *fail);
int st_batch_job_put(struct st_batch *batch, uint32_t job, const void *record, size_t size, struct pd_fail *fail);
/* Takes the job out: at most `limit` of its events, the last ones first; then, with *left false, its record and its
 * table. With *left true there is more to do in another batch, and until then the job is there with a shorter history.
 * Its number is not given again. */
int st_batch_job_remove(struct st_batch *batch, uint32_t job, unsigned limit, bool *left, struct pd_fail *fail);
/* What is to be known of the jobs that were taken out: one record, opaque, at most ST_JOB_MAX bytes. In memory nothing
 * is kept. */
int st_batch_note(struct st_batch *batch, const void *record, size_t size, struct pd_fail *fail);
/* Appends to the job's history; `record` opaque, at most ST_EVENT_MAX bytes. */
int st_batch_event(struct st_batch *batch, uint32_t job, const void *record, size_t size, struct pd_fail *fail);
/* Says which question the entries of the job's table belong to; the store keeps the answer with them until the table
 * is dropped. To be called before the first entries are put, and as often as one likes with the same question.
 * PD_E_CORRUPT when the table belongs to another. {0, 0} stands for none. */
int st_batch_tt_question(struct st_batch *batch, uint32_t job, struct pd_id question, struct pd_fail *fail);
/* Appends table entries to the job's journal. Later entries with the same first 16 bytes replace earlier ones at load.
 */
int st_batch_tt(struct st_batch *batch, uint32_t job, const struct st_tt_entry *entries, size_t count,
		struct pd_fail *fail);
/* The rolling snapshot of a job's table. _start begins one; _put appends entries to it, PD_E_STATE when none is open;
 * _end makes it the live snapshot and drops the one before it and the journal older than its start. An unfinished
 * snapshot is abandoned at the next start. */
int st_batch_snapshot_start(struct st_batch *batch, uint32_t job, struct pd_fail *fail);
int st_batch_snapshot_put(struct st_batch *batch, uint32_t job, const struct st_tt_entry *entries, size_t count,
			  struct pd_fail *fail);
int st_batch_snapshot_end(struct st_batch *batch, uint32_t job, struct pd_fail *fail);
/* Drops journal and snapshot of a job that is over. */
int st_batch_tt_drop(struct st_batch *batch, uint32_t job, struct pd_fail *fail);
/* Adds a reason to the fact about (game, key), however many it has. PD_E_LIMIT when the key is too long; the batch is
 * good without it. PD_E_CONFLICT when it contradicts what is stored or in this batch (F4): both sides are then named in
 * fail->text, kept in the `conflicts` record of the store unless a worker of another machine gave one, and the batch
 * must be aborted. */
int st_batch_fact(struct st_batch *batch, uint32_t game, const uint8_t *key, size_t size,
		  const struct pd_reason *reason, struct pd_fail *fail);
/* After PD_E_CONFLICT: the jobs of the reason that is stored and of the one that was to be added (fact.h); 0: none. */
void st_batch_contradicted(const struct st_batch *batch, uint32_t jobs[2]);
/* Ends the batch, in success and failure alike. After a call of the batch failed with PD_E_NO_SPACE, PD_E_IO,
 * PD_E_NO_MEMORY, PD_E_CORRUPT or PD_E_CONFLICT, every further call and the commit fail in the same way; after other
 * refusals the batch is as it was before the call. */
int st_batch_commit(struct st_batch *batch, struct pd_fail *fail);
void st_batch_abort(struct st_batch *batch);
/* Keeps the record of a contradiction that another store had. No batch is open. */
int st_conflict_keep(struct st_store *store, const void *record, size_t size, struct pd_fail *fail);
/* Writes a record that st_salvage_meta has found. It takes effect when the directory is opened again. No batch is
 * open. */
int st_meta_keep(struct st_store *store, unsigned id, const void *record, size_t size, struct pd_fail *fail);

enum {
	ST_JOB_MAX = 1 << 16,
	ST_EVENT_MAX = 2048,
	ST_KEY_MAX = 500, /* bytes of an exact key, at least 1 */
	ST_NAME_MAX = 255 /* bytes of a game's name, at least 1 */
};

/* --- reading back ------------------------------------------------------------------------- */

/* Jobs in order of their numbers, without those that were taken out. A record that is damaged comes as NULL, and the
 * walk goes on. A non-zero return of `each` ends the walk and is returned. */
int st_job_each(struct st_store *store, int (*each)(void *ctx, uint32_t job, const void *record, size_t size),
		void *ctx, struct pd_fail *fail);
/* How many job numbers were ever given. The writer's thread, or when there is none. */
uint32_t st_jobs_given(const struct st_store *store);
/* What st_batch_note has written; not called when nothing was. The return of `each` is returned. */
int st_note_get(struct st_store *store, int (*each)(void *ctx, const void *record, size_t size), void *ctx,
		struct pd_fail *fail);
/* The last `max` events of a job, oldest first; NULL for one that is damaged. */
int st_event_each(struct st_store *store, uint32_t job, size_t max,
		  int (*each)(void *ctx, const void *record, size_t size), void *ctx, struct pd_fail *fail);
/* The question that the job's table belongs to; {0, 0} when it has no table, or none was ever named. */
int st_tt_question(struct st_store *store, uint32_t job, struct pd_id *out, struct pd_fail *fail);
/* The job's table: snapshot, then journal in order. */
int st_tt_each(struct st_store *store, uint32_t job,
	       int (*each)(void *ctx, const struct st_tt_entry *entries, size_t count), void *ctx,
	       struct pd_fail *fail);

/* About as many bytes as it takes on disk; 0 when there is none. Any thread. */
uint64_t st_tt_bytes(struct st_store *store, uint32_t job);

/* --- facts -------------------------------------------------------------------------------- */

struct st_reader; /* one thread's access to the facts */
int st_reader_open(struct st_store *store, struct st_reader **out, struct pd_fail *fail);
void st_reader_close(struct st_reader *reader);
/* 1 and the fact, 0 when nothing is known, -1 on an error (*fail filled). *out was made before, and what it held is
 * forgotten. The read transaction is renewed as S3 asks: cheap enough to call for every position. */
int st_fact_get(struct st_reader *reader, uint32_t game, const uint8_t *key, size_t size, struct pd_fact *out,
		struct pd_fail *fail);
/* The same for many positions of a game, in few read transactions. 0, or -1 on an error: then nothing of the answers
 * counts. */
struct st_wanted {
	const uint8_t *key;
	size_t size;
	struct pd_fact *fact; /* where it goes when there is one; made before */
	bool found;           /* the answer */
};
int st_fact_get_many(struct st_reader *reader, uint32_t game, struct st_wanted *wanted, size_t count,
		     struct pd_fail *fail);
/* The facts of a batch become visible one after the other: who has seen one and misses another that it depends on looks
 * again after this, which waits until the batch is there as a whole. */
void st_fact_settle(struct st_reader *reader);
/* Every fact of every game in key order, memtable and runs merged. A non-zero return of `each` ends the walk and is
 * returned. */
int st_fact_each(struct st_reader *reader,
		 int (*each)(void *ctx, uint32_t game, const uint8_t *key, size_t size, const struct pd_fact *fact),
		 void *ctx, struct pd_fail *fail);

/* Does a share of the background work, a flush, a compaction or garbage collection: at most about 100 ms a call. The
 * writer calls it between batches. `idle`: no search is running, so flush even a small memtable and compact down to one
 * run (or to two, when the other facts are not worth writing a large old run again). Returns 1 when there is more to do
 * now, 0 when not, -1 on an error, after which the same call may be tried again. In a store that was opened read-only
 * it takes in what the writer has added since; one thread may call it while others read. */
int st_facts_maintain(struct st_store *store, bool idle, struct pd_fail *fail);

/* The writer's thread: facts come faster than they are moved, and take twice the memory that they should. Then nothing
 * else is as urgent as st_facts_maintain. */
bool st_facts_pressing(const struct st_store *store);

/* Calls `filter` for every fact in key order; it may take reasons out of *fact (all of them: the fact goes), keeping
 * the order of the others. What it leaves takes the place of all facts in one moment: after a failure or a crash the
 * old facts are there, whole, and else the new ones. A non-zero return of `filter` ends it with that error. Exclusive:
 * no batch is open and no other thread of this process uses the store. Readers in other processes see the old facts
 * until they follow the writer (st_facts_maintain). Needs room for the facts once more. */
int st_facts_rewrite(struct st_store *store,
		     int (*filter)(void *ctx, uint32_t game, const uint8_t *key, size_t size, struct pd_fact *fact),
		     void *ctx, struct pd_fail *fail);

/* Commits are counted by how long they took: the bounds of the classes in microseconds, X(bound). */
#define ST_COMMIT_BOUNDS(X)                                                                                            \
	X(1000)                                                                                                        \
	X(2500)                                                                                                        \
	X(5000)                                                                                                        \
	X(10000)                                                                                                       \
	X(25000)                                                                                                       \
	X(50000)                                                                                                       \
	X(100000)                                                                                                      \
	X(250000)                                                                                                      \
	X(500000)                                                                                                      \
	X(1000000)                                                                                                     \
	X(2500000)                                                                                                     \
	X(10000000)
#define ST_COUNT_BOUND(bound) +1
enum { ST_COMMIT_BUCKETS = 1 ST_COMMIT_BOUNDS(ST_COUNT_BOUND) };

struct st_stats {
	uint64_t facts;    /* distinct positions, an estimate while memtable and runs overlap */
	uint64_t memtable; /* of them in memory, waiting for a flush */
	uint64_t runs;
	uint64_t work_bytes, facts_bytes; /* of the two files on disk */
	uint64_t commits;                 /* since start */
	uint64_t commit_ns_max, commit_ns_last;
	uint64_t commit_ns_sum;
	uint64_t commit_bucket[ST_COMMIT_BUCKETS]; /* commits by duration, each counted once; the last: longer */
	uint64_t commit_failures;                  /* batches that could not be begun or committed, since start */
	int commit_error;                          /* why the latest could not; PD_OK once one is committed */
	uint64_t journal_entries;                  /* table entries written since start */
	uint64_t map_bytes_free; /* on the disk of the directory, and in the maps; in memory 0, like the two sizes */
};
void st_stats(struct st_store *store, struct st_stats *out);

/* Decodes every record of both environments, at one moment and in any thread: a read transaction is open for as long as
 * that takes. Calls `problem` with a sentence for each that is wrong. Returns the number of problems, or -1 when it
 * could not look. */
int64_t st_check(struct st_store *store, void (*problem)(void *ctx, const char *text), void *ctx, struct pd_fail *fail);

/* For tests: the n-th call from now of the named kind fails as if the disk were full (n = 1: the next), or every one
 * (ST_FAULT_ALWAYS); 0 switches it off. */
enum st_fault { ST_FAULT_COMMIT, ST_FAULT_PUT };
#define ST_FAULT_ALWAYS UINT32_MAX
void st_fault(struct st_store *store, enum st_fault kind, unsigned n);

/* When facts move, and how many at a time. For tests and benchmarks; the defaults are in schedule.c. Members that are
 * 0 keep their value. */
struct st_tuning {
	uint64_t flush_facts;      /* facts in the memtable from which on it is flushed */
	uint64_t flush_bytes;      /* or bytes of memory that they take */
	uint32_t step_facts;       /* facts that one call of st_facts_maintain writes at most */
	uint32_t compaction_width; /* runs of similar size that are compacted together, at least 2 */
};
void st_tune(struct st_store *store, const struct st_tuning *tuning);

#endif
