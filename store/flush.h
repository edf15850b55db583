/* Flush: the frozen memtable becomes a run (private to store/).
 *
 *     start: freeze the memtable      steps: sort its shards, then merge them into the run, a share per transaction
 *     the last step publishes the run and, in the same transaction, up to which block the log is contained in runs
 *
 * Meanwhile new facts go to a new active memtable, and the frozen one answers look-ups until the last commit. After
 * a crash the unpublished run is emptied and the log is replayed. A failed step changes nothing and may be tried
 * again. */
#pragma once

#include "proto/base/error.h"

struct st_store;

void st_flush_start(struct st_store *store);
/* One step of bounded time: ST_STEP_NS and a commit. 0 or an error. */
int st_flush_step(struct st_store *store, struct pd_fail *fail);
/* Frees what the flush holds; the frozen memtable stays. */
void st_flush_fini(struct st_store *store);

enum { ST_STEP_NS = 40000000 }; /* a step commits what it has after this long; with the commit it takes under 100 ms */
