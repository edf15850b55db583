#include "store/window.h"

#include <time.h>

#include "store/env.h"

enum {
	NAP_NS = 200000,
	NAPS_FEW = 5,   /* until a writer whose commit has just failed has said that it mends */
	NAPS_MANY = 500 /* while it does: a tenth of a second */
};

void st_windows_init(struct st_windows *windows)
{
	pthread_mutex_init(&windows->lock, NULL);
	pthread_cond_init(&windows->opened, NULL);
	LIST_INIT(&windows->list);
	atomic_init(&windows->shut, false);
	atomic_init(&windows->mending, false);
}

void st_windows_fini(struct st_windows *windows)
{
	pthread_cond_destroy(&windows->opened);
	pthread_mutex_destroy(&windows->lock);
}

void st_window_open(struct st_env *env, struct st_window *window)
{
	window->env = env;
	window->txn = NULL;
	window->checked = 0;
	atomic_init(&window->awake, false);
	pthread_mutex_lock(&env->windows.lock);
	LIST_INSERT_HEAD(&env->windows.list, window, link);
	pthread_mutex_unlock(&env->windows.lock);
}

void st_window_close(struct st_env *env, struct st_window *window)
{
	pthread_mutex_lock(&env->windows.lock);
	LIST_REMOVE(window, link);
	st_txn_abort(env, window->txn);
	window->txn = NULL;
	pthread_mutex_unlock(&env->windows.lock);
}

static void enter(struct st_windows *windows, struct st_window *window)
{
	for (;;) {
		atomic_store(&window->awake, true);
		if (!atomic_load(&windows->shut))
			return;
		atomic_store(&window->awake, false);
		pthread_mutex_lock(&windows->lock);
		while (atomic_load(&windows->shut))
			pthread_cond_wait(&windows->opened, &windows->lock);
		pthread_mutex_unlock(&windows->lock);
	}
}

static void nap(void)
{
	nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
}

static int begin(struct st_env *env, struct st_window *window)
{
	if (!env->env)
		return MDB_PANIC;
	return st_txn_renew(env, &window->txn);
}

/* That the transaction is the one it takes itself for; asked once of each. */
static int check(struct st_env *env, struct st_window *window, struct pd_fail *fail)
{
	size_t id = mdb_txn_id(window->txn);
	int rc = id == window->checked ? PD_OK : st_txn_check(env, window->txn, fail);
	window->checked = rc ? 0 : id;
	if (rc)
		st_window_rest(window);
	return rc;
}

int st_window_wake(struct st_env *env, struct st_window *window, struct pd_fail *fail)
{
	int rc;
	for (unsigned naps = 0;; naps++) {
		enter(&env->windows, window);
		rc = begin(env, window);
		if (!rc)
			return check(env, window, fail);
		atomic_store(&window->awake, false);
		if (rc != MDB_PANIC || naps >= (atomic_load(&env->windows.mending) ? NAPS_MANY : NAPS_FEW))
			return st_env_fail(env, rc, "begin to read", fail);
		nap();
	}
}

void st_window_rest(struct st_window *window)
{
	st_txn_reset(window->env, window->txn);
	atomic_store_explicit(&window->awake, false, memory_order_release);
}

/* Under the lock: whether one is awake. */
static bool some_awake(struct st_windows *windows)
{
	const struct st_window *w;
	LIST_FOREACH(w, &windows->list, link)
	if (atomic_load(&w->awake))
		return true;
	return false;
}

void st_windows_hold(struct st_windows *windows)
{
	struct st_window *w;
	for (;;) {
		pthread_mutex_lock(&windows->lock);
		atomic_store(&windows->shut, true);
		if (!some_awake(windows))
			break;
		/* One may be awake for long, while it loads a table: nobody else waits for it. */
		atomic_store(&windows->shut, false);
		pthread_cond_broadcast(&windows->opened);
		pthread_mutex_unlock(&windows->lock);
		nap();
	}
	LIST_FOREACH(w, &windows->list, link)
	{
		st_txn_abort(w->env, w->txn);
		w->txn = NULL;
		w->checked = 0;
	}
	pthread_mutex_unlock(&windows->lock);
}

void st_windows_release(struct st_windows *windows)
{
	pthread_mutex_lock(&windows->lock);
	atomic_store(&windows->shut, false);
	pthread_cond_broadcast(&windows->opened);
	pthread_mutex_unlock(&windows->lock);
}
