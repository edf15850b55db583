/* Runs: the facts on disk, in databases of blocks (runblock.h) that are built once in key order and never changed.
 *
 * meta/"runs" of the facts environment lists the live ones, newest first. A record in a newer run holds all that older
 * ones say about its position, so a look-up ends at the first hit. The databases run.0 .. run.23 exist from the start:
 * a flush or merge fills an empty one and lists it in the transaction that completes it, and the runs it replaces are
 * emptied in the same transaction. So opening handles never meets a transaction, and whoever reads sees a list and runs
 * that belong together, in this process or another. */
#include "store/internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/bytes.h"

enum { LIST_HEAD = 12, LIST_RUN = 28 };

/* --- the list ----------------------------------------------------------------------------- */

bool st_run_list_unpack(const uint8_t *p, size_t size, struct st_run_list *out)
{
	uint32_t used = 0;
	if (size < LIST_HEAD)
		return false;
	*out = (struct st_run_list){.merged = pd_get_le64(p), .count = pd_get_le32(p + 8)};
	if (out->count > ST_RUNS_MAX || size != LIST_HEAD + (size_t)out->count * LIST_RUN)
		return false;
	for (uint32_t i = 0; i < out->count; i++) {
		const uint8_t *q = p + LIST_HEAD + i * LIST_RUN;
		struct st_run *run = &out->run[i];
		*run = (struct st_run){.slot = pd_get_le32(q),
				       .id = pd_get_le64(q + 4),
				       .entries = pd_get_le64(q + 12),
				       .blocks = pd_get_le64(q + 20)};
		if (run->slot >= ST_RUN_SLOTS || used >> run->slot & 1 || !run->blocks || run->entries < run->blocks)
			return false;
		used |= 1u << run->slot;
	}
	return true;
}

int st_run_list_get(const struct st_store *store, MDB_txn *txn, struct st_run_list *out, struct pd_fail *fail)
{
	uint8_t record[ST_SEAL + LIST_HEAD + ST_RUNS_MAX * LIST_RUN];
	size_t size;
	*out = (struct st_run_list){0};
	int rc = st_get_sealed(&store->facts, txn, store->facts_meta, "runs", 4, record, sizeof record, &size, fail);
	if (rc == PD_E_NOT_FOUND)
		return st_env_corrupt(&store->facts, fail, "the list of runs is missing");
	if (!rc && !st_run_list_unpack(record, size, out))
		return st_env_corrupt(&store->facts, fail, "the list of runs does not decode");
	return rc;
}

int st_run_list_put(const struct st_store *store, MDB_txn *txn, const struct st_run_list *list, struct pd_fail *fail)
{
	uint8_t record[LIST_HEAD + ST_RUNS_MAX * LIST_RUN];
	pd_put_le64(record, list->merged);
	pd_put_le32(record + 8, list->count);
	for (uint32_t i = 0; i < list->count; i++) {
		uint8_t *q = record + LIST_HEAD + i * LIST_RUN;
		pd_put_le32(q, list->run[i].slot);
		pd_put_le64(q + 4, list->run[i].id);
		pd_put_le64(q + 12, list->run[i].entries);
		pd_put_le64(q + 20, list->run[i].blocks);
	}
	return st_put_sealed(&store->facts, txn, store->facts_meta, "runs", 4, record,
			     LIST_HEAD + list->count * LIST_RUN, 0, fail);
}

static bool live(const struct st_run_list *list, uint32_t slot)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (list->run[i].slot == slot)
			return true;
	return false;
}

uint32_t st_run_slot_free(const struct st_store *store)
{
	uint32_t slot = 0;
	while (live(&store->runs, slot) || (store->flush.active && store->flush.build.run.slot == slot) ||
	       (store->merge.active && store->merge.build.run.slot == slot) || store->spoiled == slot + 1)
		slot++;
	assert(slot < ST_RUN_SLOTS);
	return slot;
}

int st_run_recover(struct st_store *store, MDB_txn *txn, struct pd_fail *fail)
{
	for (uint32_t slot = 0; slot < ST_RUN_SLOTS; slot++) {
		uint64_t blocks;
		int rc = st_dbi_count(&store->facts, txn, store->run[slot], &blocks, fail);
		if (!rc && blocks && !live(&store->runs, slot))
			rc = st_dbi_empty(&store->facts, txn, store->run[slot], fail);
		if (rc)
			return rc;
	}
	return PD_OK;
}

