/* Window: a read transaction of one thread on an environment (private to store/).
 *
 *     open -> ( wake -> look -> rest )* -> close
 *
 * Between rest and wake the transaction holds no page, and the environment may be closed and opened again under it
 * (mend.c): a window that wakes meanwhile waits, and then finds a new transaction. All reading of an environment that a
 * writer has open goes through windows.
 *
 * Waking is for every look-up, so it takes no lock: a window says that it is awake and then looks whether it may; who
 * closes the windows forbids it and then looks whether one is awake. One of them sees the other. */
#ifndef ST_WINDOW_H
#define ST_WINDOW_H

#include <lmdb.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/queue.h>

#include "proto/base/error.h"

struct st_env;

struct st_window {
	const struct st_env *env;
	size_t checked; /* the number of the transaction that was looked at (st_txn_check); 0: none */
	MDB_txn *txn;   /* good while it is awake; NULL: none yet, or it went with its environment */
	atomic_bool awake;
	LIST_ENTRY(st_window) link;
};

struct st_windows {
	pthread_mutex_t lock; /* guards the list */
	pthread_cond_t opened;
	LIST_HEAD(, st_window) list;
	atomic_bool shut;    /* none may wake */
	atomic_bool mending; /* the writer is about to open the environment again: it is worth waiting */
};

void st_windows_init(struct st_windows *windows);
void st_windows_fini(struct st_windows *windows);

void st_window_open(struct st_env *env, struct st_window *window);
void st_window_close(struct st_env *env, struct st_window *window);
int st_window_wake(struct st_env *env, struct st_window *window, struct pd_fail *fail);
void st_window_rest(struct st_window *window);

/* The writer's: waits until all are at rest, ends their transactions and keeps them from waking until
 * st_windows_release. */
void st_windows_hold(struct st_windows *windows);
void st_windows_release(struct st_windows *windows);

#endif
