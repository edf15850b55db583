/* Merge: several runs that stand side by side in the list become one, in steps.
 *
 * Each step appends a share to the new run in a transaction of its own, behind the last key it wrote. The last step
 * puts the run in the place of its sources and empties them. Runs that a flush lists meanwhile are newer and stand
 * before them. An interrupted merge is forgotten at the next start. */
#include "store/internal.h"

#include <assert.h>
#include <string.h>

#include "proto/base/clock.h"

enum { CLOCK_EVERY = 256 }; /* records between two looks at the clock */

void st_compaction_start(struct st_store *store, uint32_t first, uint32_t count)
{
	struct st_compaction *merge = &store->merge;
	assert(!merge->active && count >= 2 && first + count <= store->runs.count);
	*merge = (struct st_compaction){.count = count};
	memcpy(merge->source, store->runs.run + first, count * sizeof *merge->source);
	st_build_init(&merge->build, st_run_slot_free(store));
	merge->active = true;
}

static int publish(const struct st_store *store, MDB_txn *txn, const struct st_run *run, struct st_run_list *list,
		   struct pd_fail *fail)
{
	const struct st_compaction *merge = &store->merge;
	uint32_t at = 0;
	*list = store->runs;
	while (list->run[at].slot != merge->source[0].slot)
		at++;
	list->run[at] = *run;
	memmove(list->run + at + 1, list->run + at + merge->count,
		(list->count - at - merge->count) * sizeof *list->run);
	list->count -= merge->count - 1;
	for (uint32_t i = 0; i < merge->count; i++) {
		int rc = st_dbi_empty(&store->facts, txn, store->run[merge->source[i].slot], fail);
		if (rc)
			return rc;
	}
	return st_run_list_put(store, txn, list, fail);
}

/* Writes a share; *next is the merge as it will be. */
static int copy(struct st_builder *b, struct st_compaction *next, uint64_t until, bool *last, struct pd_fail *fail)
{
	const struct st_store *store = b->store;
	struct st_run_walk walk;
	MDB_val key, value;
	int rc = st_run_walk_open(&walk, store, b->txn, next->source, next->count, next->last, next->last_size, fail);
	if (rc)
		return rc;
	*last = true;
	for (uint32_t n = 0; !rc && st_run_walk_get(&walk, &key, &value); n++) {
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
	struct st_compaction next = store->merge;
	struct st_builder builder;
	struct st_run_list list;
	MDB_txn *txn;
	bool last = false;
	int rc = st_txn_begin(&store->facts, false, &txn, fail);
	if (rc)
		return rc;
	rc = st_builder_open(&builder, store, txn, &next.build, fail);
	if (!rc)
		rc = copy(&builder, &next, pd_now_ns() + ST_STEP_NS, &last, fail);
	st_builder_close(&builder);
	next.build = builder.build;
	if (!rc && last)
		rc = publish(store, txn, &next.build.run, &list, fail);
	if (rc) {
		st_txn_abort(&store->facts, txn);
		return rc;
	}
	rc = st_txn_commit(&store->facts, txn, fail);
	if (rc)
		return rc;
	store->merge = next;
	if (last) {
		store->merge.active = false;
		st_run_published(store, &list);
	}
	return PD_OK;
}
