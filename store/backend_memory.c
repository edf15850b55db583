/* The backend in memory: the calls of backend.h on lists (memory_store.h); facts stay in the memtable for good. */
#include <string.h>

#include "proto/base/assert.h"
#include "store/backend.h"
#include "store/batch_state.h"
#include "store/conflict.h"
#include "store/memory_store.h"
#include "store/pack.h"
#include "store/rewrite.h"
#include "store/store_state.h"

/* --- the batch ---------------------------------------------------------------------------- */

static int begin_batch(struct st_batch *batch, struct pd_fail *fail)
{
	(void)fail;
	PD_ASSERT(batch->store->memory);
	return PD_OK;
}

static int fail_as_full(const char *what, struct pd_fail *fail)
{
	return pd_fail_set(fail, PD_E_NO_SPACE, "", "cannot %s: as if the disk were full", what);
}

static int commit_batch(struct st_batch *batch, struct pd_fail *fail)
{
	if (st_fault_hit(&batch->store->faults.commit))
		return fail_as_full("commit", fail);
	st_memory_commit(batch->store->memory);
	return PD_OK;
}

static void abort_batch(struct st_batch *batch)
{
	st_memory_abort(batch->store->memory);
}

static int stage_item(struct st_batch *batch, enum st_kind kind, uint32_t job, const void *data, size_t size,
		      struct pd_fail *fail)
{
	struct st_store *store = batch->store;
	int rc = st_fault_hit(&store->faults.put)
			 ? fail_as_full("write a record", &batch->scratch)
			 : st_memory_stage(store->memory, kind, job, data, size, &batch->scratch);
	return st_batch_result(batch, rc, fail);
}

static int put_game(struct st_batch *batch, const struct st_game *game, struct pd_fail *fail)
{
	(void)batch;
	(void)game; /* the list of games is all there is */
	(void)fail;
	return PD_OK;
}

static int put_fact(struct st_batch *batch, const uint8_t *key, size_t size, const struct pd_reason *reason,
		    struct pd_fail *fail)
{
	(void)key;
	(void)size;
	(void)reason; /* it is staged for the memtable */
	return st_fault_hit(&batch->store->faults.put) ? fail_as_full("write a fact", fail) : PD_OK;
}

static int job_new(struct st_batch *batch, uint32_t job, struct pd_fail *fail)
{
	(void)batch;
	(void)job;
	(void)fail;
	return PD_OK;
}

static int job_put(struct st_batch *batch, uint32_t job, const void *record, size_t size, struct pd_fail *fail)
{
	return stage_item(batch, ST_MEM_JOB, job, size ? record : "", size, fail);
}

/* At once, whatever the limit is: it costs nothing. */
static int job_remove(struct st_batch *batch, uint32_t job, unsigned limit, bool *left, struct pd_fail *fail)
{
	(void)limit;
	*left = false;
	return stage_item(batch, ST_MEM_REMOVE, job, NULL, 0, fail);
}

static int put_event(struct st_batch *batch, uint32_t job, const void *record, size_t size, struct pd_fail *fail)
{
	return stage_item(batch, ST_MEM_EVENT, job, size ? record : "", size, fail);
}

static int put_note(struct st_batch *batch, const void *record, size_t size, struct pd_fail *fail)
{
	(void)batch;
	(void)record; /* it is for later starts */
	(void)size;
	(void)fail;
	return PD_OK;
}

static int tt_question(struct st_batch *batch, uint32_t job, struct pd_id question, struct pd_fail *fail)
{
	struct pd_id known;
	st_memory_question(batch->store->memory, job, true, &known);
	if ((known.lo || known.hi) && !pd_id_equal(known, question)) {
		int rc = pd_fail_set(&batch->scratch, PD_E_CORRUPT, "",
				     "the table of job %u belongs to another question", (unsigned)job);
		return st_batch_result(batch, rc, fail);
	}
	if (pd_id_equal(known, question))
		return PD_OK;
	return stage_item(batch, ST_MEM_QUESTION, job, &question, sizeof question, fail);
}

static int stage_entries(struct st_batch *batch, enum st_kind kind, uint32_t job, const struct st_tt_entry *entries,
			 size_t count, struct pd_fail *fail)
{
	int rc = count ? stage_item(batch, kind, job, entries, count * sizeof *entries, fail) : PD_OK;
	if (!rc)
		batch->entries += count;
	return rc;
}

