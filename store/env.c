/* Env: opening, transactions, records.
 *
 * Settings, each with the measurement or the rule behind it:
 *  - default sync, no MDB_WRITEMAP, no MDB_NOSYNC: the only settings under which a simulated power cut never damaged a file, and
 *    WRITEMAP wrote two to six times the bytes.
 *  - MDB_NORDAHEAD: with readahead a random read from a file larger than memory costs milliseconds instead of 70 us.
 *  - MDB_NOTLS: a read transaction belongs to an st_reader and not to a thread.
 *  - a map of 1 TiB: it costs address space only, and then the map is never what is full.
 *  - values of at most 4080 bytes wherever there are many (block.h): one overflow page, so freed pages always fit again.
 *  - no MDB_DUPSORT: its deletions have known faults in the releases that distributions carry. */
#include "store/env.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "proto/base/bytes.h"
#include "proto/base/hash.h"
#include "proto/base/log.h"

enum {
	MAP_SHIFT_MAX = 40, /* 1 TiB */
	MAP_SHIFT_MIN = 34, /* 16 GiB: what sanitizers and address space limits may leave */
	DBIS_MAX = 40,
	READERS_MAX = 1024,
	MISSING_PAGES_MAX = 1024, /* pages that a sound file may lack at its end, with a wide margin */
	PROBE_BYTES = 1 << 20,
	FULL_BYTES = 1 << 26 /* free bytes below which a disk is taken for full after a failed write */
};

