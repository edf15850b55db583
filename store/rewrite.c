/* Rewrite on disk: the facts of memtable and runs, merged and filtered, are written to a new run in steps, as in a
 * compaction. The run is invisible until the last transaction lists it as the only one, empties the others, and says
 * that all blocks of the log are contained in runs: from then on neither the log nor an old run can bring a removed
 * fact back. A crash before that commit leaves the old facts (the next start empties the unlisted run), a crash after
 * it the new ones.
 *
 * A failed rewrite leaves the store as it was. If even the incomplete run cannot be emptied, its slot is noted as
 * half_built: it is emptied before it is used again. */
#include "store/rewrite.h"

#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/bytes.h"
#include "store/build.h"
#include "store/commit_repair.h"
#include "store/compaction.h"
#include "store/flush.h"
#include "store/game_numbers.h"
#include "store/pack.h"
#include "store/run_slots.h"
#include "store/store_state.h"
#include "store/txn.h"
#include "store/reader.h"

static int visit_fact(void *ctx, uint32_t game, const uint8_t *key, size_t size, const struct pd_fact *fact)
{
	struct st_rewrite *w = ctx;
	uint8_t db_key[ST_DB_KEY_MAX];
	PD_ASSERT(size && size <= ST_KEY_MAX);
	if (!pd_fact_copy(&w->kept, fact))
		return pd_fail_set(w->fail, PD_E_NO_MEMORY, "", "no memory to rewrite the facts");
	int rc = w->filter(w->ctx, game, key, size, &w->kept);
	if (rc || !w->kept.count)
		return rc;
	pd_put_be32(db_key, game);
	memcpy(db_key + 4, key, size);
	return w->put(w, db_key, size + 4, &w->kept);
}

int st_rewrite_each(struct st_rewrite *w)
{
	return st_fact_each(w->store->reader, visit_fact, w, w->fail);
}

/* On disk: the step under way. */
struct disk {
	MDB_txn *txn; /* NULL: none */
	uint32_t in_step;
	struct st_builder builder; /* of the run that replaces all others */
};

static int step_begin(struct st_rewrite *w)
{
	struct disk *d = w->to;
	PD_ASSERT(!d->txn);
	struct st_build build = d->builder.build;
	d->in_step = 0;
	int rc = st_txn_begin(&w->store->facts.env, false, &d->txn, w->fail);
	return rc ? rc : st_builder_open(&d->builder, &w->store->facts, d->txn, &build, w->fail);
}

static int step_commit(struct st_rewrite *w)
{
	struct disk *d = w->to;
	MDB_txn *txn = d->txn;
	d->txn = NULL;
	st_builder_close(&d->builder);
	return st_txn_commit(&w->store->facts.env, txn, w->fail);
}

static int put_fact(struct st_rewrite *w, const uint8_t *key, size_t size, const struct pd_fact *fact)
{
	struct disk *d = w->to;
	struct st_packed packed;
	int rc = PD_OK;
	if (d->in_step == w->store->tuning.step_facts) {
		rc = st_builder_cut(&d->builder, key, size, w->fail);
		if (!rc)
			rc = step_commit(w);
		if (!rc)
			rc = step_begin(w);
	}
	if (rc)
		return rc;
	if (!st_packed_make(&packed, fact))
		return pd_fail_set(w->fail, PD_E_NO_MEMORY, "", "no memory to rewrite the facts");
	d->in_step++;
	rc = st_builder_add(&d->builder, key, size, packed.bytes, packed.size, w->fail);
	st_packed_fini(&packed);
	return rc;
}

/* The last step: the new run, if there is anything in it, in the place of all others. */
static int publish_run(struct st_rewrite *w, struct st_run_list *list)
{
	struct disk *d = w->to;
	struct st_store *store = w->store;
	int rc = st_builder_cut(&d->builder, NULL, 0, w->fail);
	const struct st_run *run = &d->builder.build.run;
	for (uint32_t i = 0; !rc && i < store->games_committed; i++)
		rc = st_game_put(&store->facts.env, d->txn, store->facts.games, &store->game[i], w->fail);
	for (uint32_t i = 0; !rc && i < store->runs.count; i++)
		rc = st_dbi_empty(&store->facts.env, d->txn, store->facts.run[store->runs.run[i].slot], w->fail);
	*list = (struct st_run_list){.merged = store->counters.next_log - 1, .count = run->entries > 0};
	list->run[0] = *run;
	if (!rc)
		rc = st_run_list_put(&store->facts, d->txn, list, w->fail);
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

static void give_up(struct st_rewrite *w)
{
	struct disk *d = w->to;
	struct st_store *store = w->store;
	struct pd_fail fail;
	MDB_txn *txn = d->txn;
	d->txn = NULL;
	st_builder_close(&d->builder);
	st_txn_abort(&store->facts.env, txn);
	if (st_commit_repair(store, &fail) || st_txn_begin(&store->facts.env, false, &txn, &fail))
		return;
	if (st_dbi_empty(&store->facts.env, txn, store->facts.run[d->builder.build.run.slot], &fail))
		st_txn_abort(&store->facts.env, txn);
	else if (!st_txn_commit(&store->facts.env, txn, &fail))
		store->upkeep.half_built = 0;
}

int st_rewrite_runs(struct st_rewrite *w)
{
	struct disk d = {.txn = NULL};
	struct st_store *store = w->store;
	struct st_run_list list;
	w->put = put_fact;
	w->to = &d;
	int rc = st_commit_repair(store, w->fail);
	if (!rc)
		rc = settle_background(store, w->fail);
	if (rc)
		return rc;
	uint32_t slot = store->upkeep.half_built ? store->upkeep.half_built - 1 : st_run_slot_free(store);
	store->upkeep.half_built = slot + 1;
	st_build_init(&d.builder.build, slot);
	rc = step_begin(w);
	if (!rc)
		rc = st_dbi_empty(&store->facts.env, d.txn, store->facts.run[slot], w->fail);
	if (!rc)
		rc = st_rewrite_each(w);
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
