/* Jobs: their records and their histories. Both are bytes to the store. */
#include "store/internal.h"

#include <assert.h>

#include "proto/base/bytes.h"

static void event_key(uint8_t *key, uint32_t job, uint64_t n)
{
	pd_put_be32(key, job);
	st_put_be64(key + 4, n);
}

/* --- in a batch ------------------------------------------------------------------------------------------------------- */

int st_batch_job_new(struct st_batch *batch, uint32_t *job, struct pd_fail *fail)
{
	int rc = st_batch_usable(batch, fail);
	if (rc)
		return rc;
	if (batch->counters.next_job == UINT32_MAX)
		return pd_fail_set(fail, PD_E_LIMIT, "", "all job numbers are used up");
	*job = batch->counters.next_job++;
	return PD_OK;
}

static int check(const struct st_batch *batch, uint32_t job, size_t size, size_t size_max, struct pd_fail *fail)
{
	int rc = st_batch_job(batch, job, fail);
	if (!rc && size > size_max)
		return pd_fail_set(fail, PD_E_LIMIT, "",
				   "a record of job %u has %zu bytes, and at most %zu are possible", (unsigned)job,
				   size, size_max);
	return rc;
}

int st_batch_job_put(struct st_batch *batch, uint32_t job, const void *record, size_t size, struct pd_fail *fail)
{
	struct st_store *store = batch->store;
	uint8_t key[ST_KEY_32];
	int rc = check(batch, job, size, ST_JOB_MAX, fail);
	if (rc)
		return rc;
	if (store->memory)
		return st_batch_stage(batch, ST_MEM_JOB, job, size ? record : "", size, fail);
	pd_put_be32(key, job);
	rc = st_put_sealed(&store->work, batch->txn, store->dbi[ST_JOBS], key, sizeof key, record, size, 0,
			   &batch->scratch);
	return st_batch_result(batch, rc, fail);
}

/* The number of a job's next event: one more than that of the last. */
static int next_event(const struct st_env *env, MDB_txn *txn, MDB_dbi dbi, uint32_t job, uint64_t *n,
		      struct pd_fail *fail)
{
	MDB_cursor *cursor;
	MDB_val key, data;
	uint8_t bytes[ST_KEY_32_64];
	int rc = mdb_cursor_open(txn, dbi, &cursor);
	if (rc)
		return st_env_fail(env, rc, "look at the events", fail);
	event_key(bytes, job + 1, 0);
	key = (MDB_val){sizeof bytes, bytes};
	rc = st_cursor(env, cursor, &key, &data, MDB_SET_RANGE, fail);
	if (!rc || rc == PD_E_NOT_FOUND)
		rc = st_cursor(env, cursor, &key, &data, rc ? MDB_LAST : MDB_PREV, fail);
	*n = 0;
	if (!rc && key.mv_size == ST_KEY_32_64 && pd_get_be32(key.mv_data) == job)
		*n = st_get_be64((const uint8_t *)key.mv_data + 4) + 1;
	mdb_cursor_close(cursor);
	return rc == PD_E_NOT_FOUND ? PD_OK : rc;
}

int st_batch_event(struct st_batch *batch, uint32_t job, const void *record, size_t size, struct pd_fail *fail)
{
	struct st_store *store = batch->store;
	uint8_t key[ST_KEY_32_64];
	uint64_t n;
	int rc = check(batch, job, size, ST_EVENT_MAX, fail);
	if (rc)
		return rc;
	if (store->memory)
		return st_batch_stage(batch, ST_MEM_EVENT, job, size ? record : "", size, fail);
	rc = next_event(&store->work, batch->txn, store->dbi[ST_EVENTS], job, &n, &batch->scratch);
	if (!rc) {
		event_key(key, job, n);
		rc = st_put_sealed(&store->work, batch->txn, store->dbi[ST_EVENTS], key, sizeof key, record, size, 0,
				   &batch->scratch);
	}
	return st_batch_result(batch, rc, fail);
}

/* --- reading back ----------------------------------------------------------------------------------------------------- */

