/* Batch: one checkpoint, one transaction (S1, D2).
 *
 *     st_batch_begin -> calls -> st_batch_commit | st_batch_abort
 *
 * A batch keeps its changes of the store's memory (counters, staged facts, new games) apart; the store takes them over
 * after the commit has returned. So a failure at any point leaves the store as it was (S4). The first failure that
 * leaves the transaction in doubt sticks: further calls and the commit repeat it. Refusals that changed nothing (a key
 * that is too long, a snapshot that was not begun) do not stick. */
#include "store/batch.h"

#include <stdio.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "store/commit_repair.h"
#include "store/conflict.h"
#include "store/existence.h"
#include "store/gc.h"
#include "store/job_records.h"
#include "store/memory_store.h"
#include "store/reader.h"
#include "store/run_slots.h"
#include "store/tt_records.h"
#include "store/txn.h"
#include "store/wal.h"

enum { GC_BATCH = 1024 }; /* blocks that one commit deletes: about a millisecond */

int st_batch_usable(const struct st_batch *batch, struct pd_fail *fail)
{
	PD_ASSERT(batch->open);
	if (batch->failed.code && fail)
		*fail = batch->failed;
	return batch->failed.code;
}

int st_batch_result(struct st_batch *batch, int rc, struct pd_fail *fail)
{
	if (rc && !batch->failed.code) {
		batch->failed = batch->scratch;
		batch->failed.code = rc;
	}
	return st_batch_usable(batch, fail);
}

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
	rc = store->memory ? PD_OK : st_txn_begin(&store->work.env, false, &batch->txn, fail);
	batch->open = !rc;
	if (rc)
		count_failure(store, rc);
	else
		*out = batch;
	return rc;
}

/* Ends everything about the batch except its transaction. */
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
	if (store->memory)
		st_memory_abort(store->memory);
	else
		st_txn_abort(&store->work.env, batch->txn);
	forget_games(batch);
	batch_end(batch);
	if (batch->conflict && st_conflict_put(store, batch->conflict, batch->conflict_size, &fail))
		pd_log(PD_LOG_ERROR, "cannot record a contradiction between facts: %s", fail.text);
	free(batch->conflict);
	batch->conflict = NULL;
}

