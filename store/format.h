/* Format: what the two files say about themselves (D5), and opening the databases in them (private to store/). */
#pragma once

#include <lmdb.h>
#include <stdbool.h>
#include <stdint.h>

#include "proto/base/error.h"

struct st_store;

/* The version that a record meta/"format" of work.mdb or facts.mdb (`facts`) states; 0 when it is not such a record. */
uint32_t st_format_version(const void *record, size_t size, bool facts);
/* PD_E_FORMAT for a file that states a version other than this program's. */
int st_format_refuse(const char *name, uint32_t version, struct pd_fail *fail);
/* PD_E_FORMAT when a file states another version; called before anything is written. The next two check the rest. */
int st_formats_check(struct st_store *store, struct pd_fail *fail);
/* Opens all databases, and creates them in an empty file. PD_E_FORMAT when meta/"format" is not this program's. */
int st_databases_open_work(struct st_store *store, MDB_txn *txn, struct pd_fail *fail);
int st_databases_open_facts(struct st_store *store, MDB_txn *txn, struct pd_fail *fail);
