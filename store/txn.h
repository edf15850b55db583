/* Transactions of an environment, and its databases as wholes (private to store/).
 *
 * Each write transaction stores its number, as LMDB counts transactions, in meta/"txn". A transaction that reads
 * another number there has a damaged meta page, or a page that belongs elsewhere: PD_E_CORRUPT. */
#pragma once

#include "store/env.h"

int st_txn_begin(const struct st_env *env, bool read_only, MDB_txn **out, struct pd_fail *fail);
/* Commits a transaction, which ends even after a failure. If a failure leaves the file in doubt, env->doubt is set, and
 * write transactions fail until st_commit_repair has repaired it. */
int st_txn_commit(struct st_env *env, MDB_txn *txn, struct pd_fail *fail);
/* Commits a transaction when `rc` is 0; else aborts it and returns rc. */
int st_txn_end(struct st_env *env, MDB_txn *txn, int rc, struct pd_fail *fail);
/* NULL is fine. */
void st_txn_abort(const struct st_env *env, MDB_txn *txn);
/* For read_txn.c: resets a read transaction, and renews it to see the latest commit; *txn NULL: begins one. A code of
 * LMDB. */
void st_txn_reset(const struct st_env *env, MDB_txn *txn);
int st_txn_renew(const struct st_env *env, MDB_txn **txn);
/* Compares the transaction's number with meta/"txn". */
int st_txn_check(const struct st_env *env, MDB_txn *txn, struct pd_fail *fail);

/* --- databases ---------------------------------------------------------------------------- */
/* MDB_NOTFOUND or another code of LMDB, for the caller to translate. */
int st_dbi_open(const struct st_env *env, MDB_txn *txn, const char *name, unsigned flags, MDB_dbi *out);
int st_dbi_count(const struct st_env *env, MDB_txn *txn, MDB_dbi dbi, uint64_t *records, struct pd_fail *fail);
/* Deletes all records. */
int st_dbi_empty(const struct st_env *env, MDB_txn *txn, MDB_dbi dbi, struct pd_fail *fail);