static int tt_journal(struct st_batch *batch, uint32_t job, const struct st_tt_entry *entries, size_t count,
		      struct pd_fail *fail)
{
	return stage_entries(batch, ST_MEM_JOURNAL, job, entries, count, fail);
}

static int tt_snapshot_start(struct st_batch *batch, uint32_t job, struct pd_fail *fail)
{
	return stage_item(batch, ST_MEM_SNAPSHOT_START, job, NULL, 0, fail);
}

static int check_open(const struct st_batch *batch, uint32_t job, struct pd_fail *fail)
{
	if (st_memory_snapshot_open(batch->store->memory, job))
		return PD_OK;
	return pd_fail_set(fail, PD_E_STATE, "", "job %u has no open snapshot", (unsigned)job);
}

static int tt_snapshot_put(struct st_batch *batch, uint32_t job, const struct st_tt_entry *entries, size_t count,
			   struct pd_fail *fail)
{
	int rc = check_open(batch, job, fail);
	return rc ? rc : stage_entries(batch, ST_MEM_SNAPSHOT, job, entries, count, fail);
}

static int tt_snapshot_end(struct st_batch *batch, uint32_t job, struct pd_fail *fail)
{
	int rc = check_open(batch, job, fail);
	return rc ? rc : stage_item(batch, ST_MEM_SNAPSHOT_END, job, NULL, 0, fail);
}

static int tt_drop(struct st_batch *batch, uint32_t job, struct pd_fail *fail)
{
	return stage_item(batch, ST_MEM_DROP, job, NULL, 0, fail);
}

/* --- reading back ------------------------------------------------------------------------- */

struct job_walk {
	uint32_t job;
	int (*each)(void *ctx, uint32_t job, const void *record, size_t size);
	void *ctx;
};

static int one_job(void *ctx, const void *data, size_t size)
{
	struct job_walk *walk = ctx;
	return walk->each(walk->ctx, walk->job, data, size);
}

static int job_each(struct st_store *store, int (*each)(void *ctx, uint32_t job, const void *record, size_t size),
		    void *ctx, struct pd_fail *fail)
{
	uint32_t jobs = st_memory_jobs(store->memory);
	int rc = PD_OK;
	for (uint32_t job = 1; !rc && job < jobs; job++) {
		struct job_walk walk = {job, each, ctx};
		rc = st_memory_each(store->memory, (struct st_memory_range){ST_MEM_JOB, job, 1}, one_job, &walk, fail);
	}
	return rc;
}

static int event_each(struct st_store *store, uint32_t job, size_t max,
		      int (*each)(void *ctx, const void *record, size_t size), void *ctx, struct pd_fail *fail)
{
	return st_memory_each(store->memory, (struct st_memory_range){ST_MEM_EVENT, job, max}, each, ctx, fail);
}

static int note_get(struct st_store *store, int (*each)(void *ctx, const void *record, size_t size), void *ctx,
		    struct pd_fail *fail)
{
	(void)store;
	(void)each;
	(void)ctx;
	(void)fail;
	return PD_OK;
}

struct tt_walk {
	int (*each)(void *ctx, const struct st_tt_entry *entries, size_t count);
	void *ctx;
};

static int some_entries(void *ctx, const void *data, size_t size)
{
	struct tt_walk *walk = ctx;
	PD_ASSERT(size % ST_ENTRY == 0);
	return walk->each(walk->ctx, data, size / sizeof(struct st_tt_entry));
}

static int tt_each(struct st_store *store, uint32_t job,
		   int (*each)(void *ctx, const struct st_tt_entry *entries, size_t count), void *ctx,
		   struct pd_fail *fail)
{
	struct tt_walk walk = {each, ctx};
	return st_memory_each(store->memory, (struct st_memory_range){ST_MEM_JOURNAL, job, SIZE_MAX}, some_entries,
			      &walk, fail);
}

static int tt_question_get(struct st_store *store, uint32_t job, struct pd_id *out, struct pd_fail *fail)
{
	(void)fail;
	st_memory_question(store->memory, job, false, out);
	return PD_OK;
}

static int add_bytes(void *ctx, const void *data, size_t size)
{
	(void)data;
	*(uint64_t *)ctx += size;
	return 0;
}

