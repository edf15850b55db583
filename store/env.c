/* Settings of LMDB, and their reasons:
 *  - default sync, no MDB_WRITEMAP, no MDB_NOSYNC: the only settings under which a simulated power cut never damaged a
 *    file; WRITEMAP wrote two to six times the bytes.
 *  - MDB_NORDAHEAD: with readahead a random read from a file larger than memory takes milliseconds instead of 70 us.
 *  - MDB_NOTLS: a read transaction belongs to an st_reader and not to a thread.
 *  - a map of 1 TiB: it takes only address space, and is never full (map_size.h).
 *  - values of at most 4080 bytes where there are many (block.h): one overflow page, so freed pages always fit again.
 *  - no MDB_DUPSORT: its deletions have known faults in the releases that distributions carry. */
#include "store/env.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/log.h"
#include "store/lock.h"
#include "store/map_size.h"
#include "store/meta_page.h"

enum {
	DBIS_MAX = 40,
	READERS_MAX = 2048,       /* one for each search thread, and as many for other processes */
	MISSING_PAGES_MAX = 1024, /* pages that a sound file may lack at its end, with a wide margin */
};

/* The error code for a code of LMDB or ST_DAMAGED. */
static enum pd_error translate_code(int code)
{
	switch (code) {
	case MDB_SUCCESS:
		return PD_OK;
	case MDB_NOTFOUND:
		return PD_E_NOT_FOUND;
	case MDB_MAP_FULL:
		return PD_E_NO_SPACE;
	case MDB_INVALID:
	case MDB_VERSION_MISMATCH:
	case MDB_INCOMPATIBLE:
		return PD_E_FORMAT;
	case MDB_CORRUPTED:
	case MDB_PAGE_NOTFOUND:
	case MDB_PAGE_FULL:
	case MDB_CURSOR_FULL:
	case ST_DAMAGED:
	case MDB_KEYEXIST: /* keys are appended in order, so an existing key is damage */
		return PD_E_CORRUPT;
	case MDB_READERS_FULL:
		return PD_E_BUSY;
	case MDB_TXN_FULL:
		return PD_E_LIMIT;
	case MDB_PANIC:
	case MDB_MAP_RESIZED:
		return PD_E_IO;
	case MDB_DBS_FULL:
	case MDB_TLS_FULL:
	case MDB_BAD_RSLOT:
	case MDB_BAD_TXN:
	case MDB_BAD_VALSIZE:
	case MDB_BAD_DBI:
	case EINVAL:
		return PD_E_INTERNAL;
	default:
		return pd_error_of_errno(code);
	}
}

static const char *text_of(int code)
{
	return code == ST_DAMAGED ? "a page of the file is damaged or missing" : mdb_strerror(code);
}

/* The end of every error about damage. */
#define REMEDY "; proofctl repair %.100s NEW copies what is sound to a new directory"

int st_env_fail(const struct st_env *env, int code, const char *doing, struct pd_fail *fail)
{
	enum pd_error error = translate_code(code);
	if (error == PD_E_CORRUPT)
		return st_env_corrupt(env, fail, "cannot %s: %s", doing, text_of(code));
	if (code == MDB_MAP_FULL || code == MDB_MAP_RESIZED)
		return pd_fail_set(fail, error, env->name,
				   "cannot %s: %s has outgrown its map of %llu MiB, and there was no address space "
				   "for a larger one when it was opened (RLIMIT_AS, ulimit -v)",
				   doing, env->name, (unsigned long long)(env->map_bytes >> 20));
	return pd_fail_set(fail, error, env->name, "cannot %s: %s", doing, text_of(code));
}

int st_env_corrupt(const struct st_env *env, struct pd_fail *fail, const char *format, ...)
{
	char text[200];
	PD_ASSERT(env->name && env->dir);
	va_list ap;
	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	return pd_fail_set(fail, PD_E_CORRUPT, env->name, "%s: %s" REMEDY, env->name, text, env->dir);
}