int st_batch_end(struct st_batch *batch, int rc, struct pd_fail *fail)
{
	if (!rc)
		return st_batch_commit(batch, fail);
	st_batch_abort(batch);
	return rc;
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

/* Deletes some garbage in the batch's transaction. If the garbage is damaged, the batch may be tried again: from then
 * on the garbage is left alone. */
static int collect_garbage(struct st_batch *batch, bool *garbage, struct pd_fail *fail)
{
	struct st_store *store = batch->store;
	struct pd_fail why;
	int rc = st_gc_step(store, batch->txn, &batch->counters, GC_BATCH, garbage, &why);
	if (rc == PD_E_CORRUPT) {
		store->upkeep.garbage_stuck = true;
		return pd_fail_set(fail, PD_E_IO, store->work.env.name,
				   "cannot delete old records, which are kept from now on: %s", why.text);
	}
	if (rc && fail)
		*fail = why;
	return rc;
}

/* Writes what the calls left for the commit, and commits. */
static int commit_on_disk(struct st_batch *batch, struct pd_fail *fail)
{
	struct st_store *store = batch->store;
	bool garbage = store->upkeep.garbage && !store->upkeep.garbage_stuck;
	PD_ASSERT(batch->txn);
	int rc = st_tt_records_flush(batch, fail);
	if (!rc)
		rc = st_wal_flush(batch, fail);
	if (!rc && garbage)
		rc = collect_garbage(batch, &garbage, fail);
	if (!rc && !st_counters_equal(&batch->counters, &store->counters))
		rc = st_counters_put(&store->work, batch->txn, &batch->counters, fail);
	if (!rc)
		rc = st_env_in_place(&store->facts.env, fail); /* every commit also checks the other file */
	if (rc)
		return rc;
	rc = st_txn_commit(&store->work.env, batch->txn, fail);
	batch->txn = NULL; /* it has ended either way */
	if (!rc)
		store->upkeep.garbage = garbage || batch->garbage;
	return rc;
}

static int commit_in_memory(struct st_batch *batch, struct pd_fail *fail)
{
	if (st_fault_hit(&batch->store->faults.commit))
		return pd_fail_set(fail, PD_E_NO_SPACE, "", "cannot commit: as if the disk were full");
	st_memory_commit(batch->store->memory);
	return PD_OK;
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
		rc = store->memory ? commit_in_memory(batch, fail) : commit_on_disk(batch, fail);
	if (rc) {
		struct pd_fail later;
		if (!batch->failed.code) /* else the abort counts it */
			count_failure(store, rc);
		st_batch_abort(batch);
		/* At once, so that reading continues; if it fails, the next batch tries it again. */
		st_commit_repair(store, &later);
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

/* --- jobs and tables ---------------------------------------------------------------------- */

static int check_job(const struct st_batch *batch, uint32_t job, struct pd_fail *fail)
{
	int rc = st_batch_usable(batch, fail);
	if (!rc && (!job || job >= batch->counters.next_job))
		return pd_fail_set(fail, PD_E_NO_JOB, "job", "no job has the number %u", (unsigned)job);
	return rc;
}

static int put_in_memory(struct st_batch *batch, enum st_put kind, uint32_t job, const void *data, size_t size)
{
	struct st_store *store = batch->store;
	if (st_fault_hit(&store->faults.put))
		return pd_fail_set(&batch->scratch, PD_E_NO_SPACE, "",
				   "cannot write a record: as if the disk were full");
	return st_memory_put(store->memory, kind, job, data, size, &batch->scratch);
}

static int put_on_disk(struct st_batch *batch, enum st_put kind, uint32_t job, const void *data, size_t size)
{
	switch (kind) {
	case ST_PUT_JOB:
		return st_job_records_put(batch, job, data, size);
	case ST_PUT_EVENT:
		return st_job_records_event(batch, job, data, size);
	case ST_PUT_NOTE:
		return st_job_records_note(batch, data, size);
	default:
		return st_tt_records_put(batch, kind, job, data, size);
	}
}

/* A refusal that changed nothing (PD_E_STATE) does not stick. */
static int put_item(struct st_batch *batch, enum st_put kind, uint32_t job, const void *data, size_t size,
		    struct pd_fail *fail)
{
	size_t limit = kind == ST_PUT_EVENT ? ST_EVENT_MAX : kind <= ST_PUT_NOTE ? ST_JOB_MAX : SIZE_MAX;
	int rc = kind == ST_PUT_NOTE ? st_batch_usable(batch, fail) : check_job(batch, job, fail);
	if (!rc && size > limit)
		rc = pd_fail_set(fail, PD_E_LIMIT, "", "a record has %zu bytes; the limit is %zu", size, limit);
	if (rc)
		return rc;
	rc = batch->store->memory ? put_in_memory(batch, kind, job, data, size)
				  : put_on_disk(batch, kind, job, data, size);
	if (!rc && (kind == ST_PUT_JOURNAL || kind == ST_PUT_SNAPSHOT))
		batch->entries += size / sizeof(struct st_tt_entry);
	if (rc != PD_E_STATE)
		return st_batch_result(batch, rc, fail);
	if (fail)
		*fail = batch->scratch;
	return rc;
}

int st_batch_job_new(struct st_batch *batch, uint32_t *job, struct pd_fail *fail)
{
	struct st_store *store = batch->store;
	const struct st_existence existence = {0};
	int rc = st_batch_usable(batch, fail);
	if (rc)
		return rc;
	if (batch->counters.next_job >= PD_GIVER_BIT)
		return pd_fail_set(fail, PD_E_LIMIT, "", "all job numbers are used up");
	if (!store->memory)
		rc = st_existence_put(&store->work, batch->txn, batch->counters.next_job, &existence, &batch->scratch);
	rc = st_batch_result(batch, rc, fail);
	if (rc)
		return rc;
	*job = batch->counters.next_job++;
	batch->counters.jobs++;
	return PD_OK;
}

int st_batch_job_put(struct st_batch *batch, uint32_t job, const void *record, size_t size, struct pd_fail *fail)
{
	return put_item(batch, ST_PUT_JOB, job, record, size, fail);
}

int st_batch_job_remove(struct st_batch *batch, uint32_t job, unsigned limit, bool *left, struct pd_fail *fail)
{
	*left = false;
	int rc = check_job(batch, job, fail);
	if (rc)
		return rc;
	rc = batch->store->memory ? put_in_memory(batch, ST_PUT_REMOVE, job, NULL, 0)
				  : st_job_records_remove(batch, job, limit, left);
	return st_batch_result(batch, rc, fail);
}

int st_batch_event(struct st_batch *batch, uint32_t job, const void *record, size_t size, struct pd_fail *fail)
{
	return put_item(batch, ST_PUT_EVENT, job, record, size, fail);
}

int st_batch_note(struct st_batch *batch, const void *record, size_t size, struct pd_fail *fail)
{
	return put_item(batch, ST_PUT_NOTE, 0, record, size, fail);
}

int st_batch_tt_question(struct st_batch *batch, uint32_t job, struct pd_id question, struct pd_fail *fail)
{
	return put_item(batch, ST_PUT_QUESTION, job, &question, sizeof question, fail);
}

int st_batch_tt(struct st_batch *batch, uint32_t job, const struct st_tt_entry *entries, size_t count,
		struct pd_fail *fail)
{
	return put_item(batch, ST_PUT_JOURNAL, job, entries, count * sizeof *entries, fail);
}

int st_batch_snapshot_start(struct st_batch *batch, uint32_t job, struct pd_fail *fail)
{
	return put_item(batch, ST_PUT_SNAPSHOT_START, job, NULL, 0, fail);
}

int st_batch_snapshot_put(struct st_batch *batch, uint32_t job, const struct st_tt_entry *entries, size_t count,
			  struct pd_fail *fail)
{
	return put_item(batch, ST_PUT_SNAPSHOT, job, entries, count * sizeof *entries, fail);
}

int st_batch_snapshot_end(struct st_batch *batch, uint32_t job, struct pd_fail *fail)
{
	return put_item(batch, ST_PUT_SNAPSHOT_END, job, NULL, 0, fail);
}

int st_batch_tt_drop(struct st_batch *batch, uint32_t job, struct pd_fail *fail)
{
	return put_item(batch, ST_PUT_TT_DROP, job, NULL, 0, fail);
}

/* --- facts: compared with all that is known (F4), staged for the memtable, and logged. A reason that adds nothing is
 * not written again ------------------------------------------------------------------------- */

_Static_assert(ST_KEY_MAX + 4 <= ST_DB_KEY_MAX, "an LMDB key holds the game and the exact key");

static void describe_reason(const struct pd_reason *r, char *out, size_t size)
{
	snprintf(out, size, "value %s %d (rank %u, job %u)", r->side == PD_LO ? ">=" : "<=", r->bound, r->rank,
		 (unsigned)r->job);
}

static int keep_contradiction(struct st_batch *batch, const struct st_fact_key *key, const struct pd_fact *fact,
			      const struct pd_reason *reason, struct pd_fail *fail)
{
	PD_ASSERT(fact->count);
	enum { SHOWN = 48 }; /* bytes of the key after the game */
	char stored[64] = "", found[64], hex[2 * SHOWN + sizeof "..."] = "";
	const struct pd_reason *other = pd_fact_best(fact, reason->side == PD_LO ? PD_HI : PD_LO);
	if (other)
		describe_reason(other, stored, sizeof stored);
	describe_reason(reason, found, sizeof found);
	for (size_t i = 4; i < key->size && i < 4 + SHOWN; i++)
		snprintf(hex + 2 * (i - 4), 3, "%02x", key->bytes[i]);
	if (key->size > 4 + SHOWN)
		memcpy(hex + 2 * SHOWN, "...", sizeof "...");
	batch->conflict_sides[0] = other ? *other : (struct pd_reason){.job = 0};
	batch->conflict_sides[1] = *reason;
	/* Keeps the first contradiction, unless a worker of another machine had a part in it: those facts are
	 * retracted. */
	bool kept = !pd_is_giver(batch->conflict_sides[0].job) && !pd_is_giver(reason->job);
	if (kept && !batch->conflict)
		batch->conflict = st_conflict_pack(key->bytes, key->size, fact, reason, &batch->conflict_size);
	if (kept && !batch->conflict)
		pd_log(PD_LOG_ERROR, "no memory to record a contradiction between facts");
	int rc = pd_fail_set(&batch->scratch, PD_E_CONFLICT, "",
			     "game %u, position %s: %s is stored, but now %s was found",
			     (unsigned)pd_get_be32(key->bytes), hex, stored, found);
	return st_batch_result(batch, rc, fail);
}

void st_batch_contradicted(const struct st_batch *batch, struct pd_reason sides[2])
{
	sides[0] = batch->conflict_sides[0];
	sides[1] = batch->conflict_sides[1];
}

static int check_reason(const struct st_batch *batch, uint32_t game, size_t size, const struct pd_reason *reason,
			struct pd_fail *fail)
{
	int rc = st_batch_usable(batch, fail);
	if (rc)
		return rc;
	if (!size || size > ST_KEY_MAX)
		return pd_fail_set(fail, PD_E_LIMIT, "", "an exact key has 1 to %d bytes, not %zu", ST_KEY_MAX, size);
	if (!game || game >= batch->counters.next_game)
		return pd_fail_set(fail, PD_E_GAME, "", "no game has the number %u", (unsigned)game);
	if (reason->side > PD_HI)
		return pd_fail_set(fail, PD_E_INTERNAL, "", "a reason has the side %u", reason->side);
	return PD_OK;
}

/* Returns 1 and the fact about a position, 0 when nothing is known, -1 on an error. */
static int read_known(struct st_batch *batch, const struct st_fact_key *key, struct pd_fact *out)
{
	int found = st_stage_get(&batch->stage, key, out, &batch->scratch);
	return found ? found : st_reader_find(batch->store->reader, key, out, &batch->scratch);
}

static int add_reason(struct st_batch *batch, const struct st_fact_key *key, struct pd_fact *fact,
		      const struct pd_reason *reason, struct pd_fail *fail)
{
	PD_ASSERT(batch->open && fact && key->size > 4);
	int rc = PD_OK, added = pd_fact_add(fact, reason);
	if (!added)
		return PD_OK;
	if (added == -1)
		return keep_contradiction(batch, key, fact, reason, fail);
	if (added < 0 || !st_stage_put(&batch->stage, key, fact))
		rc = pd_fail_set(&batch->scratch, PD_E_NO_MEMORY, "", "no memory for another fact");
	else if (!batch->store->memory)
		rc = st_wal_append(batch, key->bytes, key->size, reason, &batch->scratch);
	else if (st_fault_hit(&batch->store->faults.put))
		rc = pd_fail_set(&batch->scratch, PD_E_NO_SPACE, "", "cannot write a fact: as if the disk were full");
	return st_batch_result(batch, rc, fail);
}

int st_batch_fact(struct st_batch *batch, uint32_t game, const uint8_t *key, size_t size,
		  const struct pd_reason *reason, struct pd_fail *fail)
{
	struct pd_fact fact;
	uint8_t db_key[ST_DB_KEY_MAX];
	int rc = check_reason(batch, game, size, reason, fail);
	if (rc)
		return rc;
	pd_put_be32(db_key, game);
	memcpy(db_key + 4, key, size);
	const struct st_fact_key db = st_fact_key_of(db_key, size + 4);
	pd_fact_init(&fact);
	if (read_known(batch, &db, &fact) < 0)
		rc = st_batch_result(batch, batch->scratch.code, fail);
	else
		rc = add_reason(batch, &db, &fact, reason, fail);
	pd_fact_fini(&fact);
	return rc;
}
