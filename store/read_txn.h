/* Read transactions (private to store/).
 *
 *     begin -> read -> ( reset -> renew -> read )* -> end
 *
 * One thread's read transaction on one environment: a consistent snapshot (MVCC) from renew to reset. Between reset and
 * renew it pins no page, and the writer may close and reopen the environment (commit_repair.c); a transaction that is
 * renewed meanwhile waits for that. All reading of an environment that a writer has open goes through here. Renewing
 * takes tens of nanoseconds and no lock (env.h). */
#pragma once

#include "store/env.h"

/* Makes a read transaction and renews it; after a failure there is none. */
int st_read_txn_begin(struct st_env *env, struct st_read_txn *read, struct pd_fail *fail);
/* Resets a read transaction and closes it. */
void st_read_txn_end(struct st_env *env, struct st_read_txn *read);
void st_read_txn_close(struct st_env *env, struct st_read_txn *read);
/* Begins to read: read->txn sees the last commit. PD_E_IO when a failed commit is not repaired within 0.1 s, or when
 * its repair does not begin within half of that; PD_E_CORRUPT when the meta page leads to another transaction. */
int st_read_txn_renew(struct st_env *env, struct st_read_txn *read, struct pd_fail *fail);
void st_read_txn_reset(struct st_read_txn *read);

/* The writer's: waits until no read transaction is active, ends all of them in LMDB, and holds back new ones until
 * st_read_txns_resume. */
void st_read_txns_suspend(struct st_read_gate *gate);
void st_read_txns_resume(struct st_read_gate *gate);
