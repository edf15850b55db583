/* Table: a job's entries on disk, as a snapshot and a journal.
 *
 *     journal   ... | blocks since the snapshot's sweep began .................... | next
 *                   ^ journal_start            ^ building_start: a new sweep began here
 *
 * A sweep writes the whole table, a share with each batch, while the search goes on and its changes go into the
 * journal. When it ends, it is the snapshot, and journal_start moves to where it began: snapshot, then journal in
 * order, is the table. What lies before journal_start, and sweeps that do not count any more, are litter; sweep.c
 * deletes it, a share with each batch.
 *
 * Entries are packed into blocks that a batch fills across calls. The record tables/JOB changes in the same
 * transaction. */
#include "store/internal.h"

#include <assert.h>
#include <string.h>

#include "proto/base/bytes.h"

/* --- the record --------------------------------------------------------------------------- */

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
	if (size != ST_TABLE_STATE || p[44] > 1)
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

static int state_get(const struct st_store *store, MDB_txn *txn, uint32_t job, struct st_tt_state *out,
		     struct pd_fail *fail)
{
	uint8_t key[ST_KEY_32], record[ST_SEAL + ST_TABLE_STATE];
	struct st_card card;
	size_t size;
	*out = (struct st_tt_state){0};
	int rc = st_card_read(store, txn, job, &card, fail);
	if (rc || !card.table)
		return rc; /* nothing was written for this job yet */
	pd_put_be32(key, job);
	rc = st_get_sealed(&store->work, txn, store->dbi[ST_TABLES], key, sizeof key, record, sizeof record, &size,
			   fail);
	if (rc == PD_E_NOT_FOUND)
		return st_env_corrupt(&store->work, fail, "the state of the table of job %u is missing", (unsigned)job);
	if (!rc && !st_tt_state_unpack(record, size, out))
		return st_env_corrupt(&store->work, fail, "the state of the table of job %u does not decode",
				      (unsigned)job);
	return rc;
}

/* --- writing ------------------------------------------------------------------------------ */

static void journal_key(uint8_t *key, uint32_t job, uint64_t block)
{
	pd_put_be32(key, job);
	st_put_be64(key + 4, block);
}

static void snapshot_key(uint8_t *key, uint32_t job, uint32_t snapshot, uint32_t block)
{
	pd_put_be32(key, job);
	pd_put_be32(key + 4, snapshot);
	pd_put_be32(key + 8, block);
}

static int journal_flush(struct st_batch *batch, struct pd_fail *fail)
{
	struct st_store *store = batch->store;
	uint8_t key[ST_KEY_32_64];
	if (!batch->journal.count)
		return PD_OK;
	journal_key(key, batch->table_job, batch->table.journal_next++);
	st_block_seal(&batch->journal, ST_BLOCK_JOURNAL, key, sizeof key);
	int rc = st_put(&store->work, batch->txn, store->dbi[ST_JOURNAL], key, sizeof key, batch->journal.data,
			batch->journal.size, 0, fail);
	st_block_reset(&batch->journal);
	return rc;
}

static int snapshot_flush(struct st_batch *batch, struct pd_fail *fail)
{
	struct st_store *store = batch->store;
	uint8_t key[ST_KEY_32_32_32];
	if (!batch->snapshot.count)
		return PD_OK;
	snapshot_key(key, batch->table_job, batch->table.building, batch->table.building_blocks++);
	st_block_seal(&batch->snapshot, ST_BLOCK_SNAPSHOT, key, sizeof key);
	int rc = st_put(&store->work, batch->txn, store->dbi[ST_SNAPSHOT], key, sizeof key, batch->snapshot.data,
			batch->snapshot.size, 0, fail);
	st_block_reset(&batch->snapshot);
	return rc;
}

int st_tt_flush(struct st_batch *batch, struct pd_fail *fail)
{
	struct st_store *store = batch->store;
	uint8_t key[ST_KEY_32], record[ST_TABLE_STATE];
	if (!batch->table_job)
		return PD_OK;
	int rc = journal_flush(batch, fail);
	if (!rc)
		rc = snapshot_flush(batch, fail);
	if (rc)
		return rc;
	uint32_t job = batch->table_job;
	struct st_card card;
	rc = st_card_get(store, batch->txn, job, &card, fail);
	if (!rc && !card.table) {
		card.table = true;
		rc = st_card_put(store, batch->txn, job, &card, fail);
	}
	if (rc == PD_E_NOT_FOUND)
		rc = st_env_corrupt(&store->work, fail, "the card of job %u is missing", (unsigned)job);
	if (rc)
		return rc;
	pd_put_be32(key, job);
	st_tt_state_pack(record, &batch->table);
	batch->table_job = 0;
	return st_put_sealed(&store->work, batch->txn, store->dbi[ST_TABLES], key, sizeof key, record, sizeof record, 0,
			     fail);
}

