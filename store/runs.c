/* Runs: the facts on disk, in databases that are built once in key order and never changed.
 *
 * meta/"runs" of the facts environment lists the live ones, newest first. A record in a newer run holds all that older ones say about its
 * position, so a look-up ends at the first hit. The databases run.0 .. run.23 exist from the start: a flush or merge fills an empty one and
 * lists it in the transaction that completes it, and the runs it replaces are emptied in the same transaction. So opening
 * handles never meets a transaction, and whoever reads sees a list and runs that belong together, in this process or another. */
#include "store/internal.h"

#include <assert.h>
#include <string.h>

#include "proto/base/bytes.h"

enum { LIST_HEAD = 12, LIST_RUN = 20 };

uint64_t st_run_hash(const void *key, size_t key_size, const void *value, size_t size)
{
	return XXH3_64bits_withSeed(value, size, pd_hash64(key, key_size));
}

/* --- the list --------------------------------------------------------------------------------------------------------- */

static bool list_unpack(const uint8_t *p, size_t size, struct st_run_list *out)
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
		*run = (struct st_run){
			.slot = pd_get_le32(q), .entries = pd_get_le64(q + 4), .sum = pd_get_le64(q + 12)};
		if (run->slot >= ST_RUN_SLOTS || used >> run->slot & 1)
			return false;
		used |= 1u << run->slot;
	}
	return true;
}

int st_run_list_get(const struct st_store *store, MDB_txn *txn, struct st_run_list *out, struct pd_fail *fail)
{
	MDB_val record;
	*out = (struct st_run_list){0};
	int rc = st_get_sealed(&store->facts, txn, store->facts_meta, "runs", 4, &record, fail);
	if (rc == PD_E_NOT_FOUND)
		return PD_OK; /* nothing was flushed yet */
	if (!rc && !list_unpack(record.mv_data, record.mv_size, out))
		return pd_fail_set(fail, PD_E_CORRUPT, store->facts.name, "the list of runs does not decode");
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
		pd_put_le64(q + 4, list->run[i].entries);
		pd_put_le64(q + 12, list->run[i].sum);
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
	while (live(&store->runs, slot) || (store->flush.active && store->flush.run.slot == slot) ||
	       (store->merge.active && store->merge.run.slot == slot) || store->spoiled == slot + 1)
		slot++;
	assert(slot < ST_RUN_SLOTS);
	return slot;
}

int st_run_recover(struct st_store *store, MDB_txn *txn, struct pd_fail *fail)
{
	for (uint32_t slot = 0; slot < ST_RUN_SLOTS; slot++) {
		MDB_stat stat_of;
		int rc = mdb_stat(txn, store->run[slot], &stat_of);
		if (!rc && stat_of.ms_entries && !live(&store->runs, slot))
			rc = mdb_drop(txn, store->run[slot], 0);
		if (rc)
			return st_env_fail(&store->facts, rc, "clear an unfinished run", fail);
	}
	return PD_OK;
}

void st_run_published(struct st_store *store, const struct st_run_list *list)
{
	store->litter |= list->merged > store->runs.merged; /* blocks of the fact log that are not needed any more */
	store->runs = *list;
	atomic_store(&store->runs_live, list->count);
	st_stats_renew(store);
}

/* --- looking up ------------------------------------------------------------------------------------------------------- */

int st_run_find(const struct st_store *store, MDB_txn *txn, const struct st_run_list *list, const uint8_t *key,
		size_t size, struct pd_fact *out, struct pd_fail *fail)
{
	for (uint32_t i = 0; i < list->count; i++) {
		MDB_val value;
		int rc = st_get(&store->facts, txn, store->run[list->run[i].slot], key, size, &value, fail);
		if (rc == PD_E_NOT_FOUND)
			continue;
		if (rc)
			return -1;
		if (st_fact_unpack(value.mv_data, value.mv_size, out))
			return 1;
		pd_fail_set(fail, PD_E_CORRUPT, store->facts.name, "a fact in run %u does not decode",
			    (unsigned)list->run[i].slot);
		return -1;
	}
	return 0;
}

/* --- walking through several runs at once ----------------------------------------------------------------------------- */

/* Puts cursor i on its next record; at its end it is out of the walk. */
static int cursor_step(struct st_run_walk *walk, uint32_t i, MDB_cursor_op op, struct pd_fail *fail)
{
	int rc = st_cursor(&walk->store->facts, walk->cursor[i], &walk->key[i], &walk->value[i], op, fail);
	walk->alive[i] = rc == PD_OK;
	return rc == PD_E_NOT_FOUND ? PD_OK : rc;
}

int st_run_walk_open(struct st_run_walk *walk, const struct st_store *store, MDB_txn *txn, const struct st_run *run,
		     uint32_t count, const uint8_t *after, size_t size, struct pd_fail *fail)
{
	*walk = (struct st_run_walk){.store = store};
	for (uint32_t i = 0; i < count; i++) {
		int rc = mdb_cursor_open(txn, store->run[run[i].slot], &walk->cursor[i]);
		if (rc) {
			st_run_walk_close(walk);
			return st_env_fail(&store->facts, rc, "read a run", fail);
		}
		walk->count = i + 1;
		walk->key[i] = (MDB_val){size, (void *)(uintptr_t)after};
		rc = cursor_step(walk, i, size ? MDB_SET_RANGE : MDB_FIRST, fail);
		if (!rc && size && walk->alive[i] &&
		    !st_key_compare(walk->key[i].mv_data, walk->key[i].mv_size, after, size))
			rc = cursor_step(walk, i, MDB_NEXT, fail);
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
		mdb_cursor_close(walk->cursor[i]);
	walk->count = 0;
}

bool st_run_walk_get(struct st_run_walk *walk, MDB_val *key, MDB_val *value)
{
	walk->least = UINT32_MAX;
	for (uint32_t i = 0; i < walk->count; i++) {
		if (!walk->alive[i])
			continue;
		/* Of equal keys the newest run's, which is the first. */
		const MDB_val *k = &walk->key[i];
		if (walk->least == UINT32_MAX || st_key_compare(k->mv_data, k->mv_size, walk->key[walk->least].mv_data,
								walk->key[walk->least].mv_size) < 0)
			walk->least = i;
	}
	if (walk->least == UINT32_MAX)
		return false;
	*key = walk->key[walk->least];
	*value = walk->value[walk->least];
	return true;
}

int st_run_walk_next(struct st_run_walk *walk, struct pd_fail *fail)
{
	MDB_val key = walk->key[walk->least];
	for (uint32_t i = walk->count; i-- > 0;) {
		const MDB_val *k = &walk->key[i];
		if (!walk->alive[i] ||
		    (i != walk->least && st_key_compare(k->mv_data, k->mv_size, key.mv_data, key.mv_size)))
			continue;
		int rc = cursor_step(walk, i, MDB_NEXT, fail);
		if (rc)
			return rc;
	}
	return PD_OK;
}
