#include "tests/support/restamp.h"

#include <stdio.h>
#include <stdlib.h>

#include "proto/base/bytes.h"
#include "proto/base/hash.h"

void restamp(MDB_txn *txn)
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
