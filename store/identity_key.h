/* The identity key: meta/"identity", which positions are named with in transposition tables (private to store/).
 *
 * Drawn when the directory is created. Where the record is missing or damaged, opening for writing draws another one
 * and discards all tables: no entry could be found in them again. Jobs then start with an empty table and with all
 * facts. */
#pragma once

#include <lmdb.h>
#include <stdint.h>

#include "proto/base/error.h"

struct st_store;

/* Reads the key, or draws one; part of opening. */
int st_identity_open(struct st_store *store, MDB_txn *txn, struct pd_fail *fail);