struct memory_walk {
	uint32_t job;
	int (*each)(void *ctx, uint32_t job, const void *record, size_t size);
	void *ctx;
};

static int memory_job(void *ctx, const void *data, size_t size)
{
	struct memory_walk *walk = ctx;
	return walk->each(walk->ctx, walk->job, data, size);
}

/* The next record of a walk: its payload in *data. PD_E_NOT_FOUND at the end. */
static int next_sealed(const struct st_env *env, MDB_cursor *cursor, MDB_val *key, MDB_val *data, MDB_cursor_op op,
		       size_t key_size, struct pd_fail *fail)
{
	int rc = st_cursor(env, cursor, key, data, op, fail);
	if (!rc && (key->mv_size != key_size || !st_unseal(key->mv_data, key->mv_size, data)))
		return pd_fail_set(fail, PD_E_CORRUPT, env->name, "a record of a job does not decode");
	return rc;
}

int st_job_each(struct st_store *store, int (*each)(void *ctx, uint32_t job, const void *record, size_t size),
		void *ctx, struct pd_fail *fail)
{
	MDB_txn *txn;
	MDB_cursor *cursor;
	MDB_val key, data;
	int rc = PD_OK;
	if (store->memory) {
		uint32_t jobs = st_memory_jobs(store->memory);
		for (uint32_t job = 1; !rc && job < jobs; job++) {
			struct memory_walk walk = {job, each, ctx};
			rc = st_memory_each(store->memory, ST_MEM_JOB, job, 1, memory_job, &walk, fail);
		}
		return rc;
	}
	rc = st_txn_begin(&store->work, true, &txn, fail);
	if (rc)
		return rc;
	rc = mdb_cursor_open(txn, store->dbi[ST_JOBS], &cursor);
	if (rc) {
		mdb_txn_abort(txn);
		return st_env_fail(&store->work, rc, "look at the jobs", fail);
	}
	bool ended = false; /* by the callback, whose code may look like one of ours */
	while (!ended && !(rc = next_sealed(&store->work, cursor, &key, &data, MDB_NEXT, ST_KEY_32, fail))) {
		rc = each(ctx, pd_get_be32(key.mv_data), data.mv_data, data.mv_size);
		ended = rc != 0;
	}
	mdb_cursor_close(cursor);
	mdb_txn_abort(txn);
	return !ended && rc == PD_E_NOT_FOUND ? PD_OK : rc;
}

int st_event_each(struct st_store *store, uint32_t job, size_t max,
		  int (*each)(void *ctx, const void *record, size_t size), void *ctx, struct pd_fail *fail)
{
	MDB_txn *txn;
	MDB_cursor *cursor;
	MDB_val key, data;
	uint8_t bytes[ST_KEY_32_64];
	uint64_t next = 0;
	if (store->memory)
		return st_memory_each(store->memory, ST_MEM_EVENT, job, max, each, ctx, fail);
	int rc = st_txn_begin(&store->work, true, &txn, fail);
	if (rc)
		return rc;
	rc = next_event(&store->work, txn, store->dbi[ST_EVENTS], job, &next, fail);
	if (rc || !next || !max) {
		mdb_txn_abort(txn);
		return rc;
	}
	rc = mdb_cursor_open(txn, store->dbi[ST_EVENTS], &cursor);
	if (rc) {
		mdb_txn_abort(txn);
		return st_env_fail(&store->work, rc, "look at the events", fail);
	}
	uint64_t n = next > max ? next - max : 0;
	event_key(bytes, job, n);
	key = (MDB_val){sizeof bytes, bytes};
	bool ended = false;
	for (MDB_cursor_op op = MDB_SET_RANGE; !ended && n < next; op = MDB_NEXT, n++) {
		rc = next_sealed(&store->work, cursor, &key, &data, op, ST_KEY_32_64, fail);
		if (rc || pd_get_be32(key.mv_data) != job)
			break;
		rc = each(ctx, data.mv_data, data.mv_size);
		ended = rc != 0;
	}
	mdb_cursor_close(cursor);
	mdb_txn_abort(txn);
	return !ended && rc == PD_E_NOT_FOUND ? PD_OK : rc;
}
