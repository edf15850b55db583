/* Contradictions that are settled, because the stored fact was taken back. */
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/buf.h"
#include "store/commit_repair.h"
#include "store/conflict.h"
#include "store/cursor.h"
#include "store/reader.h"
#include "store/record.h"
#include "store/store_state.h"
#include "store/store.h"
#include "store/txn.h"

/* Whether the store still knows the contrary of what was found. -1: an error. */
static int still_stands(struct st_store *store, const MDB_val *record, struct pd_fail *fail)
{
	struct st_fact_key key;
	struct pd_reason found;
	struct pd_fact fact;
	if (!st_conflict_unpack(record->mv_data, record->mv_size, &key, &found))
		return 1; /* damage, for `check` to report */
	pd_fact_init(&fact);
	int known = st_reader_find(store->reader, &key, &fact, fail);
	if (known <= 0)
		return known;
	const struct pd_reason *other = pd_fact_best(&fact, found.side == PD_LO ? PD_HI : PD_LO);
	bool stands = other && (found.side == PD_LO ? found.bound > other->bound : found.bound < other->bound);
	pd_fact_fini(&fact);
	return stands;
}

/* Appends the records that stay to `left`, each after its size. */
static int sift_conflicts(struct st_store *store, MDB_txn *txn, struct pd_buf *left, unsigned *settled,
			  struct pd_fail *fail)
{
	struct st_cursor c = {0};
	int stands = 1, rc = st_cursor_open(&c, &store->work.env, txn, store->work.dbi[ST_CONFLICTS], fail);
	while (!rc && !(rc = st_cursor_move(&c, &store->work.env, MDB_NEXT, NULL, 0, fail))) {
		if (!st_unseal(c.key.mv_data, c.key.mv_size, &c.data)) {
			*settled = 0; /* all stay as they are, for `check` to report */
			break;
		}
		stands = still_stands(store, &c.data, fail);
		if (stands < 0)
			rc = fail->code;
		*settled += !stands;
		if (stands > 0) {
			pd_buf_put(left, &c.data.mv_size, sizeof c.data.mv_size);
			pd_buf_put(left, c.data.mv_data, c.data.mv_size);
		}
	}
	st_cursor_close(&c, &store->work.env);
	return rc == PD_E_NOT_FOUND ? PD_OK : rc;
}

/* Writes the records that stay in place of all, numbered without gaps. */
static int rewrite_conflicts(struct st_store *store, MDB_txn *txn, const struct pd_buf *left, struct pd_fail *fail)
{
	struct st_place place = st_work_place(&store->work, txn, ST_CONFLICTS);
	uint8_t key[ST_KEY_64];
	size_t size;
	int rc = st_dbi_empty(&store->work.env, txn, place.dbi, fail);
	const char *p = left->data, *end = p + left->size;
	for (uint64_t number = 0; !rc && p < end; number++, p += sizeof size + size) {
		memcpy(&size, p, sizeof size);
		st_put_be64(key, number);
		rc = st_put_sealed(place, ST_BYTES(key), (struct st_data){p + sizeof size, size}, 0, fail);
	}
	return rc;
}

int st_conflicts_settle(struct st_store *store, struct pd_fail *fail)
{
	struct pd_buf left;
	MDB_txn *txn;
	unsigned settled = 0;
	PD_ASSERT(!store->batch.open && !store->memory);
	int rc = st_commit_repair(store, fail);
	if (!rc)
		rc = st_txn_begin(&store->work.env, false, &txn, fail);
	if (rc)
		return rc;
	pd_buf_init(&left, SIZE_MAX / 2);
	rc = sift_conflicts(store, txn, &left, &settled, fail);
	st_reader_reset(store->reader);
	if (!rc && left.failed)
		rc = pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the contradictions between facts");
	if (!rc && settled)
		rc = rewrite_conflicts(store, txn, &left, fail);
	pd_buf_fini(&left);
	if (rc || settled)
		return st_txn_end(&store->work.env, txn, rc, fail);
	st_txn_abort(&store->work.env, txn);
	return PD_OK;
}
