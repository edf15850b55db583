#include "store/flush.h"

#include <stdlib.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "store/games.h"
#include "store/pack.h"
#include "store/run_slots.h"
#include "store/runs.h"
#include "store/store_state.h"
#include "store/txn.h"

enum { CLOCK_EVERY = 256 }; /* records between two looks at the clock */

/* The shards that still have records, the one with the smallest key first. */
struct heap {
	const struct st_flush *flush;
	uint32_t next[ST_SHARDS]; /* flush->next as of the commit */
	uint8_t shard[ST_SHARDS];
	unsigned count;
};

void st_flush_start(struct st_store *store)
{
	struct st_flush *flush = &store->flush;
	PD_ASSERT(!store->memtable.is_frozen && store->memtable.active_count);
	PD_ASSERT(!flush->active && !store->batch.open);
	*flush = (struct st_flush){.last_log = store->counters.next_log - 1};
	st_build_init(&flush->build, st_run_slot_free(store));
	flush->active = true;
	st_memtable_freeze(&store->memtable);
}

void st_flush_fini(struct st_store *store)
{
	struct st_flush *flush = &store->flush;
	for (unsigned i = 0; i < flush->sorted; i++)
		free(flush->record[i]);
	*flush = (struct st_flush){0};
}

static const struct st_record *head_of(const struct heap *heap, unsigned shard)
{
	PD_DEBUG_ASSERT(heap->next[shard] < heap->flush->count[shard]);
	return heap->flush->record[shard][heap->next[shard]];
}

static bool heap_precedes(const struct heap *heap, unsigned a, unsigned b)
{
	const struct st_record *x = head_of(heap, heap->shard[a]), *y = head_of(heap, heap->shard[b]);
	return st_key_compare(x->bytes, x->key_size, y->bytes, y->key_size) < 0;
}

static void heap_sink(struct heap *heap, unsigned i)
{
	for (;;) {
		unsigned least = i, left = 2 * i + 1, right = left + 1;
		if (left < heap->count && heap_precedes(heap, left, least))
			least = left;
		if (right < heap->count && heap_precedes(heap, right, least))
			least = right;
		if (least == i)
			return;
		uint8_t t = heap->shard[i];
		heap->shard[i] = heap->shard[least];
		heap->shard[least] = t;
		i = least;
	}
}

static void heap_init(struct heap *heap, const struct st_flush *flush)
{
	heap->flush = flush;
	heap->count = 0;
	memcpy(heap->next, flush->next, sizeof heap->next);
	for (unsigned i = 0; i < ST_SHARDS; i++)
		if (heap->next[i] < flush->count[i])
			heap->shard[heap->count++] = (uint8_t)i;
	for (unsigned i = heap->count / 2; i-- > 0;)
		heap_sink(heap, i);
}

static void heap_pop(struct heap *heap)
{
	PD_ASSERT(heap->count);
	unsigned shard = heap->shard[0];
	if (++heap->next[shard] == heap->flush->count[shard])
		heap->shard[0] = heap->shard[--heap->count];
	heap_sink(heap, 0);
}

/* Sorts shards until the time is up; true when all are sorted. */
static int sort_shards(struct st_store *store, uint64_t until, bool *done, struct pd_fail *fail)
{
	struct st_flush *flush = &store->flush;
	while (flush->sorted < ST_SHARDS && pd_now_ns() < until) {
		unsigned i = flush->sorted;
		flush->record[i] = st_memtable_frozen(&store->memtable, i, &flush->count[i]);
		if (!flush->record[i])
			return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory to sort facts");
		flush->sorted++;
	}
	*done = flush->sorted == ST_SHARDS;
	return PD_OK;
}

