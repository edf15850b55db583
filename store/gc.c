/* Garbage collection: see gc.h. */
#include "store/gc.h"

#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/bytes.h"
#include "store/cursor.h"
#include "store/existence.h"
#include "store/key.h"
#include "store/record.h"
#include "store/store_state.h"
#include "store/tt_state.h"

struct gc {
	struct st_store *store;
	MDB_txn *txn;
	unsigned left; /* blocks that may still be deleted */
	struct pd_fail *fail;
};

/* Records to delete: from a key on, while `over` says so. */
struct range {
	bool (*over)(const struct range *range, const uint8_t *key);
	uint32_t job, snapshot_past;
	uint64_t past;
};

/* Deletes the records of a range, which begins at `from`. PD_E_NOT_FOUND never leaves here. */
static int gc_range(struct gc *b, MDB_dbi dbi, struct st_cursor *cursor, struct st_data from, const struct range *range)
{
	PD_ASSERT(from.size <= ST_KEY_32_64);
	const struct st_env *env = &b->store->work.env;
	uint8_t copy[ST_KEY_32_64];
	while (b->left) {
		int rc = st_cursor_move(cursor, env, MDB_SET_RANGE, from.bytes, from.size, b->fail);
		if (rc)
			return rc == PD_E_NOT_FOUND ? PD_OK : rc;
		if (cursor->key.mv_size != from.size || !range->over(range, cursor->key.mv_data))
			return PD_OK;
		memcpy(copy, cursor->key.mv_data, from.size);
		rc = st_del((struct st_place){env, b->txn, dbi}, (struct st_data){copy, from.size}, b->fail);
		if (rc)
			return rc;
		b->left--;
	}
	return PD_OK;
}

static bool journal_over(const struct range *r, const uint8_t *key)
{
	return pd_get_be32(key) == r->job && st_get_be64(key + 4) < r->past;
}

static bool snapshot_over(const struct range *r, const uint8_t *key)
{
	return pd_get_be32(key) == r->job && pd_get_be32(key + 4) < r->snapshot_past;
}

static bool log_over(const struct range *r, const uint8_t *key)
{
	return st_get_be64(key) <= r->past;
}

/* Blocks of snapshots of `job` with numbers in [first, past). */
static int gc_snapshots(struct gc *b, struct st_cursor *cursor, uint32_t job, uint32_t first, uint32_t past)
{
	struct range r = {.over = snapshot_over, .job = job, .snapshot_past = past};
	uint8_t from[ST_KEY_32_32_32] = {0};
	pd_put_be32(from, job);
	pd_put_be32(from + 4, first);
	return gc_range(b, b->store->work.dbi[ST_SNAPSHOT], cursor, ST_BYTES(from), &r);
}

/* The end of a discarded table: its record, and its mark in the job's existence record. */
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
		return PD_OK; /* the job was taken out */
	existence.tt = false;
	return rc ? rc : st_existence_put(&store->work, b->txn, job, &existence, b->fail);
}

static int gc_table(struct gc *b, uint32_t job, const struct st_tt_state *state)
{
	PD_ASSERT(state->journal_start <= state->journal_next);
	struct st_cursor journal = {.cursor = NULL}, snapshot = {.cursor = NULL};
	struct st_store *store = b->store;
	struct range r = {.over = journal_over, .job = job, .past = state->journal_start};
	uint8_t from[ST_KEY_32_64] = {0};
	/* The live snapshot and the one being built, the newest, divide the numbers into three ranges of garbage. */
	uint32_t low = state->snapshot, high = state->building;
	int rc = st_cursor_open(&journal, &store->work.env, b->txn, store->work.dbi[ST_JOURNAL], b->fail);
	if (!rc)
		rc = st_cursor_open(&snapshot, &store->work.env, b->txn, store->work.dbi[ST_SNAPSHOT], b->fail);
	pd_put_be32(from, job);
	if (!rc)
		rc = gc_range(b, store->work.dbi[ST_JOURNAL], &journal, ST_BYTES(from), &r);
	if (!rc && low)
		rc = gc_snapshots(b, &snapshot, job, 0, low);
	if (!rc && high)
		rc = gc_snapshots(b, &snapshot, job, low + 1, high);
	if (!rc)
		rc = gc_snapshots(b, &snapshot, job, (high ? high : low) + 1, UINT32_MAX);
	st_cursor_close(&snapshot, &store->work.env);
	st_cursor_close(&journal, &store->work.env);
	return !rc && b->left && state->dropped ? gc_forget_table(b, job) : rc;
}

/* Calls `visit` with the record of every table that can be read. Records may be changed or deleted meanwhile. A damaged
 * one concerns its job alone, which hears of it when it wants its table (tt_records.c); what it counted stays. */
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
		struct st_cursor cursor = {.cursor = NULL};
		struct range r = {.over = log_over, .past = store->runs.merged};
		uint8_t from[ST_KEY_64] = {0};
		rc = st_cursor_open(&cursor, &store->work.env, txn, store->work.dbi[ST_WAL], fail);
		/* Raised before the first block is deleted: a log with a gap is never taken for a complete one. */
		counters->dropped_log = store->runs.merged;
		if (!rc)
			rc = gc_range(&b, store->work.dbi[ST_WAL], &cursor, ST_BYTES(from), &r);
		st_cursor_close(&cursor, &store->work.env);
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
