/* Restamp: changes a file of the store behind its back, in a transaction that is marked as one of the store's
 * (meta/"txn", FORMAT.md), so that the store opens the file and meets the change. All end the test or the program on
 * failure. */
#pragma once

#include <lmdb.h>

/* Begins a transaction on a file and opens a table of it; `flags` of mdb_dbi_open. */
MDB_txn *restamp_begin(const char *path, const char *table, unsigned flags, MDB_dbi *dbi);
/* Marks and commits the transaction, and closes the file. */
void restamp_commit(MDB_txn *txn);
