/* Memory store: the records of a store without a directory, as lists of immutable, reference-counted items (private to
 * store/). It takes the place of work.mdb; the facts stay in the memtable.
 *
 * A batch stages items; commit links them and cannot fail. A walk takes references under the lock and calls back
 * without it, so a callback may use the store.
 *
 * A commit that finds a journal twice as long as after its last compaction drops the entries that later ones replace.
 *
 * Why not LMDB on files in /dev/shm: containers give /dev/shm 64 MB or nothing, LMDB's lock file needs a name, an open
 * store takes two maps of address space, a dropped table would not return its memory, and a killed process leaves its
 * files. */
#pragma once

#include "store/store_state.h"

/* NULL when memory runs out. */
struct st_memory *st_memory_new(void);
void st_memory_free(struct st_memory *memory);

/* Copies an item into the batch. Conflicts are events of job 0. PD_E_NO_MEMORY; PD_E_STATE when a snapshot has to be
 * open and is not; PD_E_CORRUPT when the table belongs to another question. */
int st_memory_put(struct st_memory *memory, enum st_put kind, uint32_t job, const void *data, size_t size,
		  struct pd_fail *fail);
/* Makes visible what is staged; cannot fail. */
void st_memory_commit(struct st_memory *memory);
void st_memory_abort(struct st_memory *memory);

/* Walks over the items of a job in order: ST_PUT_JOB (at most one), ST_PUT_EVENT, ST_PUT_JOURNAL (the table: snapshot,
 * then journal). Any thread. A non-zero return of `each` ends the walk and is returned; PD_E_NO_MEMORY. */
struct st_memory_range {
	enum st_put kind;
	uint32_t job;
	size_t max; /* at most this many, the newest */
};
int st_memory_each(struct st_memory *memory, struct st_memory_range range,
		   int (*each)(void *ctx, const void *data, size_t size), void *ctx, struct pd_fail *fail);
/* The calls of store.h. */
int st_memory_job_each(struct st_memory *memory, int (*each)(void *ctx, uint32_t job, const void *record, size_t size),
		       void *ctx, struct pd_fail *fail);
int st_memory_tt_each(struct st_memory *memory, uint32_t job,
		      int (*each)(void *ctx, const struct st_tt_entry *entries, size_t count), void *ctx,
		      struct pd_fail *fail);
/* Bytes of a job's table. Any thread. */
uint64_t st_memory_tt_bytes(struct st_memory *memory, uint32_t job);
/* The question of a job's table; {0, 0}: none was named. Any thread. */
struct pd_id st_memory_question(struct st_memory *memory, uint32_t job);
