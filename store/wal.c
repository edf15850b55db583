/* Fact log: what makes new facts durable in a batch, before they stand in a run (S2).
 *
 * One record is one reason: game, exact key, reason, packed into blocks that are numbered from 1 without gaps. At start
 * the blocks after the last one that runs contain are read back into the delta. Facts are idempotent, so a block that
 * is read although a run has its facts already does no harm.
 *
 * A new reason is held against all that is known (F4): this batch, the delta, the runs. What is known already is not
 * written again. */
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

/* --- writing ------------------------------------------------------------------------------ */

int st_wal_flush(struct st_batch *batch, struct pd_fail *fail)
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

/* --- a new reason ------------------------------------------------------------------------- */

static void describe(const struct pd_reason *r, char *out, size_t size)
{
	snprintf(out, size, "value %s %d (rank %u, job %u)", r->side == PD_LO ? ">=" : "<=", r->bound, r->rank,
		 (unsigned)r->job);
}

/* conflicts/N: le64 wall clock in ms, le16 bytes of the key, the key (be32 game, exact key), le32 bytes of the fact,
 * the fact, the reason. */
static void remember_conflict(struct st_batch *batch, const uint8_t *key, size_t size, const struct pd_fact *fact,
			      const struct pd_reason *reason)
{
	if (batch->conflict)
		return;
	batch->conflict = malloc(8 + 2 + size + 4 + st_fact_packed_most(fact) + ST_REASON_PACKED_MAX);
	if (!batch->conflict) {
		pd_log(PD_LOG_ERROR, "no memory to write down a contradiction between facts");
		return;
	}
	uint8_t *p = batch->conflict;
	pd_put_le64(p, (uint64_t)pd_wall_ms());
	pd_put_le16(p + 8, (uint16_t)size);
	memcpy(p + 10, key, size);
	p += 10 + size;
	size_t fact_size = st_fact_pack(p + 4, fact);
	pd_put_le32(p, (uint32_t)fact_size);
	p = st_reason_pack(p + 4 + fact_size, reason);
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

/* What is known of a position: 1, 0 or -1, when the batch is in doubt. */
static int known(struct st_batch *batch, uint64_t hash, const uint8_t *key, size_t size, struct pd_fact *out)
{
	int found = st_stage_get(&batch->stage, hash, key, size, out, &batch->scratch);
	return found ? found : st_reader_find(batch->store->reader, hash, key, size, out, &batch->scratch);
}

static int add(struct st_batch *batch, uint64_t hash, const uint8_t *key, size_t size, struct pd_fact *fact,
	       const struct pd_reason *reason, struct pd_fail *fail)
{
	struct st_store *store = batch->store;
	int rc = PD_OK, news = pd_fact_add(fact, reason);
	if (!news)
		return PD_OK;
	if (news == -1)
		return contradiction(batch, key, size, fact, reason, fail);
	if (news < 0 || !st_stage_put(&batch->stage, hash, key, size, fact))
		rc = pd_fail_set(&batch->scratch, PD_E_NO_MEMORY, "", "no memory for another fact");
	else if (!store->memory)
		rc = log_append(batch, key, size, reason, &batch->scratch);
	else if (st_fault_hit(&store->faults.put))
		rc = pd_fail_set(&batch->scratch, PD_E_NO_SPACE, "", "cannot write a fact: as if the disk were full");
	return st_batch_result(batch, rc, fail);
}

int st_batch_fact(struct st_batch *batch, uint32_t game, const uint8_t *key, size_t size,
		  const struct pd_reason *reason, struct pd_fail *fail)
{
	struct pd_fact fact;
	uint8_t db_key[ST_DB_KEY_MAX];
	int rc = check(batch, game, size, reason, fail);
	if (rc)
		return rc;
	pd_put_be32(db_key, game);
	memcpy(db_key + 4, key, size);
	uint64_t hash = st_key_hash(db_key, size + 4);
	pd_fact_init(&fact);
	if (known(batch, hash, db_key, size + 4, &fact) < 0)
		rc = st_batch_result(batch, batch->scratch.code, fail);
	else
		rc = add(batch, hash, db_key, size + 4, &fact, reason, fail);
	pd_fact_fini(&fact);
	return rc;
}

/* --- reading back ------------------------------------------------------------------------- */

static int replay_record(struct st_store *store, const struct st_wal_record *record, struct pd_fail *fail)
{
	struct pd_fact fact;
	bool complete = store->runs.count == 0 && !store->read_only;
	uint64_t hash = st_key_hash(record->key, record->key_size);
	int rc = PD_OK;
	pd_fact_init(&fact);
	int found = st_memtable_get(&store->memtable, hash, record->key, record->key_size, &fact, &complete, fail);
	int news = found < 0 ? 0 : pd_fact_add(&fact, &record->reason);
	if (found < 0)
		rc = fail->code;
	else if (news == -1)
		rc = st_env_corrupt(&store->work, fail, "the fact log contradicts itself");
	else if (news < 0 || !st_memtable_put(&store->memtable, hash, record->key, record->key_size, &fact, complete))
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
		return st_env_corrupt(&store->work, fail, "block %llu of the fact log does not decode",
				      (unsigned long long)block);
	return PD_OK;
}

/* Reads the blocks from *last + 1 on, which must all be there; *last is the last one seen. */
static int replay(struct st_store *store, struct st_cursor *cursor, const struct st_counters *counters, uint64_t *last,
		  struct pd_fail *fail)
{
	uint8_t from[ST_KEY_64];
	int rc = PD_OK;
	st_put_be64(from, *last + 1);
	for (MDB_cursor_op op = MDB_SET_RANGE; !rc && *last + 1 < counters->next_log; op = MDB_NEXT) {
		rc = st_cursor_move(cursor, &store->work, op, from, sizeof from, fail);
		if (rc && rc != PD_E_NOT_FOUND)
			return rc;
		uint64_t block = rc || cursor->key.mv_size != ST_KEY_64 ? 0 : st_get_be64(cursor->key.mv_data);
		if (block != *last + 1)
			return st_env_corrupt(&store->work, fail, "block %llu of the fact log is missing",
					      (unsigned long long)*last + 1);
		rc = replay_block(store, block, &cursor->key, &cursor->data, fail);
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
	int rc = st_txn_begin(&store->work, true, &txn, fail);
	if (rc)
		return rc;
	rc = st_counters_get(store, txn, &counters, fail);
	/* Beside a writer the first blocks may be gone by now: they stand in runs. */
	if (!rc && store->read_only && *last < counters.dropped_log)
		*last = counters.dropped_log;
	if (!rc)
		rc = st_cursor_open(&cursor, &store->work, txn, store->dbi[ST_FACTLOG], fail);
	if (!rc)
		rc = replay(store, &cursor, &counters, last, fail);
	st_cursor_close(&cursor, &store->work);
	st_txn_abort(&store->work, txn);
	return rc;
}
