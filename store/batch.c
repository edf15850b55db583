/* Batch: one checkpoint, one transaction (S1, D2).
 *
 *     st_batch_begin -> calls -> st_batch_commit | st_batch_abort
 *
 * A batch keeps what it will change in memory (counters, staged facts, new games) beside the write transaction, and the
 * store takes it over only when the commit has returned: so a failure at any point leaves the store as it was (S4). The
 * first failure that leaves the transaction in doubt sticks: further calls and the commit repeat it. Refusals that
 * changed nothing (a key that is too long, a sweep that was not begun) do not stick. */
#include "store/internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/bytes.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"

enum { GC_BATCH = 1024 }; /* blocks that a batch deletes on the way: about a millisecond */

int st_batch_usable(const struct st_batch *batch, struct pd_fail *fail)
{
	assert(batch->open);
	if (batch->failed.code && fail)
		*fail = batch->failed;
	return batch->failed.code;
}

int st_batch_job(const struct st_batch *batch, uint32_t job, struct pd_fail *fail)
{
	int rc = st_batch_usable(batch, fail);
	if (!rc && (!job || job >= batch->counters.next_job))
		return pd_fail_set(fail, PD_E_NO_JOB, "job", "no job has the number %u", (unsigned)job);
	return rc;
}

int st_batch_result(struct st_batch *batch, int rc, struct pd_fail *fail)
{
	if (rc && !batch->failed.code) {
		batch->failed = batch->scratch;
		batch->failed.code = rc;
	}
	return st_batch_usable(batch, fail);
}

int st_batch_stage(struct st_batch *batch, enum st_kind kind, uint32_t job, const void *data, size_t size,
		   struct pd_fail *fail)
{
	struct st_store *store = batch->store;
	if (st_fault_hit(&store->faults.put)) {
		int rc = pd_fail_set(&batch->scratch, PD_E_NO_SPACE, "",
				     "cannot write a record: as if the disk were full");
		return st_batch_result(batch, rc, fail);
	}
	int rc = st_memory_stage(store->memory, kind, job, data, size, &batch->scratch);
	if (rc != PD_E_STATE)
		return st_batch_result(batch, rc, fail);
	if (fail)
		*fail = batch->scratch;
	return rc;
}

int st_batch_begin(struct st_store *store, struct st_batch **out, struct pd_fail *fail)
{
	struct st_batch *batch = &store->batch;
	assert(!batch->open);
	if (store->read_only)
		return pd_fail_set(fail, PD_E_UNSUPPORTED, "data", "the data directory was opened for reading only");
	int rc = st_commit_repair(store, fail);
	if (!rc && !store->memory)
		rc = st_txn_begin(&store->work, false, &batch->txn, fail);
	if (rc)
		return rc;
	batch->open = true;
	batch->failed.code = PD_OK;
	batch->counters = store->counters;
	batch->table_job = 0;
	batch->log_key_size = 0;
	batch->entries = 0;
	batch->garbage = false;
	batch->games_new = 0;
	st_block_reset(&batch->journal);
	st_block_reset(&batch->snapshot);
	st_block_reset(&batch->log);
	*out = batch;
	return PD_OK;
}

/* Everything about the batch but its transaction ends here. */
static void batch_end(struct st_batch *batch)
{
	batch->open = false;
	batch->txn = NULL;
	st_stage_reset(&batch->stage);
	st_reader_rest(batch->store->reader);
}

static void forget_games(struct st_batch *batch)
{
	struct st_store *store = batch->store;
	pthread_mutex_lock(&store->lock);
	while (batch->games_new) {
		free(store->game[--store->games].name);
		batch->games_new--;
	}
	pthread_mutex_unlock(&store->lock);
}

/* The contradiction outlives the batch that found it, in a transaction of its own. */
int st_conflict_keep(struct st_store *store, const void *record, size_t size, struct pd_fail *fail)
{
	MDB_txn *txn;
	uint64_t number = 0;
	uint8_t key[ST_KEY_64];
	int rc;
	if (store->memory) {
		rc = st_memory_stage(store->memory, ST_MEM_CONFLICT, 0, record, size, fail);
		if (!rc)
			st_memory_commit(store->memory);
	} else {
		rc = st_commit_repair(store, fail);
		if (!rc)
			rc = st_txn_begin(&store->work, false, &txn, fail);
		if (!rc) {
			rc = st_dbi_count(&store->work, txn, store->dbi[ST_CONFLICTS], &number, fail);
			st_put_be64(key, number);
			if (!rc)
				rc = st_put_sealed(&store->work, txn, store->dbi[ST_CONFLICTS], key, sizeof key, record,
						   size, 0, fail);
			if (rc)
				st_txn_abort(&store->work, txn);
			else
				rc = st_txn_commit(&store->work, txn, fail);
		}
	}
	return rc;
}