/* Puts a record that was replayed at start, with the reasons of older runs. */
static int put_with_older(const struct st_store *store, struct st_builder *b, struct st_finder *finder,
			  const struct st_record *r, struct pd_fail *fail)
{
	const struct st_run_snapshot runs = {&store->facts, b->txn, &store->runs};
	struct pd_fact fact, older;
	struct st_packed packed = {.many = NULL};
	pd_fact_init(&fact);
	pd_fact_init(&older);
	int rc = st_fact_decode(st_record_fact(r), r->fact_size, &fact);
	if (!rc && st_run_find(finder, &runs, (struct st_data){r->bytes, r->key_size}, &older, fail) < 0) {
		rc = fail->code;
	} else {
		rc = rc ? rc : st_fact_union(&fact, &older);
		if (!rc && !st_packed_make(&packed, &fact))
			rc = PD_E_NO_MEMORY;
		if (rc)
			st_fact_fail(rc, store->facts.env.name, fail);
	}
	if (!rc)
		rc = st_builder_add(b, r->bytes, r->key_size, packed.bytes, packed.size, fail);
	st_packed_fini(&packed);
	pd_fact_fini(&fact);
	pd_fact_fini(&older);
	return rc;
}

static int put_record(const struct st_store *store, struct st_builder *b, struct st_finder *finder,
		      const struct st_record *r, struct pd_fail *fail)
{
	return r->complete ? st_builder_add(b, r->bytes, r->key_size, st_record_fact(r), r->fact_size, fail)
			   : put_with_older(store, b, finder, r, fail);
}

/* Writes a share of the records; *heap and the builder are then as of the commit. */
static int write_share(const struct st_store *store, struct st_builder *b, struct heap *heap, uint64_t until,
		       struct pd_fail *fail)
{
	struct st_finder finder = {.active = 0};
	int rc = PD_OK;
	for (uint32_t n = 0; !rc && heap->count && n < store->tuning.step_facts; n++) {
		if (n % CLOCK_EVERY == CLOCK_EVERY - 1 && pd_now_ns() > until)
			break;
		rc = put_record(store, b, &finder, head_of(heap, heap->shard[0]), fail);
		heap_pop(heap);
	}
	if (!rc) {
		const struct st_record *next = heap->count ? head_of(heap, heap->shard[0]) : NULL;
		rc = st_builder_cut(b, next ? next->bytes : NULL, next ? next->key_size : 0, fail);
	}
	st_finder_fini(&finder, &store->facts);
	return rc;
}

/* Lists the run, and copies the games, so that a reader of facts.mdb needs nothing else. */
static int publish_run(const struct st_store *store, MDB_txn *txn, const struct st_run *run, struct st_run_list *list,
		       struct pd_fail *fail)
{
	PD_ASSERT(store->runs.count < ST_RUNS_MAX && store->flush.last_log >= store->runs.merged);
	int rc = st_games_publish(store, txn, fail);
	*list = store->runs;
	memmove(list->run + 1, list->run, list->count * sizeof *list->run);
	list->run[0] = *run;
	list->count++;
	list->merged = store->flush.last_log;
	return rc ? rc : st_run_list_put(&store->facts, txn, list, fail);
}

int st_flush_step(struct st_store *store, struct pd_fail *fail)
{
	struct st_flush *flush = &store->flush;
	struct heap heap;
	struct st_builder builder;
	struct st_run_list list;
	struct pd_fail local;
	MDB_txn *txn;
	uint64_t until = pd_now_ns() + ST_STEP_NS;
	bool sorted = false;
	PD_ASSERT(flush->active && store->memtable.is_frozen && !store->batch.open);
	fail = fail ? fail : &local;
	int rc = sort_shards(store, until, &sorted, fail);
	if (rc || !sorted)
		return rc;
	rc = st_txn_begin(&store->facts.env, false, &txn, fail);
	if (rc)
		return rc;
	heap_init(&heap, flush);
	rc = st_builder_open(&builder, &store->facts, txn, &flush->build, fail);
	if (!rc)
		rc = write_share(store, &builder, &heap, until, fail);
	st_builder_close(&builder);
	bool last = !heap.count;
	if (!rc && last)
		rc = publish_run(store, txn, &builder.build.run, &list, fail);
	rc = st_txn_end(&store->facts.env, txn, rc, fail);
	if (rc)
		return rc;
	flush->build = builder.build;
	memcpy(flush->next, heap.next, sizeof flush->next);
	if (last) {
		st_run_published(store, &list); /* readers must know of the run before the memtable drops the facts */
		st_flush_fini(store);
		st_memtable_drop_frozen(&store->memtable);
		st_stats_renew(store);
	}
	return PD_OK;
}
