/* Garbage collection in work.mdb (private to store/).
 *
 * Garbage is journal blocks before journal_start, snapshots that were replaced or never completed, and blocks of the
 * write-ahead log whose facts are in runs. It is deleted a share at a time, because a table of hundreds of millions of
 * entries has a million blocks. Each share looks the keys up again, so there is no state to lose. */
#pragma once

#include "store/counters.h"

struct st_store;

/* Deletes at most `limit` blocks; *left says whether there may be more. Raises counters->dropped_log, which the caller
 * writes in the same transaction. */
int st_gc_step(struct st_store *store, MDB_txn *txn, struct st_counters *counters, unsigned limit, bool *left,
	       struct pd_fail *fail);
/* Abandons unfinished snapshots; part of opening. */
int st_snapshot_recover(struct st_store *store, MDB_txn *txn, struct pd_fail *fail);
