#include "store/run_slots.h"

#include "proto/base/assert.h"
#include "store/store_state.h"
#include "store/txn.h"

uint32_t st_run_slot_free(const struct st_store *store)
{
	uint32_t slot = 0;
	while (st_run_list_has(&store->runs, slot) || (store->flush.active && store->flush.build.run.slot == slot) ||
	       (store->compaction.active && store->compaction.build.run.slot == slot) ||
	       store->upkeep.half_built == slot + 1)
		slot++;
	PD_ASSERT(slot < ST_RUN_SLOTS);
	return slot;
}

int st_run_recover(struct st_store *store, MDB_txn *txn, struct pd_fail *fail)
{
	for (uint32_t slot = 0; slot < ST_RUN_SLOTS; slot++) {
		uint64_t blocks;
		int rc = st_dbi_count(&store->facts.env, txn, store->facts.run[slot], &blocks, fail);
		if (!rc && blocks && !st_run_list_has(&store->runs, slot))
			rc = st_dbi_empty(&store->facts.env, txn, store->facts.run[slot], fail);
		if (rc)
			return rc;
	}
	return PD_OK;
}

void st_stats_renew(struct st_store *store)
{
	uint64_t memtable = store->memtable.active_count + store->memtable.frozen_count, facts = memtable;
	for (uint32_t i = 0; i < store->runs.count; i++)
		facts += store->runs.run[i].entries;
	pd_mutex_lock(&store->lock);
	store->stats.facts = facts;
	store->stats.memtable = memtable;
	store->stats.runs = store->runs.count;
	pd_mutex_unlock(&store->lock);
}

void st_run_published(struct st_store *store, const struct st_run_list *list)
{
	PD_ASSERT(list->merged >= store->runs.merged && list->count <= ST_RUNS_MAX);
	store->upkeep.garbage |= list->merged > store->runs.merged; /* blocks of the log are obsolete */
	store->runs = *list;
	atomic_store(&store->runs_live, list->count);
	st_stats_renew(store);
}