void st_run_published(struct st_store *store, const struct st_run_list *list)
{
	store->garbage |= list->merged > store->runs.merged; /* blocks of the fact log that are not needed any more */
	store->runs = *list;
	atomic_store(&store->runs_live, list->count);
	st_stats_renew(store);
}

/* --- looking up --------------------------------------------------------------------------- */

static int damaged(const struct st_store *store, const struct st_run *run, const char *what, struct pd_fail *fail)
{
	return st_env_corrupt(&store->facts, fail, "run.%u: %s", (unsigned)run->slot, what);
}

/* Puts the cursor on the block that answers for `key` and opens it. */
static int seek(struct st_cursor *cursor, const struct st_store *store, const struct st_run *run, const uint8_t *key,
		size_t size, struct st_run_view *view, struct pd_fail *fail)
{
	uint8_t above[ST_DB_KEY_MAX + 1]; /* the smallest key that is larger */
	memcpy(above, key, size);
	above[size] = 0;
	int rc = st_cursor_move(cursor, &store->facts, MDB_SET_RANGE, above, size + 1, fail);
	if (rc == PD_E_NOT_FOUND)
		return damaged(store, run, "its last block is missing", fail);
	if (rc)
		return rc;
	if (!st_run_view_open(view, cursor->data.mv_data, cursor->data.mv_size, run->id, cursor->key.mv_data,
			      cursor->key.mv_size))
		return damaged(store, run, "the checksum of a block does not match", fail);
	return PD_OK;
}

void st_finder_rest(struct st_finder *finder)
{
	finder->awake = 0;
}

void st_finder_fini(struct st_finder *finder, const struct st_store *store)
{
	for (uint32_t slot = 0; slot < ST_RUN_SLOTS; slot++)
		st_cursor_close(&finder->cursor[slot], &store->facts);
	finder->awake = 0;
}

static int wake(struct st_finder *finder, const struct st_store *store, MDB_txn *txn, uint32_t slot,
		struct pd_fail *fail)
{
	struct st_cursor *cursor = &finder->cursor[slot];
	unsigned opened = atomic_load_explicit(&store->facts.live->opened, memory_order_relaxed);
	if (finder->awake >> slot & 1)
		return PD_OK;
	if (finder->opened != opened)
		st_finder_fini(finder, store);
	finder->opened = opened;
	int rc = cursor->cursor ? st_cursor_renew(cursor, &store->facts, txn, fail)
				: st_cursor_open(cursor, &store->facts, txn, store->run[slot], fail);
	if (!rc)
		finder->awake |= UINT32_C(1) << slot;
	return rc;
}

/* The same of one run. */
static int find(struct st_finder *finder, const struct st_store *store, MDB_txn *txn, const struct st_run *run,
		const uint8_t *key, size_t size, struct pd_fact *out, struct pd_fail *fail)
{
	struct st_run_view view;
	struct st_cursor *cursor = &finder->cursor[run->slot];
	if (wake(finder, store, txn, run->slot, fail) || seek(cursor, store, run, key, size, &view, fail))
		return -1;
	int found = st_run_view_find(&view, cursor->key.mv_data, cursor->key.mv_size, key, size);
	if (found < 0) {
		damaged(store, run, "a look-up was led to a block of other keys", fail);
	} else if (found) {
		int rc = st_fact_decode(view.value, view.value_size, out);
		if (rc) {
			found = -1;
			st_fact_fail(rc, store->facts.name, fail);
		}
	}
	return found;
}

int st_run_find(struct st_finder *finder, const struct st_store *store, MDB_txn *txn, const struct st_run_list *list,
		const uint8_t *key, size_t size, struct pd_fact *out, struct pd_fail *fail)
{
	int found = 0;
	if (size >= ST_DB_KEY_MAX || st_key_compare(key, size, st_run_end, sizeof st_run_end) >= 0)
		return 0; /* no run takes such a key */
	for (uint32_t i = 0; i < list->count && !found; i++)
		found = find(finder, store, txn, &list->run[i], key, size, out, fail);
	return found;
}

/* --- walking through several runs at once ------------------------------------------------- */

