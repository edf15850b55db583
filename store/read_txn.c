#include "store/read_txn.h"

#include "proto/base/assert.h"
#include "store/txn.h"

enum {
	WAIT_NS = 200000,
	WAITS_FEW = 250, /* until the writer, whose commit has just failed, marks the environment as under repair */
	WAITS_MANY = 500 /* while it repairs: a tenth of a second */
};

static void open_read_txn(struct st_env *env, struct st_read_txn *read)
{
	read->env = env;
	read->txn = NULL;
	read->checked = 0;
	atomic_init(&read->active, false);
	pd_mutex_lock(&env->gate.lock);
	LIST_INSERT_HEAD(&env->gate.list, read, link);
	pd_mutex_unlock(&env->gate.lock);
}

void st_read_txn_close(struct st_env *env, struct st_read_txn *read)
{
	PD_ASSERT(!atomic_load(&read->active) && read->env == env);
	pd_mutex_lock(&env->gate.lock);
	LIST_REMOVE(read, link);
	st_txn_abort(env, read->txn);
	read->txn = NULL;
	pd_mutex_unlock(&env->gate.lock);
}

static void enter_gate(struct st_read_gate *gate, struct st_read_txn *read)
{
	for (;;) {
		atomic_store(&read->active, true);
		if (!atomic_load(&gate->shut))
			return;
		atomic_store(&read->active, false);
		pd_mutex_lock(&gate->lock);
		while (atomic_load(&gate->shut))
			pd_mutex_wait(&gate->lock, &gate->opened);
		pd_mutex_unlock(&gate->lock);
	}
}

static void wait_a_little(void)
{
	nanosleep(&(struct timespec){.tv_nsec = WAIT_NS}, NULL);
}

static int begin_read(struct st_env *env, struct st_read_txn *read)
{
	if (!env->env)
		return MDB_PANIC;
	return st_txn_renew(env, &read->txn);
}

/* Compares the number of the transaction with its stamp, once. */
static int check_read(struct st_env *env, struct st_read_txn *read, struct pd_fail *fail)
{
	size_t id = mdb_txn_id(read->txn);
	int rc = id == read->checked ? PD_OK : st_txn_check(env, read->txn, fail);
	read->checked = rc ? 0 : id;
	if (rc)
		st_read_txn_reset(read);
	return rc;
}

int st_read_txn_renew(struct st_env *env, struct st_read_txn *read, struct pd_fail *fail)
{
	PD_ASSERT(!atomic_load(&read->active) && read->env == env);
	int rc;
	for (unsigned waits = 0;; waits++) {
		enter_gate(&env->gate, read);
		rc = begin_read(env, read);
		if (!rc)
			return check_read(env, read, fail);
		atomic_store(&read->active, false);
		if (rc != MDB_PANIC || waits >= (atomic_load(&env->gate.repairing) ? WAITS_MANY : WAITS_FEW))
			return st_env_fail(env, rc, "begin to read", fail);
		wait_a_little();
	}
}

void st_read_txn_reset(struct st_read_txn *read)
{
	PD_ASSERT(atomic_load(&read->active) && read->txn);
	st_txn_reset(read->env, read->txn);
	atomic_store_explicit(&read->active, false, memory_order_release);
}

int st_read_txn_begin(struct st_env *env, struct st_read_txn *read, struct pd_fail *fail)
{
	open_read_txn(env, read);
	int rc = st_read_txn_renew(env, read, fail);
	if (rc)
		st_read_txn_close(env, read);
	return rc;
}

void st_read_txn_end(struct st_env *env, struct st_read_txn *read)
{
	st_read_txn_reset(read);
	st_read_txn_close(env, read);
}

/* Under the lock: whether a read transaction is active. */
static bool some_active(struct st_read_gate *gate)
{
	const struct st_read_txn *w;
	LIST_FOREACH(w, &gate->list, link)
		if (atomic_load(&w->active))
			return true;
	return false;
}

void st_read_txns_suspend(struct st_read_gate *gate)
{
	struct st_read_txn *w;
	for (;;) {
		pd_mutex_lock(&gate->lock);
		atomic_store(&gate->shut, true);
		if (!some_active(gate))
			break;
		/* One may be active for a long time, while it loads a table: the others need not wait for it. */
		atomic_store(&gate->shut, false);
		pthread_cond_broadcast(&gate->opened);
		pd_mutex_unlock(&gate->lock);
		wait_a_little();
	}
	LIST_FOREACH(w, &gate->list, link) {
		st_txn_abort(w->env, w->txn);
		w->txn = NULL;
		w->checked = 0;
	}
	pd_mutex_unlock(&gate->lock);
}

void st_read_txns_resume(struct st_read_gate *gate)
{
	PD_ASSERT(atomic_load(&gate->shut));
	pd_mutex_lock(&gate->lock);
	atomic_store(&gate->shut, false);
	pthread_cond_broadcast(&gate->opened);
	pd_mutex_unlock(&gate->lock);
}
