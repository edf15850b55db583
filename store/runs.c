#include "store/runs.h"

#include "proto/base/assert.h"
#include "store/pack.h"

static int fail_damaged(const struct st_facts *facts, const struct st_run *run, const char *what, struct pd_fail *fail)
{
	return st_env_corrupt(&facts->env, fail, "run.%u: %s", (unsigned)run->slot, what);
}

/* Puts the cursor on the block that answers for `key` and opens it. */
static int seek_block(struct st_cursor *cursor, const struct st_facts *facts, const struct st_run *run,
		      struct st_data key, struct st_run_view *view, struct pd_fail *fail)
{
	uint8_t above[ST_DB_KEY_MAX + 1]; /* the smallest key above `key` */
	memcpy(above, key.bytes, key.size);
	above[key.size] = 0;
	int rc = st_cursor_move(cursor, &facts->env, MDB_SET_RANGE, above, key.size + 1, fail);
	if (rc == PD_E_NOT_FOUND)
		return fail_damaged(facts, run, "its last block is missing", fail);
	if (rc)
		return rc;
	if (!st_run_view_open(view, cursor->data.mv_data, cursor->data.mv_size, run->id, cursor->key.mv_data,
			      cursor->key.mv_size))
		return fail_damaged(facts, run, "the checksum of a block does not match", fail);
	return PD_OK;
}

void st_finder_reset(struct st_finder *finder)
{
	finder->active = 0;
}

void st_finder_fini(struct st_finder *finder, const struct st_facts *facts)
{
	for (uint32_t slot = 0; slot < ST_RUN_SLOTS; slot++)
		st_cursor_close(&finder->cursor[slot], &facts->env);
	finder->active = 0;
}

static int renew_cursor(struct st_finder *finder, const struct st_facts *facts, MDB_txn *txn, uint32_t slot,
			struct pd_fail *fail)
{
	struct st_cursor *cursor = &finder->cursor[slot];
	unsigned opened = atomic_load_explicit(&facts->env.live->opened, memory_order_relaxed);
	if (finder->active >> slot & 1)
		return PD_OK;
	if (finder->opened != opened)
		st_finder_fini(finder, facts);
	finder->opened = opened;
	int rc = cursor->cursor ? st_cursor_renew(cursor, &facts->env, txn, fail)
				: st_cursor_open(cursor, &facts->env, txn, facts->run[slot], fail);
	if (!rc)
		finder->active |= UINT32_C(1) << slot;
	return rc;
}

/* Looks a key up in one run. */
static int find_in_run(struct st_finder *finder, const struct st_run_snapshot *runs, const struct st_run *run,
		       struct st_data key, struct pd_fact *out, struct pd_fail *fail)
{
	struct st_run_view view;
	PD_ASSERT(run->slot < ST_RUN_SLOTS);
	struct st_cursor *cursor = &finder->cursor[run->slot];
	if (renew_cursor(finder, runs->facts, runs->txn, run->slot, fail) ||
	    seek_block(cursor, runs->facts, run, key, &view, fail))
		return -1;
	int found = st_run_view_find(&view, cursor->key.mv_data, cursor->key.mv_size, key.bytes, key.size);
	if (found < 0) {
		fail_damaged(runs->facts, run, "a look-up found a block of other keys", fail);
	} else if (found) {
		int rc = st_fact_decode(view.value, view.value_size, out);
		if (rc) {
			found = -1;
			st_fact_fail(rc, runs->facts->env.name, fail);
		} else if (!st_fact_sound(out)) { /* although the checksum matches */
			found = -1;
			fail_damaged(runs->facts, run, "a fact contradicts itself, or its reasons are out of order",
				     fail);
		}
	}
	return found;
}

int st_run_find(struct st_finder *finder, const struct st_run_snapshot *runs, struct st_data key, struct pd_fact *out,
		struct pd_fail *fail)
{
	int found = 0;
	if (key.size >= ST_DB_KEY_MAX || st_key_compare(key.bytes, key.size, st_run_end, sizeof st_run_end) >= 0)
		return 0; /* no run has such a key */
	for (uint32_t i = 0; i < runs->list->count && !found; i++)
		found = find_in_run(finder, runs, &runs->list->run[i], key, out, fail);
	return found;
}

