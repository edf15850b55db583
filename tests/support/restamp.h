/* Restamp: what a test that changes a file behind the store's back writes before it commits, so that the store takes
 * the transaction for one of its own (meta/"txn", FORMAT.md) and meets the change itself. */
#pragma once

#include <lmdb.h>

/* Ends the program when it cannot. */
void restamp(MDB_txn *txn);
