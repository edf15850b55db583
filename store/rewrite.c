/* Rewrite: all facts go through a filter, and what it leaves takes their place at once.
 *
 * The facts, delta and runs merged, are written to a new run in steps, as a merge does it; nobody sees that run before
 * it is listed. The last step's transaction lists it as the only one, empties those before it, and says that all blocks
 * of the fact log are contained in runs: from then on neither the log nor an old run can bring back what the filter
 * took out. A crash before that commit leaves the old facts (the unlisted run is emptied at the next start), a crash
 * after it the new ones.
 *
 * A rewrite that fails leaves the store as it was. If even the half-built run cannot be emptied then, it is noted as
 * spoiled: nothing else is built there before it was emptied. */
#include "store/internal.h"

#include <assert.h>
#include <string.h>

#include "proto/base/bytes.h"

struct rewrite {
	struct st_store *store;
	int (*filter)(void *ctx, uint32_t game, const uint8_t *key, size_t size, struct pd_fact *fact);
	void *ctx;
	struct pd_fail *fail;
	MDB_txn *txn; /* of the step under way; NULL: none, or in memory */
	uint32_t in_step;
	struct pd_fact left;        /* of the fact that is looked at */
	struct st_builder builder;  /* of the run that takes the place of all others */
	struct st_memtable *memory; /* in memory: the delta being built */
};

/* --- on disk ------------------------------------------------------------------------------ */

static int step_begin(struct rewrite *w)
{
	struct st_build build = w->builder.build;
	w->in_step = 0;
	int rc = st_txn_begin(&w->store->facts, false, &w->txn, w->fail);
	return rc ? rc : st_builder_open(&w->builder, w->store, w->txn, &build, w->fail);
}

static int step_commit(struct rewrite *w)
{
	MDB_txn *txn = w->txn;
	w->txn = NULL;
	st_builder_close(&w->builder);
	return st_txn_commit(&w->store->facts, txn, w->fail);
}

static int put(struct rewrite *w, const uint8_t *key, size_t size, const struct pd_fact *fact)
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
	if (!st_packed_make(&packed, fact))
		return pd_fail_set(w->fail, PD_E_NO_MEMORY, "", "no memory to rewrite the facts");
	w->in_step++;
	rc = st_builder_add(&w->builder, key, size, packed.bytes, packed.size, w->fail);
	st_packed_fini(&packed);
	return rc;
}

/* The last step: the new run, if there is anything in it, in the place of all others. */
static int publish(struct rewrite *w, struct st_run_list *list)
{
	struct st_store *store = w->store;
	int rc = st_builder_cut(&w->builder, NULL, 0, w->fail);
	const struct st_run *run = &w->builder.build.run;
	for (uint32_t i = 0; !rc && i < store->games_committed; i++)
		rc = st_game_put(&store->facts, w->txn, store->facts_games, &store->game[i], w->fail);
	for (uint32_t i = 0; !rc && i < store->runs.count; i++)
		rc = st_dbi_empty(&store->facts, w->txn, store->run[store->runs.run[i].slot], w->fail);
	*list = (struct st_run_list){.merged = store->counters.next_log - 1, .count = run->entries > 0};
	list->run[0] = *run;
	if (!rc)
		rc = st_run_list_put(store, w->txn, list, w->fail);
	return rc ? rc : step_commit(w);
}

/* What a flush or a merge has begun is brought to its end first: so there is one list of runs and one delta. */
static int settle(struct st_store *store, struct pd_fail *fail)
{
	int rc = PD_OK;
	while (!rc && store->flush.active)
		rc = st_flush_step(store, fail);
	while (!rc && store->merge.active)
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
	st_txn_abort(&store->facts, txn);
	if (st_commit_repair(store, &fail) || st_txn_begin(&store->facts, false, &txn, &fail))
		return;
	if (st_dbi_empty(&store->facts, txn, store->run[w->builder.build.run.slot], &fail))
		st_txn_abort(&store->facts, txn);
	else if (!st_txn_commit(&store->facts, txn, &fail))
		store->spoiled = 0;
}

/* --- either way --------------------------------------------------------------------------- */

static int visit(void *ctx, uint32_t game, const uint8_t *key, size_t size, const struct pd_fact *fact)
{
	struct rewrite *w = ctx;
	struct pd_fact *left = &w->left;
	uint8_t db_key[ST_DB_KEY_MAX];
	if (!pd_fact_copy(left, fact))
		return pd_fail_set(w->fail, PD_E_NO_MEMORY, "", "no memory to rewrite the facts");
	int rc = w->filter(w->ctx, game, key, size, left);
	if (rc || !left->count)
		return rc;
	pd_put_be32(db_key, game);
	memcpy(db_key + 4, key, size);
	size_t db_size = size + 4;
	if (w->txn)
		return put(w, db_key, db_size, left);
	if (st_fault_hit(&w->store->faults.put))
		return pd_fail_set(w->fail, PD_E_NO_SPACE, "", "cannot write a fact: as if the disk were full");
	if (!st_memtable_put(w->memory, st_key_hash(db_key, db_size), db_key, db_size, left, true))
		return pd_fail_set(w->fail, PD_E_NO_MEMORY, "", "no memory to rewrite the facts");
	return PD_OK;
}

static int rewrite_memory(struct rewrite *w)
{
	struct st_store *store = w->store;
	struct st_memtable next, old;
	if (!st_memtable_init(&next))
		return pd_fail_set(w->fail, PD_E_NO_MEMORY, "", "no memory to rewrite the facts");
	w->memory = &next;
	int rc = st_fact_each(store->reader, visit, w, w->fail);
	if (!rc && st_fault_hit(&store->faults.commit))
		rc = pd_fail_set(w->fail, PD_E_NO_SPACE, "", "cannot commit: as if full");
	old = rc ? next : store->memtable;
	if (!rc)
		store->memtable = next;
	st_memtable_fini(&old);
	return rc;
}

static int rewrite_disk(struct rewrite *w)
{
	struct st_store *store = w->store;
	struct st_run_list list;
	int rc = settle(store, w->fail);
	if (rc)
		return rc;
	uint32_t slot = store->spoiled ? store->spoiled - 1 : st_run_slot_free(store);
	store->spoiled = slot + 1;
	st_build_init(&w->builder.build, slot);
	rc = step_begin(w);
	if (!rc)
		rc = st_dbi_empty(&store->facts, w->txn, store->run[slot], w->fail);
	if (!rc)
		rc = st_fact_each(store->reader, visit, w, w->fail);
	if (!rc)
		rc = publish(w, &list);
	if (rc) {
		give_up(w);
		return rc;
	}
	store->spoiled = 0;
	st_run_published(store, &list);
	st_memtable_clear(&store->memtable);
	return PD_OK;
}

int st_facts_rewrite(struct st_store *store,
		     int (*filter)(void *ctx, uint32_t game, const uint8_t *key, size_t size, struct pd_fact *fact),
		     void *ctx, struct pd_fail *fail)
{
	struct rewrite w = {.store = store, .filter = filter, .ctx = ctx, .fail = fail};
	assert(!store->batch.open);
	if (store->read_only)
		return pd_fail_set(fail, PD_E_UNSUPPORTED, "data", "the data directory was opened for reading only");
	int rc = st_commit_repair(store, fail);
	if (!rc)
		rc = store->memory ? rewrite_memory(&w) : rewrite_disk(&w);
	pd_fact_fini(&w.left);
	st_stats_renew(store);
	return rc;
}
