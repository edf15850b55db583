/* The identity key: see identity_key.h. */
#include "store/identity_key.h"

#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/bytes.h"
#include "proto/base/log.h"
#include "proto/base/random.h"
#include "store/cursor.h"
#include "store/meta_record.h"
#include "store/store_state.h"
#include "store/txn.h"

enum { IDENTITY_SIZE = 8 };

/* Marks every table as dropped; garbage collection deletes the blocks. */
static int drop_tables(struct st_store *store, MDB_txn *txn, uint32_t *dropped, struct pd_fail *fail)
{
	struct st_cursor c = {0};
	*dropped = 0;
	int rc = st_cursor_open(&c, &store->work.env, txn, store->work.dbi[ST_TT], fail);
	if (rc)
		return rc;
	while (!(rc = st_cursor_move(&c, &store->work.env, MDB_NEXT, NULL, 0, fail))) {
		struct st_tt_state state;
		MDB_val value = c.data;
		uint8_t record[ST_TT_STATE], copy[ST_KEY_32];
		if (c.key.mv_size != sizeof copy || !st_unseal(c.key.mv_data, c.key.mv_size, &value) ||
		    !st_tt_state_unpack(value.mv_data, value.mv_size, &state)) {
			rc = st_env_corrupt(&store->work.env, fail, "a record of a table does not decode");
			break;
		}
		if (state.dropped)
			continue;
		memcpy(copy, c.key.mv_data, sizeof copy);
		st_tt_state_drop(&state);
		st_tt_state_pack(record, &state);
		rc = st_put_sealed(st_work_place(&store->work, txn, ST_TT), ST_BYTES(copy), ST_BYTES(record), 0, fail);
		if (rc)
			break;
		++*dropped;
	}
	st_cursor_close(&c, &store->work.env);
	return rc == PD_E_NOT_FOUND ? PD_OK : rc;
}

static int draw_key(struct st_store *store, MDB_txn *txn, bool damaged, struct pd_fail *fail)
{
	PD_ASSERT(!store->read_only);
	uint8_t record[IDENTITY_SIZE];
	uint32_t dropped;
	store->identity = pd_random64();
	pd_put_le64(record, store->identity);
	int rc = st_put_sealed(st_work_place(&store->work, txn, ST_META), st_meta_key(ST_META_IDENTITY),
			       ST_BYTES(record), 0, fail);
	if (!rc)
		rc = drop_tables(store, txn, &dropped, fail);
	if (!rc && (dropped || damaged))
		pd_log(PD_LOG_WARN,
		       "%s: the identity key %s; the tables of %u jobs are of no use without it and are dropped",
		       store->work.env.name, damaged ? "is damaged" : "was missing", (unsigned)dropped);
	return rc;
}

int st_identity_open(struct st_store *store, MDB_txn *txn, struct pd_fail *fail)
{
	uint8_t record[ST_SEAL + IDENTITY_SIZE];
	size_t size;
	int rc = st_get_sealed(st_work_place(&store->work, txn, ST_META), st_meta_key(ST_META_IDENTITY), record,
			       sizeof record, &size, fail);
	if (!rc && size == IDENTITY_SIZE)
		store->identity = pd_get_le64(record);
	if (rc && rc != PD_E_NOT_FOUND && rc != PD_E_CORRUPT)
		return rc;
	if (store->identity)
		return PD_OK;
	if (!store->read_only)
		return draw_key(store, txn, rc != PD_E_NOT_FOUND, fail);
	store->identity = pd_random64(); /* readers do not use tables */
	return PD_OK;
}
