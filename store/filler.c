#include "store/filler.h"

#include "proto/base/assert.h"
#include "store/moment.h"
#include "store/store_state.h"
#include "store/txn.h"
#include "store/store.h"

enum { WEIGHT_MAX = 32 << 20 }; /* bytes of one transaction */

int st_filler_open(struct st_filler *f, const char *dir, struct pd_fail *fail)
{
	*f = (struct st_filler){.store = NULL};
	int rc = st_open(dir, 0, &f->store, fail);
	PD_ASSERT(rc || (!f->store->runs.count && f->store->counters.next_log == 1));
	return rc;
}

static int commit_both(struct st_filler *f, struct pd_fail *fail)
{
	MDB_txn *work = f->work, *facts = f->facts;
	int rc = PD_OK;
	f->work = f->facts = NULL;
	f->weight = 0;
	if (facts)
		rc = st_txn_commit(&f->store->facts.env, facts, fail);
	if (work && rc)
		st_txn_abort(&f->store->work.env, work);
	else if (work)
		rc = st_txn_commit(&f->store->work.env, work, fail);
	return rc;
}

int st_filler_put(struct st_filler *f, uint32_t table, struct st_data key, struct st_data value, struct pd_fail *fail)
{
	bool meta = table == ST_META || table == ST_TABLE_FACTS_META; /* their records exist from the creation on */
	bool facts = table >= ST_TABLE_FACTS_META;
	struct st_env *env = facts ? &f->store->facts.env : &f->store->work.env;
	MDB_txn **txn = facts ? &f->facts : &f->work;
	int rc = f->weight >= WEIGHT_MAX ? commit_both(f, fail) : PD_OK;
	if (!rc && !*txn)
		rc = st_txn_begin(env, false, txn, fail);
	if (!rc)
		rc = st_put((struct st_place){env, *txn, st_table_dbi(f->store, table)}, key, value,
			    meta ? 0 : MDB_APPEND, fail);
	f->weight += key.size + value.size;
	f->bytes += key.size + value.size;
	f->records++;
	return rc;
}

static void keep_first(void *ctx, const char *text)
{
	struct pd_fail *fail = ctx;
	if (!fail->code)
		pd_fail_set(fail, PD_E_CORRUPT, "data", "the new directory is not sound: %.200s", text);
}

static int check_directory(const char *dir, struct pd_fail *fail)
{
	struct st_store *store;
	struct pd_fail problem = {.code = 0};
	int rc = st_open(dir, ST_READ_ONLY, &store, fail);
	if (rc)
		return rc;
	int64_t problems = st_check(store, keep_first, &problem, fail);
	st_close(store);
	if (problems > 0 && fail)
		*fail = problem;
	return problems < 0 ? fail->code : problems ? PD_E_CORRUPT : PD_OK;
}

int st_filler_finish(struct st_filler *f, const char *dir, struct pd_fail *fail)
{
	int rc = commit_both(f, fail);
	st_filler_close(f);
	return rc ? rc : check_directory(dir, fail);
}

void st_filler_close(struct st_filler *f)
{
	if (!f->store)
		return;
	st_txn_abort(&f->store->work.env, f->work);
	st_txn_abort(&f->store->facts.env, f->facts);
	st_close(f->store);
	f->store = NULL;
	f->work = f->facts = NULL;
}
