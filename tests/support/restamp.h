/* Restamp: marks a test's transaction as one of the store (meta/"txn", FORMAT.md), so that the store opens the file and
 * meets the test's change. */
#pragma once

#include <lmdb.h>

/* Ends the program on failure. */
void restamp(MDB_txn *txn);
