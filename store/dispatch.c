/* Dispatch: the calls of store.h that check their arguments and leave the rest to the backend (backend.h). */
#include "proto/base/assert.h"
#include "proto/base/mutex.h"
#include "store/backend.h"
#include "store/batch_state.h"
#include "store/rewrite.h"
#include "store/stats.h"
#include "store/store_state.h"

static const struct st_backend *backend_of(const struct st_batch *batch)
{
	return batch->store->backend;
}

/* --- jobs --------------------------------------------------------------------------------- */

static int check_size(const struct st_batch *batch, uint32_t job, size_t size, size_t size_max, struct pd_fail *fail)
{
	int rc = st_batch_job(batch, job, fail);
	if (!rc && size > size_max)
		return pd_fail_set(fail, PD_E_LIMIT, "", "a record of job %u has %zu bytes; the limit is %zu",
				   (unsigned)job, size, size_max);
	return rc;
}

int st_batch_job_new(struct st_batch *batch, uint32_t *job, struct pd_fail *fail)
{
	int rc = st_batch_usable(batch, fail);
	if (rc)
		return rc;
	if (batch->counters.next_job >= PD_GIVER_BIT)
		return pd_fail_set(fail, PD_E_LIMIT, "", "all job numbers are used up");
	rc = backend_of(batch)->job_new(batch, batch->counters.next_job, fail);
	if (rc)
		return rc;
	*job = batch->counters.next_job++;
	batch->counters.jobs++;
	return PD_OK;
}

int st_batch_job_put(struct st_batch *batch, uint32_t job, const void *record, size_t size, struct pd_fail *fail)
{
	int rc = check_size(batch, job, size, ST_JOB_MAX, fail);
	return rc ? rc : backend_of(batch)->job_put(batch, job, record, size, fail);
}

int st_batch_job_remove(struct st_batch *batch, uint32_t job, unsigned limit, bool *left, struct pd_fail *fail)
{
	*left = false;
	int rc = st_batch_job(batch, job, fail);
	return rc ? rc : backend_of(batch)->job_remove(batch, job, limit, left, fail);
}

int st_batch_event(struct st_batch *batch, uint32_t job, const void *record, size_t size, struct pd_fail *fail)
{
	int rc = check_size(batch, job, size, ST_EVENT_MAX, fail);
	return rc ? rc : backend_of(batch)->event(batch, job, record, size, fail);
}

int st_batch_note(struct st_batch *batch, const void *record, size_t size, struct pd_fail *fail)
{
	int rc = st_batch_usable(batch, fail);
	if (!rc && size > ST_JOB_MAX)
		return pd_fail_set(fail, PD_E_LIMIT, "", "a note has %zu bytes; the limit is %d", size, ST_JOB_MAX);
	return rc ? rc : backend_of(batch)->note(batch, record, size, fail);
}

int st_job_each(struct st_store *store, int (*each)(void *ctx, uint32_t job, const void *record, size_t size),
		void *ctx, struct pd_fail *fail)
{
	return store->backend->job_each(store, each, ctx, fail);
}

uint32_t st_jobs_given(const struct st_store *store)
{
	PD_ASSERT(store->counters.next_job);
	return store->counters.next_job - 1;
}

int st_event_each(struct st_store *store, uint32_t job, size_t max,
		  int (*each)(void *ctx, const void *record, size_t size), void *ctx, struct pd_fail *fail)
{
	return store->backend->event_each(store, job, max, each, ctx, fail);
}

int st_note_get(struct st_store *store, int (*each)(void *ctx, const void *record, size_t size), void *ctx,
		struct pd_fail *fail)
{
	return store->backend->note_get(store, each, ctx, fail);
}

/* --- transposition tables ----------------------------------------------------------------- */

int st_batch_tt_question(struct st_batch *batch, uint32_t job, struct pd_id question, struct pd_fail *fail)
{
	int rc = st_batch_job(batch, job, fail);
	return rc ? rc : backend_of(batch)->tt_question(batch, job, question, fail);
}

