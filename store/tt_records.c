#include "store/tt_records.h"

#include "proto/base/assert.h"
#include "store/cursor.h"
#include "store/existence.h"
#include "store/pack.h"
#include "store/read_txn.h"
#include "store/record.h"

static int put_block(struct st_batch *batch, enum st_work_dbi dbi, struct st_block *block, struct st_data key,
		     struct pd_fail *fail)
{
	st_block_seal(block, dbi == ST_JOURNAL ? ST_BLOCK_JOURNAL : ST_BLOCK_SNAPSHOT, key.bytes, key.size);
	int rc = st_put(st_work_place(&batch->store->work, batch->txn, dbi), key,
			(struct st_data){block->data, block->size}, 0, fail);
	st_block_reset(block);
	return rc;
}

static int journal_flush(struct st_batch *batch, struct pd_fail *fail)
{
	uint8_t key[ST_KEY_32_64];
	if (!batch->journal.count)
		return PD_OK;
	PD_ASSERT(batch->tt_job && batch->txn);
	st_tt_journal_key(key, batch->tt_job, batch->tt.journal_next++);
	return put_block(batch, ST_JOURNAL, &batch->journal, ST_BYTES(key), fail);
}

static int snapshot_flush(struct st_batch *batch, struct pd_fail *fail)
{
	uint8_t key[ST_KEY_32_32_32];
	if (!batch->snapshot.count)
		return PD_OK;
	PD_ASSERT(batch->tt_job && batch->tt.building);
	st_tt_snapshot_key(key, batch->tt_job, batch->tt.building, batch->tt.building_blocks++);
	return put_block(batch, ST_SNAPSHOT, &batch->snapshot, ST_BYTES(key), fail);
}

int st_tt_records_flush(struct st_batch *batch, struct pd_fail *fail)
{
	struct st_store *store = batch->store;
	if (!batch->tt_job)
		return PD_OK;
	int rc = journal_flush(batch, fail);
	if (!rc)
		rc = snapshot_flush(batch, fail);
	if (rc)
		return rc;
	uint32_t job = batch->tt_job;
	struct st_existence existence;
	rc = st_existence_require(&store->work, batch->txn, job, &existence, fail);
	if (!rc && !existence.tt) {
		existence.tt = true;
		rc = st_existence_put(&store->work, batch->txn, job, &existence, fail);
	}
	if (rc)
		return rc;
	batch->tt_job = 0;
	return st_tt_state_put(&store->work, batch->txn, job, &batch->tt, fail);
}

/* Makes the batch ready to write for a job; the state of the job's table is then in batch->tt. */
static int load_job(struct st_batch *batch, uint32_t job, struct pd_fail *fail)
{
	if (batch->tt_job == job)
		return PD_OK;
	int rc = st_tt_records_flush(batch, fail);
	if (!rc)
		rc = st_tt_state_get(&batch->store->work, batch->txn, job, &batch->tt, fail);
	if (!rc)
		batch->tt_job = job;
	return rc;
}

/* One more than the number of the last block (`wide`: be64) or snapshot (be32) that a job has in a database, as its key
 * says. */
static int past_last(struct st_batch *batch, enum st_work_dbi dbi, uint32_t job, bool wide, uint64_t *past,
		     struct pd_fail *fail)
{
	const struct st_env *env = &batch->store->work.env;
	struct st_cursor cursor = {.cursor = NULL};
	uint8_t bytes[ST_KEY_32_64] = {0};
	pd_put_be32(bytes, job + 1);
	int rc = st_cursor_open(&cursor, env, batch->txn, batch->store->work.dbi[dbi], fail);
	if (!rc) {
		rc = st_cursor_move(&cursor, env, MDB_SET_RANGE, bytes, sizeof bytes, fail);
		if (!rc || rc == PD_E_NOT_FOUND)
			rc = st_cursor_move(&cursor, env, rc ? MDB_LAST : MDB_PREV, NULL, 0, fail);
	}
	*past = 0;
	if (!rc && cursor.key.mv_size == sizeof bytes && pd_get_be32(cursor.key.mv_data) == job) {
		const uint8_t *p = (const uint8_t *)cursor.key.mv_data + 4;
		*past = wide ? st_get_be64(p) + 1 : (uint64_t)pd_get_be32(p) + 1;
	}
	st_cursor_close(&cursor, env);
	return rc == PD_E_NOT_FOUND ? PD_OK : rc;
}

