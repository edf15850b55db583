#include "tests/support/restamp.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "proto/base/bytes.h"
#include "proto/base/hash.h"

MDB_txn *restamp_begin(const char *path, const char *table, unsigned flags, MDB_dbi *dbi)
{
	MDB_env *env;
	MDB_txn *txn;
	ck_assert_int_eq(mdb_env_create(&env), 0);
	mdb_env_set_maxdbs(env, 64);
	mdb_env_set_mapsize(env, 1 << 28);
	ck_assert_int_eq(mdb_env_open(env, path, MDB_NOSUBDIR, 0644), 0);
	ck_assert_int_eq(mdb_txn_begin(env, NULL, 0, &txn), 0);
	ck_assert_int_eq(mdb_dbi_open(txn, table, flags, dbi), 0);
	return txn;
}

static void mark_transaction(MDB_txn *txn)
{
	uint8_t record[12];
	MDB_dbi meta;
	MDB_val key = {3, "txn"}, value = {sizeof record, record};
	pd_put_le64(record + 4, mdb_txn_id(txn));
	pd_put_le32(record, (uint32_t)XXH3_64bits_withSeed(record + 4, 8, pd_hash64("txn", 3)));
	int rc = mdb_dbi_open(txn, "meta", 0, &meta);
	if (!rc)
		rc = mdb_put(txn, meta, &key, &value, 0);
	if (!rc || rc == MDB_NOTFOUND) /* not a file of the store */
		return;
	fprintf(stderr, "cannot restamp\n");
	abort();
}

void restamp_commit(MDB_txn *txn)
{
	MDB_env *env = mdb_txn_env(txn);
	mark_transaction(txn);
	ck_assert_int_eq(mdb_txn_commit(txn), 0);
	mdb_env_close(env);
}
