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
	struct st_run run;       /* being built */
	struct st_delta *memory; /* in memory: the delta being built */
};

/* --- on disk ------------------------------------------------------------------------------------------------------ */

static int step_begin(struct rewrite *w)
{
	w->in_step = 0;
	return st_txn_begin(&w->store->facts, false, &w->txn, w->fail);
}

static int step_commit(struct rewrite *w)
{
	MDB_txn *txn = w->txn;
	w->txn = NULL;
	return st_txn_commit(&w->store->facts, txn, w->fail);
}

static int empty(const struct st_store *store, MDB_txn *txn, uint32_t slot, struct pd_fail *fail)
{
	int rc = mdb_drop(txn, store->run[slot], 0);
	return rc ? st_env_fail(&store->facts, rc, "empty a run", fail) : PD_OK;
}

static int put(struct rewrite *w, const uint8_t *key, size_t size, const struct pd_fact *fact)
{
	uint8_t packed[ST_FACT_PACKED_MAX];
	struct st_store *store = w->store;
	int rc = PD_OK;
	if (w->in_step == store->tuning.step_facts) {
		rc = step_commit(w);
		if (!rc)
			rc = step_begin(w);
	}
	if (rc)
		return rc;
	size_t packed_size = st_fact_pack(packed, fact);
	w->in_step++;
	w->run.entries++;
	w->run.sum += st_run_hash(key, size, packed, packed_size);
	return st_put(&store->facts, w->txn, store->run[w->run.slot], key, size, packed, packed_size, MDB_APPEND,
		      w->fail);
}

/* The last step: the new run, if there is anything in it, in the place of all others. */
static int publish(struct rewrite *w, struct st_run_list *list)
{
	struct st_store *store = w->store;
	int rc = PD_OK;
	for (uint32_t i = 0; !rc && i < store->games_committed; i++)
		rc = st_game_put(&store->facts, w->txn, store->facts_games, &store->game[i], w->fail);
	for (uint32_t i = 0; !rc && i < store->runs.count; i++)
		rc = empty(store, w->txn, store->runs.run[i].slot, w->fail);
	*list = (struct st_run_list){.merged = store->counters.next_log - 1, .count = w->run.entries > 0};
	list->run[0] = w->run;
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
		rc = st_merge_step(store, fail);
	return rc;
}

static void give_up(struct rewrite *w)
{
	struct st_store *store = w->store;
	struct pd_fail fail;
	if (w->txn)
		mdb_txn_abort(w->txn);
	w->txn = NULL;
	if (st_txn_begin(&store->facts, false, &w->txn, &fail))
		return;
	if (empty(store, w->txn, w->run.slot, &fail)) {
		mdb_txn_abort(w->txn);
		return;
	}
	if (!step_commit(w))
		store->spoiled = 0;
}

/* --- either way --------------------------------------------------------------------------------------------------- */

static int visit(void *ctx, uint32_t game, const uint8_t *key, size_t size, const struct pd_fact *fact)
{
	struct rewrite *w = ctx;
	struct pd_fact left = *fact;
	uint8_t db_key[ST_DB_KEY_MAX];
	int rc = w->filter(w->ctx, game, key, size, &left);
	if (rc || !left.count)
		return rc;
	pd_put_be32(db_key, game);
	memcpy(db_key + 4, key, size);
	size_t db_size = size + 4;
	if (w->txn)
		return put(w, db_key, db_size, &left);
	if (st_fault_hit(&w->store->faults.put))
		return pd_fail_set(w->fail, PD_E_NO_SPACE, "", "cannot write a fact: as if the disk were full");
	if (!st_delta_put(w->memory, st_key_hash(db_key, db_size), db_key, db_size, &left, true))
		return pd_fail_set(w->fail, PD_E_NO_MEMORY, "", "no memory to rewrite the facts");
	return PD_OK;
}

static int rewrite_memory(struct rewrite *w)
{
	struct st_store *store = w->store;
	struct st_delta next, old;
	if (!st_delta_init(&next))
		return pd_fail_set(w->fail, PD_E_NO_MEMORY, "", "no memory to rewrite the facts");
	w->memory = &next;
	int rc = st_fact_each(store->reader, visit, w, w->fail);
	if (!rc && st_fault_hit(&store->faults.commit))
		rc = pd_fail_set(w->fail, PD_E_NO_SPACE, "", "cannot commit: as if full");
	old = rc ? next : store->delta;
	if (!rc)
		store->delta = next;
	st_delta_fini(&old);
	return rc;
}

static int rewrite_disk(struct rewrite *w)
{
	struct st_store *store = w->store;
	struct st_run_list list;
	int rc = settle(store, w->fail);
	if (rc)
		return rc;
	w->run.slot = store->spoiled ? store->spoiled - 1 : st_run_slot_free(store);
	store->spoiled = w->run.slot + 1;
	rc = step_begin(w);
	if (!rc)
		rc = empty(store, w->txn, w->run.slot, w->fail);
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
	st_delta_clear(&store->delta);
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
	int rc = store->memory ? rewrite_memory(&w) : rewrite_disk(&w);
	st_stats_renew(store);
	return rc;
}