/* --- guarded calls -------------------------------------------------------------------------
 *
 * Each call of LMDB's is a small function with a struct of arguments. A fault with a write transaction under way breaks
 * the environment. */

int st_guarded(const struct st_env *env, const MDB_txn *txn, int (*call)(void *arg), void *arg)
{
	int rc = st_guard_call(&env->maps, call, arg);
	if (rc == ST_DAMAGED && txn && txn == atomic_load(&env->live->writing))
		atomic_store(&env->live->broken, true);
	return rc;
}

static void on_assertion(MDB_env *env, const char *text)
{
	(void)env;
	pd_log(PD_LOG_ERROR, "LMDB: %s", text);
	st_guard_leave();
}

bool st_placed(const struct st_env *env, const void *p)
{
	const struct st_map *map = &env->maps.data;
	uintptr_t at = (uintptr_t)p - (uintptr_t)map->base;
	uint64_t number;
	if (!map->base || at >= map->size)
		return true;
	at &= ~(uintptr_t)(env->page - 1);
	memcpy(&number, map->base + at, sizeof number);
	return number == at / env->page;
}

/* --- the length of a file ------------------------------------------------------------------
 *
 * LMDB does not write pages that a transaction takes from the end of the file and frees again, so a sound file may be a
 * few pages shorter than its head says. So is a truncated file, and reading beyond its end would kill the process
 * (SIGBUS). Therefore the writer extends the file after each commit, and at its start checks that the missing pages
 * were free. */

struct length {
	MDB_env *env;
	uint64_t have, need; /* bytes */
	unsigned page;       /* bytes of one */
};

static int length_call(void *arg)
{
	struct length *length = arg;
	MDB_envinfo info;
	MDB_stat stat_of;
	int rc = mdb_env_info(length->env, &info);
	if (!rc)
		rc = mdb_env_stat(length->env, &stat_of);
	if (rc)
		return rc;
	length->page = stat_of.ms_psize;
	length->need = ((uint64_t)info.me_last_pgno + 1) * stat_of.ms_psize;
	return 0;
}

/* Whether the file is as long as it should be. */
static bool length_get(const struct st_env *env, struct length *out)
{
	*out = (struct length){.env = env->env, .page = env->page ? env->page : 1, .need = UINT64_MAX};
	st_guarded(env, NULL, length_call, out);
	out->have = st_env_bytes(env);
	return out->have >= out->need;
}

int st_env_lengthen(const struct st_env *env)
{
	PD_ASSERT(env->fd >= 0);
	struct length length;
	if (length_get(env, &length))
		return 0;
	if (length.need == UINT64_MAX)
		return EIO;
	return ftruncate(env->fd, (off_t)length.need) ? errno : 0;
}

struct free_call {
	const struct st_env *env;
	uint64_t first, found;
};

static int free_call(void *arg)
{
	struct free_call *c = arg;
	MDB_txn *txn;
	MDB_cursor *cursor;
	MDB_val key, data;
	int rc = mdb_txn_begin(c->env->env, NULL, MDB_RDONLY, &txn);
	if (rc)
		return rc;
	rc = mdb_cursor_open(txn, 0, &cursor);
	if (!rc) {
		while (!mdb_cursor_get(cursor, &key, &data, MDB_NEXT)) {
			size_t count, page;
			if (data.mv_size < sizeof count)
				continue;
			memcpy(&count, data.mv_data, sizeof count);
			for (size_t i = 1; i <= count && (i + 1) * sizeof page <= data.mv_size; i++) {
				memcpy(&page, (const uint8_t *)data.mv_data + i * sizeof page, sizeof page);
				c->found += page >= c->first;
			}
		}
		mdb_cursor_close(cursor);
	}
	mdb_txn_abort(txn);
	return rc;
}

/* The number of free pages from `first` on. LMDB's database 0 lists them: arrays of page numbers that begin with their
 * length. */