/* Makes the batch ready to drop a table whose record is damaged: a new record begins after all blocks that exist. */
static int load_lost(struct st_batch *batch, uint32_t job, struct pd_fail *fail)
{
	uint64_t block, snapshot;
	int rc = past_last(batch, ST_JOURNAL, job, true, &block, fail);
	if (!rc)
		rc = past_last(batch, ST_SNAPSHOT, job, false, &snapshot, fail);
	if (rc)
		return rc;
	batch->tt = (struct st_tt_state){.journal_start = block,
					 .journal_next = block,
					 .building_start = block,
					 .last_snapshot = (uint32_t)snapshot};
	batch->tt_job = job;
	return PD_OK;
}

static int append_entries(struct st_batch *batch, bool snapshot, const struct st_tt_entry *entries, size_t count)
{
	PD_ASSERT(!snapshot || batch->tt.building);
	struct st_block *block = snapshot ? &batch->snapshot : &batch->journal;
	int rc = PD_OK;
	for (size_t i = 0; i < count; i++) {
		if (!st_block_fits(block, ST_ENTRY_PACKED_MAX))
			rc = snapshot ? snapshot_flush(batch, &batch->scratch) : journal_flush(batch, &batch->scratch);
		if (rc)
			return rc;
		uint8_t *end = st_entry_pack(block->data + block->size, entries[i].bytes);
		block->size = (uint32_t)(end - block->data);
		block->count++;
	}
	return PD_OK;
}

static int name_question(struct st_batch *batch, uint32_t job, const struct pd_id *question)
{
	struct st_tt_state *t = &batch->tt;
	if (pd_id_equal(t->question, *question))
		return PD_OK;
	if (t->question.lo || t->question.hi)
		return pd_fail_set(&batch->scratch, PD_E_CORRUPT, batch->store->work.env.name,
				   "the table of job %u belongs to another question", (unsigned)job);
	t->question = *question;
	t->dropped = false; /* else the record would be deleted, and the question with it */
	return PD_OK;
}

static int start_snapshot(struct st_batch *batch)
{
	struct st_tt_state *t = &batch->tt;
	st_block_reset(&batch->snapshot); /* the entries of an abandoned snapshot */
	int rc = journal_flush(batch, &batch->scratch);
	batch->garbage |= t->building != 0;
	t->building = ++t->last_snapshot;
	t->building_blocks = 0;
	t->building_start = t->journal_next;
	t->dropped = false;
	return rc;
}

static int end_snapshot(struct st_batch *batch)
{
	struct st_tt_state *t = &batch->tt;
	int rc = snapshot_flush(batch, &batch->scratch);
	t->snapshot = t->building;
	t->snapshot_blocks = t->building_blocks;
	t->journal_start = t->building_start;
	t->building = t->building_blocks = 0;
	batch->garbage = true;
	return rc;
}

static int drop_table(struct st_batch *batch, uint32_t job)
{
	int rc = load_job(batch, job, &batch->scratch);
	if (rc == PD_E_CORRUPT)
		rc = load_lost(batch, job, &batch->scratch);
	if (rc)
		return rc;
	st_block_reset(&batch->journal);
	st_block_reset(&batch->snapshot);
	st_tt_state_drop(&batch->tt);
	batch->garbage = true;
	return PD_OK;
}

