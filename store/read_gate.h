/* Read gate: holds back the read transactions of an environment while it is closed and opened again (private to
 * store/).
 *
 * Beginning to read must not take a lock, because it happens for every look-up. A reader sets its `active` flag and
 * then looks at `shut`; the writer sets `shut` and then looks at the flags. One of them sees the other. read_txn.h has
 * the calls; this is the state that an environment keeps. */
#pragma once

#include <lmdb.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/queue.h>

#include "proto/base/mutex.h"

struct st_env;

/* One thread's read transaction. Filled by st_read_txn_open. */
struct st_read_txn {
	const struct st_env *env;
	size_t checked;     /* number of the transaction whose stamp was compared (st_txn_check); 0: none */
	MDB_txn *txn;       /* usable while active; NULL: not begun yet, or ended together with its environment */
	atomic_bool active; /* between st_read_txn_renew and st_read_txn_reset */
	LIST_ENTRY(st_read_txn) link;
};

struct st_read_gate {
	struct pd_mutex lock; /* guards the list */
	pthread_cond_t opened;
	LIST_HEAD(, st_read_txn) list;
	atomic_bool shut;      /* no read transaction may become active */
	atomic_bool repairing; /* the writer is about to open the environment again: worth waiting for */
};

void st_read_gate_init(struct st_read_gate *gate);
void st_read_gate_fini(struct st_read_gate *gate);