static uint64_t free_pages(const struct st_env *env, uint64_t first)
{
	struct free_call c = {env, first, 0};
	return st_guarded(env, NULL, free_call, &c) ? 0 : c.found;
}

static int check_length(const struct st_env *env, const char *dir, bool read_only, struct pd_fail *fail)
{
	struct length length;
	if (length_get(env, &length) || (read_only && st_lock_owned(dir)))
		return PD_OK;
	uint64_t pages = (length.have + length.page - 1) / length.page, missing = length.need / length.page - pages;
	bool sound = !read_only && missing <= MISSING_PAGES_MAX && !st_env_lengthen(env);
	if (sound && free_pages(env, pages) < missing) {
		sound = false;
		/* Restores the former length, as evidence. */
		if (ftruncate(env->fd, (off_t)length.have))
			pd_log(PD_LOG_WARN, "cannot truncate %s to its former length", env->name);
	}
	if (sound)
		return PD_OK;
	return pd_fail_set(fail, PD_E_CORRUPT, env->name, "%s/%s is truncated: it has %llu bytes and needs %llu%s", dir,
			   env->name, (unsigned long long)length.have, (unsigned long long)length.need,
			   read_only && missing <= MISSING_PAGES_MAX ? "; opening it with a server may repair that"
								     : "");
}

/* --- which files -------------------------------------------------------------------------- */

int st_env_in_place(const struct st_env *env, struct pd_fail *fail)
{
	static const char *const suffix[] = {"", "-lock"};
	const struct st_file_id *const known[] = {&env->data, &env->lock};
	char path[ST_PATH];
	PD_ASSERT(env->name && env->dir);
	for (unsigned i = 0; i < (env->flags & MDB_NOLOCK ? 1 : 2); i++) {
		struct st_file_id now;
		bool there = !st_path(path, env->dir, env->name, suffix[i], fail) && st_file_id_of(path, &now);
		if (!there || !st_file_id_equal(&now, known[i]))
			return pd_fail_set(fail, PD_E_IO, env->name,
					   "%s was %s while it was in use: nothing is written until it is restored; "
					   "otherwise end all programs that use the directory and start again",
					   path, there ? "replaced" : "removed");
	}
	return PD_OK;
}

/* Notes the identity of the lock file; both files must be the ones that are open. */
static int note_lock_file(struct st_env *env, const struct st_file_id *before, const char *lock, struct pd_fail *fail)
{
	struct st_file_id data;
	int fd;
	bool known = (env->flags & MDB_NOLOCK || st_file_id_of(lock, &env->lock)) && !mdb_env_get_fd(env->env, &fd) &&
		     st_file_id_of_fd(fd, &data) && st_file_id_equal(&data, &env->data);
	/* Where opening waited for a process that was replacing the files, LMDB has the old lock file open. */
	if (known && (!before || st_file_id_equal(before, &env->lock)))
		return st_env_in_place(env, fail);
	return pd_fail_set(fail, PD_E_IO, env->name, "%s/%s was replaced while it was being opened", env->dir,
			   env->name);
}

/* --- opening ------------------------------------------------------------------------------ */

struct open_call {
	MDB_env *env;
	const char *path;
	unsigned flags;
	MDB_stat stat_of;
};

static int open_call(void *arg)
{
	struct open_call *c = arg;
	int fd, rc = mdb_env_open(c->env, c->path, c->flags, 0600);
	if (!rc && !mdb_env_get_fd(c->env, &fd))
		fcntl(fd, F_SETFD, FD_CLOEXEC); /* LMDB does not set it: child processes must not inherit the file */
	return rc ? rc : mdb_env_stat(c->env, &c->stat_of);
}

static int close_call(void *arg)
{
	mdb_env_close(arg);
	return 0;
}

