/* Store: one data directory, durable.
 *
 * Two LMDB environments (FORMAT.md describes every byte). `work`, private to the server: meta, jobs, events, the
 * journal and snapshot of transposition tables, the write-ahead log of facts. `facts`, public: game and exact key to a
 * fact, in sorted runs (an LSM tree). The store knows bytes, not games and not JSON.
 *
 * Rules
 *  S1 One batch at a time, from one thread (D3), the writer's. A batch is one synchronous transaction (D2): when
 *     st_batch_commit has returned 0, it is on disk (D1); after a failure none of it is.
 *  S2 Facts are durable in the write-ahead log, visible to st_fact_get from the commit on through the memtable, and
 *     moved in bulk to runs by st_facts_maintain, idempotently.
 *  S3 A reader (st_reader) belongs to one thread, never waits for the writer's transaction, and holds a read
 *     transaction only during a call.
 *  S4 A failed commit (full disk, full map, I/O) leaves the store as it was and usable (D4). If that needs another
 *     write, as after a failed write of LMDB's meta page, later batches fail until the disk allows it; reading goes on.
 *  S5 In memory (dir NULL) everything behaves the same and nothing reaches a disk.
 *  S6 Nothing is committed to files that were removed from the directory or replaced: PD_E_IO. */
#pragma once

#include "store/batch.h"
#include "store/games.h"
#include "store/reader.h"
#include "store/schedule.h"
#include "store/tables.h"

/* Flags of st_open. */
enum {
	ST_READ_ONLY = 1,  /* for checks and tools; takes no lock, writes nothing, the directory must exist */
	ST_UNRETRACTED = 2 /* with ST_READ_ONLY: also while a retraction is pending, when facts may be false */
};

/* Opens a data directory, and creates it unless ST_READ_ONLY is set; NULL: in memory. PD_E_LOCKED when another process
 * writes to it, PD_E_FORMAT for another format version or byte order, PD_E_CORRUPT, PD_E_IO, PD_E_NO_SPACE; with
 * ST_READ_ONLY also those of st_retraction_refuse. Cleans up after an interrupted flush or compaction. A process may
 * open a directory only once at a time (LMDB's rule). */
int st_open(const char *dir, unsigned flags, struct st_store **out, struct pd_fail *fail);
/* PD_E_STATE with field "data" while a retraction is pending in the directory (FORMAT.md, `retract`): its facts may be
 * false, and must not be reported or copied. */
int st_retraction_refuse(const char *dir, struct pd_fail *fail);
/* The directory; NULL in memory. Borrowed. */
const char *st_directory(const struct st_store *store);
/* Readers and batches must be closed first. NULL is fine. */
void st_close(struct st_store *store);

/* The secret key that names the entries of tables in this store (solver.h: pn_options.identity), for searches only;
 * never 0. It stays the same for the life of a directory, or of a store in memory. */
uint64_t st_identity(const struct st_store *store);

/* Keeps the record of a contradiction that another store had. No batch is open. */
int st_conflict_keep(struct st_store *store, const void *record, size_t size, struct pd_fail *fail);
/* Drops the records of contradictions whose stored fact was taken back, after a rewrite. Exclusive, as that. */
int st_conflicts_settle(struct st_store *store, struct pd_fail *fail);
/* Writes a record that st_salvage_meta has found. It takes effect when the directory is opened again. No batch is
 * open. */
int st_meta_keep(struct st_store *store, unsigned id, const void *record, size_t size, struct pd_fail *fail);

/* --- reading back ------------------------------------------------------------------------- */

/* Jobs in the order of their numbers, without removed ones. For a damaged record `record` is NULL, and the walk goes
 * on. A non-zero return of `each` ends the walk and is returned. */
int st_job_each(struct st_store *store, int (*each)(void *ctx, uint32_t job, const void *record, size_t size),
		void *ctx, struct pd_fail *fail);
/* How many job numbers were ever given. The writer's thread, or any thread when there is no writer. */
uint32_t st_jobs_given(const struct st_store *store);
/* Calls `each` with what st_batch_note has written, if anything, and returns its result. */
int st_note_get(struct st_store *store, int (*each)(void *ctx, const void *record, size_t size), void *ctx,
		struct pd_fail *fail);
/* The last `max` events of a job, oldest first; NULL for one that is damaged. */
int st_event_each(struct st_store *store, uint32_t job, size_t max,
		  int (*each)(void *ctx, const void *record, size_t size), void *ctx, struct pd_fail *fail);
/* The question that the job's table belongs to; {0, 0} when it has no table or none was named. */
int st_tt_question(struct st_store *store, uint32_t job, struct pd_id *out, struct pd_fail *fail);
/* The job's table: snapshot, then journal in order. */
int st_tt_each(struct st_store *store, uint32_t job,
	       int (*each)(void *ctx, const struct st_tt_entry *entries, size_t count), void *ctx,
	       struct pd_fail *fail);

/* The approximate bytes of the job's table on disk; 0: it has none. Any thread. */
uint64_t st_tt_bytes(struct st_store *store, uint32_t job);

/* --- facts -------------------------------------------------------------------------------- */

/* Does a share of the background work (a flush, a compaction or garbage collection) in at most about 100 ms. The writer
 * calls it between batches. `idle`: no search is running, so it flushes even a small memtable and compacts down to one
 * run (or to two, when there are too few new facts to write a large old run again). Returns 1 when there is more to do
 * now, 0 when not, -1 on an error, after which the same call may be tried again. In a store that was opened read-only
 * it reads what the writer has added since; one thread may call it while others read. */
int st_facts_maintain(struct st_store *store, bool idle, struct pd_fail *fail);
/* Calls st_facts_maintain until nothing is left to do. */
int st_facts_maintain_all(struct st_store *store, bool idle, struct pd_fail *fail);

/* Calls `filter` for every fact in key order; a fact that loses all reasons is removed. The facts that remain replace
 * all facts at once: after a failure or a crash the old facts are complete. A non-zero return of `filter` ends the
 * rewrite with that error. Exclusive: no batch is open and no other thread of this process uses the store. Readers in
 * other processes see the old facts until they follow the writer (st_facts_maintain). Needs disk space for a second
 * copy of the facts. */
int st_facts_rewrite(struct st_store *store,
		     int (*filter)(void *ctx, uint32_t game, const uint8_t *key, size_t size, struct pd_fact *fact),
		     void *ctx, struct pd_fail *fail);

void st_stats(struct st_store *store, struct st_stats *out);

/* Decodes every record of both environments as of one moment: a read transaction is open throughout. Any thread. Calls
 * `problem` with a sentence for each fault. Returns the number of problems, or -1 when it cannot read. */
int64_t st_check(struct st_store *store, void (*problem)(void *ctx, const char *text), void *ctx, struct pd_fail *fail);

/* For tests: the n-th call of that kind from now on (1: the next), or every call (ST_FAULT_ALWAYS), fails as if the
 * disk were full; 0: none. */
enum st_fault { ST_FAULT_COMMIT, ST_FAULT_PUT };
#define ST_FAULT_ALWAYS UINT32_MAX
void st_fault(struct st_store *store, enum st_fault kind, unsigned n);

void st_tune(struct st_store *store, const struct st_tuning *tuning);
