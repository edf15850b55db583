/* Batch: one checkpoint, one transaction (S1, D2).
 *
 *     st_batch_begin -> calls -> st_batch_commit | st_batch_abort
 *
 * A batch keeps its changes of the store's memory (counters, staged facts, new games) apart; the store takes them over
 * after the commit has returned. So a failure at any point leaves the store as it was (S4). The first failure that
 * leaves the transaction in doubt sticks: further calls and the commit repeat it. Refusals that changed nothing (a key
 * that is too long, a snapshot that was not begun) do not stick. */
#include <stdlib.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/mutex.h"
#include "store/backend.h"
#include "store/batch_state.h"
#include "store/commit_repair.h"
#include "store/reader.h"
#include "store/stats.h"
#include "store/store_state.h"

static void count_failure(struct st_store *store, int code)
{
	PD_ASSERT(code);
	pd_mutex_lock(&store->lock);
	store->stats.commit_failures++;
	store->stats.commit_error = code;
	pd_mutex_unlock(&store->lock);
}

int st_batch_begin(struct st_store *store, struct st_batch **out, struct pd_fail *fail)
{
	struct st_batch *batch = &store->batch;
	PD_ASSERT(!batch->open);
	if (store->read_only)
		return pd_fail_set(fail, PD_E_UNSUPPORTED, "data", "the data directory was opened for reading only");
	int rc = st_commit_repair(store, fail);
	if (rc) {
		count_failure(store, rc);
		return rc;
	}
	batch->txn = NULL;
	batch->failed.code = PD_OK;
	batch->counters = store->counters;
	batch->tt_job = 0;
	batch->log_key_size = 0;
	batch->entries = 0;
	batch->garbage = false;
	batch->games_new = 0;
	st_block_reset(&batch->journal);
	st_block_reset(&batch->snapshot);
	st_block_reset(&batch->log);
	rc = store->backend->begin(batch, fail);
	batch->open = !rc;
	if (rc)
		count_failure(store, rc);
	else
		*out = batch;
	return rc;
}

/* Everything about the batch but its transaction ends here. */
static void batch_end(struct st_batch *batch)
{
	batch->open = false;
	batch->txn = NULL;
	st_stage_reset(&batch->stage);
	st_reader_reset(batch->store->reader);
}

static void forget_games(struct st_batch *batch)
{
	struct st_store *store = batch->store;
	pd_mutex_lock(&store->lock);
	while (batch->games_new) {
		free(store->game[--store->games].name);
		batch->games_new--;
	}
	pd_mutex_unlock(&store->lock);
}

void st_batch_abort(struct st_batch *batch)
{
	PD_ASSERT(batch->open);
	struct st_store *store = batch->store;
	struct pd_fail fail;
	if (batch->failed.code)
		count_failure(store, batch->failed.code);
	store->backend->abort(batch);
	forget_games(batch);
	batch_end(batch);
	if (batch->conflict && store->backend->conflict(store, batch->conflict, batch->conflict_size, &fail))
		pd_log(PD_LOG_ERROR, "a contradiction between facts could not be written down: %s", fail.text);
	free(batch->conflict);
	batch->conflict = NULL;
}

static void count_commit(struct st_store *store, uint64_t entries, uint64_t ns)
{
#define BOUND(us) us,
	static const uint32_t bounds_us[] = {ST_COMMIT_BOUNDS(BOUND)};
#undef BOUND
	unsigned bucket = 0;
	while (bucket < ST_COMMIT_BUCKETS - 1 && ns > bounds_us[bucket] * UINT64_C(1000))
		bucket++;
	pd_mutex_lock(&store->lock);
	store->games_committed = store->games;
	store->stats.commits++;
	store->stats.commit_bucket[bucket]++;
	store->stats.commit_ns_sum += ns;
	store->stats.commit_error = PD_OK;
	store->stats.commit_ns_last = ns;
	if (ns > store->stats.commit_ns_max)
		store->stats.commit_ns_max = ns;
	store->stats.journal_entries += entries;
	pd_mutex_unlock(&store->lock);
}

int st_batch_commit(struct st_batch *batch, struct pd_fail *fail)
{
	PD_ASSERT(batch->open);
	struct st_store *store = batch->store;
	uint64_t start = pd_now_ns();
	int rc = st_batch_usable(batch, fail);
	if (!rc && !st_memtable_reserve(&store->memtable, &batch->stage))
		rc = pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the facts of a batch");
	if (!rc)
		rc = store->backend->commit(batch, fail);
	if (rc) {
		struct pd_fail later;
		if (!batch->failed.code) /* which the abort counts */
			count_failure(store, rc);
		st_batch_abort(batch);
		st_commit_repair(store,
				 &later); /* at once, so that reading goes on; if it fails the next batch does it */
		return rc;
	}
	store->counters = batch->counters;
	st_memtable_apply(&store->memtable, &batch->stage);
	batch->games_new = 0;
	batch_end(batch);
	count_commit(store, batch->entries, pd_now_ns() - start);
	st_stats_renew(store);
	return PD_OK;
}
