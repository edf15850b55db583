/* Reading transposition tables: see tt_read.h. */
#include "store/tt_read.h"

#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/bytes.h"
#include "store/cursor.h"
#include "store/pack.h"
#include "store/read_txn.h"
#include "store/store_state.h"
#include "store/txn.h"

_Static_assert(sizeof(struct st_tt_entry) == ST_ENTRY, "pack.h and store.h mean the same entries");

struct walk {
	const struct st_store *store;
	MDB_txn *txn;
	int (*each)(void *ctx, const struct st_tt_entry *entries, size_t count);
	void *ctx;
	struct pd_fail *fail;
};

/* Blocks first to past - 1 of a job's journal, or of one of its snapshots. */
struct block_range {
	enum st_work_dbi dbi;
	enum st_block_type type;
	uint32_t job, snapshot; /* snapshot: 0 for the journal */
	uint64_t first, past;
};

static const char *range_name(const struct block_range *range)
{
	return range->dbi == ST_JOURNAL ? "journal" : "snapshot";
}

static int walk_block(const struct walk *w, const struct block_range *range, const uint8_t *key, size_t key_size,
		      const MDB_val *value)
{
	/* As many as fit into a block when each is packed as short as possible. */
	struct st_tt_entry entries[ST_BLOCK_MAX / (ST_ENTRY_ID + 2)];
	struct st_block_view view;
	size_t count = 0;
	bool sound = st_block_open(value->mv_data, value->mv_size, range->type, key, key_size, &view);
	while (sound && view.p < view.end && count < sizeof entries / sizeof *entries) {
		view.p = st_entry_unpack(view.p, view.end, entries[count].bytes);
		sound = view.p != NULL;
		count++;
	}
	if (!sound || count != view.count)
		return st_env_corrupt(&w->store->work.env, w->fail, "a block of the %s of job %u does not decode",
				      range_name(range), (unsigned)range->job);
	return w->each(w->ctx, entries, count);
}

/* All blocks of a range must be there. */
static int walk_blocks(const struct walk *w, const struct block_range *range)
{
	uint8_t expected[ST_KEY_32_64];
	struct st_cursor cursor = {.cursor = NULL};
	const struct st_env *env = &w->store->work.env;
	PD_ASSERT(range->first <= range->past);
	if (range->first == range->past)
		return PD_OK;
	int rc = st_cursor_open(&cursor, env, w->txn, w->store->work.dbi[range->dbi], w->fail);
	MDB_cursor_op op = MDB_SET_RANGE;
	for (uint64_t n = range->first; !rc && n < range->past; n++, op = MDB_NEXT) {
		if (range->type == ST_BLOCK_JOURNAL)
			st_tt_journal_key(expected, range->job, n);
		else
			st_tt_snapshot_key(expected, range->job, range->snapshot, (uint32_t)n);
		rc = st_cursor_move(&cursor, env, op, expected, sizeof expected, w->fail);
		if (rc == PD_E_NOT_FOUND || (!rc && (cursor.key.mv_size != sizeof expected ||
						     memcmp(cursor.key.mv_data, expected, sizeof expected))))
			rc = st_env_corrupt(env, w->fail, "block %llu of the %s of job %u is missing",
					    (unsigned long long)n, range_name(range), (unsigned)range->job);
		else if (!rc)
			rc = walk_block(w, range, expected, sizeof expected, &cursor.data);
	}
	st_cursor_close(&cursor, env);
	return rc;
}

uint64_t st_tt_read_bytes(struct st_store *store, uint32_t job)
{
	struct st_tt_state state;
	struct pd_fail fail;
	MDB_txn *txn;
	uint64_t bytes = 0;
	if (st_txn_begin(&store->work.env, true, &txn, &fail))
		return 0;
	if (!st_tt_state_get(&store->work, txn, job, &state, &fail))
		bytes = (state.journal_next - state.journal_start + state.snapshot_blocks) * ST_BLOCK_MAX;
	st_txn_abort(&store->work.env, txn);
	return bytes;
}

int st_tt_read_question(struct st_store *store, uint32_t job, struct pd_id *out, struct pd_fail *fail)
{
	struct st_tt_state state = {.journal_next = 0};
	struct st_read_txn read;
	st_read_txn_open(&store->work.env, &read);
	int rc = st_read_txn_renew(&store->work.env, &read, fail);
	if (!rc) {
		rc = st_tt_state_get(&store->work, read.txn, job, &state, fail);
		st_read_txn_reset(&read);
	}
	st_read_txn_close(&store->work.env, &read);
	*out = state.question;
	return rc;
}

int st_tt_read_each(struct st_store *store, uint32_t job,
		    int (*each)(void *ctx, const struct st_tt_entry *entries, size_t count), void *ctx,
		    struct pd_fail *fail)
{
	struct st_tt_state state;
	struct walk w = {.store = store, .each = each, .ctx = ctx, .fail = fail};
	struct st_read_txn read;
	st_read_txn_open(&store->work.env, &read);
	int rc = st_read_txn_renew(&store->work.env, &read, fail);
	if (rc) {
		st_read_txn_close(&store->work.env, &read);
		return rc;
	}
	w.txn = read.txn;
	rc = st_tt_state_get(&store->work, w.txn, job, &state, fail);
	if (!rc)
		rc = walk_blocks(&w, &(struct block_range){ST_SNAPSHOT, ST_BLOCK_SNAPSHOT, job, state.snapshot, 0,
							   state.snapshot_blocks});
	if (!rc)
		rc = walk_blocks(&w, &(struct block_range){ST_JOURNAL, ST_BLOCK_JOURNAL, job, 0, state.journal_start,
							   state.journal_next});
	st_read_txn_reset(&read);
	st_read_txn_close(&store->work.env, &read);
	return rc;
}