/* Opens the environment with a map of that size; returns a code of LMDB. */
static int open_with(struct st_env *env, const char *path, uint64_t map_bytes)
{
	int rc = mdb_env_create(&env->env);
	if (rc) {
		env->env = NULL;
		return rc;
	}
	mdb_env_set_mapsize(env->env, map_bytes);
	mdb_env_set_maxdbs(env->env, DBIS_MAX);
	mdb_env_set_maxreaders(env->env, READERS_MAX);
	mdb_env_set_assert(env->env, on_assertion);
	struct open_call c = {.env = env->env, .path = path, .flags = env->flags};
	rc = st_guard_call(NULL, open_call, &c); /* the address of the map is not known yet */
	env->page = c.stat_of.ms_psize;
	env->map_bytes = map_bytes;
	if (rc) {
		st_guard_call(NULL, close_call, env->env);
		env->env = NULL;
	}
	return rc;
}

static int open_mapped(struct st_env *env, const char *path)
{
	const struct st_map_sizes sizes = st_map_sizes(st_env_bytes(env));
	int rc = ENOMEM;
	for (uint64_t size = sizes.first; rc == ENOMEM && size; size = st_map_next(&sizes, size))
		rc = open_with(env, path, size);
	return rc;
}

/* Finds where the two files are mapped. */
static void find_maps(struct st_env *env, const char *path, const char *lock, size_t size)
{
	struct st_maps maps = {{NULL, 0}, {NULL, 0}};
	uint64_t number[2] = {1, 0};
	PD_ASSERT(env->page);
	maps.data = st_map_find(path, size);
	if (!maps.data.base)
		return;
	memcpy(&number[0], maps.data.base, sizeof number[0]);
	memcpy(&number[1], maps.data.base + env->page, sizeof number[1]);
	if (number[0] != 0 || number[1] != 1)
		return; /* the map of another file, or a damaged one: page numbers are then not checked */
	maps.lock = st_map_find(lock, 1);
	env->maps = maps;
}

void st_env_drop(struct st_env *env)
{
	/* A broken environment stays until the process ends: its lock in the lock file cannot be released. */
	if (env->env && !atomic_load(&env->live->broken))
		st_guard_call(&env->maps, close_call, env->env);
	env->env = NULL;
	env->maps = (struct st_maps){{NULL, 0}, {NULL, 0}};
	env->live->meta = 0;
}

int st_env_reopen(struct st_env *env, struct pd_fail *fail)
{
	char path[ST_PATH], lock[ST_PATH];
	PD_ASSERT(env->live && env->fd >= 0);
	st_env_drop(env);
	int rc = st_path(path, env->dir, env->name, "", fail);
	if (!rc)
		rc = st_path(lock, env->dir, env->name, "-lock", fail);
	if (!rc)
		rc = st_meta_pages_check(path, env->name, fail);
	if (rc)
		return rc;
	struct st_file_id before;
	bool locked = !(env->flags & MDB_NOLOCK) && st_file_id_of(lock, &before);
	rc = open_mapped(env, path);
	if (rc == MDB_INVALID)
		return pd_fail_set(fail, PD_E_FORMAT, env->name, "%s is not an LMDB file, or its head is damaged",
				   path);
	if (rc == MDB_VERSION_MISMATCH)
		return pd_fail_set(fail, PD_E_FORMAT, env->name, "%s was written by another version of LMDB", path);
	if (rc == ENOMEM)
		return st_map_fail(env->dir, env->name, st_env_bytes(env), fail);
	if (rc)
		return pd_fail_set(fail, translate_code(rc), env->name, "cannot open %s: %s", path, text_of(rc));
	rc = note_lock_file(env, locked ? &before : NULL, lock, fail);
	if (rc) {
		st_guard_call(NULL, close_call, env->env);
		env->env = NULL;
		return rc;
	}
	find_maps(env, path, lock, env->map_bytes);
	atomic_fetch_add(&env->live->opened, 1);
	return PD_OK;
}

