/* Fact log: what makes new facts durable in a batch, before they stand in a run (S2).
 *
 * One record is one reason: game, exact key, reason, packed into blocks that are numbered from 1 without gaps. At start the blocks after the
 * last one that runs contain are read back into the delta. Facts are idempotent, so a block that is read although a run has its facts already
 * does no harm.
 *
 * A new reason is held against all that is known (F4): this batch, the delta, the runs. What is known already is not written again. */
#include "store/internal.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/bytes.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"

enum {
	/* The head of a record: game and size of the key; a size of 0: the position is that of the record before. */
	LOG_RECORD_MAX = 5 + 2 + ST_DB_KEY_MAX + ST_REASON_PACKED_MAX
};

/* --- writing ---------------------------------------------------------------------------------------------------------- */

int st_log_flush(struct st_batch *batch, struct pd_fail *fail)
{
	struct st_store *store = batch->store;
	uint8_t key[ST_KEY_64];
	if (!batch->log.count)
		return PD_OK;
	st_put_be64(key, batch->counters.next_log++);
	st_block_seal(&batch->log, ST_BLOCK_FACTS, key, sizeof key);
	int rc = st_put(&store->work, batch->txn, store->dbi[ST_FACTLOG], key, sizeof key, batch->log.data,
			batch->log.size, MDB_APPEND, fail);
	st_block_reset(&batch->log);
	batch->log_key_size = 0;
	return rc;
}

