#include "store/counters.h"

#include "proto/base/assert.h"
#include "proto/base/bytes.h"
#include "store/meta_record.h"

enum { COUNTERS_SIZE = 28 };

int st_counters_put(const struct st_work *work, MDB_txn *txn, const struct st_counters *counters, struct pd_fail *fail)
{
	uint8_t p[COUNTERS_SIZE];
	PD_ASSERT(counters->next_job && counters->next_game && counters->jobs < counters->next_job);
	PD_ASSERT(counters->dropped_log < counters->next_log);
	pd_put_le32(p, counters->next_job);
	pd_put_le32(p + 4, counters->next_game);
	pd_put_le64(p + 8, counters->next_log);
	pd_put_le64(p + 16, counters->dropped_log);
	pd_put_le32(p + 24, counters->jobs);
	return st_put_sealed(st_work_place(work, txn, ST_META), st_meta_key(ST_META_COUNTERS), ST_BYTES(p), 0, fail);
}

bool st_counters_unpack(const uint8_t *p, size_t size, struct st_counters *out)
{
	if (size != COUNTERS_SIZE)
		return false;
	out->next_job = pd_get_le32(p);
	out->next_game = pd_get_le32(p + 4);
	out->next_log = pd_get_le64(p + 8);
	out->dropped_log = pd_get_le64(p + 16);
	out->jobs = pd_get_le32(p + 24);
	return out->next_job && out->next_game && out->jobs < out->next_job && out->dropped_log < out->next_log;
}

int st_counters_get(const struct st_work *work, MDB_txn *txn, struct st_counters *out, struct pd_fail *fail)
{
	uint8_t p[ST_SEAL + COUNTERS_SIZE];
	size_t size;
	*out = (struct st_counters){.next_job = 1, .next_game = 1, .next_log = 1};
	int rc = st_get_sealed(st_work_place(work, txn, ST_META), st_meta_key(ST_META_COUNTERS), p, sizeof p, &size,
			       fail);
	if (rc == PD_E_NOT_FOUND)
		return st_env_corrupt(&work->env, fail, "the counters are missing");
	if (rc)
		return rc;
	if (!st_counters_unpack(p, size, out))
		return st_env_corrupt(&work->env, fail, "the counters do not decode");
	return PD_OK;
}

bool st_counters_equal(const struct st_counters *a, const struct st_counters *b)
{
	return a->next_job == b->next_job && a->next_game == b->next_game && a->next_log == b->next_log &&
	       a->dropped_log == b->dropped_log && a->jobs == b->jobs;
}
