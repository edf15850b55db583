#include "store/create.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "store/format.h"
#include "store/store_state.h"
#include "store/txn.h"

/* Fills an empty file with the databases of an environment. */
static int fill_file(struct st_store *store, struct st_env *env, const char *name,
		     int (*tables)(struct st_store *store, MDB_txn *txn, struct pd_fail *fail), struct pd_fail *fail)
{
	MDB_txn *txn;
	int rc = st_env_open(env, store->dir, name, ST_OPEN_NEW, &store->faults, fail);
	if (rc)
		return rc;
	rc = st_txn_begin(env, false, &txn, fail);
	if (!rc)
		rc = st_txn_end(env, txn, tables(store, txn, fail), fail);
	st_env_close(env);
	return rc;
}

static int make_empty(const struct st_store *store, const char *path, struct pd_fail *fail)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return pd_fail_errno(fail, "data", "create", path);
	st_own_file(fd, store->dir, ST_OWN_DATA);
	close(fd);
	return PD_OK;
}

/* Makes DIR/NAME.new, and then renames it to DIR/NAME, durably. */
static int make_file(struct st_store *store, struct st_env *env, const char *new_name, const char *name,
		     int (*tables)(struct st_store *store, MDB_txn *txn, struct pd_fail *fail), struct pd_fail *fail)
{
	char path[ST_PATH], to[ST_PATH];
	int rc = st_path(path, store->dir, new_name, "", fail);
	if (!rc)
		rc = st_path(to, store->dir, name, "", fail);
	if (rc)
		return rc;
	rc = make_empty(store, path, fail);
	if (!rc)
		rc = fill_file(store, env, new_name, tables, fail);
	if (!rc && rename(path, to))
		rc = pd_fail_errno(fail, "data", "rename", path);
	if (!rc)
		rc = st_sync_directory(store->dir, fail);
	if (rc)
		unlink(path);
	return rc;
}

int st_create_facts(struct st_store *store, struct pd_fail *fail)
{
	PD_ASSERT(store->lock_fd >= 0 && !store->read_only);
	return make_file(store, &store->facts.env, "facts.mdb.new", "facts.mdb", st_databases_open_facts, fail);
}

/* A facts.mdb without a work.mdb is left either by an interrupted creation, without facts, or by a directory that lost
 * its work.mdb. */
static int check_left_over(struct st_store *store, struct pd_fail *fail)
{
	struct st_run_list list;
	MDB_txn *txn;
	int rc = st_env_open(&store->facts.env, store->dir, "facts.mdb", ST_OPEN_NEW, &store->faults, fail);
	if (rc)
		return rc;
	rc = st_txn_begin(&store->facts.env, true, &txn, fail);
	if (!rc) {
		rc = st_databases_open_facts(store, txn, fail);
		if (!rc)
			rc = st_run_list_get(&store->facts, txn, &list, fail);
		st_txn_abort(&store->facts.env, txn);
	}
	st_env_close(&store->facts.env);
	if (!rc && list.merged)
		rc = pd_fail_set(
			fail, PD_E_CORRUPT, "work.mdb",
			"%s has a facts.mdb with facts in it, and no work.mdb: both files of a backup belong together",
			store->dir);
	return rc;
}

int st_create(struct st_store *store, struct pd_fail *fail)
{
	PD_ASSERT(store->lock_fd >= 0 && !store->read_only);
	char facts[ST_PATH], parent[ST_PATH];
	int rc = st_path(facts, store->dir, "facts.mdb", "", fail);
	if (!rc)
		rc = st_path(parent, store->dir, "..", "", fail);
	if (!rc)
		rc = access(facts, F_OK) ? st_create_facts(store, fail) : check_left_over(store, fail);
	if (!rc)
		rc = make_file(store, &store->work.env, "work.mdb.new", "work.mdb", st_databases_open_work, fail);
	return rc ? rc : st_sync_directory(parent, fail);
}
