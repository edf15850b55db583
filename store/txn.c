#include "store/txn.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/bytes.h"
#include "proto/base/log.h"
#include "store/meta_record.h"

enum {
	PROBE_BYTES = 1 << 20,
	FULL_BYTES = 1 << 26 /* free bytes below which a disk is taken for full after a failed write */
};

struct begin_call {
	const struct st_env *env;
	unsigned flags;
	MDB_txn *txn;
};

static int begin_call(void *arg)
{
	struct begin_call *c = arg;
	return mdb_txn_begin(c->env->env, NULL, c->flags, &c->txn);
}

static int abort_call(void *arg)
{
	mdb_txn_abort(arg);
	return 0;
}

static int reset_call(void *arg)
{
	mdb_txn_reset(arg);
	return 0;
}

static int renew_call(void *arg)
{
	return mdb_txn_renew(arg);
}

static int commit_call(void *arg)
{
	return mdb_txn_commit(arg);
}

int st_txn_begin(const struct st_env *env, bool read_only, MDB_txn **out, struct pd_fail *fail)
{
	struct begin_call c = {env, read_only ? MDB_RDONLY : 0, NULL};
	*out = NULL;
	if (!env->env || (!read_only && env->doubt))
		return pd_fail_set(fail, PD_E_IO, env->name,
				   "a write to %s/%s failed and is not repaired yet; the repair is tried again",
				   env->dir, env->name);
	if (!read_only && atomic_load(&env->live->broken))
		return st_env_broken(env, fail);
	PD_ASSERT(read_only || !atomic_load(&env->live->writing)); /* one write transaction at a time */
	int rc = st_guarded(env, NULL, begin_call, &c);
	if (rc) {
		if (rc == ST_DAMAGED && !read_only)
			atomic_store(&env->live->broken, true);
		return st_env_fail(env, rc, "begin a transaction", fail);
	}
	if (!read_only) {
		atomic_store(&env->live->writing, c.txn);
		env->live->wrote = false;
	}
	rc = st_txn_check(env, c.txn, fail);
	if (rc)
		st_txn_abort(env, c.txn);
	else
		*out = c.txn;
	return rc;
}

int st_txn_check(const struct st_env *env, MDB_txn *txn, struct pd_fail *fail)
{
	uint8_t stamp[ST_SEAL + 8];
	size_t size;
	if (!env->live->meta)
		return PD_OK;
	int rc = st_get_sealed((struct st_place){env, txn, env->live->meta}, st_meta_key(ST_META_TXN), stamp,
			       sizeof stamp, &size, fail);
	if (rc && rc != PD_E_NOT_FOUND)
		return rc;
	uint64_t found = rc || size != 8 ? 0 : pd_get_le64(stamp), last = mdb_txn_id(txn) - st_writes(env, txn);
	/* A reader that was delayed while LMDB chose its number may see a newer state, which does no harm. */
	if (st_writes(env, txn) ? found != last : found < last)
		return st_env_corrupt(env, fail, "its head is damaged: it leads to transaction %llu instead of %llu",
				      (unsigned long long)found, (unsigned long long)last);
	return PD_OK;
}

void st_txn_abort(const struct st_env *env, MDB_txn *txn)
{
	if (!txn)
		return;
	if (!st_writes(env, txn)) {
		st_guarded(env, NULL, abort_call, txn);
		return;
	}
	if (!atomic_load(&env->live->broken))
		st_guarded(env, txn, abort_call, txn);
	atomic_store(&env->live->writing, NULL);
}

void st_txn_reset(const struct st_env *env, MDB_txn *txn)
{
	st_guarded(env, NULL, reset_call, txn);
}

int st_txn_renew(const struct st_env *env, MDB_txn **txn)
{
	if (*txn)
		return st_guarded(env, NULL, renew_call, *txn);
	struct begin_call c = {env, MDB_RDONLY, NULL};
	int rc = st_guarded(env, NULL, begin_call, &c);
	*txn = c.txn;
	return rc;
}

/* LMDB returns EIO for a partial write, which is what happens first when a disk becomes full. A write beyond the end of
 * the file distinguishes the two. */
static bool disk_full(const struct st_env *env)
{
	struct statvfs disk;
	uint64_t end = st_env_bytes(env);
	if (!fstatvfs(env->fd, &disk) && (uint64_t)disk.f_bavail * disk.f_frsize < FULL_BYTES)
		return true;
	char *zeros = calloc(1, PROBE_BYTES);
	ssize_t n = zeros ? pwrite(env->fd, zeros, PROBE_BYTES, (off_t)end) : 0;
	bool full = n >= 0 ? n < PROBE_BYTES : errno == ENOSPC || errno == EDQUOT || errno == EFBIG;
	free(zeros);
	if (ftruncate(env->fd, (off_t)end))
		pd_log(PD_LOG_WARN, "cannot truncate %s after a test of the disk; it is longer than needed", env->name);
	return full;
}