/* Puts source i on the first record of the block that its cursor has come to. */
static int next_block(struct st_run_walk *walk, uint32_t i, struct pd_fail *fail)
{
	struct st_run_source *s = &walk->source[i];
	const struct st_store *store = walk->store;
	uint8_t upper[ST_DB_KEY_MAX];
	size_t size = s->cursor.key.mv_size;
	memcpy(upper, s->cursor.key.mv_data, size);
	int rc = st_cursor_move(&s->cursor, &store->facts, MDB_NEXT, NULL, 0, fail);
	if (rc == PD_E_NOT_FOUND) {
		s->alive = false;
		return st_key_compare(upper, size, st_run_end, sizeof st_run_end)
			       ? damaged(store, &s->run, "its last block is missing", fail)
			       : PD_OK;
	}
	if (rc)
		return rc;
	if (!st_run_view_open(&s->view, s->cursor.data.mv_data, s->cursor.data.mv_size, s->run.id,
			      s->cursor.key.mv_data, s->cursor.key.mv_size))
		return damaged(store, &s->run, "the checksum of a block does not match", fail);
	if (st_key_compare(upper, size, s->view.lower, s->view.lower_size))
		return damaged(store, &s->run, "a block is missing", fail);
	return PD_OK;
}

/* Puts source i on its next record; at its end it is out of the walk. */
static int source_step(struct st_run_walk *walk, uint32_t i, struct pd_fail *fail)
{
	struct st_run_source *s = &walk->source[i];
	int rc = PD_OK, got = 0;
	while (!rc && s->alive && !(got = st_run_view_next(&s->view)))
		rc = next_block(walk, i, fail);
	return got < 0 ? damaged(walk->store, &s->run, "a block does not decode", fail) : rc;
}

static int source_open(struct st_run_walk *walk, uint32_t i, MDB_txn *txn, const uint8_t *after, size_t size,
		       struct pd_fail *fail)
{
	struct st_run_source *s = &walk->source[i];
	int rc = st_cursor_open(&s->cursor, &walk->store->facts, txn, walk->store->run[s->run.slot], fail);
	if (rc)
		return rc;
	walk->count = i + 1;
	s->alive = true;
	rc = seek(&s->cursor, walk->store, &s->run, after, size, &s->view, fail);
	if (!rc && st_key_compare(s->view.lower, s->view.lower_size, after, size) > 0)
		rc = damaged(walk->store, &s->run, "a block is missing", fail);
	do {
		rc = rc ? rc : source_step(walk, i, fail);
	} while (!rc && s->alive && st_key_compare(s->view.key, s->view.key_size, after, size) <= 0);
	return rc;
}

int st_run_walk_open(struct st_run_walk *walk, const struct st_store *store, MDB_txn *txn, const struct st_run *run,
		     uint32_t count, const uint8_t *after, size_t size, struct pd_fail *fail)
{
	*walk = (struct st_run_walk){.store = store};
	if (!count)
		return PD_OK;
	walk->source = calloc(count, sizeof *walk->source);
	if (!walk->source)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory to walk over the facts");
	for (uint32_t i = 0; i < count; i++) {
		walk->source[i].run = run[i];
		int rc = source_open(walk, i, txn, after, size, fail);
		if (rc) {
			st_run_walk_close(walk);
			return rc;
		}
	}
	return PD_OK;
}

void st_run_walk_close(struct st_run_walk *walk)
{
	for (uint32_t i = 0; i < walk->count; i++)
		st_cursor_close(&walk->source[i].cursor, &walk->store->facts);
	free(walk->source);
	walk->source = NULL;
	walk->count = 0;
}

bool st_run_walk_get(struct st_run_walk *walk, MDB_val *key, MDB_val *value)
{
	walk->least = UINT32_MAX;
	for (uint32_t i = 0; i < walk->count; i++) {
		const struct st_run_source *s = &walk->source[i];
		if (!s->alive)
			continue;
		/* Of equal keys the newest run's, which is the first. */
		if (walk->least == UINT32_MAX ||
		    st_key_compare(s->view.key, s->view.key_size, walk->source[walk->least].view.key,
				   walk->source[walk->least].view.key_size) < 0)
			walk->least = i;
	}
	if (walk->least == UINT32_MAX)
		return false;
	struct st_run_view *view = &walk->source[walk->least].view;
	*key = (MDB_val){view->key_size, view->key};
	*value = (MDB_val){view->value_size, (void *)(uintptr_t)view->value};
	return true;
}

int st_run_walk_next(struct st_run_walk *walk, struct pd_fail *fail)
{
	const struct st_run_view *least = &walk->source[walk->least].view;
	/* The least one itself is the first of those with its key, and moves last. */
	for (uint32_t i = walk->count; i-- > walk->least;) {
		const struct st_run_source *s = &walk->source[i];
		if (!s->alive ||
		    (i != walk->least && st_key_compare(s->view.key, s->view.key_size, least->key, least->key_size)))
			continue;
		int rc = source_step(walk, i, fail);
		if (rc)
			return rc;
	}
	return PD_OK;
}
