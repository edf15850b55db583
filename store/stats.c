/* Statistics: see stats.h. */
#include "store/stats.h"

#include "proto/base/mutex.h"
#include "store/store_state.h"

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