/* Keeps the head of the meta page that the commit will overwrite: the one of the transaction before the last. */
static int keep_head(struct st_env *env, MDB_txn *txn, struct pd_fail *fail)
{
	PD_ASSERT(env->page >= sizeof env->head);
	env->head_at = (off_t)(mdb_txn_id(txn) & 1) * (off_t)env->page;
	env->head_size = 0;
	if (pread(env->fd, env->head, sizeof env->head, env->head_at) != sizeof env->head)
		return st_env_fail(env, EIO, "read what a commit replaces", fail);
	env->head_size = sizeof env->head;
	return PD_OK;
}

/* After a failed commit: whether the content of the file is in doubt. A full disk is found before the meta page is
 * written, and leaves no doubt; errors of LMDB itself write nothing. */
static void note_doubt(struct st_env *env, int rc)
{
	MDB_txn *probe = NULL;
	int usable = st_txn_renew(env, &probe);
	if (!usable)
		st_txn_abort(env, probe);
	bool full = rc == ENOSPC || rc == EDQUOT || rc == EFBIG || rc == ENOMEM;
	env->dead = usable == MDB_PANIC;
	env->doubt = env->dead || (rc > 0 && !full);
	atomic_store(&env->gate.repairing, env->dead);
}

static int commit_txn(struct st_env *env, MDB_txn *txn, struct pd_fail *fail)
{
	uint8_t stamp[8];
	PD_ASSERT(!env->doubt && st_writes(env, txn));
	pd_put_le64(stamp, mdb_txn_id(txn));
	int rc = st_env_in_place(env, fail);
	if (!rc && env->live->wrote && env->live->meta)
		rc = st_put_any((struct st_place){env, txn, env->live->meta}, st_meta_key(ST_META_TXN), ST_BYTES(stamp),
				0, true, fail);
	if (!rc && atomic_load(&env->live->broken))
		rc = st_env_broken(env, fail);
	if (!rc)
		rc = keep_head(env, txn, fail);
	if (rc) {
		st_txn_abort(env, txn);
		return rc;
	}
	rc = st_guarded(env, txn, commit_call, txn);
	atomic_store(&env->live->writing, NULL);
	if (rc)
		note_doubt(env, rc);
	if (rc == EIO && disk_full(env))
		rc = ENOSPC;
	if (rc)
		return st_env_fail(env, rc, "commit", fail);
	st_env_lengthen(env); /* if this fails, the next start does it */
	return PD_OK;
}

int st_txn_commit(struct st_env *env, MDB_txn *txn, struct pd_fail *fail)
{
	if (st_fault_hit(&env->faults->commit)) {
		st_txn_abort(env, txn);
		return st_env_fail(env, ENOSPC, "commit", fail);
	}
	if (st_writes(env, txn))
		return commit_txn(env, txn, fail);
	int rc = st_guarded(env, NULL, commit_call, txn);
	return rc ? st_env_fail(env, rc, "end a transaction", fail) : PD_OK;
}

int st_txn_end(struct st_env *env, MDB_txn *txn, int rc, struct pd_fail *fail)
{
	if (!rc)
		return st_txn_commit(env, txn, fail);
	st_txn_abort(env, txn);
	return rc;
}

struct dbi_call {
	MDB_txn *txn;
	const char *name;
	unsigned flags;
	MDB_dbi dbi;
	MDB_stat stat_of;
};

static int dbi_open_call(void *arg)
{
	struct dbi_call *c = arg;
	unsigned kind;
	int rc = mdb_dbi_open(c->txn, c->name, c->flags, &c->dbi);
	if (!rc)
		rc = mdb_dbi_flags(c->txn, c->dbi, &kind);
	return !rc && kind ? ST_DAMAGED : rc; /* none of our databases has flags */
}

static int dbi_stat_call(void *arg)
{
	struct dbi_call *c = arg;
	return mdb_stat(c->txn, c->dbi, &c->stat_of);
}

static int dbi_drop_call(void *arg)
{
	const struct dbi_call *c = arg;
	return mdb_drop(c->txn, c->dbi, 0);
}

int st_dbi_open(const struct st_env *env, MDB_txn *txn, const char *name, unsigned flags, MDB_dbi *out)
{
	struct dbi_call c = {.txn = txn, .name = name, .flags = flags};
	int rc = st_guarded(env, txn, dbi_open_call, &c);
	*out = c.dbi;
	env->live->wrote |= flags & MDB_CREATE;
	return rc;
}

int st_dbi_count(const struct st_env *env, MDB_txn *txn, MDB_dbi dbi, uint64_t *records, struct pd_fail *fail)
{
	struct dbi_call c = {.txn = txn, .dbi = dbi};
	int rc = st_guarded(env, txn, dbi_stat_call, &c);
	*records = c.stat_of.ms_entries;
	return rc ? st_env_fail(env, rc, "read a table", fail) : PD_OK;
}

int st_dbi_empty(const struct st_env *env, MDB_txn *txn, MDB_dbi dbi, struct pd_fail *fail)
{
	struct dbi_call c = {.txn = txn, .dbi = dbi};
	PD_ASSERT(st_writes(env, txn));
	int rc = st_guarded(env, txn, dbi_drop_call, &c);
	env->live->wrote = true;
	return rc ? st_env_fail(env, rc, "empty a table", fail) : PD_OK;
}