/* Makes the batch ready to write for a job; its state is then in batch->table. */
static int load(struct st_batch *batch, uint32_t job, struct pd_fail *fail)
{
	if (batch->table_job == job)
		return PD_OK;
	int rc = st_tt_flush(batch, fail);
	if (!rc)
		rc = state_get(batch->store, batch->txn, job, &batch->table, fail);
	if (!rc)
		batch->table_job = job;
	return rc;
}

/* The number behind the last block, or the last sweep, that a job has in a database, as its key says: be64 (`wide`) or
 * be32. */
static int past_last(struct st_batch *batch, enum st_work_dbi dbi, uint32_t job, bool wide, uint64_t *past,
		     struct pd_fail *fail)
{
	const struct st_env *env = &batch->store->work;
	struct st_cursor cursor = {.cursor = NULL};
	uint8_t bytes[ST_KEY_32_64] = {0};
	pd_put_be32(bytes, job + 1);
	int rc = st_cursor_open(&cursor, env, batch->txn, batch->store->dbi[dbi], fail);
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

/* Makes the batch ready to drop a table whose record is damaged: all of its blocks lie before a new beginning. */
static int load_lost(struct st_batch *batch, uint32_t job, struct pd_fail *fail)
{
	uint64_t block, snapshot;
	int rc = past_last(batch, ST_JOURNAL, job, true, &block, fail);
	if (!rc)
		rc = past_last(batch, ST_SNAPSHOT, job, false, &snapshot, fail);
	if (rc)
		return rc;
	batch->table = (struct st_tt_state){.journal_start = block,
					    .journal_next = block,
					    .building_start = block,
					    .last_snapshot = (uint32_t)snapshot};
	batch->table_job = job;
	return PD_OK;
}

static int append(struct st_batch *batch, bool snapshot, const struct st_tt_entry *entries, size_t count,
		  struct pd_fail *fail)
{
	struct st_block *block = snapshot ? &batch->snapshot : &batch->journal;
	for (size_t i = 0; i < count; i++) {
		if (!st_block_fits(block, ST_ENTRY_PACKED_MAX)) {
			int rc = snapshot ? snapshot_flush(batch, fail) : journal_flush(batch, fail);
			if (rc)
				return rc;
		}
		uint8_t *end = st_entry_pack(block->data + block->size, entries[i].bytes);
		block->size = (uint32_t)(end - block->data);
		block->count++;
	}
	batch->entries += count;
	return PD_OK;
}

/* What the calls below have in common: the job exists and, unless the store is in memory, its state is loaded. */
static int begin(struct st_batch *batch, uint32_t job, struct pd_fail *fail)
{
	int rc = st_batch_job(batch, job, fail);
	if (rc || batch->store->memory)
		return rc;
	return st_batch_result(batch, load(batch, job, &batch->scratch), fail);
}

static int stage_entries(struct st_batch *batch, enum st_kind kind, uint32_t job, const struct st_tt_entry *entries,
			 size_t count, struct pd_fail *fail)
{
	int rc = st_batch_stage(batch, kind, job, entries, count * sizeof *entries, fail);
	if (!rc)
		batch->entries += count;
	return rc;
}

static int no_snapshot(uint32_t job, struct pd_fail *fail)
{
	return pd_fail_set(fail, PD_E_STATE, "", "job %u has no sweep to go on with", (unsigned)job);
}

static bool is_named(struct pd_id question)
{
	return question.lo || question.hi;
}

int st_batch_tt_question(struct st_batch *batch, uint32_t job, struct pd_id question, struct pd_fail *fail)
{
	struct pd_id known = {0};
	int rc = begin(batch, job, fail);
	if (rc)
		return rc;
	if (!batch->store->memory)
		known = batch->table.question;
	else
		st_memory_question(batch->store->memory, job, true, &known);
	if (is_named(known) && !pd_id_equal(known, question)) {
		rc = pd_fail_set(&batch->scratch, PD_E_CORRUPT, batch->store->work.name,
				 "the table of job %u belongs to another question", (unsigned)job);
		return st_batch_result(batch, rc, fail);
	}
	if (pd_id_equal(known, question))
		return PD_OK;
	if (batch->store->memory)
		return st_batch_stage(batch, ST_MEM_QUESTION, job, &question, sizeof question, fail);
	batch->table.question = question;
	batch->table.dropped = false; /* else its record would go, and the question with it */
	return PD_OK;
}

int st_batch_tt(struct st_batch *batch, uint32_t job, const struct st_tt_entry *entries, size_t count,
		struct pd_fail *fail)
{
	int rc = begin(batch, job, fail);
	if (rc || !count)
		return rc;
	if (batch->store->memory)
		return stage_entries(batch, ST_MEM_JOURNAL, job, entries, count, fail);
	batch->table.dropped = false; /* a job that was over may be taken up again */
	return st_batch_result(batch, append(batch, false, entries, count, &batch->scratch), fail);
}

int st_batch_snapshot_start(struct st_batch *batch, uint32_t job, struct pd_fail *fail)
{
	int rc = begin(batch, job, fail);
	if (rc)
		return rc;
	if (batch->store->memory)
		return st_batch_stage(batch, ST_MEM_SWEEP_START, job, NULL, 0, fail);
	st_block_reset(&batch->snapshot); /* of a sweep that is given up */
	rc = journal_flush(batch, &batch->scratch);
	struct st_tt_state *t = &batch->table;
	batch->garbage |= t->building != 0;
	t->building = ++t->last_snapshot;
	t->building_blocks = 0;
	t->building_start = t->journal_next;
	t->dropped = false;
	return st_batch_result(batch, rc, fail);
}

int st_batch_snapshot_put(struct st_batch *batch, uint32_t job, const struct st_tt_entry *entries, size_t count,
			  struct pd_fail *fail)
{
	int rc = begin(batch, job, fail);
	if (rc)
		return rc;
	if (batch->store->memory)
		return count ? stage_entries(batch, ST_MEM_SWEEP, job, entries, count, fail) : PD_OK;
	if (!batch->table.building)
		return no_snapshot(job, fail);
	return st_batch_result(batch, append(batch, true, entries, count, &batch->scratch), fail);
}

int st_batch_snapshot_end(struct st_batch *batch, uint32_t job, struct pd_fail *fail)
{
	int rc = begin(batch, job, fail);
	if (rc)
		return rc;
	if (batch->store->memory)
		return st_batch_stage(batch, ST_MEM_SWEEP_END, job, NULL, 0, fail);
	if (!batch->table.building)
		return no_snapshot(job, fail);
	rc = snapshot_flush(batch, &batch->scratch);
	struct st_tt_state *t = &batch->table;
	t->snapshot = t->building;
	t->snapshot_blocks = t->building_blocks;
	t->journal_start = t->building_start;
	t->building = t->building_blocks = 0;
	batch->garbage = true;
	return st_batch_result(batch, rc, fail);
}

void st_tt_state_drop(struct st_tt_state *t)
{
	t->journal_start = t->building_start = t->journal_next;
	t->snapshot = t->snapshot_blocks = t->building = t->building_blocks = 0;
	t->question = (struct pd_id){0};
	t->dropped = true;
}

int st_batch_tt_drop(struct st_batch *batch, uint32_t job, struct pd_fail *fail)
{
	int rc = st_batch_job(batch, job, fail);
	if (rc)
		return rc;
	if (batch->store->memory)
		return st_batch_stage(batch, ST_MEM_DROP, job, NULL, 0, fail);
	rc = load(batch, job, &batch->scratch);
	if (rc == PD_E_CORRUPT)
		rc = load_lost(batch, job, &batch->scratch);
	if (rc)
		return st_batch_result(batch, rc, fail);
	struct st_tt_state *t = &batch->table;
	st_block_reset(&batch->journal);
	st_block_reset(&batch->snapshot);
	st_tt_state_drop(t);
	batch->garbage = true;
	return PD_OK;
}

int st_tt_forget(struct st_batch *batch, uint32_t job, struct pd_fail *fail)
{
	struct st_store *store = batch->store;
	struct st_card card;
	int rc = st_batch_job(batch, job, fail);
	if (rc)
		return rc;
	if (!store->memory && batch->table_job != job) {
		rc = st_card_read(store, batch->txn, job, &card, &batch->scratch);
		if (rc || !card.table)
			return st_batch_result(batch, rc, fail);
	}
	return st_batch_tt_drop(batch, job, fail);
}

/* --- reading back ------------------------------------------------------------------------- */

struct walk {
	const struct st_store *store;
	MDB_txn *txn;
	int (*each)(void *ctx, const struct st_tt_entry *entries, size_t count);
	void *ctx;
	struct pd_fail *fail;
};

static int walk_block(const struct walk *w, enum st_work_dbi dbi, enum st_block_type type, const uint8_t *key,
		      size_t key_size, const MDB_val *value)
{
	/* As many as fit into a block when each is packed as short as possible. */
	struct st_tt_entry entries[ST_BLOCK_MAX / (ST_ENTRY_ID + 2)];
	struct st_block_view view;
	size_t count = 0;
	bool sound = st_block_open(value->mv_data, value->mv_size, type, key, key_size, &view);
	while (sound && view.p < view.end && count < sizeof entries / sizeof *entries) {
		view.p = st_entry_unpack(view.p, view.end, entries[count].bytes);
		sound = view.p != NULL;
		count++;
	}
	if (!sound || count != view.count)
		return st_env_corrupt(&w->store->work, w->fail, "a block of the %s of job %u does not decode",
				      dbi == ST_JOURNAL ? "journal" : "snapshot", (unsigned)pd_get_be32(key));
	return w->each(w->ctx, entries, count);
}

/* Blocks first..end-1, which must all be there. `key` has the number of a block in its last bytes. */
static int walk_blocks(const struct walk *w, enum st_work_dbi dbi, enum st_block_type type, uint32_t job,
		       uint32_t snapshot, uint64_t first, uint64_t past)
{
	uint8_t expected[ST_KEY_32_64];
	struct st_cursor cursor = {.cursor = NULL};
	const struct st_env *env = &w->store->work;
	if (first == past)
		return PD_OK;
	int rc = st_cursor_open(&cursor, env, w->txn, w->store->dbi[dbi], w->fail);
	MDB_cursor_op op = MDB_SET_RANGE;
	for (uint64_t n = first; !rc && n < past; n++, op = MDB_NEXT) {
		if (type == ST_BLOCK_JOURNAL)
			journal_key(expected, job, n);
		else
			snapshot_key(expected, job, snapshot, (uint32_t)n);
		rc = st_cursor_move(&cursor, env, op, expected, sizeof expected, w->fail);
		if (rc == PD_E_NOT_FOUND || (!rc && (cursor.key.mv_size != sizeof expected ||
						     memcmp(cursor.key.mv_data, expected, sizeof expected))))
			rc = st_env_corrupt(env, w->fail, "block %llu of the %s of job %u is missing",
					    (unsigned long long)n, dbi == ST_JOURNAL ? "journal" : "snapshot",
					    (unsigned)job);
		else if (!rc)
			rc = walk_block(w, dbi, type, expected, sizeof expected, &cursor.data);
	}
	st_cursor_close(&cursor, env);
	return rc;
}

struct memory_walk {
	int (*each)(void *ctx, const struct st_tt_entry *entries, size_t count);
	void *ctx;
};

static int memory_entries(void *ctx, const void *data, size_t size)
{
	struct memory_walk *walk = ctx;
	return walk->each(walk->ctx, data, size / sizeof(struct st_tt_entry));
}

static int count_bytes(void *ctx, const struct st_tt_entry *entries, size_t count)
{
	(void)entries;
	*(uint64_t *)ctx += count * sizeof *entries;
	return 0;
}

uint64_t st_tt_bytes(struct st_store *store, uint32_t job)
{
	struct st_tt_state state;
	struct pd_fail fail;
	MDB_txn *txn;
	uint64_t bytes = 0;
	if (store->memory)
		return st_tt_each(store, job, count_bytes, &bytes, &fail) ? 0 : bytes;
	if (st_txn_begin(&store->work, true, &txn, &fail))
		return 0;
	if (!state_get(store, txn, job, &state, &fail))
		bytes = (state.journal_next - state.journal_start + state.snapshot_blocks) * ST_BLOCK_MAX;
	mdb_txn_abort(txn);
	return bytes;
}

int st_tt_question(struct st_store *store, uint32_t job, struct pd_id *out, struct pd_fail *fail)
{
	struct st_tt_state state = {.journal_next = 0};
	struct st_window window;
	if (store->memory) {
		st_memory_question(store->memory, job, false, out);
		return PD_OK;
	}
	st_window_open(&store->work, &window);
	int rc = st_window_wake(&store->work, &window, fail);
	if (!rc) {
		rc = state_get(store, window.txn, job, &state, fail);
		st_window_rest(&window);
	}
	st_window_close(&store->work, &window);
	*out = state.question;
	return rc;
}

int st_tt_each(struct st_store *store, uint32_t job,
	       int (*each)(void *ctx, const struct st_tt_entry *entries, size_t count), void *ctx, struct pd_fail *fail)
{
	struct st_tt_state state;
	if (store->memory) {
		struct memory_walk walk = {each, ctx};
		return st_memory_each(store->memory, ST_MEM_JOURNAL, job, SIZE_MAX, memory_entries, &walk, fail);
	}
	struct walk w = {.store = store, .each = each, .ctx = ctx, .fail = fail};
	struct st_window window;
	st_window_open(&store->work, &window);
	int rc = st_window_wake(&store->work, &window, fail);
	if (rc) {
		st_window_close(&store->work, &window);
		return rc;
	}
	w.txn = window.txn;
	rc = state_get(store, w.txn, job, &state, fail);
	if (!rc)
		rc = walk_blocks(&w, ST_SNAPSHOT, ST_BLOCK_SNAPSHOT, job, state.snapshot, 0, state.snapshot_blocks);
	if (!rc)
		rc = walk_blocks(&w, ST_JOURNAL, ST_BLOCK_JOURNAL, job, 0, state.journal_start, state.journal_next);
	st_window_rest(&window);
	st_window_close(&store->work, &window);
	return rc;
}
