#include "store/gc.h"

#include "proto/base/assert.h"
#include "store/cursor.h"
#include "store/existence.h"
#include "store/record.h"
#include "store/store_state.h"

struct gc {
	struct st_store *store;
	MDB_txn *txn;
	unsigned left; /* blocks that may still be deleted */
	struct pd_fail *fail;
};

/* Deletes the records with keys in [from, past), which all have the same size. */
static int gc_range(struct gc *b, enum st_work_dbi dbi, struct st_data from, const uint8_t *past)
{
	PD_ASSERT(from.size <= ST_KEY_32_64);
	const struct st_env *env = &b->store->work.env;
	struct st_cursor cursor = {.cursor = NULL};
	uint8_t copy[ST_KEY_32_64];
	int rc = st_cursor_open(&cursor, env, b->txn, b->store->work.dbi[dbi], b->fail);
	while (!rc && b->left) {
		rc = st_cursor_move(&cursor, env, MDB_SET_RANGE, from.bytes, from.size, b->fail);
		if (rc || cursor.key.mv_size != from.size || memcmp(cursor.key.mv_data, past, from.size) >= 0)
			break;
		memcpy(copy, cursor.key.mv_data, from.size);
		rc = st_del(st_work_place(&b->store->work, b->txn, dbi), (struct st_data){copy, from.size}, b->fail);
		b->left -= !rc;
	}
	st_cursor_close(&cursor, env);
	return rc == PD_E_NOT_FOUND ? PD_OK : rc;
}

/* Deletes the blocks of the snapshots of `job` with numbers in [first, past). */
static int gc_snapshots(struct gc *b, uint32_t job, uint32_t first, uint32_t past)
{
	uint8_t from[ST_KEY_32_32_32], end[ST_KEY_32_32_32];
	st_tt_snapshot_key(from, job, first, 0);
	st_tt_snapshot_key(end, job, past, 0);
	return gc_range(b, ST_SNAPSHOT, ST_BYTES(from), end);
}

/* Deletes the record of a discarded table, and its mark in the job's existence record. */
static int gc_forget_table(struct gc *b, uint32_t job)
{
	struct st_store *store = b->store;
	struct st_existence existence;
	uint8_t key[ST_KEY_32];
	pd_put_be32(key, job);
	int rc = st_del(st_work_place(&store->work, b->txn, ST_TT), ST_BYTES(key), b->fail);
	if (!rc)
		rc = st_existence_get(&store->work, b->txn, job, &existence, b->fail);
	if (rc == PD_E_NOT_FOUND)
		return PD_OK; /* the job was removed */
	existence.tt = false;
	return rc ? rc : st_existence_put(&store->work, b->txn, job, &existence, b->fail);
}

static int gc_table(struct gc *b, uint32_t job, const struct st_tt_state *state)
{
	PD_ASSERT(state->journal_start <= state->journal_next);
	uint8_t from[ST_KEY_32_64], past[ST_KEY_32_64];
	/* The live snapshot and the one being built, the newest, divide the numbers into three ranges of garbage. */
	uint32_t low = state->snapshot, high = state->building;
	st_tt_journal_key(from, job, 0);
	st_tt_journal_key(past, job, state->journal_start);
	int rc = gc_range(b, ST_JOURNAL, ST_BYTES(from), past);
	if (!rc && low)
		rc = gc_snapshots(b, job, 0, low);
	if (!rc && high)
		rc = gc_snapshots(b, job, low + 1, high);
	if (!rc)
		rc = gc_snapshots(b, job, (high ? high : low) + 1, UINT32_MAX);
	return !rc && b->left && state->dropped ? gc_forget_table(b, job) : rc;
}

/* Calls `visit`, which may change or delete the record, for every table with a sound record. A damaged record concerns
 * its job alone, which learns of it when it loads its table (tt_records.c); its blocks stay. */
static int each_table(struct gc *b, int (*visit)(struct gc *b, uint32_t job, const struct st_tt_state *state))
{
	struct st_store *store = b->store;
	struct st_cursor cursor = {.cursor = NULL};
	uint8_t from[ST_KEY_32] = {0};
	int rc = st_cursor_open(&cursor, &store->work.env, b->txn, store->work.dbi[ST_TT], b->fail);
	while (!rc) {
		struct st_tt_state state;
		rc = st_cursor_move(&cursor, &store->work.env, MDB_SET_RANGE, from, sizeof from, b->fail);
		if (rc)
			break;
		if (cursor.key.mv_size != ST_KEY_32) {
			rc = st_env_corrupt(&store->work.env, b->fail, "the table of tables has a key of %zu bytes",
					    cursor.key.mv_size);
			break;
		}
		uint32_t job = pd_get_be32(cursor.key.mv_data);
		if (st_unseal(cursor.key.mv_data, cursor.key.mv_size, &cursor.data) &&
		    st_tt_state_unpack(cursor.data.mv_data, cursor.data.mv_size, &state))
			rc = visit(b, job, &state);
		if (rc || job == UINT32_MAX)
			break;
		pd_put_be32(from, job + 1);
	}
	st_cursor_close(&cursor, &store->work.env);
	return rc == PD_E_NOT_FOUND ? PD_OK : rc;
}

int st_gc_step(struct st_store *store, MDB_txn *txn, struct st_counters *counters, unsigned limit, bool *left,
	       struct pd_fail *fail)
{
	PD_ASSERT(limit && counters->dropped_log <= store->runs.merged /* only what runs contain may go */);
	struct gc b = {.store = store, .txn = txn, .left = limit, .fail = fail};
	int rc = each_table(&b, gc_table);
	if (!rc && b.left && store->runs.merged) {
		uint8_t from[ST_KEY_64] = {0}, past[ST_KEY_64];
		st_put_be64(past, store->runs.merged + 1);
		/* Raised before the first block is deleted: a log with a gap is never taken for a complete one. */
		counters->dropped_log = store->runs.merged;
		rc = gc_range(&b, ST_WAL, ST_BYTES(from), past);
	}
	*left = b.left == 0;
	return rc;
}

static int gc_snapshot(struct gc *b, uint32_t job, const struct st_tt_state *state)
{
	struct st_tt_state next = *state;
	uint8_t key[ST_KEY_32], record[ST_TT_STATE];
	if (!state->building)
		return PD_OK;
	next.building = next.building_blocks = 0;
	pd_put_be32(key, job);
	st_tt_state_pack(record, &next);
	return st_put_sealed(st_work_place(&b->store->work, b->txn, ST_TT), ST_BYTES(key), ST_BYTES(record), 0,
			     b->fail);
}

int st_snapshot_recover(struct st_store *store, MDB_txn *txn, struct pd_fail *fail)
{
	struct gc b = {.store = store, .txn = txn, .fail = fail};
	return each_table(&b, gc_snapshot);
}
