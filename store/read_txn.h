/* Read transactions (private to store/).
 *
 *     open -> ( renew -> read -> reset )* -> close
 *
 * One thread's read transaction on one environment: a consistent snapshot (MVCC) from renew to reset. Between reset and
 * renew it pins no page, and the environment may be closed and opened again under it (commit_repair.c): a transaction
 * that is renewed meanwhile waits, and then starts on the new environment. Everything that reads an environment which a
 * writer has open goes through here. Renewing costs tens of nanoseconds and takes no lock (env.h). */
#pragma once

#include "store/env.h"

/* Both at once: open and renew, for one use; nothing is open after a failure. Then reset and close. */
int st_read_txn_begin(struct st_env *env, struct st_read_txn *read, struct pd_fail *fail);
void st_read_txn_end(struct st_env *env, struct st_read_txn *read);

void st_read_txn_open(struct st_env *env, struct st_read_txn *read);
void st_read_txn_close(struct st_env *env, struct st_read_txn *read);
/* Begins to read: read->txn sees what was committed last. PD_E_IO when a failed commit is not repaired after 0.1 s of
 * waiting, or half of that where the writer has not begun with it; PD_E_CORRUPT when the meta page leads elsewhere. */
int st_read_txn_renew(struct st_env *env, struct st_read_txn *read, struct pd_fail *fail);
void st_read_txn_reset(struct st_read_txn *read);

/* The writer's: waits until no read transaction is active, ends all of them in LMDB, and lets none begin until
 * st_read_txns_resume. */
void st_read_txns_suspend(struct st_read_gate *gate);
void st_read_txns_resume(struct st_read_gate *gate);