/* Moves source i to the next block. */
static int next_block(struct st_run_walk *walk, uint32_t i, struct pd_fail *fail)
{
	struct st_run_source *s = &walk->source[i];
	const struct st_facts *facts = walk->facts;
	uint8_t upper[ST_DB_KEY_MAX];
	size_t size = s->cursor.key.mv_size;
	memcpy(upper, s->cursor.key.mv_data, size);
	int rc = st_cursor_move(&s->cursor, &facts->env, MDB_NEXT, NULL, 0, fail);
	if (rc == PD_E_NOT_FOUND) {
		s->alive = false;
		return st_key_compare(upper, size, st_run_end, sizeof st_run_end)
			       ? fail_damaged(facts, &s->run, "its last block is missing", fail)
			       : PD_OK;
	}
	if (rc)
		return rc;
	if (!st_run_view_open(&s->view, s->cursor.data.mv_data, s->cursor.data.mv_size, s->run.id,
			      s->cursor.key.mv_data, s->cursor.key.mv_size))
		return fail_damaged(facts, &s->run, "the checksum of a block does not match", fail);
	if (st_key_compare(upper, size, s->view.lower, s->view.lower_size))
		return fail_damaged(facts, &s->run, "a block is missing", fail);
	return PD_OK;
}

/* Moves source i to its next record; at its end it leaves the walk. */
static int source_step(struct st_run_walk *walk, uint32_t i, struct pd_fail *fail)
{
	struct st_run_source *s = &walk->source[i];
	int rc = PD_OK, got = 0;
	while (!rc && s->alive && !(got = st_run_view_next(&s->view)))
		rc = next_block(walk, i, fail);
	return got < 0 ? fail_damaged(walk->facts, &s->run, "a block does not decode", fail) : rc;
}

static int source_open(struct st_run_walk *walk, uint32_t i, MDB_txn *txn, const uint8_t *after, size_t size,
		       struct pd_fail *fail)
{
	struct st_run_source *s = &walk->source[i];
	int rc = st_cursor_open(&s->cursor, &walk->facts->env, txn, walk->facts->run[s->run.slot], fail);
	if (rc)
		return rc;
	walk->count = i + 1;
	s->alive = true;
	rc = seek_block(&s->cursor, walk->facts, &s->run, (struct st_data){after, size}, &s->view, fail);
	if (!rc && st_key_compare(s->view.lower, s->view.lower_size, after, size) > 0)
		rc = fail_damaged(walk->facts, &s->run, "a block is missing", fail);
	do {
		rc = rc ? rc : source_step(walk, i, fail);
	} while (!rc && s->alive && st_key_compare(s->view.key, s->view.key_size, after, size) <= 0);
	return rc;
}

int st_run_walk_open(struct st_run_walk *walk, const struct st_facts *facts, MDB_txn *txn,
		     const struct st_run_range *range, struct pd_fail *fail)
{
	*walk = (struct st_run_walk){.facts = facts, .least = UINT32_MAX};
	PD_ASSERT(range->count <= ST_RUNS_MAX && range->size <= ST_DB_KEY_MAX);
	if (!range->count)
		return PD_OK;
	walk->source = calloc(range->count, sizeof *walk->source);
	if (!walk->source)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory to walk over the facts");
	for (uint32_t i = 0; i < range->count; i++) {
		walk->source[i].run = range->run[i];
		int rc = source_open(walk, i, txn, range->after, range->size, fail);
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
		st_cursor_close(&walk->source[i].cursor, &walk->facts->env);
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
		/* Of equal keys, that of the newest run, which comes first. */
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
	PD_ASSERT(walk->least < walk->count && walk->source[walk->least].alive);
	const struct st_run_view *least = &walk->source[walk->least].view;
	/* The least source is the first of those with its key, so it moves last. */
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