void st_batch_abort(struct st_batch *batch)
{
	assert(batch->open);
	struct st_store *store = batch->store;
	struct pd_fail fail;
	st_txn_abort(&store->work, batch->txn);
	if (store->memory)
		st_memory_abort(store->memory);
	forget_games(batch);
	batch_end(batch);
	if (batch->conflict && st_conflict_keep(store, batch->conflict, batch->conflict_size, &fail))
		pd_log(PD_LOG_ERROR, "a contradiction between facts could not be written down: %s", fail.text);
	free(batch->conflict);
	batch->conflict = NULL;
}

static bool counters_equal(const struct st_counters *a, const struct st_counters *b)
{
	return a->next_job == b->next_job && a->next_game == b->next_game && a->next_log == b->next_log &&
	       a->dropped_log == b->dropped_log && a->jobs == b->jobs;
}

/* Everything that belongs into the transaction besides what the calls have put there. */
static int finish(struct st_batch *batch, bool *garbage, struct pd_fail *fail)
{
	struct st_store *store = batch->store;
	int rc = st_batch_usable(batch, fail);
	if (rc)
		return rc;
	if (!st_memtable_reserve(&store->memtable, &batch->stage))
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the facts of a batch");
	if (store->memory)
		return st_fault_hit(&store->faults.commit)
			       ? pd_fail_set(fail, PD_E_NO_SPACE, "", "cannot commit: as if full")
			       : PD_OK;
	rc = st_tt_flush(batch, fail);
	if (!rc)
		rc = st_wal_flush(batch, fail);
	if (!rc && *garbage) {
		rc = st_gc_step(store, batch->txn, &batch->counters, GC_BATCH, garbage, fail);
		if (rc == PD_E_CORRUPT) { /* it stays where it is; the batch itself is sound, and may be tried again */
			store->garbage_stuck = true;
			rc = pd_fail_set(fail, PD_E_IO, store->work.name,
					 "old records cannot be deleted, and stay from now on: %s",
					 fail ? fail->text : "");
		}
	}
	if (!rc && !counters_equal(&batch->counters, &store->counters))
		rc = st_counters_put(store, batch->txn, &batch->counters, fail);
	return rc;
}

static void count_commit(struct st_store *store, uint64_t entries, uint64_t ns)
{
	pthread_mutex_lock(&store->lock);
	store->games_committed = store->games;
	store->stats.commits++;
	store->stats.commit_ns_last = ns;
	if (ns > store->stats.commit_ns_max)
		store->stats.commit_ns_max = ns;
	store->stats.journal_entries += entries;
	pthread_mutex_unlock(&store->lock);
}

int st_batch_commit(struct st_batch *batch, struct pd_fail *fail)
{
	assert(batch->open);
	struct st_store *store = batch->store;
	uint64_t start = pd_now_ns();
	bool garbage = store->garbage && !store->garbage_stuck;
	int rc = finish(batch, &garbage, fail);
	if (!rc && store->memory) {
		st_memory_commit(store->memory);
	} else if (!rc) {
		rc = st_env_in_place(&store->facts, fail); /* the other file is looked at by every commit */
		if (!rc) {
			rc = st_txn_commit(&store->work, batch->txn, fail);
			batch->txn = NULL; /* it has ended either way */
		}
	}
	if (rc) {
		struct pd_fail later;
		st_batch_abort(batch);
		st_commit_repair(store,
				 &later); /* at once, so that reading goes on; if it fails the next batch does it */
		return rc;
	}
	store->counters = batch->counters;
	/* What the batch itself made obsolete was flagged while it ran. */
	store->garbage = garbage || batch->garbage;
	st_memtable_apply(&store->memtable, &batch->stage);
	batch->games_new = 0;
	batch_end(batch);
	count_commit(store, batch->entries, pd_now_ns() - start);
	st_stats_renew(store);
	return PD_OK;
}
