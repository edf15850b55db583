#include "store/conflict.h"

#include <stdio.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "store/commit_repair.h"
#include "store/memory_store.h"
#include "store/pack.h"
#include "store/record.h"
#include "store/txn.h"

enum { HEAD = 10, HEX_MAX = 64 /* bytes of a key that are shown */ };

uint8_t *st_conflict_pack(const uint8_t *key, size_t size, const struct pd_fact *fact, const struct pd_reason *reason,
			  size_t *record_size)
{
	PD_ASSERT(size > 4 && size <= ST_DB_KEY_MAX);
	uint8_t *record = malloc(HEAD + size + 4 + st_fact_packed_most(fact) + ST_REASON_PACKED_MAX);
	if (!record)
		return NULL;
	uint8_t *p = record;
	pd_put_le64(p, (uint64_t)pd_wall_ms());
	pd_put_le16(p + 8, (uint16_t)size);
	memcpy(p + HEAD, key, size);
	p += HEAD + size;
	size_t fact_size = st_fact_pack(p + 4, fact);
	pd_put_le32(p, (uint32_t)fact_size);
	p = st_reason_pack(p + 4 + fact_size, reason);
	*record_size = (size_t)(p - record);
	return record;
}

void st_conflict_describe(const uint8_t *record, size_t record_size, char *out, size_t size)
{
	char hex[2 * HEX_MAX + 1] = "";
	size_t key_size = record_size >= HEAD ? pd_get_le16(record + 8) : 0;
	if (key_size < 5 || key_size > ST_DB_KEY_MAX || record_size < HEAD + key_size + 2) {
		snprintf(out, size, "conflicts: a record does not decode");
		return;
	}
	for (size_t i = 4; i < key_size && i < 4 + HEX_MAX; i++)
		snprintf(hex + 2 * (i - 4), 3, "%02x", record[HEAD + i]);
	snprintf(out, size, "conflicts: two facts about game %u, position %s contradict each other",
		 (unsigned)pd_get_be32(record + HEAD), hex);
}

bool st_conflict_unpack(const uint8_t *record, size_t record_size, struct st_fact_key *key, struct pd_reason *reason)
{
	const uint8_t *p = record, *end = record + record_size;
	size_t key_size = record_size >= HEAD ? pd_get_le16(p + 8) : 0;
	if (key_size < 5 || key_size > ST_DB_KEY_MAX || record_size < HEAD + key_size + 4)
		return false;
	*key = st_fact_key_of(p + HEAD, key_size);
	p += HEAD + key_size;
	size_t fact_size = pd_get_le32(p);
	p += 4;
	return fact_size <= (size_t)(end - p) && st_reason_unpack(p + fact_size, end, reason) == end;
}

int st_conflict_put(struct st_store *store, const void *record, size_t size, struct pd_fail *fail)
{
	PD_ASSERT(record && size);
	MDB_txn *txn;
	uint64_t number = 0;
	uint8_t key[ST_KEY_64];
	int rc;
	if (store->memory) {
		rc = st_memory_put(store->memory, ST_PUT_EVENT, 0, record, size, fail);
		if (!rc)
			st_memory_commit(store->memory);
		return rc;
	}
	rc = st_commit_repair(store, fail);
	if (!rc)
		rc = st_txn_begin(&store->work.env, false, &txn, fail);
	if (rc)
		return rc;
	rc = st_dbi_count(&store->work.env, txn, store->work.dbi[ST_CONFLICTS], &number, fail);
	st_put_be64(key, number);
	if (!rc)
		rc = st_put_sealed(st_work_place(&store->work, txn, ST_CONFLICTS), ST_BYTES(key),
				   (struct st_data){record, size}, 0, fail);
	return st_txn_end(&store->work.env, txn, rc, fail);
}
