/* Memory store: jobs, events and transposition tables as lists of immutable, reference-counted items (private to
 * store/).
 *
 * It stands for the work environment in the backend in memory (backend_memory.c). A batch stages items; commit links
 * them and cannot fail. A walk takes references under the lock and calls back without it, so a callback may use the
 * store.
 *
 * A journal without snapshots would grow without bound, so a commit that finds it twice as long as after its last
 * compaction drops the entries that later ones replace. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/error.h"
#include "proto/base/hash.h"

struct st_memory;
struct st_staged;

enum st_kind {
	ST_MEM_JOB, /* the job's record; the last one counts */
	ST_MEM_EVENT,
	ST_MEM_JOURNAL, /* table entries */
	ST_MEM_SNAPSHOT_START,
	ST_MEM_SNAPSHOT, /* table entries */
	ST_MEM_SNAPSHOT_END,
	ST_MEM_DROP,     /* of the table */
	ST_MEM_REMOVE,   /* of the job: record, events and table */
	ST_MEM_QUESTION, /* of the table: a struct pd_id; the last one counts */
	ST_MEM_CONFLICT  /* a text; job 0 */
};

/* NULL when memory runs out. */
struct st_memory *st_memory_new(void);
void st_memory_free(struct st_memory *memory);

/* Whether a snapshot of the job is open, counting what is staged. */
bool st_memory_snapshot_open(const struct st_memory *memory, uint32_t job);
/* Copies one item into the batch. PD_E_NO_MEMORY. The caller has checked that a snapshot is open. */
int st_memory_stage(struct st_memory *memory, enum st_kind kind, uint32_t job, const void *data, size_t size,
		    struct pd_fail *fail);
/* Makes what is staged visible; cannot fail. `jobs`: one more than the largest job number in use; room for them was
 * made while staging. */
void st_memory_commit(struct st_memory *memory);
void st_memory_abort(struct st_memory *memory);

/* Items of a job in order: JOB (one at most), EVENT, JOURNAL (the table: snapshot, then journal), CONFLICT. */
struct st_memory_range {
	enum st_kind kind;
	uint32_t job;
	size_t max; /* at most this many, the newest */
};
/* Walks over the items of a range. Any thread. A non-zero return of `each` ends the walk and is returned;
 * PD_E_NO_MEMORY. */
int st_memory_each(struct st_memory *memory, struct st_memory_range range,
		   int (*each)(void *ctx, const void *data, size_t size), void *ctx, struct pd_fail *fail);
/* The question of a job's table, {0, 0} when none was named. `staged`: as it will be when the open batch is committed
 * (the writer's). */
void st_memory_question(struct st_memory *memory, uint32_t job, bool staged, struct pd_id *out);
/* One more than the largest job number that has anything. */
uint32_t st_memory_jobs(struct st_memory *memory);