enum pd_error st_error_of_lmdb(int code)
{
	switch (code) {
	case MDB_SUCCESS:
		return PD_OK;
	case MDB_NOTFOUND:
		return PD_E_NOT_FOUND;
	case MDB_MAP_FULL:
	case EFBIG: /* a limit on file sizes is a full disk to whoever has to make room */
		return PD_E_NO_SPACE;
	case MDB_INVALID:
	case MDB_VERSION_MISMATCH:
	case MDB_INCOMPATIBLE:
		return PD_E_FORMAT;
	case MDB_CORRUPTED:
	case MDB_PAGE_NOTFOUND:
	case MDB_PAGE_FULL:
	case MDB_CURSOR_FULL:
	case MDB_KEYEXIST: /* keys are appended in order only: a key that stands in the way is damage */
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

int st_env_fail(const struct st_env *env, int code, const char *doing, struct pd_fail *fail)
{
	return pd_fail_set(fail, st_error_of_lmdb(code), env->name, "cannot %s: %s", doing, mdb_strerror(code));
}

/* --- the length of a file ----------------------------------------------------------------------------------------------------
 *
 * LMDB does not write pages that a transaction takes from the end of the file and frees again, so a sound file may be a few pages shorter
 * than its head says. A file that was cut off is shorter, too, and would kill whoever reads behind its end (SIGBUS). So the writer makes
 * the file as long as it should be after each commit, and at its start looks whether what it has to add was free. */

struct length {
	uint64_t have, need; /* bytes */
	unsigned page;       /* bytes of one */
};

static bool length_get(const struct st_env *env, struct length *out)
{
	MDB_envinfo info;
	MDB_stat stat_of;
	mdb_env_info(env->env, &info);
	mdb_env_stat(env->env, &stat_of);
	out->have = st_env_bytes(env);
	out->page = stat_of.ms_psize;
	out->need = ((uint64_t)info.me_last_pgno + 1) * stat_of.ms_psize;
	return out->have >= out->need;
}

static int lengthen(const struct st_env *env)
{
	struct length length;
	int fd;
	if (length_get(env, &length))
		return 0;
	if (mdb_env_get_fd(env->env, &fd))
		return EBADF;
	return ftruncate(fd, (off_t)length.need) ? errno : 0;
}

/* How many pages from `first` on are free; the list of free pages is LMDB's database 0: arrays of page numbers, the count in front. */
static uint64_t free_pages(const struct st_env *env, uint64_t first)
{
	MDB_txn *txn;
	MDB_cursor *cursor;
	MDB_val key, data;
	uint64_t found = 0;
	if (mdb_txn_begin(env->env, NULL, MDB_RDONLY, &txn))
		return 0;
	if (!mdb_cursor_open(txn, 0, &cursor)) {
		while (!mdb_cursor_get(cursor, &key, &data, MDB_NEXT)) {
			size_t count, page;
			if (data.mv_size < sizeof count)
				continue;
			memcpy(&count, data.mv_data, sizeof count);
			for (size_t i = 1; i <= count && (i + 1) * sizeof page <= data.mv_size; i++) {
				memcpy(&page, (const uint8_t *)data.mv_data + i * sizeof page, sizeof page);
				found += page >= first;
			}
		}
		mdb_cursor_close(cursor);
	}
	mdb_txn_abort(txn);
	return found;
}

/* Whether a process holds the writer's lock of the directory: then the file may be about to be lengthened. */
static bool writer_alive(const char *dir)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/lock", dir);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	bool alive = flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
	close(fd);
	return alive;
}

static int check_length(const struct st_env *env, const char *dir, bool read_only, struct pd_fail *fail)
{
	struct length length;
	if (length_get(env, &length) || (read_only && writer_alive(dir)))
		return PD_OK;
	uint64_t pages = (length.have + length.page - 1) / length.page, missing = length.need / length.page - pages;
	bool sound = !read_only && missing <= MISSING_PAGES_MAX && !lengthen(env);
	if (sound && free_pages(env, pages) < missing) {
		int fd;
		sound = false;
		/* As it was found, for whoever wants to look into it. */
		if (mdb_env_get_fd(env->env, &fd) || ftruncate(fd, (off_t)length.have))
			pd_log(PD_LOG_WARN, "%s could not be given back its length", env->name);
	}
	if (sound)
		return PD_OK;
	return pd_fail_set(
		fail, PD_E_CORRUPT, env->name, "%s/%s was cut off: it has %llu bytes and needs %llu%s", dir, env->name,
		(unsigned long long)length.have, (unsigned long long)length.need,
		read_only && missing <= MISSING_PAGES_MAX ? "; a server that opens it may be able to repair that" : "");
}

/* --- opening ---------------------------------------------------------------------------------------------------------- */

static int open_mapped(struct st_env *env, const char *path, unsigned flags, int *shift)
{
	int rc = ENOMEM;
	for (; *shift >= MAP_SHIFT_MIN; --*shift) {
		rc = mdb_env_create(&env->env);
		if (rc) {
			env->env = NULL;
			return rc;
		}
		mdb_env_set_mapsize(env->env, (size_t)1 << *shift);
		mdb_env_set_maxdbs(env->env, DBIS_MAX);
		mdb_env_set_maxreaders(env->env, READERS_MAX);
		rc = mdb_env_open(env->env, path, flags, 0644);
		if (!rc)
			return 0;
		mdb_env_close(env->env);
		env->env = NULL;
		if (rc != ENOMEM)
			break;
	}
	return rc;
}

int st_env_open(struct st_env *env, const char *dir, const char *name, bool read_only, bool unlocked,
		struct st_faults *faults, struct pd_fail *fail)
{
	char path[4096];
	*env = (struct st_env){.name = name, .faults = faults};
	if (snprintf(path, sizeof path, "%s/%s", dir, name) >= (int)sizeof path)
		return pd_fail_set(fail, PD_E_LIMIT, "data", "the path of the data directory is too long");
	unsigned flags = MDB_NOSUBDIR | MDB_NOTLS | MDB_NORDAHEAD;
	if (read_only)
		flags |= MDB_RDONLY;
	if (unlocked)
		flags |= MDB_NOLOCK;
	int shift = MAP_SHIFT_MAX;
	int rc = open_mapped(env, path, flags, &shift);
	if (rc == MDB_INVALID)
		return pd_fail_set(fail, PD_E_FORMAT, name, "%s is not a file of LMDB's, or its head is damaged", path);
	if (rc == MDB_VERSION_MISMATCH)
		return pd_fail_set(fail, PD_E_FORMAT, name, "%s was written by another version of LMDB", path);
	if (rc)
		return pd_fail_set(fail, st_error_of_lmdb(rc), name, "cannot open %s: %s", path, mdb_strerror(rc));
	rc = check_length(env, dir, read_only, fail);
	if (rc)
		st_env_close(env);
	return rc;
}

void st_env_close(struct st_env *env)
{
	if (env->env)
		mdb_env_close(env->env);
	env->env = NULL;
}

uint64_t st_env_bytes(const struct st_env *env)
{
	int fd;
	struct stat st;
	if (mdb_env_get_fd(env->env, &fd) || fstat(fd, &st))
		return 0;
	return (uint64_t)st.st_size;
}

bool st_fault_hit(atomic_uint *counter)
{
	unsigned n = atomic_load_explicit(counter, memory_order_relaxed);
	if (!n)
		return false;
	atomic_store_explicit(counter, n - 1, memory_order_relaxed);
	return n == 1;
}

int st_txn_begin(const struct st_env *env, bool read_only, MDB_txn **out, struct pd_fail *fail)
{
	int rc = mdb_txn_begin(env->env, NULL, read_only ? MDB_RDONLY : 0, out);
	if (!rc)
		return PD_OK;
	*out = NULL;
	return st_env_fail(env, rc, "begin a transaction", fail);
}

/* LMDB says EIO when the system wrote less than it was asked to, which is what happens first when a disk fills up. A write behind the end of
 * the file, where nobody looks, tells which it was. */
static bool disk_full(const struct st_env *env)
{
	struct statvfs disk;
	int fd;
	uint64_t end = st_env_bytes(env);
	if (mdb_env_get_fd(env->env, &fd))
		return false;
	if (!fstatvfs(fd, &disk) && (uint64_t)disk.f_bavail * disk.f_frsize < FULL_BYTES)
		return true;
	char *zeros = calloc(1, PROBE_BYTES);
	ssize_t n = zeros ? pwrite(fd, zeros, PROBE_BYTES, (off_t)end) : 0;
	bool full = n >= 0 ? n < PROBE_BYTES : errno == ENOSPC || errno == EDQUOT || errno == EFBIG;
	free(zeros);
	if (ftruncate(fd, (off_t)end))
		pd_log(PD_LOG_WARN, "%s is longer than it has to be", env->name); /* which does no harm */
	return full;
}

int st_txn_commit(const struct st_env *env, MDB_txn *txn, struct pd_fail *fail)
{
	if (st_fault_hit(&env->faults->commit)) {
		mdb_txn_abort(txn);
		return st_env_fail(env, ENOSPC, "commit", fail);
	}
	int rc = mdb_txn_commit(txn);
	if (rc == EIO && disk_full(env))
		rc = ENOSPC;
	if (rc)
		return st_env_fail(env, rc, "commit", fail);
	lengthen(env); /* if it fails the next start does it */
	return PD_OK;
}

static uint32_t seal_of(const void *key, size_t key_size, const void *payload, size_t size)
{
	return (uint32_t)XXH3_64bits_withSeed(payload, size, pd_hash64(key, key_size));
}

static int put_reserved(const struct st_env *env, MDB_txn *txn, MDB_dbi dbi, const void *key, size_t key_size,
			MDB_val *room, unsigned flags, struct pd_fail *fail)
{
	MDB_val k = {key_size, (void *)(uintptr_t)key};
	if (st_fault_hit(&env->faults->put))
		return st_env_fail(env, ENOSPC, "write a record", fail);
	int rc = mdb_put(txn, dbi, &k, room, flags | MDB_RESERVE);
	return rc ? st_env_fail(env, rc, "write a record", fail) : PD_OK;
}

int st_put(const struct st_env *env, MDB_txn *txn, MDB_dbi dbi, const void *key, size_t key_size, const void *data,
	   size_t size, unsigned flags, struct pd_fail *fail)
{
	MDB_val room = {size, NULL};
	int rc = put_reserved(env, txn, dbi, key, key_size, &room, flags, fail);
	if (!rc && size)
		memcpy(room.mv_data, data, size);
	return rc;
}

int st_put_sealed(const struct st_env *env, MDB_txn *txn, MDB_dbi dbi, const void *key, size_t key_size,
		  const void *data, size_t size, unsigned flags, struct pd_fail *fail)
{
	MDB_val room = {size + ST_SEAL, NULL};
	int rc = put_reserved(env, txn, dbi, key, key_size, &room, flags, fail);
	if (rc)
		return rc;
	uint8_t *p = room.mv_data;
	pd_put_le32(p, seal_of(key, key_size, data, size));
	if (size)
		memcpy(p + ST_SEAL, data, size);
	return PD_OK;
}

int st_get(const struct st_env *env, MDB_txn *txn, MDB_dbi dbi, const void *key, size_t key_size, MDB_val *out,
	   struct pd_fail *fail)
{
	MDB_val k = {key_size, (void *)(uintptr_t)key};
	int rc = mdb_get(txn, dbi, &k, out);
	if (rc == MDB_NOTFOUND)
		return PD_E_NOT_FOUND;
	return rc ? st_env_fail(env, rc, "read a record", fail) : PD_OK;
}

bool st_unseal(const void *key, size_t key_size, MDB_val *record)
{
	const uint8_t *p = record->mv_data;
	if (record->mv_size < ST_SEAL)
		return false;
	size_t size = record->mv_size - ST_SEAL;
	if (pd_get_le32(p) != seal_of(key, key_size, p + ST_SEAL, size))
		return false;
	*record = (MDB_val){size, (void *)(uintptr_t)(p + ST_SEAL)};
	return true;
}

int st_get_sealed(const struct st_env *env, MDB_txn *txn, MDB_dbi dbi, const void *key, size_t key_size, MDB_val *out,
		  struct pd_fail *fail)
{
	int rc = st_get(env, txn, dbi, key, key_size, out, fail);
	if (!rc && !st_unseal(key, key_size, out))
		return pd_fail_set(fail, PD_E_CORRUPT, env->name, "the checksum of a record does not match");
	return rc;
}

int st_del(const struct st_env *env, MDB_txn *txn, MDB_dbi dbi, const void *key, size_t key_size, struct pd_fail *fail)
{
	MDB_val k = {key_size, (void *)(uintptr_t)key};
	if (st_fault_hit(&env->faults->put))
		return st_env_fail(env, ENOSPC, "delete a record", fail);
	int rc = mdb_del(txn, dbi, &k, NULL);
	return rc && rc != MDB_NOTFOUND ? st_env_fail(env, rc, "delete a record", fail) : PD_OK;
}

int st_cursor(const struct st_env *env, MDB_cursor *cursor, MDB_val *key, MDB_val *data, MDB_cursor_op op,
	      struct pd_fail *fail)
{
	int rc = mdb_cursor_get(cursor, key, data, op);
	if (rc == MDB_NOTFOUND)
		return PD_E_NOT_FOUND;
	return rc ? st_env_fail(env, rc, "walk through records", fail) : PD_OK;
}

void st_put_be64(uint8_t *p, uint64_t v)
{
	pd_put_be32(p, (uint32_t)(v >> 32));
	pd_put_be32(p + 4, (uint32_t)v);
}

uint64_t st_get_be64(const uint8_t *p)
{
	return (uint64_t)pd_get_be32(p) << 32 | pd_get_be32(p + 4);
}
