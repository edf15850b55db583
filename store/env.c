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

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/bytes.h"
#include "proto/base/hash.h"

enum {
	MAP_SHIFT_MAX = 40,  /* 1 TiB */
	MAP_SHIFT_MIN = 34,  /* 16 GiB: what sanitizers and address space limits may leave */
	DBIS_MAX = 40,
	READERS_MAX = 1024,
	MISSING_PAGES_MAX = 1024 /* pages that a sound file may lack at its end: freed before they were ever written */
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

/* A file that ends before its last page would kill whoever reads there (SIGBUS). A few missing pages at the end are normal and are
 * filled up; more of them were cut off. */
static int check_length(const struct st_env *env, const char *path, bool read_only, struct pd_fail *fail)
{
	MDB_envinfo info;
	MDB_stat stat_of;
	struct stat st;
	mdb_env_info(env->env, &info);
	mdb_env_stat(env->env, &stat_of);
	uint64_t need = ((uint64_t)info.me_last_pgno + 1) * stat_of.ms_psize;
	if (stat(path, &st))
		return pd_fail_set(fail, pd_error_of_errno(errno), env->name, "cannot look at %s: %s", path, strerror(errno));
	uint64_t have = (uint64_t)st.st_size;
	if (have >= need)
		return PD_OK;
	if (need - have > (uint64_t)MISSING_PAGES_MAX * stat_of.ms_psize)
		return pd_fail_set(fail, PD_E_CORRUPT, env->name, "%s was cut off: it has %llu bytes and needs %llu", path,
				   (unsigned long long)have, (unsigned long long)need);
	if (!read_only && truncate(path, (off_t)need))
		return pd_fail_set(fail, pd_error_of_errno(errno), env->name, "cannot lengthen %s: %s", path, strerror(errno));
	return PD_OK;
}

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

int st_env_open(struct st_env *env, const char *dir, const char *name, bool read_only, bool unlocked, struct st_faults *faults,
		struct pd_fail *fail)
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
	rc = check_length(env, path, read_only, fail);
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

int st_txn_commit(const struct st_env *env, MDB_txn *txn, struct pd_fail *fail)
{
	if (st_fault_hit(&env->faults->commit)) {
		mdb_txn_abort(txn);
		return st_env_fail(env, ENOSPC, "commit", fail);
	}
	int rc = mdb_txn_commit(txn);
	return rc ? st_env_fail(env, rc, "commit", fail) : PD_OK;
}

static uint32_t seal_of(const void *key, size_t key_size, const void *payload, size_t size)
{
	return (uint32_t)XXH3_64bits_withSeed(payload, size, pd_hash64(key, key_size));
}

static int put_reserved(const struct st_env *env, MDB_txn *txn, MDB_dbi dbi, const void *key, size_t key_size, MDB_val *room,
			unsigned flags, struct pd_fail *fail)
{
	MDB_val k = {key_size, (void *)(uintptr_t)key};
	if (st_fault_hit(&env->faults->put))
		return st_env_fail(env, ENOSPC, "write a record", fail);
	int rc = mdb_put(txn, dbi, &k, room, flags | MDB_RESERVE);
	return rc ? st_env_fail(env, rc, "write a record", fail) : PD_OK;
}

int st_put(const struct st_env *env, MDB_txn *txn, MDB_dbi dbi, const void *key, size_t key_size, const void *data, size_t size,
	   unsigned flags, struct pd_fail *fail)
{
	MDB_val room = {size, NULL};
	int rc = put_reserved(env, txn, dbi, key, key_size, &room, flags, fail);
	if (!rc && size)
		memcpy(room.mv_data, data, size);
	return rc;
}

int st_put_sealed(const struct st_env *env, MDB_txn *txn, MDB_dbi dbi, const void *key, size_t key_size, const void *data, size_t size,
		  unsigned flags, struct pd_fail *fail)
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

int st_get(const struct st_env *env, MDB_txn *txn, MDB_dbi dbi, const void *key, size_t key_size, MDB_val *out, struct pd_fail *fail)
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

int st_cursor(const struct st_env *env, MDB_cursor *cursor, MDB_val *key, MDB_val *data, MDB_cursor_op op, struct pd_fail *fail)
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
