#include "store/tt_state.h"

#include "proto/base/assert.h"
#include "store/existence.h"
#include "store/record.h"

void st_tt_state_pack(uint8_t *p, const struct st_tt_state *state)
{
	pd_put_le64(p, state->journal_start);
	pd_put_le64(p + 8, state->journal_next);
	pd_put_le64(p + 16, state->building_start);
	pd_put_le32(p + 24, state->snapshot);
	pd_put_le32(p + 28, state->snapshot_blocks);
	pd_put_le32(p + 32, state->building);
	pd_put_le32(p + 36, state->building_blocks);
	pd_put_le32(p + 40, state->last_snapshot);
	p[44] = state->dropped;
	pd_put_le64(p + 45, state->question.lo);
	pd_put_le64(p + 53, state->question.hi);
}

bool st_tt_state_unpack(const uint8_t *p, size_t size, struct st_tt_state *out)
{
	if (size != ST_TT_STATE || p[44] > 1)
		return false;
	*out = (struct st_tt_state){.journal_start = pd_get_le64(p),
				    .journal_next = pd_get_le64(p + 8),
				    .building_start = pd_get_le64(p + 16),
				    .snapshot = pd_get_le32(p + 24),
				    .snapshot_blocks = pd_get_le32(p + 28),
				    .building = pd_get_le32(p + 32),
				    .building_blocks = pd_get_le32(p + 36),
				    .last_snapshot = pd_get_le32(p + 40),
				    .dropped = p[44],
				    .question = {pd_get_le64(p + 45), pd_get_le64(p + 53)}};
	return out->journal_start <= out->journal_next && out->building_start <= out->journal_next &&
	       out->snapshot <= out->last_snapshot && out->building <= out->last_snapshot;
}

int st_tt_state_get(const struct st_work *work, MDB_txn *txn, uint32_t job, struct st_tt_state *out,
		    struct pd_fail *fail)
{
	uint8_t key[ST_KEY_32], record[ST_SEAL + ST_TT_STATE];
	struct st_existence existence;
	size_t size;
	*out = (struct st_tt_state){0};
	int rc = st_existence_read(work, txn, job, &existence, fail);
	if (rc || !existence.tt)
		return rc; /* nothing was written for this job yet */
	pd_put_be32(key, job);
	rc = st_get_sealed(st_work_place(work, txn, ST_TT), ST_BYTES(key), record, sizeof record, &size, fail);
	if (rc == PD_E_NOT_FOUND)
		return st_env_corrupt(&work->env, fail, "the state of the table of job %u is missing", (unsigned)job);
	if (!rc && !st_tt_state_unpack(record, size, out))
		return st_env_corrupt(&work->env, fail, "the state of the table of job %u does not decode",
				      (unsigned)job);
	return rc;
}

void st_tt_state_drop(struct st_tt_state *t)
{
	t->journal_start = t->building_start = t->journal_next;
	t->snapshot = t->snapshot_blocks = t->building = t->building_blocks = 0;
	t->question = (struct pd_id){0};
	t->dropped = true;
}

int st_tt_state_put(const struct st_work *work, MDB_txn *txn, uint32_t job, const struct st_tt_state *state,
		    struct pd_fail *fail)
{
	uint8_t key[ST_KEY_32], record[ST_TT_STATE];
	PD_ASSERT(state->journal_start <= state->journal_next && state->snapshot <= state->last_snapshot);
	pd_put_be32(key, job);
	st_tt_state_pack(record, state);
	return st_put_sealed(st_work_place(work, txn, ST_TT), ST_BYTES(key), ST_BYTES(record), 0, fail);
}

void st_tt_journal_key(uint8_t *key, uint32_t job, uint64_t block)
{
	pd_put_be32(key, job);
	st_put_be64(key + 4, block);
}

void st_tt_snapshot_key(uint8_t *key, uint32_t job, uint32_t snapshot, uint32_t block)
{
	pd_put_be32(key, job);
	pd_put_be32(key + 4, snapshot);
	pd_put_be32(key + 8, block);
}
