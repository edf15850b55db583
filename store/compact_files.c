#include "store/compact_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/filler.h"
#include "store/moment.h"
#include "store/store_state.h"
#include "store/store.h"

struct compact {
	const char *dir;
	char fresh[ST_PATH]; /* DIR/compact.new */
	struct st_store *store;
	struct st_filler filler;
	int lock_fd;       /* a second descriptor of the writer's lock */
	int lock_files[2]; /* descriptors of LMDB's lock files, locked; -1: none */
	void (*step)(void *ctx);
	void *ctx;
	struct pd_fail *fail;
};

static const char *const files[] = {"facts.mdb", "work.mdb"}; /* in the order in which they are replaced */

static void call_step(const struct compact *c)
{
	if (c->step)
		c->step(c->ctx);
}

static int put_record(void *ctx, uint32_t table, struct st_data key, struct st_data value)
{
	struct compact *c = ctx;
	return st_filler_put(&c->filler, table, key, value, c->fail);
}

static int copy_table(struct compact *c, const struct st_moment *m, uint32_t table)
{
	int rc = st_moment_each(m, &(struct st_moment_walk){table, {NULL, 0}, put_record, c}, c->fail);
	if (!rc)
		call_step(c);
	return rc;
}

static int copy_tables(struct compact *c)
{
	struct st_moment m;
	int rc = st_moment_open(c->store, &m, c->fail);
	if (rc)
		return rc;
	for (uint32_t table = 0; !rc && table < ST_WORK_COUNT; table++)
		rc = copy_table(c, &m, table);
	if (!rc)
		rc = copy_table(c, &m, ST_TABLE_FACTS_GAMES);
	for (uint32_t i = 0; !rc && i < m.runs.count; i++)
		rc = copy_table(c, &m, ST_TABLE_RUN + m.runs.run[i].slot);
	if (!rc)
		rc = copy_table(c, &m, ST_TABLE_FACTS_META);
	st_moment_close(&m);
	return rc;
}

static int make_copy(struct compact *c)
{
	int rc = st_facts_maintain_all(c->store, true, c->fail); /* obsolete blocks need not be copied */
	if (rc)
		return rc;
	call_step(c);
	st_remove_directory(c->fresh);
	rc = st_filler_open(&c->filler, c->fresh, c->fail);
	if (!rc)
		rc = copy_tables(c);
	if (!rc)
		rc = st_filler_finish(&c->filler, c->fresh, c->fail);
	st_filler_close(&c->filler);
	if (!rc)
		call_step(c);
	return rc;
}

/* Takes LMDB's own lock on its lock files: a process that has them open holds a shared one, and a process that opens
 * them now waits, and then finds that they were replaced (st_env_open). */
static int exclude_readers(struct compact *c)
{
	char path[ST_PATH];
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
	for (unsigned i = 0; i < 2; i++) {
		st_path(path, c->dir, files[i], "-lock", NULL);
		c->lock_files[i] = open(path, O_RDWR | O_CLOEXEC);
		if (c->lock_files[i] >= 0 && fcntl(c->lock_files[i], F_SETLK, &lock))
			return pd_fail_set(
				c->fail, PD_E_LOCKED, "data",
				"another process is reading %.200s: end it first, because its files will be replaced",
				c->dir);
	}
	return PD_OK;
}

/* Gives a new file the owner, group and mode of the old one. */
static int copy_owner(const struct compact *c, const char *from, const char *to)
{
	struct stat st, now;
	if (stat(to, &st) || stat(from, &now))
		return pd_fail_errno(c->fail, "data", "read", to);
	bool same = now.st_uid == st.st_uid && now.st_gid == st.st_gid;
	return (!same && chown(from, st.st_uid, st.st_gid)) || chmod(from, st.st_mode & 0666)
		       ? pd_fail_errno(c->fail, "data", "give to its owner", from)
		       : PD_OK;
}

static int exchange_files(struct compact *c)
{
	char from[ST_PATH], to[ST_PATH];
	for (unsigned i = 0; i < 2; i++) {
		st_path(from, c->fresh, files[i], "", NULL);
		st_path(to, c->dir, files[i], "", NULL);
		int rc = copy_owner(c, from, to);
		if (rc)
			return rc;
		if (rename(from, to))
			return pd_fail_errno(c->fail, "data", "replace", to);
		call_step(c);
		rc = st_sync_directory(c->dir, c->fail);
		if (rc)
			return rc;
	}
	/* The lock files belong to the old files: the next process makes new ones. */
	for (unsigned i = 0; i < 2; i++) {
		st_path(to, c->dir, files[i], "-lock", NULL);
		if (unlink(to) && errno != ENOENT)
			return pd_fail_errno(c->fail, "data", "remove", to);
		call_step(c);
	}
	return st_sync_directory(c->dir, c->fail);
}

static uint64_t bytes_of(const struct compact *c)
{
	char path[ST_PATH];
	struct stat st;
	uint64_t bytes = 0;
	for (unsigned i = 0; i < 2; i++) {
		st_path(path, c->dir, files[i], "", NULL);
		bytes += stat(path, &st) ? 0 : (uint64_t)st.st_size;
	}
	return bytes;
}

int st_compact_files(const char *dir, void (*on_step)(void *ctx), void *ctx, struct st_compacted *out,
		     struct pd_fail *fail)
{
	struct compact c = {
		.dir = dir, .lock_fd = -1, .lock_files = {-1, -1}, .step = on_step, .ctx = ctx, .fail = fail};
	char path[ST_PATH];
	*out = (struct st_compacted){0};
	if (snprintf(c.fresh, sizeof c.fresh, "%s/compact.new", dir) >= ST_PATH - 32)
		return pd_fail_set(fail, PD_E_USAGE, "data", "the path of the data directory is too long");
	st_path(path, dir, "work.mdb", "", NULL);
	if (access(path, F_OK)) /* opening would create it */
		return pd_fail_set(fail, PD_E_USAGE, "data", "%.200s is not a data directory: it has no work.mdb", dir);
	int rc = st_open(dir, 0, &c.store, fail);
	if (rc)
		return rc;
	c.lock_fd = fcntl(c.store->lock_fd, F_DUPFD_CLOEXEC, 0);
	if (c.lock_fd < 0)
		rc = pd_fail_errno(fail, "data", "lock", dir);
	out->bytes_before = bytes_of(&c);
	if (!rc)
		rc = make_copy(&c);
	st_close(c.store); /* the second descriptor keeps the lock */
	if (!rc)
		rc = exclude_readers(&c);
	if (!rc)
		rc = exchange_files(&c);
	out->bytes_after = bytes_of(&c);
	st_remove_directory(c.fresh);
	for (unsigned i = 0; i < 2; i++)
		if (c.lock_files[i] >= 0)
			close(c.lock_files[i]);
	if (c.lock_fd >= 0)
		close(c.lock_fd);
	return rc;
}