/* Opens our own descriptor of an existing file. LMDB would take an empty file for a new one. */
static int open_data(struct st_env *env, bool creating, struct pd_fail *fail)
{
	char path[ST_PATH];
	struct stat st;
	int rc = st_path(path, env->dir, env->name, "", fail);
	if (rc)
		return rc;
	env->fd = open(path, (env->flags & MDB_RDONLY ? O_RDONLY : O_RDWR) | O_CLOEXEC);
	if (env->fd < 0 || fstat(env->fd, &st))
		return pd_fail_errno(fail, env->name, "open", path);
	if (!st.st_size && !creating)
		return pd_fail_set(fail, PD_E_CORRUPT, env->name, "%s is empty: its content is lost", path);
	env->data = (struct st_file_id){.device = st.st_dev, .number = st.st_ino};
	return PD_OK;
}

int st_env_open(struct st_env *env, const char *dir, const char *name, enum st_opening how, struct st_faults *faults,
		struct pd_fail *fail)
{
	*env = (struct st_env){.name = name, .dir = dir, .faults = faults, .fd = -1};
	bool read_only = how == ST_OPEN_READ || how == ST_OPEN_READ_UNLOCKED;
	env->flags = MDB_NOSUBDIR | MDB_NOTLS | MDB_NORDAHEAD;
	if (read_only)
		env->flags |= MDB_RDONLY;
	if (how == ST_OPEN_READ_UNLOCKED || how == ST_OPEN_NEW)
		env->flags |= MDB_NOLOCK;
	pd_mutex_init(&env->gate.lock, PD_LOCK_READ_GATE);
	pthread_cond_init(&env->gate.opened, NULL);
	st_guard_install();
	env->live = calloc(1, sizeof *env->live);
	int rc = env->live ? PD_OK : pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory to open %s/%s", dir, name);
	if (!rc)
		rc = open_data(env, how == ST_OPEN_NEW, fail);
	if (!rc && how == ST_OPEN_WRITE)
		rc = st_lock_file_reserve(dir, name, READERS_MAX, fail);
	if (!rc)
		rc = st_env_reopen(env, fail);
	/* Syncs what another process may have failed to sync, above all a meta page, before anything new is written. */
	if (!rc && !read_only && fdatasync(env->fd))
		rc = pd_fail_errno(fail, name, "sync", name);
	if (!rc)
		rc = check_length(env, dir, read_only, fail);
	if (rc)
		st_env_close(env);
	return rc;
}

void st_env_close(struct st_env *env)
{
	if (!env->name)
		return;
	if (env->live)
		st_env_drop(env);
	free(env->live);
	if (env->fd >= 0)
		close(env->fd);
	PD_ASSERT(LIST_EMPTY(&env->gate.list)); /* an open read transaction would outlive its environment */
	pthread_cond_destroy(&env->gate.opened);
	pd_mutex_fini(&env->gate.lock);
	*env = (struct st_env){.fd = -1};
}

uint64_t st_env_bytes(const struct st_env *env)
{
	struct stat st;
	return env->fd < 0 || fstat(env->fd, &st) ? 0 : (uint64_t)st.st_size;
}

bool st_fault_hit(atomic_uint *counter)
{
	unsigned n = atomic_load_explicit(counter, memory_order_relaxed);
	if (!n || n == UINT32_MAX) /* ST_FAULT_ALWAYS */
		return n;
	atomic_store_explicit(counter, n - 1, memory_order_relaxed);
	return n == 1;
}

static int readers_call(void *arg)
{
	int dead;
	return mdb_reader_check(arg, &dead);
}

void st_env_readers(const struct st_env *env)
{
	if (env->env)
		st_guarded(env, NULL, readers_call, env->env);
}

int st_env_broken(const struct st_env *env, struct pd_fail *fail)
{
	return st_env_corrupt(env, fail, "damaged pages ended a transaction, and nothing more is written to this file");
}

bool st_writes(const struct st_env *env, const MDB_txn *txn)
{
	return txn == atomic_load(&env->live->writing);
}
