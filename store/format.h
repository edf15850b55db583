/* Format: what the two files say about themselves (D5), and opening the databases in them (private to store/). */
#ifndef ST_FORMAT_H
#define ST_FORMAT_H

#include <lmdb.h>

#include "proto/base/error.h"

struct st_store;

/* Opens all databases, and creates them in an empty file. PD_E_FORMAT when meta/"format" is not this program's. */
int st_databases_open_work(struct st_store *store, MDB_txn *txn, struct pd_fail *fail);
int st_databases_open_facts(struct st_store *store, MDB_txn *txn, struct pd_fail *fail);

#endif