static uint64_t tt_bytes(struct st_store *store, uint32_t job)
{
	struct pd_fail fail;
	uint64_t bytes = 0;
	return st_memory_each(store->memory, (struct st_memory_range){ST_MEM_JOURNAL, job, SIZE_MAX}, add_bytes, &bytes,
			      &fail)
		       ? 0
		       : bytes;
}

struct check {
	void (*problem)(void *ctx, const char *text);
	void *ctx;
	int64_t problems;
};

static int one_conflict(void *ctx, const void *data, size_t size)
{
	struct check *c = ctx;
	char text[400];
	st_conflict_describe(data, size, text, sizeof text);
	c->problem(c->ctx, text);
	c->problems++;
	return 0;
}

static int64_t check_conflicts(struct st_store *store, void (*problem)(void *ctx, const char *text), void *ctx,
			       struct pd_fail *fail)
{
	struct check c = {.problem = problem, .ctx = ctx};
	int rc = st_memory_each(store->memory, (struct st_memory_range){ST_MEM_CONFLICT, 0, SIZE_MAX}, one_conflict, &c,
				fail);
	return rc ? -1 : c.problems;
}

static void read_stats(struct st_store *store, struct st_stats *out)
{
	PD_ASSERT(store->memory && !out->work_bytes && !out->facts_bytes);
}

/* --- between batches ---------------------------------------------------------------------- */

static int keep_conflict(struct st_store *store, const void *record, size_t size, struct pd_fail *fail)
{
	int rc = st_memory_stage(store->memory, ST_MEM_CONFLICT, 0, record, size, fail);
	if (!rc)
		st_memory_commit(store->memory);
	return rc;
}

static int keep_meta(struct st_store *store, unsigned id, const void *record, size_t size, struct pd_fail *fail)
{
	(void)store, (void)id, (void)record, (void)size, (void)fail; /* it is for later starts */
	return PD_OK;
}

static int maintain_nothing(struct st_store *store, bool idle, struct pd_fail *fail)
{
	(void)idle;
	(void)fail;
	PD_ASSERT(!store->runs.count && !store->memtable.is_frozen);
	return 0;
}

static int rewrite_put(struct st_rewrite *w, const uint8_t *key, size_t size, const struct pd_fact *fact)
{
	struct st_memtable *next = w->to;
	if (st_fault_hit(&w->store->faults.put))
		return fail_as_full("write a fact", w->fail);
	const struct st_fact_key fact_key = st_fact_key_of(key, size);
	if (!st_memtable_put(next, &fact_key, fact, true))
		return pd_fail_set(w->fail, PD_E_NO_MEMORY, "", "no memory to rewrite the facts");
	return PD_OK;
}

static int rewrite_facts(struct st_rewrite *w)
{
	struct st_store *store = w->store;
	struct st_memtable next, old;
	if (!st_memtable_init(&next))
		return pd_fail_set(w->fail, PD_E_NO_MEMORY, "", "no memory to rewrite the facts");
	w->put = rewrite_put;
	w->to = &next;
	int rc = st_rewrite_each(w);
	if (!rc && st_fault_hit(&store->faults.commit))
		rc = fail_as_full("commit", w->fail);
	old = rc ? next : store->memtable;
	if (!rc)
		store->memtable = next;
	st_memtable_fini(&old);
	return rc;
}

const struct st_backend st_backend_memory = {
	.runs = false,
	.begin = begin_batch,
	.commit = commit_batch,
	.abort = abort_batch,
	.game = put_game,
	.fact = put_fact,
	.job_new = job_new,
	.job_put = job_put,
	.job_remove = job_remove,
	.event = put_event,
	.note = put_note,
	.tt_question = tt_question,
	.tt_journal = tt_journal,
	.tt_snapshot_start = tt_snapshot_start,
	.tt_snapshot_put = tt_snapshot_put,
	.tt_snapshot_end = tt_snapshot_end,
	.tt_drop = tt_drop,
	.job_each = job_each,
	.event_each = event_each,
	.note_get = note_get,
	.tt_each = tt_each,
	.tt_question_get = tt_question_get,
	.tt_bytes = tt_bytes,
	.check = check_conflicts,
	.stats = read_stats,
	.conflict = keep_conflict,
	.meta_keep = keep_meta,
	.maintain = maintain_nothing,
	.rewrite = rewrite_facts,
};
