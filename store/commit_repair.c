/* Commit repair: a file whose commit failed in the middle.
 *
 * LMDB commits in three steps: it writes the new pages to free places, syncs, and writes and syncs one of its two meta
 * pages.
 *
 *  - A failed write or sync of pages concerns places that no committed transaction uses. The kernel may have dropped
 *    the pages and may still show them as written. That does no harm: the next transaction writes all that it uses
 *    again, and its sync counts.
 *  - A failed write of the meta page has an unknown outcome. LMDB restores an old number in the page, if the system
 *    allows it, and refuses all further work with the environment, even reading (MDB_PANIC).
 *
 * So that nothing is written twice and no job number is given twice, the failed commit is undone, as its error says.
 * Before each commit txn.c keeps a copy of the meta page. This copy is restored here, the environment is closed and
 * reopened, and the page is written once more and synced. Until the disk allows that, nothing is committed, while
 * reading goes on. A crash meanwhile may leave the whole transaction or nothing of it, as with any open batch.
 *
 * Like LMDB, this assumes that the head of a page, within one sector, is written whole or not at all; and that a page
 * that is written again reaches the disk with the next successful sync, whatever failed before. */
#include "store/commit_repair.h"

#include <errno.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/log.h"
#include "store/format.h"
#include "store/read_txn.h"
#include "store/store_state.h"
#include "store/txn.h"

static int write_head(const struct st_env *env, struct pd_fail *fail)
{
	PD_ASSERT(env->head_size && env->head_size <= sizeof env->head);
	if (pwrite(env->fd, env->head, env->head_size, env->head_at) == (ssize_t)env->head_size)
		return PD_OK;
	return st_env_fail(env, EIO, "restore the meta page after a failed commit", fail);
}

static bool is_restored(const struct st_env *env)
{
	uint8_t now[ST_HEAD];
	return pread(env->fd, now, env->head_size, env->head_at) == (ssize_t)env->head_size &&
	       !memcmp(now, env->head, env->head_size);
}

/* Restores the head in the page cache, which all processes of this machine see. */
static int restore_head(const struct st_env *env, struct pd_fail *fail)
{
	int rc = is_restored(env) ? PD_OK : write_head(env, fail);
	return rc && is_restored(env) ? PD_OK : rc; /* the system may keep what the disk has refused */
}

/* Restores the head on the disk. */
static int settle_head(const struct st_env *env, struct pd_fail *fail)
{
	int rc = write_head(env, fail);
	if (!rc && fdatasync(env->fd))
		rc = st_env_fail(env, EIO, "sync after a failed commit", fail);
	return rc;
}

static int load_databases(struct st_store *store, struct st_env *env, struct pd_fail *fail)
{
	MDB_txn *txn;
	int rc = st_txn_begin(env, true, &txn, fail);
	if (rc)
		return rc;
	rc = env == &store->work.env ? st_databases_open_work(store, txn, fail)
				     : st_databases_open_facts(store, txn, fail);
	return st_txn_end(env, txn, rc, fail); /* a commit keeps the handles */
}

static int open_again(struct st_store *store, struct st_env *env, struct pd_fail *fail)
{
	PD_ASSERT(env->dead && env->doubt);
	st_read_txns_suspend(&env->gate);
	int rc = st_env_reopen(env, fail);
	if (!rc) {
		rc = load_databases(store, env, fail);
		if (rc)
			st_env_drop(env);
	}
	env->dead = rc != PD_OK;
	st_read_txns_resume(&env->gate);
	return rc;
}

static int repair_env(struct st_store *store, struct st_env *env, struct pd_fail *fail)
{
	if (!env->doubt)
		return PD_OK;
	int rc = st_env_in_place(env, fail);
	if (!rc)
		rc = restore_head(env, fail);
	if (!rc && env->dead)
		rc = open_again(store, env, fail);
	atomic_store(&env->gate.repairing, false);
	if (!rc)
		rc = settle_head(env, fail);
	if (rc)
		return rc;
	env->doubt = false;
	pd_log(PD_LOG_WARN, "%s/%s: a commit failed; the file is as it was before the commit", env->dir, env->name);
	return PD_OK;
}

int st_commit_repair(struct st_store *store, struct pd_fail *fail)
{
	PD_ASSERT(!store->batch.txn);
	struct pd_fail other;
	if (store->read_only)
		return PD_OK;
	int rc = repair_env(store, &store->work.env, fail),
	    rc_facts = repair_env(store, &store->facts.env, rc ? &other : fail);
	return rc ? rc : rc_facts;
}
