/* Format: what the two files say about themselves (D5), and the databases in them. */
#include "store/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/bytes.h"

enum { FORMAT_SIZE = 16, COUNTERS_SIZE = 28, BYTE_ORDER_MARK = 0x01020304, MAIN_DBI = 1 /* LMDB's own: the names */ };

/* The first eight bytes of meta/"format". */
static const char format_work[] = "proofd-w", format_facts[] = "proofd-f";

/* --- formats ------------------------------------------------------------------------------ */

static void format_pack(uint8_t *p, const char *magic)
{
	uint32_t mark = BYTE_ORDER_MARK;
	memcpy(p, magic, 8);
	pd_put_le32(p + 8, ST_FORMAT_VERSION);
	memcpy(p + 12, &mark, sizeof mark); /* in the machine's own order, which is LMDB's */
}

static int format_check(const struct st_env *env, const uint8_t *p, size_t size, const char *magic,
			struct pd_fail *fail)
{
	uint32_t mark;
	if (size < FORMAT_SIZE || memcmp(p, magic, 8))
		return pd_fail_set(fail, PD_E_FORMAT, env->name, "%s is not a file of proofd's", env->name);
	uint32_t version = pd_get_le32(p + 8);
	if (version != ST_FORMAT_VERSION)
		return pd_fail_set(fail, PD_E_FORMAT, env->name,
				   "%s has format version %" PRIu32
				   ", and this program reads and writes version %d only",
				   env->name, version, ST_FORMAT_VERSION);
	memcpy(&mark, p + 12, sizeof mark);
	if (mark != BYTE_ORDER_MARK)
		return pd_fail_set(fail, PD_E_FORMAT, env->name, "%s was written on a machine with another byte order",
				   env->name);
	return PD_OK;
}

static int open_dbi(const struct st_env *env, MDB_txn *txn, const char *name, unsigned flags, MDB_dbi *out,
		    struct pd_fail *fail)
{
	int rc = st_dbi_open(env, txn, name, flags, out);
	if (rc == MDB_NOTFOUND)
		return pd_fail_set(fail, PD_E_FORMAT, env->name, "%s has no table named %s", env->name, name);
	return rc ? st_env_fail(env, rc, "open a table", fail) : PD_OK;
}

/* Opens meta and looks at the format, or writes it into a file that is new. */
static int open_meta(struct st_store *store, const struct st_env *env, MDB_txn *txn, const char *magic, unsigned *flags,
		     MDB_dbi *meta, struct pd_fail *fail)
{
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
	rc = st_dbi_open(env, txn, "meta", *flags, meta);
	if (rc == MDB_NOTFOUND || rc == MDB_INCOMPATIBLE)
		return pd_fail_set(fail, PD_E_FORMAT, env->name, "%s is a file of LMDB's, but not of proofd's",
				   env->name);
	if (rc)
		return st_env_fail(env, rc, "open a table", fail);
	env->live->meta = *meta;
	if (fresh) {
		format_pack(format, magic);
		return st_put(env, txn, *meta, "format", 6, format, sizeof format, 0, fail);
	}
	rc = st_get(env, txn, *meta, "format", 6, format, sizeof format, &size, fail);
	if (rc == PD_E_NOT_FOUND)
		return pd_fail_set(fail, PD_E_FORMAT, env->name, "%s does not say what format it has", env->name);
	if (!rc)
		rc = format_check(env, format, size, magic, fail);
	return rc ? rc : st_txn_check(env, txn, fail);
}

int st_tables_open_work(struct st_store *store, MDB_txn *txn, struct pd_fail *fail)
{
	static const char *const names[] = {
#define X(id, name) name,
		ST_WORK_DBIS(X)
#undef X
	};
	unsigned flags;
	int rc = open_meta(store, &store->work, txn, format_work, &flags, &store->dbi[ST_META], fail);
	for (unsigned i = ST_META + 1; !rc && i < ST_WORK_COUNT; i++)
		rc = open_dbi(&store->work, txn, names[i], flags, &store->dbi[i], fail);
	if (!rc && flags) /* nothing has been counted yet */
		rc = st_counters_put(store, txn, &store->counters, fail);
	return rc;
}

int st_tables_open_facts(struct st_store *store, MDB_txn *txn, struct pd_fail *fail)
{
	unsigned flags;
	int rc = open_meta(store, &store->facts, txn, format_facts, &flags, &store->facts_meta, fail);
	if (!rc)
		rc = open_dbi(&store->facts, txn, "games", flags, &store->facts_games, fail);
	for (unsigned i = 0; !rc && i < ST_RUN_SLOTS; i++) {
		char name[16];
		snprintf(name, sizeof name, "run.%u", i);
		rc = open_dbi(&store->facts, txn, name, flags, &store->run[i], fail);
	}
	if (!rc && flags)
		rc = st_run_list_put(store, txn, &store->runs, fail); /* an empty one */
	return rc;
}

/* --- counters ----------------------------------------------------------------------------- */

int st_counters_put(struct st_store *store, MDB_txn *txn, const struct st_counters *counters, struct pd_fail *fail)
{
	uint8_t p[COUNTERS_SIZE];
	pd_put_le32(p, counters->next_job);
	pd_put_le32(p + 4, counters->next_game);
	pd_put_le64(p + 8, counters->next_log);
	pd_put_le64(p + 16, counters->dropped_log);
	pd_put_le32(p + 24, counters->jobs);
	return st_put_sealed(&store->work, txn, store->dbi[ST_META], "counters", 8, p, sizeof p, 0, fail);
}

bool st_counters_unpack(const uint8_t *p, size_t size, struct st_counters *out)
{
	if (size != COUNTERS_SIZE)
		return false;
	out->next_job = pd_get_le32(p);
	out->next_game = pd_get_le32(p + 4);
	out->next_log = pd_get_le64(p + 8);
	out->dropped_log = pd_get_le64(p + 16);
	out->jobs = pd_get_le32(p + 24);
	return true;
}

int st_counters_get(const struct st_store *store, MDB_txn *txn, struct st_counters *out, struct pd_fail *fail)
{
	uint8_t p[ST_SEAL + COUNTERS_SIZE];
	size_t size;
	*out = (struct st_counters){.next_job = 1, .next_game = 1, .next_log = 1};
	int rc = st_get_sealed(&store->work, txn, store->dbi[ST_META], "counters", 8, p, sizeof p, &size, fail);
	if (rc == PD_E_NOT_FOUND)
		return st_env_corrupt(&store->work, fail, "the counters are missing");
	if (rc)
		return rc;
	if (!st_counters_unpack(p, size, out))
		return st_env_corrupt(&store->work, fail, "the counters have %zu bytes instead of %d", size,
				      COUNTERS_SIZE);
	return PD_OK;
}