int st_batch_tt(struct st_batch *batch, uint32_t job, const struct st_tt_entry *entries, size_t count,
		struct pd_fail *fail)
{
	int rc = st_batch_job(batch, job, fail);
	return rc ? rc : backend_of(batch)->tt_journal(batch, job, entries, count, fail);
}

int st_batch_snapshot_start(struct st_batch *batch, uint32_t job, struct pd_fail *fail)
{
	int rc = st_batch_job(batch, job, fail);
	return rc ? rc : backend_of(batch)->tt_snapshot_start(batch, job, fail);
}

int st_batch_snapshot_put(struct st_batch *batch, uint32_t job, const struct st_tt_entry *entries, size_t count,
			  struct pd_fail *fail)
{
	int rc = st_batch_job(batch, job, fail);
	return rc ? rc : backend_of(batch)->tt_snapshot_put(batch, job, entries, count, fail);
}

int st_batch_snapshot_end(struct st_batch *batch, uint32_t job, struct pd_fail *fail)
{
	int rc = st_batch_job(batch, job, fail);
	return rc ? rc : backend_of(batch)->tt_snapshot_end(batch, job, fail);
}

int st_batch_tt_drop(struct st_batch *batch, uint32_t job, struct pd_fail *fail)
{
	int rc = st_batch_job(batch, job, fail);
	return rc ? rc : backend_of(batch)->tt_drop(batch, job, fail);
}

int st_tt_each(struct st_store *store, uint32_t job,
	       int (*each)(void *ctx, const struct st_tt_entry *entries, size_t count), void *ctx, struct pd_fail *fail)
{
	return store->backend->tt_each(store, job, each, ctx, fail);
}

int st_tt_question(struct st_store *store, uint32_t job, struct pd_id *out, struct pd_fail *fail)
{
	return store->backend->tt_question_get(store, job, out, fail);
}

uint64_t st_tt_bytes(struct st_store *store, uint32_t job)
{
	return store->backend->tt_bytes(store, job);
}

/* --- the store as a whole ----------------------------------------------------------------- */

int st_conflict_keep(struct st_store *store, const void *record, size_t size, struct pd_fail *fail)
{
	PD_ASSERT(!store->batch.open);
	return store->backend->conflict(store, record, size, fail);
}

uint64_t st_identity(const struct st_store *store)
{
	PD_ASSERT(store->identity);
	return store->identity;
}

int st_meta_keep(struct st_store *store, unsigned id, const void *record, size_t size, struct pd_fail *fail)
{
	PD_ASSERT(!store->batch.open);
	return store->backend->meta_keep(store, id, record, size, fail);
}

int st_facts_maintain(struct st_store *store, bool idle, struct pd_fail *fail)
{
	PD_ASSERT(!store->batch.open);
	int rc = store->retracted_only && store->dir ? st_retraction_refuse(store->dir, fail) : PD_OK;
	return rc ? -1 : store->backend->maintain(store, idle, fail);
}

int st_facts_rewrite(struct st_store *store,
		     int (*filter)(void *ctx, uint32_t game, const uint8_t *key, size_t size, struct pd_fact *fact),
		     void *ctx, struct pd_fail *fail)
{
	struct st_rewrite w = {.store = store, .filter = filter, .ctx = ctx, .fail = fail};
	PD_ASSERT(!store->batch.open);
	if (store->read_only)
		return pd_fail_set(fail, PD_E_UNSUPPORTED, "data", "the data directory was opened for reading only");
	int rc = store->backend->rewrite(&w);
	pd_fact_fini(&w.kept);
	st_stats_renew(store);
	return rc;
}

int64_t st_check(struct st_store *store, void (*problem)(void *ctx, const char *text), void *ctx, struct pd_fail *fail)
{
	return store->backend->check(store, problem, ctx, fail);
}

void st_stats(struct st_store *store, struct st_stats *out)
{
	pd_mutex_lock(&store->lock);
	*out = store->stats;
	pd_mutex_unlock(&store->lock);
	store->backend->stats(store, out);
}
