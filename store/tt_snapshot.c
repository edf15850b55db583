/* Writing transposition tables: see tt_snapshot.h. */
#include "store/tt_snapshot.h"

#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/bytes.h"
#include "store/batch_state.h"
#include "store/cursor.h"
#include "store/existence.h"
#include "store/pack.h"
#include "store/record.h"
#include "store/store_state.h"

static int journal_flush(struct st_batch *batch, struct pd_fail *fail)
{
	struct st_store *store = batch->store;
	uint8_t key[ST_KEY_32_64];
	if (!batch->journal.count)
		return PD_OK;
	PD_ASSERT(batch->tt_job && batch->txn);
	st_tt_journal_key(key, batch->tt_job, batch->tt.journal_next++);
	st_block_seal(&batch->journal, ST_BLOCK_JOURNAL, key, sizeof key);
	int rc = st_put(st_work_place(&store->work, batch->txn, ST_JOURNAL), ST_BYTES(key),
			(struct st_data){batch->journal.data, batch->journal.size}, 0, fail);
	st_block_reset(&batch->journal);
	return rc;
}

static int snapshot_flush(struct st_batch *batch, struct pd_fail *fail)
{
	struct st_store *store = batch->store;
	uint8_t key[ST_KEY_32_32_32];
	if (!batch->snapshot.count)
		return PD_OK;
	PD_ASSERT(batch->tt_job && batch->tt.building);
	st_tt_snapshot_key(key, batch->tt_job, batch->tt.building, batch->tt.building_blocks++);
	st_block_seal(&batch->snapshot, ST_BLOCK_SNAPSHOT, key, sizeof key);
	int rc = st_put(st_work_place(&store->work, batch->txn, ST_SNAPSHOT), ST_BYTES(key),
			(struct st_data){batch->snapshot.data, batch->snapshot.size}, 0, fail);
	st_block_reset(&batch->snapshot);
	return rc;
}

int st_tt_snapshot_flush(struct st_batch *batch, struct pd_fail *fail)
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
	rc = st_existence_get(&store->work, batch->txn, job, &existence, fail);
	if (!rc && !existence.tt) {
		existence.tt = true;
		rc = st_existence_put(&store->work, batch->txn, job, &existence, fail);
	}
	if (rc == PD_E_NOT_FOUND)
		rc = st_env_corrupt(&store->work.env, fail, "the existence record of job %u is missing", (unsigned)job);
	if (rc)
		return rc;
	batch->tt_job = 0;
	return st_tt_state_put(&store->work, batch->txn, job, &batch->tt, fail);
}

/* Makes the batch ready to write for a job; its state is then in batch->tt. */
static int load_job(struct st_batch *batch, uint32_t job, struct pd_fail *fail)
{
	if (batch->tt_job == job)
		return PD_OK;
	int rc = st_tt_snapshot_flush(batch, fail);
	if (!rc)
		rc = st_tt_state_get(&batch->store->work, batch->txn, job, &batch->tt, fail);
	if (!rc)
		batch->tt_job = job;
	return rc;
}

/* The number behind the last block, or the last snapshot, that a job has in a database, as its key says: be64 (`wide`)
 * or be32. */
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

/* Makes the batch ready to drop a table whose record is damaged: all of its blocks lie before a new beginning. */
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

