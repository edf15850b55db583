#include "store/format.h"

#include <inttypes.h>
#include <stdio.h>

#include "proto/base/assert.h"
#include "store/meta_record.h"
#include "store/store_state.h"
#include "store/txn.h"

enum { FORMAT_SIZE = 16, BYTE_ORDER_MARK = 0x01020304, MAIN_DBI = 1 /* LMDB's table of names */ };

/* The first eight bytes of meta/"format". */
static const char format_work[] = "proofd-w", format_facts[] = "proofd-f";

static void format_pack(uint8_t *p, const char *magic)
{
	uint32_t mark = BYTE_ORDER_MARK;
	memcpy(p, magic, 8);
	pd_put_le32(p + 8, ST_FORMAT_VERSION);
	memcpy(p + 12, &mark, sizeof mark); /* in the machine's own order, which is LMDB's */
}

uint32_t st_format_version(const void *record, size_t size, bool facts)
{
	const uint8_t *p = record;
	return size == FORMAT_SIZE && !memcmp(p, facts ? format_facts : format_work, 8) ? pd_get_le32(p + 8) : 0;
}

int st_format_refuse(const char *name, uint32_t version, struct pd_fail *fail)
{
	PD_ASSERT(version != ST_FORMAT_VERSION);
	return pd_fail_set(fail, PD_E_FORMAT, name,
			   "%s has format version %" PRIu32
			   ", and this program reads and writes version %d only: %s; nothing "
			   "was changed",
			   name, version, ST_FORMAT_VERSION,
			   version > ST_FORMAT_VERSION ? "a newer proofd has written it, use that one or a later one"
						       : "no release has written this version");
}

static int format_check(const struct st_env *env, const uint8_t *p, size_t size, const char *magic,
			struct pd_fail *fail)
{
	uint32_t mark;
	if (size < FORMAT_SIZE || memcmp(p, magic, 8))
		return pd_fail_set(fail, PD_E_FORMAT, env->name, "%s is not a file of proofd", env->name);
	uint32_t version = pd_get_le32(p + 8);
	if (version != ST_FORMAT_VERSION)
		return st_format_refuse(env->name, version, fail);
	memcpy(&mark, p + 12, sizeof mark);
	if (mark != BYTE_ORDER_MARK)
		return pd_fail_set(fail, PD_E_FORMAT, env->name, "%s was written on a machine with another byte order",
				   env->name);
	return PD_OK;
}

static int check_version(const struct st_env *env, bool facts, struct pd_fail *fail)
{
	uint8_t format[FORMAT_SIZE];
	size_t size = 0;
	MDB_txn *txn;
	MDB_dbi meta;
	int rc = st_txn_begin(env, true, &txn, fail);
	if (rc)
		return rc;
	if (!st_dbi_open(env, txn, "meta", 0, &meta) &&
	    st_get((struct st_place){env, txn, meta}, st_meta_key(ST_META_FORMAT), format, sizeof format, &size, fail))
		size = 0;
	st_txn_abort(env, txn);
	uint32_t version = st_format_version(format, size, facts);
	return version && version != ST_FORMAT_VERSION ? st_format_refuse(env->name, version, fail) : PD_OK;
}

int st_formats_check(struct st_store *store, struct pd_fail *fail)
{
	int rc = check_version(&store->facts.env, true, fail);
	return rc ? rc : check_version(&store->work.env, false, fail);
}

static int open_dbi(const struct st_env *env, MDB_txn *txn, const char *name, unsigned flags, MDB_dbi *out,
		    struct pd_fail *fail)
{
	int rc = st_dbi_open(env, txn, name, flags, out);
	if (rc == MDB_NOTFOUND)
		return pd_fail_set(fail, PD_E_FORMAT, env->name, "%s has no table named %s", env->name, name);
	return rc ? st_env_fail(env, rc, "open a table", fail) : PD_OK;
}

/* One of the two files, and the first bytes of its meta/"format". */
struct meta_of {
	const struct st_env *env;
	const char *magic;
	MDB_dbi *meta; /* set by open_meta */
};

/* Opens `meta` and checks the format, or writes it to a new file. *flags: MDB_CREATE for a new file. */
static int open_meta(const struct st_store *store, MDB_txn *txn, const struct meta_of *of, unsigned *flags,
		     struct pd_fail *fail)
{
	const struct st_env *env = of->env;
	PD_ASSERT(env->env && txn);
	uint8_t format[FORMAT_SIZE];
	size_t size;
	uint64_t tables;
	int rc = st_dbi_count(env, txn, MAIN_DBI, &tables, fail);
	if (rc)
		return rc;
	bool fresh = tables == 0;
	if (fresh && store->read_only)
		return pd_fail_set(fail, PD_E_FORMAT, env->name, "%s is empty: no server has used it yet", env->name);
	*flags = fresh ? MDB_CREATE : 0;
	rc = st_dbi_open(env, txn, "meta", *flags, of->meta);
	if (rc == MDB_NOTFOUND || rc == MDB_INCOMPATIBLE)
		return pd_fail_set(fail, PD_E_FORMAT, env->name, "%s is an LMDB file, but not one of proofd's",
				   env->name);
	if (rc)
		return st_env_fail(env, rc, "open a table", fail);
	env->live->meta = *of->meta;
	if (fresh) {
		format_pack(format, of->magic);
		return st_put((struct st_place){env, txn, *of->meta}, st_meta_key(ST_META_FORMAT), ST_BYTES(format), 0,
			      fail);
	}
	rc = st_get((struct st_place){env, txn, *of->meta}, st_meta_key(ST_META_FORMAT), format, sizeof format, &size,
		    fail);
	if (rc == PD_E_NOT_FOUND)
		return pd_fail_set(fail, PD_E_FORMAT, env->name, "%s has no record of its format", env->name);
	if (!rc)
		rc = format_check(env, format, size, of->magic, fail);
	return rc ? rc : st_txn_check(env, txn, fail);
}

int st_databases_open_work(struct st_store *store, MDB_txn *txn, struct pd_fail *fail)
{
	static const char *const names[] = {
#define X(id, name) name,
		ST_WORK_DBIS(X)
#undef X
	};
	const struct meta_of of = {&store->work.env, format_work, &store->work.dbi[ST_META]};
	unsigned flags;
	int rc = open_meta(store, txn, &of, &flags, fail);
	for (unsigned i = ST_META + 1; !rc && i < ST_WORK_COUNT; i++)
		rc = open_dbi(&store->work.env, txn, names[i], flags, &store->work.dbi[i], fail);
	if (!rc && flags) /* nothing has been counted yet */
		rc = st_counters_put(&store->work, txn, &store->counters, fail);
	return rc;
}

int st_databases_open_facts(struct st_store *store, MDB_txn *txn, struct pd_fail *fail)
{
	const struct meta_of of = {&store->facts.env, format_facts, &store->facts.meta};
	unsigned flags;
	int rc = open_meta(store, txn, &of, &flags, fail);
	if (!rc)
		rc = open_dbi(&store->facts.env, txn, "games", flags, &store->facts.games, fail);
	for (unsigned i = 0; !rc && i < ST_RUN_SLOTS; i++) {
		char name[16];
		snprintf(name, sizeof name, "run.%u", i);
		rc = open_dbi(&store->facts.env, txn, name, flags, &store->facts.run[i], fail);
	}
	if (!rc && flags)
		rc = st_run_list_put(&store->facts, txn, &store->runs, fail); /* an empty one */
	return rc;
}
