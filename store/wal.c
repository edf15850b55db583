#include "store/wal.h"

#include "proto/base/assert.h"
#include "store/cursor.h"
#include "store/pack.h"
#include "store/record.h"
#include "store/store_state.h"
#include "store/txn.h"

enum {
	/* The head of a record: size of the key, then game; a size of 0: the position is that of the previous
	 * record. */
	LOG_RECORD_MAX = 5 + 2 + ST_DB_KEY_MAX + ST_REASON_PACKED_MAX
};

int st_wal_flush(struct st_batch *batch, struct pd_fail *fail)
{
	struct st_store *store = batch->store;
	uint8_t key[ST_KEY_64];
	PD_ASSERT(batch->open && batch->counters.next_log > store->runs.merged);
	if (!batch->log.count)
		return PD_OK;
	st_put_be64(key, batch->counters.next_log++);
	st_block_seal(&batch->log, ST_BLOCK_FACTS, key, sizeof key);
	int rc = st_put(st_work_place(&store->work, batch->txn, ST_WAL), ST_BYTES(key),
			(struct st_data){batch->log.data, batch->log.size}, MDB_APPEND, fail);
	st_block_reset(&batch->log);
	batch->log_key_size = 0;
	return rc;
}

int st_wal_append(struct st_batch *batch, const uint8_t *key, size_t size, const struct pd_reason *reason,
		  struct pd_fail *fail)
{
	PD_ASSERT(batch->open && size > 4 && size <= ST_DB_KEY_MAX);
	if (!st_block_fits(&batch->log, LOG_RECORD_MAX)) {
		int rc = st_wal_flush(batch, fail);
		if (rc)
			return rc;
	}
	uint8_t *p = batch->log.data + batch->log.size;
	if (batch->log_key_size == size && !memcmp(batch->log_key, key, size)) {
		*p++ = 0;
	} else {
		p = pd_put_varint(p, size - 4);
		p = pd_put_varint(p, pd_get_be32(key));
		memcpy(p, key + 4, size - 4);
		p += size - 4;
		memcpy(batch->log_key, key, size);
		batch->log_key_size = (uint16_t)size;
	}
	p = st_reason_pack(p, reason);
	batch->log.size = (uint32_t)(p - batch->log.data);
	PD_ASSERT(batch->log.size <= ST_BLOCK_MAX);
	batch->log.count++;
	return PD_OK;
}

bool st_wal_next(struct st_block_view *view, struct st_wal_record *record)
{
	uint64_t size, game;
	const uint8_t *p = pd_get_varint(view->p, view->end, &size);
	if (!p || size > ST_DB_KEY_MAX - 4)
		return false;
	if (size) {
		p = pd_get_varint(p, view->end, &game);
		if (!p || game > UINT32_MAX || (uint64_t)(view->end - p) < size)
			return false;
		pd_put_be32(record->key, (uint32_t)game);
		memcpy(record->key + 4, p, size);
		record->key_size = size + 4;
		p += size;
	}
	view->p = record->key_size ? st_reason_unpack(p, view->end, &record->reason) : NULL;
	return view->p != NULL;
}

static int replay_record(struct st_store *store, const struct st_wal_record *record, struct pd_fail *fail)
{
	struct pd_fact fact;
	bool complete = store->runs.count == 0 && !store->read_only;
	const struct st_fact_key key = st_fact_key_of(record->key, record->key_size);
	int rc = PD_OK;
	pd_fact_init(&fact);
	int found = st_memtable_get(&store->memtable, &key, &fact, &complete, fail);
	int added = found < 0 ? 0 : pd_fact_add(&fact, &record->reason);
	if (found < 0)
		rc = fail->code;
	else if (added == -1)
		rc = st_env_corrupt(&store->work.env, fail, "the write-ahead log contradicts itself");
	else if (added < 0 || !st_memtable_put(&store->memtable, &key, &fact, complete))
		rc = pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the facts of the log");
	pd_fact_fini(&fact);
	return rc;
}

static int replay_block(struct st_store *store, uint64_t block, const MDB_val *key, const MDB_val *value,
			struct pd_fail *fail)
{
	struct st_block_view view;
	struct st_wal_record record = {.key_size = 0};
	bool sound = st_block_open(value->mv_data, value->mv_size, ST_BLOCK_FACTS, key->mv_data, key->mv_size, &view);
	for (uint32_t i = 0; sound && i < view.count; i++) {
		sound = st_wal_next(&view, &record);
		int rc = sound ? replay_record(store, &record, fail) : PD_OK;
		if (rc)
			return rc;
	}
	if (!sound || view.p != view.end)
		return st_env_corrupt(&store->work.env, fail, "block %llu of the write-ahead log does not decode",
				      (unsigned long long)block);
	return PD_OK;
}

/* Reads the blocks from *last + 1 on, which must all exist; *last is the last sound one. */
static int replay_blocks(struct st_store *store, struct st_cursor *cursor, const struct st_counters *counters,
			 uint64_t *last, struct pd_fail *fail)
{
	uint8_t from[ST_KEY_64];
	int rc = PD_OK;
	st_put_be64(from, *last + 1);
	for (MDB_cursor_op op = MDB_SET_RANGE; !rc && *last + 1 < counters->next_log; op = MDB_NEXT) {
		rc = st_cursor_move(cursor, &store->work.env, op, from, sizeof from, fail);
		if (rc && rc != PD_E_NOT_FOUND)
			return rc;
		uint64_t block = rc || cursor->key.mv_size != ST_KEY_64 ? 0 : st_get_be64(cursor->key.mv_data);
		if (block != *last + 1)
			return st_env_corrupt(&store->work.env, fail, "block %llu of the write-ahead log is missing",
					      (unsigned long long)*last + 1);
		rc = replay_block(store, block, &cursor->key, &cursor->data, fail);
		if (!rc) /* else the next replay begins with the block again */
			*last = block;
	}
	return rc;
}

int st_wal_replay(struct st_store *store, uint64_t after, uint64_t *last, struct pd_fail *fail)
{
	struct st_counters counters;
	struct st_cursor cursor = {.cursor = NULL};
	MDB_txn *txn;
	*last = after;
	int rc = st_txn_begin(&store->work.env, true, &txn, fail);
	if (rc)
		return rc;
	rc = st_counters_get(&store->work, txn, &counters, fail);
	/* While another process writes, the first blocks may have been deleted: they are in runs. */
	if (!rc && store->read_only && *last < counters.dropped_log)
		*last = counters.dropped_log;
	if (!rc)
		rc = st_cursor_open(&cursor, &store->work.env, txn, store->work.dbi[ST_WAL], fail);
	if (!rc)
		rc = replay_blocks(store, &cursor, &counters, last, fail);
	st_cursor_close(&cursor, &store->work.env);
	st_txn_abort(&store->work.env, txn);
	return rc;
}
