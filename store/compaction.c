#include "store/compaction.h"

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "store/flush.h"
#include "store/run_slots.h"
#include "store/runs.h"
#include "store/store_state.h"
#include "store/txn.h"

enum { CLOCK_EVERY = 256 }; /* records between two looks at the clock */

void st_compaction_start(struct st_store *store, uint32_t first, uint32_t count)
{
	struct st_compaction *compaction = &store->compaction;
	PD_ASSERT(!compaction->active && count >= 2 && first + count <= store->runs.count);
	*compaction = (struct st_compaction){.count = count};
	memcpy(compaction->source, store->runs.run + first, count * sizeof *compaction->source);
	st_build_init(&compaction->build, st_run_slot_free(store));
	compaction->active = true;
}

static int publish_run(const struct st_store *store, MDB_txn *txn, const struct st_run *run, struct st_run_list *list,
		       struct pd_fail *fail)
{
	const struct st_compaction *compaction = &store->compaction;
	uint32_t at = 0;
	*list = store->runs;
	while (list->run[at].slot != compaction->source[0].slot)
		at++; /* a flush may have added newer runs before the sources */
	PD_ASSERT(at + compaction->count <= list->count);
	list->run[at] = *run;
	memmove(list->run + at + 1, list->run + at + compaction->count,
		(list->count - at - compaction->count) * sizeof *list->run);
	list->count -= compaction->count - 1;
	for (uint32_t i = 0; i < compaction->count; i++) {
		int rc = st_dbi_empty(&store->facts.env, txn, store->facts.run[compaction->source[i].slot], fail);
		if (rc)
			return rc;
	}
	return st_run_list_put(&store->facts, txn, list, fail);
}

/* Writes a share; *next becomes the compaction as it will be after the commit. */
static int copy_facts(struct st_store *store, struct st_builder *b, struct st_compaction *next, bool *last,
		      struct pd_fail *fail)
{
	const struct st_run_range range = {next->source, next->count, next->last, next->last_size};
	uint64_t until = pd_now_ns() + ST_STEP_NS;
	struct st_run_walk walk;
	MDB_val key, value;
	int rc = st_run_walk_open(&walk, &store->facts, b->txn, &range, fail);
	if (rc)
		return rc;
	*last = true;
	for (uint32_t n = 0; !rc && st_run_walk_get(&walk, &key, &value); n++) {
		PD_ASSERT(key.mv_size <= ST_DB_KEY_MAX);
		if (n == store->tuning.step_facts || (n % CLOCK_EVERY == CLOCK_EVERY - 1 && pd_now_ns() > until)) {
			*last = false;
			rc = st_builder_cut(b, key.mv_data, key.mv_size, fail);
			break;
		}
		next->last_size = (uint32_t)key.mv_size;
		memcpy(next->last, key.mv_data, key.mv_size);
		rc = st_builder_add(b, key.mv_data, key.mv_size, value.mv_data, value.mv_size, fail);
		if (!rc)
			rc = st_run_walk_next(&walk, fail);
	}
	if (!rc && *last)
		rc = st_builder_cut(b, NULL, 0, fail);
	st_run_walk_close(&walk);
	return rc;
}

int st_compaction_step(struct st_store *store, struct pd_fail *fail)
{
	struct st_compaction next = store->compaction;
	struct st_builder builder;
	struct st_run_list list;
	MDB_txn *txn;
	bool last = false;
	PD_ASSERT(store->compaction.active && !store->batch.open);
	int rc = st_txn_begin(&store->facts.env, false, &txn, fail);
	if (rc)
		return rc;
	rc = st_builder_open(&builder, &store->facts, txn, &next.build, fail);
	if (!rc)
		rc = copy_facts(store, &builder, &next, &last, fail);
	st_builder_close(&builder);
	next.build = builder.build;
	if (!rc && last)
		rc = publish_run(store, txn, &next.build.run, &list, fail);
	rc = st_txn_end(&store->facts.env, txn, rc, fail);
	if (rc)
		return rc;
	store->compaction = next;
	if (last) {
		store->compaction.active = false;
		st_run_published(store, &list);
	}
	return PD_OK;
}
