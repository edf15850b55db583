#include "store/compact_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "store/create.h"
#include "store/filler.h"
#include "store/moment.h"
#include "store/store_state.h"
#include "store/store.h"

struct compact {
	const char *dir;
	char fresh[PATH_MAX]; /* DIR/compact.new */
	struct st_store *store;
	struct st_filler filler;
	int lock_fd;       /* a second descriptor of the writer's lock */
	int lock_files[2]; /* of LMDB's lock files, locked; -1: none */
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

static int fail_of_errno(const struct compact *c, const char *what, const char *path)
{
	return pd_fail_set(c->fail, pd_error_of_errno(errno), "data", "cannot %s %s: %s", what, path, strerror(errno));
}

static void path_in(const char *dir, const char *name, const char *suffix, char out[PATH_MAX])
{
	int n = snprintf(out, PATH_MAX, "%s/%s%s", dir, name, suffix);
	PD_ASSERT(n > 0 && n < PATH_MAX); /* st_compact_files has looked at the length */
}

/* Removes the new directory, which has files only. */
static void remove_fresh(const struct compact *c)
{
	const struct dirent *entry;
	DIR *list = opendir(c->fresh);
	while (list && (entry = readdir(list)) != NULL)
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			unlinkat(dirfd(list), entry->d_name, 0);
	if (list)
		closedir(list);
	rmdir(c->fresh);
}

/* --- the copy ----------------------------------------------------------------------------- */

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
	remove_fresh(c);
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

/* --- the exchange ------------------------------------------------------------------------- */

/* Takes LMDB's own lock on its lock files: a process that has them open holds a shared one, and one that comes now
 * waits, and then finds that they were replaced (st_env_open). */
static int keep_out(struct compact *c)
{
	char path[PATH_MAX];
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
	for (unsigned i = 0; i < 2; i++) {
		path_in(c->dir, files[i], "-lock", path);
		c->lock_files[i] = open(path, O_RDWR | O_CLOEXEC);
		if (c->lock_files[i] >= 0 && fcntl(c->lock_files[i], F_SETLK, &lock))
			return pd_fail_set(
				c->fail, PD_E_LOCKED, "data",
				"another process is reading %.200s: end it first, because its files are to be "
				"replaced",
				c->dir);
	}
	return PD_OK;
}

/* Gives a new file what the old one has: owner, group and mode. */
static int take_over(const struct compact *c, const char *from, const char *to)
{
	struct stat st, now;
	if (stat(to, &st) || stat(from, &now))
		return fail_of_errno(c, "read", to);
	bool same = now.st_uid == st.st_uid && now.st_gid == st.st_gid;
	return (!same && chown(from, st.st_uid, st.st_gid)) || chmod(from, st.st_mode & 0666)
		       ? fail_of_errno(c, "give to its owner", from)
		       : PD_OK;
}

static int exchange_files(struct compact *c)
{
	char from[PATH_MAX], to[PATH_MAX];
	for (unsigned i = 0; i < 2; i++) {
		path_in(c->fresh, files[i], "", from);
		path_in(c->dir, files[i], "", to);
		int rc = take_over(c, from, to);
		if (rc)
			return rc;
		if (rename(from, to))
			return fail_of_errno(c, "replace", to);
		call_step(c);
		rc = st_sync_directory(c->dir, c->fail);
		if (rc)
			return rc;
	}
	/* They belong to the old files: the next process makes new ones. */
	for (unsigned i = 0; i < 2; i++) {
		path_in(c->dir, files[i], "-lock", to);
		if (unlink(to) && errno != ENOENT)
			return fail_of_errno(c, "remove", to);
		call_step(c);
	}
	return st_sync_directory(c->dir, c->fail);
}

static uint64_t bytes_of(const struct compact *c)
{
	char path[PATH_MAX];
	struct stat st;
	uint64_t bytes = 0;
	for (unsigned i = 0; i < 2; i++) {
		path_in(c->dir, files[i], "", path);
		bytes += stat(path, &st) ? 0 : (uint64_t)st.st_size;
	}
	return bytes;
}

int st_compact_files(const char *dir, void (*on_step)(void *ctx), void *ctx, struct st_compacted *out,
		     struct pd_fail *fail)
{
	struct compact c = {
		.dir = dir, .lock_fd = -1, .lock_files = {-1, -1}, .step = on_step, .ctx = ctx, .fail = fail};
	char path[PATH_MAX];
	*out = (struct st_compacted){0};
	if (snprintf(c.fresh, sizeof c.fresh, "%s/compact.new", dir) >= PATH_MAX - 32)
		return pd_fail_set(fail, PD_E_USAGE, "data", "the path of the data directory is too long");
	path_in(dir, "work.mdb", "", path);
	if (access(path, F_OK)) /* opening would create it */
		return pd_fail_set(fail, PD_E_USAGE, "data", "%.200s is not a data directory: it has no work.mdb", dir);
	int rc = st_open(dir, 0, &c.store, fail);
	if (rc)
		return rc;
	c.lock_fd = fcntl(c.store->lock_fd, F_DUPFD_CLOEXEC, 0);
	if (c.lock_fd < 0)
		rc = fail_of_errno(&c, "lock", dir);
	out->bytes_before = bytes_of(&c);
	if (!rc)
		rc = make_copy(&c);
	st_close(c.store); /* the lock stays, by its second descriptor */
	if (!rc)
		rc = keep_out(&c);
	if (!rc)
		rc = exchange_files(&c);
	out->bytes_after = bytes_of(&c);
	remove_fresh(&c);
	for (unsigned i = 0; i < 2; i++)
		if (c.lock_files[i] >= 0)
			close(c.lock_files[i]);
	if (c.lock_fd >= 0)
		close(c.lock_fd);
	return rc;
}
