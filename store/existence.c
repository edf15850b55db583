#include "store/existence.h"

#include "proto/base/assert.h"
#include "store/counters.h"
#include "store/cursor.h"
#include "store/record.h"

enum { HAS_RECORD = 1, HAS_TABLE = 2 };

bool st_existence_unpack(const uint8_t *p, size_t size, struct st_existence *out)
{
	if (size != ST_EXISTENCE_BYTES || p[8] > (HAS_RECORD | HAS_TABLE))
		return false;
	*out = (struct st_existence){pd_get_le64(p), p[8] & HAS_RECORD, p[8] & HAS_TABLE};
	return true;
}

int st_existence_get(const struct st_work *work, MDB_txn *txn, uint32_t job, struct st_existence *out,
		     struct pd_fail *fail)
{
	uint8_t key[ST_KEY_32], record[ST_SEAL + ST_EXISTENCE_BYTES];
	size_t size;
	pd_put_be32(key, job);
	*out = (struct st_existence){0};
	int rc = st_get_sealed(st_work_place(work, txn, ST_EXISTENCE), ST_BYTES(key), record, sizeof record, &size,
			       fail);
	if (!rc && !st_existence_unpack(record, size, out))
		return st_env_corrupt(&work->env, fail, "the existence record of job %u does not decode",
				      (unsigned)job);
	return rc;
}

int st_existence_require(const struct st_work *work, MDB_txn *txn, uint32_t job, struct st_existence *out,
			 struct pd_fail *fail)
{
	int rc = st_existence_get(work, txn, job, out, fail);
	if (rc != PD_E_NOT_FOUND)
		return rc;
	return st_env_corrupt(&work->env, fail, "the existence record of job %u is missing", (unsigned)job);
}

int st_existence_put(const struct st_work *work, MDB_txn *txn, uint32_t job, const struct st_existence *existence,
		     struct pd_fail *fail)
{
	uint8_t key[ST_KEY_32], p[ST_EXISTENCE_BYTES];
	PD_ASSERT(job);
	pd_put_be32(key, job);
	pd_put_le64(p, existence->events);
	p[8] = (uint8_t)((existence->record ? HAS_RECORD : 0) | (existence->tt ? HAS_TABLE : 0));
	return st_put_sealed(st_work_place(work, txn, ST_EXISTENCE), ST_BYTES(key), ST_BYTES(p), 0, fail);
}

/* Proves that a job has no existence record: all records that must exist are there and sound, and none is that job's. A
 * look-up alone proves nothing, because one flipped bit of a key misleads it. */
static int prove_absence(const struct st_work *work, MDB_txn *txn, uint32_t job, uint32_t expected,
			 struct pd_fail *fail)
{
	const struct st_env *env = &work->env;
	struct st_cursor cursor = {.cursor = NULL};
	struct st_existence existence;
	uint32_t found = 0;
	bool sound = true;
	int rc = st_cursor_open(&cursor, env, txn, work->dbi[ST_EXISTENCE], fail);
	while (!rc && !(rc = st_cursor_move(&cursor, env, MDB_NEXT, NULL, 0, fail))) {
		sound = sound && cursor.key.mv_size == ST_KEY_32 && pd_get_be32(cursor.key.mv_data) != job &&
			st_unseal(cursor.key.mv_data, cursor.key.mv_size, &cursor.data) &&
			st_existence_unpack(cursor.data.mv_data, cursor.data.mv_size, &existence);
		found++;
	}
	st_cursor_close(&cursor, env);
	if (rc != PD_E_NOT_FOUND)
		return rc;
	return sound && found == expected
		       ? PD_OK
		       : st_env_corrupt(
				 env, fail,
				 "the existence record of job %u was not found, and others are damaged or missing",
				 (unsigned)job);
}

int st_existence_read(const struct st_work *work, MDB_txn *txn, uint32_t job, struct st_existence *out,
		      struct pd_fail *fail)
{
	struct st_counters counters;
	int rc = st_existence_get(work, txn, job, out, fail);
	if (rc != PD_E_NOT_FOUND)
		return rc;
	rc = st_counters_get(work, txn, &counters, fail);
	return rc || job >= counters.next_job ? rc : prove_absence(work, txn, job, counters.jobs, fail);
}