int st_tt_records_put(struct st_batch *batch, enum st_put kind, uint32_t job, const void *data, size_t size)
{
	PD_ASSERT(batch->open && batch->txn && job && job < batch->counters.next_job);
	if (kind == ST_PUT_TT_DROP)
		return drop_table(batch, job);
	int rc = load_job(batch, job, &batch->scratch);
	if (rc)
		return rc;
	if ((kind == ST_PUT_SNAPSHOT || kind == ST_PUT_SNAPSHOT_END) && !batch->tt.building)
		return pd_fail_set(&batch->scratch, PD_E_STATE, "", "job %u has no open snapshot", (unsigned)job);
	switch (kind) {
	case ST_PUT_QUESTION:
		return name_question(batch, job, data);
	case ST_PUT_SNAPSHOT_START:
		return start_snapshot(batch);
	case ST_PUT_SNAPSHOT_END:
		return end_snapshot(batch);
	default: /* entries; a job that had ended may be resumed */
		batch->tt.dropped = batch->tt.dropped && (kind == ST_PUT_SNAPSHOT || !size);
		return append_entries(batch, kind == ST_PUT_SNAPSHOT, data, size / sizeof(struct st_tt_entry));
	}
}

int st_tt_records_forget(struct st_batch *batch, uint32_t job)
{
	struct st_existence existence = {.tt = true};
	int rc = batch->tt_job == job
			 ? PD_OK
			 : st_existence_read(&batch->store->work, batch->txn, job, &existence, &batch->scratch);
	return rc || !existence.tt ? rc : drop_table(batch, job);
}

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
	struct st_tt_entry entries[ST_BLOCK_ENTRIES];
	struct st_block_view view;
	if (!st_block_open(value->mv_data, value->mv_size, range->type, key, key_size, &view) ||
	    !st_block_entries(&view, entries))
		return st_env_corrupt(&w->store->work.env, w->fail, "a block of the %s of job %u does not decode",
				      range_name(range), (unsigned)range->job);
	return w->each(w->ctx, entries, view.count);
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

/* Reads the record of a job's table in a new read transaction, which st_read_txn_end ends. */
static int begin_read(struct st_store *store, uint32_t job, struct st_read_txn *read, struct st_tt_state *out,
		      struct pd_fail *fail)
{
	int rc = st_read_txn_begin(&store->work.env, read, fail);
	if (rc)
		return rc;
	rc = st_tt_state_get(&store->work, read->txn, job, out, fail);
	if (rc)
		st_read_txn_end(&store->work.env, read);
	return rc;
}

uint64_t st_tt_records_bytes(struct st_store *store, uint32_t job)
{
	struct st_tt_state state;
	struct st_read_txn read;
	struct pd_fail fail;
	if (begin_read(store, job, &read, &state, &fail))
		return 0;
	st_read_txn_end(&store->work.env, &read);
	return (state.journal_next - state.journal_start + state.snapshot_blocks) * ST_BLOCK_MAX;
}

int st_tt_records_question(struct st_store *store, uint32_t job, struct pd_id *out, struct pd_fail *fail)
{
	struct st_tt_state state = {.journal_next = 0};
	struct st_read_txn read;
	int rc = begin_read(store, job, &read, &state, fail);
	if (!rc)
		st_read_txn_end(&store->work.env, &read);
	*out = state.question;
	return rc;
}

int st_tt_records_each(struct st_store *store, uint32_t job,
		       int (*each)(void *ctx, const struct st_tt_entry *entries, size_t count), void *ctx,
		       struct pd_fail *fail)
{
	struct st_tt_state state;
	struct st_read_txn read;
	int rc = begin_read(store, job, &read, &state, fail);
	if (rc)
		return rc;
	const struct walk w = {store, read.txn, each, ctx, fail};
	rc = walk_blocks(&w, &(struct block_range){ST_SNAPSHOT, ST_BLOCK_SNAPSHOT, job, state.snapshot, 0,
						   state.snapshot_blocks});
	if (!rc)
		rc = walk_blocks(&w, &(struct block_range){ST_JOURNAL, ST_BLOCK_JOURNAL, job, 0, state.journal_start,
							   state.journal_next});
	st_read_txn_end(&store->work.env, &read);
	return rc;
}