static int append_entries(struct st_batch *batch, bool snapshot, const struct st_tt_entry *entries, size_t count,
			  struct pd_fail *fail)
{
	PD_ASSERT(!snapshot || batch->tt.building);
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

/* Loads the state of the job's table. */
static int begin_table(struct st_batch *batch, uint32_t job, struct pd_fail *fail)
{
	PD_ASSERT(batch->open && batch->txn && job && job < batch->counters.next_job);
	return st_batch_result(batch, load_job(batch, job, &batch->scratch), fail);
}

static int no_snapshot(uint32_t job, struct pd_fail *fail)
{
	return pd_fail_set(fail, PD_E_STATE, "", "job %u has no open snapshot", (unsigned)job);
}

static bool is_named(struct pd_id question)
{
	return question.lo || question.hi;
}

int st_tt_snapshot_question(struct st_batch *batch, uint32_t job, struct pd_id question, struct pd_fail *fail)
{
	int rc = begin_table(batch, job, fail);
	if (rc)
		return rc;
	struct pd_id known = batch->tt.question;
	if (is_named(known) && !pd_id_equal(known, question)) {
		rc = pd_fail_set(&batch->scratch, PD_E_CORRUPT, batch->store->work.env.name,
				 "the table of job %u belongs to another question", (unsigned)job);
		return st_batch_result(batch, rc, fail);
	}
	if (pd_id_equal(known, question))
		return PD_OK;
	batch->tt.question = question;
	batch->tt.dropped = false; /* else its record would go, and the question with it */
	return PD_OK;
}

int st_tt_snapshot_journal(struct st_batch *batch, uint32_t job, const struct st_tt_entry *entries, size_t count,
			   struct pd_fail *fail)
{
	int rc = begin_table(batch, job, fail);
	if (rc || !count)
		return rc;
	batch->tt.dropped = false; /* a job that was over may be taken up again */
	return st_batch_result(batch, append_entries(batch, false, entries, count, &batch->scratch), fail);
}

int st_tt_snapshot_start(struct st_batch *batch, uint32_t job, struct pd_fail *fail)
{
	int rc = begin_table(batch, job, fail);
	if (rc)
		return rc;
	st_block_reset(&batch->snapshot); /* of a snapshot that is abandoned */
	rc = journal_flush(batch, &batch->scratch);
	struct st_tt_state *t = &batch->tt;
	batch->garbage |= t->building != 0;
	t->building = ++t->last_snapshot;
	t->building_blocks = 0;
	t->building_start = t->journal_next;
	t->dropped = false;
	return st_batch_result(batch, rc, fail);
}

int st_tt_snapshot_put(struct st_batch *batch, uint32_t job, const struct st_tt_entry *entries, size_t count,
		       struct pd_fail *fail)
{
	int rc = begin_table(batch, job, fail);
	if (rc)
		return rc;
	if (!batch->tt.building)
		return no_snapshot(job, fail);
	return st_batch_result(batch, append_entries(batch, true, entries, count, &batch->scratch), fail);
}

int st_tt_snapshot_end(struct st_batch *batch, uint32_t job, struct pd_fail *fail)
{
	int rc = begin_table(batch, job, fail);
	if (rc)
		return rc;
	if (!batch->tt.building)
		return no_snapshot(job, fail);
	rc = snapshot_flush(batch, &batch->scratch);
	struct st_tt_state *t = &batch->tt;
	t->snapshot = t->building;
	t->snapshot_blocks = t->building_blocks;
	t->journal_start = t->building_start;
	t->building = t->building_blocks = 0;
	batch->garbage = true;
	return st_batch_result(batch, rc, fail);
}

int st_tt_snapshot_drop(struct st_batch *batch, uint32_t job, struct pd_fail *fail)
{
	int rc = load_job(batch, job, &batch->scratch);
	if (rc == PD_E_CORRUPT)
		rc = load_lost(batch, job, &batch->scratch);
	if (rc)
		return st_batch_result(batch, rc, fail);
	struct st_tt_state *t = &batch->tt;
	st_block_reset(&batch->journal);
	st_block_reset(&batch->snapshot);
	st_tt_state_drop(t);
	batch->garbage = true;
	return PD_OK;
}

int st_tt_snapshot_forget(struct st_batch *batch, uint32_t job, struct pd_fail *fail)
{
	struct st_store *store = batch->store;
	struct st_existence existence;
	if (batch->tt_job != job) {
		int rc = st_existence_read(&store->work, batch->txn, job, &existence, &batch->scratch);
		if (rc || !existence.tt)
			return st_batch_result(batch, rc, fail);
	}
	return st_tt_snapshot_drop(batch, job, fail);
}
