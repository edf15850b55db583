#include "store/schedule.h"

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "store/commit_repair.h"
#include "store/compaction.h"
#include "store/flush.h"
#include "store/games.h"
#include "store/gc.h"
#include "store/run_slots.h"
#include "store/store_state.h"
#include "store/txn.h"
#include "store/wal.h"

enum {
	RUNS_MANY = 12,      /* more runs are always compacted */
	RUN_SMALL = 1 << 18, /* records of a run that may be rewritten at any time: ten megabytes */
	GC_STEP = 8192,      /* blocks that one call deletes: tens of milliseconds */
	READERS_CHECK_S = 60
};

const struct st_tuning st_tuning_default = {
	.flush_facts = 1 << 20,
	.flush_bytes = UINT64_C(1) << 28,
	.step_facts = 1 << 16,
	.compaction_width = 4,
};

enum work { NOTHING, FLUSH, COMPACT, COLLECT_GARBAGE };

/* How many runs to compact, from the newest on; 0: none. */
static uint32_t pick_runs(const struct st_store *store, bool idle)
{
	const struct st_run_list *list = &store->runs;
	if (list->count < 2)
		return 0;
	uint64_t sum = list->run[0].entries, rest = 0;
	uint32_t n = 1;
	while (n < list->count && list->run[n].entries <= sum)
		sum += list->run[n++].entries;
	if (n > 1 && n >= store->tuning.compaction_width)
		return n;
	if (list->count > RUNS_MANY)
		return n > list->count / 2 ? n : list->count / 2;
	if (!idle)
		return 0;
	uint64_t oldest = list->run[list->count - 1].entries;
	for (uint32_t i = 0; i + 1 < list->count; i++)
		rest += list->run[i].entries;
	if (oldest <= RUN_SMALL || rest >= oldest / 8)
		return list->count;
	return list->count > 2 ? list->count - 1 : 0;
}

/* Bytes that records take, with their places in the hash table, which is at least half full. */
static uint64_t memory_of(uint64_t bytes, uint64_t count)
{
	return bytes + 2 * count * (sizeof(struct st_slot) + 1);
}

bool st_facts_pressing(const struct st_store *store)
{
	const struct st_memtable *memtable = &store->memtable;
	uint64_t frozen = memory_of(memtable->frozen.bytes, memtable->frozen_count);
	return memtable->is_frozen && !store->read_only &&
	       frozen + memory_of(memtable->active.bytes, memtable->active_count) > 2 * store->tuning.flush_bytes;
}

static enum work next_work(const struct st_store *store, bool idle)
{
	const struct st_memtable *memtable = &store->memtable;
	if (store->flush.active)
		return FLUSH;
	bool full = memtable->active_count >= store->tuning.flush_facts ||
		    memory_of(memtable->active.bytes, memtable->active_count) >= store->tuning.flush_bytes;
	if (memtable->active_count && (full || idle) && store->runs.count < ST_RUNS_MAX)
		return FLUSH;
	if (store->compaction.active || pick_runs(store, idle))
		return COMPACT;
	return store->upkeep.garbage && !store->upkeep.garbage_stuck ? COLLECT_GARBAGE : NOTHING;
}

static int gc_share(struct st_store *store, struct pd_fail *fail)
{
	PD_ASSERT(!store->batch.open && !store->read_only);
	struct st_counters counters = store->counters;
	MDB_txn *txn;
	bool left = false;
	int rc = st_txn_begin(&store->work.env, false, &txn, fail);
	if (rc)
		return rc;
	rc = st_gc_step(store, txn, &counters, GC_STEP, &left, fail);
	store->upkeep.garbage_stuck = rc == PD_E_CORRUPT;
	if (!rc && counters.dropped_log != store->counters.dropped_log)
		rc = st_counters_put(&store->work, txn, &counters, fail);
	rc = st_txn_end(&store->work.env, txn, rc, fail);
	if (rc)
		return rc;
	store->counters = counters;
	store->upkeep.garbage = left;
	return PD_OK;
}

/* Removes from the memtable facts of the log that are in runs now. The writer flushes while it adds facts, so there may
 * be no moment at which all of them are in runs: the older half of the memtable is dropped when the log is merged up to
 * its last block, and the newer half takes its place. It never holds more than the log between three flushes. */
static void forget_merged(struct st_store *store, uint64_t merged)
{
	struct st_memtable *memtable = &store->memtable;
	PD_ASSERT(store->read_only && store->follower.frozen_log <= store->follower.followed_log);
	if (merged >= store->follower.followed_log) { /* or a rewrite removed it */
		st_memtable_clear(memtable);
		store->follower.followed_log = merged;
		store->follower.frozen_log = 0;
	} else if (merged >= store->follower.frozen_log) {
		if (memtable->is_frozen)
			st_memtable_drop_frozen(memtable);
		st_memtable_freeze(memtable);
		store->follower.frozen_log = store->follower.followed_log;
	}
}

/* Read-only: follows the writer. */
static int follow_writer(struct st_store *store, struct pd_fail *fail)
{
	struct st_run_list list;
	MDB_txn *txn;
	int rc = st_env_in_place(&store->facts.env, fail);
	if (!rc)
		rc = st_env_in_place(&store->work.env, fail);
	if (!rc)
		rc = st_txn_begin(&store->facts.env, true, &txn, fail);
	if (rc)
		return rc;
	rc = st_run_list_get(&store->facts, txn, &list, fail);
	st_txn_abort(&store->facts.env, txn);
	if (rc)
		return rc;
	store->runs = list;
	forget_merged(store, list.merged);
	rc = st_txn_begin(&store->work.env, true, &txn, fail);
	if (rc)
		return rc;
	rc = st_games_load(store, txn, fail);
	st_txn_abort(&store->work.env, txn);
	if (!rc)
		rc = st_wal_replay(store, store->follower.followed_log, &store->follower.followed_log, fail);
	st_stats_renew(store);
	return rc;
}

/* Readers of killed processes would prevent old pages from being used again. */
static void check_readers(struct st_store *store)
{
	uint64_t now = pd_now_ns();
	if (now - store->upkeep.checked_readers_ns < READERS_CHECK_S * UINT64_C(1000000000))
		return;
	store->upkeep.checked_readers_ns = now;
	st_env_readers(&store->work.env);
	st_env_readers(&store->facts.env);
}

int st_schedule_step(struct st_store *store, bool idle, struct pd_fail *fail)
{
	int rc = PD_OK;
	if (store->read_only)
		return follow_writer(store, fail) ? -1 : 0;
	if (st_commit_repair(store, fail))
		return -1;
	check_readers(store);
	switch (next_work(store, idle)) {
	case NOTHING:
		return 0;
	case FLUSH:
		if (!store->flush.active)
			st_flush_start(store);
		rc = st_flush_step(store, fail);
		break;
	case COMPACT:
		if (!store->compaction.active)
			st_compaction_start(store, 0, pick_runs(store, idle));
		rc = st_compaction_step(store, fail);
		break;
	case COLLECT_GARBAGE:
		rc = gc_share(store, fail);
		break;
	}
	if (rc) {
		struct pd_fail later;
		st_commit_repair(store, &later);
		return -1;
	}
	return next_work(store, idle) != NOTHING;
}