static int log_append(struct st_batch *batch, const uint8_t *key, size_t size, const struct pd_reason *reason,
		      struct pd_fail *fail)
{
	if (!st_block_fits(&batch->log, LOG_RECORD_MAX)) {
		int rc = st_log_flush(batch, fail);
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
	batch->log.count++;
	return PD_OK;
}

bool st_log_next(struct st_block_view *view, struct st_log_record *record)
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

/* --- a new reason ----------------------------------------------------------------------------------------------------- */

static void describe(const struct pd_reason *r, char *out, size_t size)
{
	snprintf(out, size, "value %s %d (rank %u, job %u)", r->side == PD_LO ? ">=" : "<=", r->bound, r->rank,
		 (unsigned)r->job);
}

/* conflicts/N: le64 wall clock in ms, le16 bytes of the key, the key (be32 game, exact key), le16 bytes of the fact, the fact, the reason. */
static void remember_conflict(struct st_batch *batch, const uint8_t *key, size_t size, const struct pd_fact *fact,
			      const struct pd_reason *reason)
{
	if (batch->conflict)
		return;
	batch->conflict = malloc(8 + 2 + size + 2 + ST_FACT_PACKED_MAX + ST_REASON_PACKED_MAX);
	if (!batch->conflict) {
		pd_log(PD_LOG_ERROR, "no memory to write down a contradiction between facts");
		return;
	}
	uint8_t *p = batch->conflict;
	pd_put_le64(p, (uint64_t)pd_wall_ms());
	pd_put_le16(p + 8, (uint16_t)size);
	memcpy(p + 10, key, size);
	p += 10 + size;
	size_t fact_size = st_fact_pack(p + 2, fact);
	pd_put_le16(p, (uint16_t)fact_size);
	p = st_reason_pack(p + 2 + fact_size, reason);
	batch->conflict_size = (size_t)(p - batch->conflict);
}

static int contradiction(struct st_batch *batch, const uint8_t *key, size_t size, const struct pd_fact *fact,
			 const struct pd_reason *reason, struct pd_fail *fail)
{
	char stored[64] = "", found[64], hex[2 * 48 + 4] = "";
	const struct pd_reason *other = pd_fact_best(fact, reason->side == PD_LO ? PD_HI : PD_LO);
	if (other)
		describe(other, stored, sizeof stored);
	describe(reason, found, sizeof found);
	for (size_t i = 4; i < size && i < 4 + 48; i++)
		snprintf(hex + 2 * (i - 4), 3, "%02x", key[i]);
	if (size > 4 + 48)
		strcat(hex, "...");
	remember_conflict(batch, key, size, fact, reason);
	int rc = pd_fail_set(&batch->scratch, PD_E_CONFLICT, "", "game %u, position %s: stored is %s, and now found %s",
			     (unsigned)pd_get_be32(key), hex, stored, found);
	return st_batch_result(batch, rc, fail);
}

static int check(const struct st_batch *batch, uint32_t game, size_t size, const struct pd_reason *reason,
		 struct pd_fail *fail)
{
	int rc = st_batch_usable(batch, fail);
	if (rc)
		return rc;
	if (!size || size > ST_KEY_MAX)
		return pd_fail_set(fail, PD_E_LIMIT, "", "an exact key has 1 to %d bytes, not %zu", ST_KEY_MAX, size);
	if (!game || game >= batch->counters.next_game)
		return pd_fail_set(fail, PD_E_GAME, "", "no game has the number %u", (unsigned)game);
	if (reason->side > PD_HI)
		return pd_fail_set(fail, PD_E_INTERNAL, "", "a reason has the side %u", reason->side);
	return PD_OK;
}

int st_batch_fact(struct st_batch *batch, uint32_t game, const uint8_t *key, size_t size,
		  const struct pd_reason *reason, struct pd_fail *fail)
{
	struct st_store *store = batch->store;
	struct pd_fact fact = {0};
	uint8_t db_key[ST_DB_KEY_MAX];
	int rc = check(batch, game, size, reason, fail);
	if (rc)
		return rc;
	pd_put_be32(db_key, game);
	memcpy(db_key + 4, key, size);
	uint64_t hash = st_key_hash(db_key, size + 4);
	if (!st_stage_get(&batch->stage, hash, db_key, size + 4, &fact) &&
	    st_reader_find(store->reader, hash, db_key, size + 4, &fact, &batch->scratch) < 0)
		return st_batch_result(batch, batch->scratch.code, fail);
	switch (pd_fact_add(&fact, reason)) {
	case 0:
		return PD_OK;
	case -1:
		return contradiction(batch, db_key, size + 4, &fact, reason, fail);
	case -2:
		return pd_fail_set(fail, PD_E_LIMIT, "", "a fact has %d reasons already, and cannot take another",
				   PD_REASONS_MAX);
	default:
		break;
	}
	if (!st_stage_put(&batch->stage, hash, db_key, size + 4, &fact))
		rc = pd_fail_set(&batch->scratch, PD_E_NO_MEMORY, "", "no memory for another fact");
	else if (!store->memory)
		rc = log_append(batch, db_key, size + 4, reason, &batch->scratch);
	else if (st_fault_hit(&store->faults.put))
		rc = pd_fail_set(&batch->scratch, PD_E_NO_SPACE, "", "cannot write a fact: as if the disk were full");
	return st_batch_result(batch, rc, fail);
}

/* --- reading back ----------------------------------------------------------------------------------------------------- */

static int replay_record(struct st_store *store, const struct st_log_record *record, struct pd_fail *fail)
{
	struct pd_fact fact = {0};
	bool complete = store->runs.count == 0 && !store->read_only;
	uint64_t hash = st_key_hash(record->key, record->key_size);
	st_delta_get(&store->delta, hash, record->key, record->key_size, &fact, &complete);
	if (pd_fact_add(&fact, &record->reason) < 0)
		return pd_fail_set(fail, PD_E_CORRUPT, store->work.name, "the fact log contradicts itself");
	if (!st_delta_put(&store->delta, hash, record->key, record->key_size, &fact, complete))
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the facts of the log");
	return PD_OK;
}

static int replay_block(struct st_store *store, uint64_t block, const MDB_val *key, const MDB_val *value,
			struct pd_fail *fail)
{
	struct st_block_view view;
	struct st_log_record record = {.key_size = 0};
	bool sound = st_block_open(value->mv_data, value->mv_size, ST_BLOCK_FACTS, key->mv_data, key->mv_size, &view);
	for (uint32_t i = 0; sound && i < view.count; i++) {
		sound = st_log_next(&view, &record);
		int rc = sound ? replay_record(store, &record, fail) : PD_OK;
		if (rc)
			return rc;
	}
	if (!sound || view.p != view.end)
		return pd_fail_set(fail, PD_E_CORRUPT, store->work.name, "block %llu of the fact log does not decode",
				   (unsigned long long)block);
	return PD_OK;
}

int st_log_replay(struct st_store *store, uint64_t after, uint64_t *last, struct pd_fail *fail)
{
	MDB_txn *txn;
	MDB_cursor *cursor;
	MDB_val key, value;
	uint8_t from[ST_KEY_64];
	*last = after;
	int rc = st_txn_begin(&store->work, true, &txn, fail);
	if (rc)
		return rc;
	rc = mdb_cursor_open(txn, store->dbi[ST_FACTLOG], &cursor);
	if (rc) {
		mdb_txn_abort(txn);
		return st_env_fail(&store->work, rc, "read the fact log", fail);
	}
	st_put_be64(from, after + 1);
	key = (MDB_val){sizeof from, from};
	for (MDB_cursor_op op = MDB_SET_RANGE; !rc; op = MDB_NEXT) {
		rc = st_cursor(&store->work, cursor, &key, &value, op, fail);
		if (rc)
			break;
		uint64_t block = key.mv_size == ST_KEY_64 ? st_get_be64(key.mv_data) : 0;
		/* Beside a writer the first blocks may be gone: they stand in runs. Later ones never are. */
		if (block != *last + 1 && !(store->read_only && op == MDB_SET_RANGE && block > *last))
			rc = pd_fail_set(fail, PD_E_CORRUPT, store->work.name, "block %llu of the fact log is missing",
					 (unsigned long long)*last + 1);
		else
			rc = replay_block(store, block, &key, &value, fail);
		*last = block;
	}
	mdb_cursor_close(cursor);
	mdb_txn_abort(txn);
	if (rc != PD_E_NOT_FOUND)
		return rc;
	if (!store->read_only && *last + 1 != store->counters.next_log)
		return pd_fail_set(fail, PD_E_CORRUPT, store->work.name, "block %llu of the fact log is missing",
				   (unsigned long long)*last + 1);
	return PD_OK;
}
