/* The facts of memtable and runs, merged and filtered, are written to a new run in steps, as in a compaction. The run
 * is invisible until the last transaction lists it as the only one, empties the others, and marks all blocks of the log
 * as contained in runs. A crash before that commit leaves the old facts, because the next start empties the unlisted
 * run.
 *
 * A failed rewrite leaves the store as it was. If the incomplete run cannot be emptied, its slot is noted as half_built
 * and emptied before it is used again. */
#include "store/rewrite.h"

#include "proto/base/assert.h"
#include "store/commit_repair.h"
#include "store/compaction.h"
#include "store/flush.h"
#include "store/games.h"
#include "store/pack.h"
#include "store/run_slots.h"
#include "store/reader.h"
#include "store/store_state.h"
#include "store/txn.h"

struct rewrite {
	struct st_store *store;
	st_fact_filter *filter;
	void *ctx;
	struct pd_fail *fail;
	struct pd_fact kept; /* of the current fact */

	struct st_memtable facts; /* in memory: the facts that replace all others */

	/* On disk: the step under way. */
	MDB_txn *txn; /* NULL: none */
	uint32_t in_step;
	struct st_builder builder; /* of the run that replaces all others */
};

static int no_memory(struct pd_fail *fail)
{
	return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory to rewrite the facts");
}

static int fail_as_full(struct rewrite *w, const char *what)
{
	return pd_fail_set(w->fail, PD_E_NO_SPACE, "", "cannot %s: as if the disk were full", what);
}

static int put_in_memory(struct rewrite *w, const uint8_t *key, size_t size)
{
	const struct st_fact_key fact_key = st_fact_key_of(key, size);
	if (st_fault_hit(&w->store->faults.put))
		return fail_as_full(w, "write a fact");
	return st_memtable_put(&w->facts, &fact_key, &w->kept, true) ? PD_OK : no_memory(w->fail);
}

static int step_begin(struct rewrite *w)
{
	PD_ASSERT(!w->txn);
	struct st_build build = w->builder.build;
	w->in_step = 0;
	int rc = st_txn_begin(&w->store->facts.env, false, &w->txn, w->fail);
	return rc ? rc : st_builder_open(&w->builder, &w->store->facts, w->txn, &build, w->fail);
}

static int step_commit(struct rewrite *w)
{
	MDB_txn *txn = w->txn;
	w->txn = NULL;
	st_builder_close(&w->builder);
	return st_txn_commit(&w->store->facts.env, txn, w->fail);
}

static int put_on_disk(struct rewrite *w, const uint8_t *key, size_t size)
{
	struct st_packed packed;
	int rc = PD_OK;
	if (w->in_step == w->store->tuning.step_facts) {
		rc = st_builder_cut(&w->builder, key, size, w->fail);
		if (!rc)
			rc = step_commit(w);
		if (!rc)
			rc = step_begin(w);
	}
	if (rc)
		return rc;
	if (!st_packed_make(&packed, &w->kept))
		return no_memory(w->fail);
	w->in_step++;
	rc = st_builder_add(&w->builder, key, size, packed.bytes, packed.size, w->fail);
	st_packed_fini(&packed);
	return rc;
}

static int visit_fact(void *ctx, uint32_t game, const uint8_t *key, size_t size, const struct pd_fact *fact)
{
	struct rewrite *w = ctx;
	uint8_t db_key[ST_DB_KEY_MAX];
	PD_ASSERT(size && size <= ST_KEY_MAX);
	if (!pd_fact_copy(&w->kept, fact))
		return no_memory(w->fail);
	int rc = w->filter(w->ctx, game, key, size, &w->kept);
	if (rc || !w->kept.count)
		return rc;
	pd_put_be32(db_key, game);
	memcpy(db_key + 4, key, size);
	return w->store->memory ? put_in_memory(w, db_key, size + 4) : put_on_disk(w, db_key, size + 4);
}

/* The last step: the new run, if there is anything in it, in place of all others. */
static int publish_run(struct rewrite *w, struct st_run_list *list)
{
	struct st_store *store = w->store;
	int rc = st_builder_cut(&w->builder, NULL, 0, w->fail);
	const struct st_run *run = &w->builder.build.run;
	if (!rc)
		rc = st_games_publish(store, w->txn, w->fail);
	for (uint32_t i = 0; !rc && i < store->runs.count; i++)
		rc = st_dbi_empty(&store->facts.env, w->txn, store->facts.run[store->runs.run[i].slot], w->fail);
	*list = (struct st_run_list){.merged = store->counters.next_log - 1, .count = run->entries > 0};
	list->run[0] = *run;
	if (!rc)
		rc = st_run_list_put(&store->facts, w->txn, list, w->fail);
	return rc ? rc : step_commit(w);
}

/* Completes a flush or compaction in progress, so that there is one list of runs and one memtable. */
static int settle_background(struct st_store *store, struct pd_fail *fail)
{
	int rc = PD_OK;
	while (!rc && store->flush.active)
		rc = st_flush_step(store, fail);
	while (!rc && store->compaction.active)
		rc = st_compaction_step(store, fail);
	return rc;
}

static void give_up(struct rewrite *w)
{
	struct st_store *store = w->store;
	struct pd_fail fail;
	MDB_txn *txn = w->txn;
	w->txn = NULL;
	st_builder_close(&w->builder);
	st_txn_abort(&store->facts.env, txn);
	if (st_commit_repair(store, &fail) || st_txn_begin(&store->facts.env, false, &txn, &fail))
		return;
	int rc = st_dbi_empty(&store->facts.env, txn, store->facts.run[w->builder.build.run.slot], &fail);
	if (!st_txn_end(&store->facts.env, txn, rc, &fail))
		store->upkeep.half_built = 0;
}

static int rewrite_memory(struct rewrite *w)
{
	struct st_store *store = w->store;
	if (!st_memtable_init(&w->facts))
		return no_memory(w->fail);
	int rc = st_fact_each(store->reader, visit_fact, w, w->fail);
	if (!rc && st_fault_hit(&store->faults.commit))
		rc = fail_as_full(w, "commit");
	struct st_memtable old = rc ? w->facts : store->memtable;
	if (!rc)
		store->memtable = w->facts;
	st_memtable_fini(&old);
	return rc;
}

static int rewrite_runs(struct rewrite *w)
{
	struct st_store *store = w->store;
	struct st_run_list list;
	int rc = st_commit_repair(store, w->fail);
	if (!rc)
		rc = settle_background(store, w->fail);
	if (rc)
		return rc;
	uint32_t slot = store->upkeep.half_built ? store->upkeep.half_built - 1 : st_run_slot_free(store);
	store->upkeep.half_built = slot + 1;
	st_build_init(&w->builder.build, slot);
	rc = step_begin(w);
	if (!rc)
		rc = st_dbi_empty(&store->facts.env, w->txn, store->facts.run[slot], w->fail);
	if (!rc)
		rc = st_fact_each(store->reader, visit_fact, w, w->fail);
	if (!rc)
		rc = publish_run(w, &list);
	if (rc) {
		give_up(w);
		return rc;
	}
	store->upkeep.half_built = 0;
	st_run_published(store, &list);
	st_memtable_clear(&store->memtable);
	return PD_OK;
}

int st_rewrite(struct st_store *store, st_fact_filter *filter, void *ctx, struct pd_fail *fail)
{
	struct rewrite w = {.store = store, .filter = filter, .ctx = ctx, .fail = fail};
	int rc = store->memory ? rewrite_memory(&w) : rewrite_runs(&w);
	pd_fact_fini(&w.kept);
	return rc;
}
