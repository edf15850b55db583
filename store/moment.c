#include "store/moment.h"

#include "proto/base/assert.h"
#include "store/cursor.h"
#include "store/meta_record.h"
#include "store/read_txn.h"
#include "store/store_state.h"
#include "store/txn.h"

enum { TRIES = 20 };

/* PD_E_BUSY: the two transactions do not belong together, because the log was cleared in between. */
static int read_heads(struct st_moment *m, struct pd_fail *fail)
{
	int rc = st_run_list_get(&m->store->facts, m->facts.txn, &m->runs, fail);
	if (!rc)
		rc = st_counters_get(&m->store->work, m->work.txn, &m->counters, fail);
	if (!rc && m->counters.dropped_log > m->runs.merged)
		rc = pd_fail_set(fail, PD_E_BUSY, "", "facts are being moved too quickly to copy them; try again");
	return rc;
}

int st_moment_open(struct st_store *store, struct st_moment *out, struct pd_fail *fail)
{
	PD_ASSERT(store->dir);
	*out = (struct st_moment){.store = store};
	int rc = PD_E_BUSY;
	for (unsigned i = 0; i < TRIES && rc == PD_E_BUSY; i++) {
		rc = st_read_txn_begin(&store->facts.env, &out->facts, fail);
		if (rc)
			return rc;
		rc = st_read_txn_begin(&store->work.env, &out->work, fail);
		if (!rc && (rc = read_heads(out, fail)))
			st_read_txn_end(&store->work.env, &out->work);
		if (rc)
			st_read_txn_end(&store->facts.env, &out->facts);
	}
	return rc;
}

void st_moment_close(struct st_moment *m)
{
	st_read_txn_end(&m->store->work.env, &m->work);
	st_read_txn_end(&m->store->facts.env, &m->facts);
}

bool st_moment_is_in_the_way(const struct st_moment *m)
{
	const struct st_store *store = m->store;
	return atomic_load(&store->facts.env.gate.shut) || atomic_load(&store->facts.env.gate.repairing) ||
	       atomic_load(&store->work.env.gate.shut) || atomic_load(&store->work.env.gate.repairing);
}

static bool is_copied(uint32_t table, struct st_data key)
{
	if (table != ST_META && table != ST_TABLE_FACTS_META)
		return true;
	enum st_meta_id id = st_meta_find(table == ST_META ? ST_META_WORK : ST_META_FACTS, key.bytes, key.size);
	return id < ST_META_COUNT && (st_meta_flags(id) & ST_META_COPIED);
}

static bool is_sealed(struct st_data key, struct st_data value)
{
	MDB_val v = {value.size, (void *)(uintptr_t)value.bytes};
	return st_unseal(key.bytes, key.size, &v);
}

bool st_table_record_sound(uint32_t table, uint64_t run, struct st_data key, struct st_data value)
{
	static const struct {
		uint32_t table;
		enum st_block_type type;
	} blocks[] = {{ST_JOURNAL, ST_BLOCK_JOURNAL}, {ST_SNAPSHOT, ST_BLOCK_SNAPSHOT}, {ST_WAL, ST_BLOCK_FACTS}};
	struct st_block_view view;
	struct st_run_view run_view;
	if (table >= ST_TABLE_RUN)
		return table < ST_TABLE_RUN + ST_RUN_SLOTS &&
		       st_run_view_open(&run_view, value.bytes, value.size, run, key.bytes, key.size);
	for (unsigned i = 0; i < sizeof blocks / sizeof *blocks; i++)
		if (table == blocks[i].table)
			return st_block_open(value.bytes, value.size, blocks[i].type, key.bytes, key.size, &view);
	bool known = table < ST_WORK_COUNT || table == ST_TABLE_FACTS_META || table == ST_TABLE_FACTS_GAMES;
	return known && is_copied(table, key) && is_sealed(key, value);
}

bool st_run_proof_add(struct st_run_proof *proof, struct st_data key, struct st_data value)
{
	struct st_run_view view;
	if (!st_run_view_open(&view, value.bytes, value.size, proof->run.id, key.bytes, key.size) ||
	    st_key_compare(proof->last, proof->last_size, view.lower, view.lower_size))
		return false;
	PD_ASSERT(key.size <= sizeof proof->last);
	proof->entries += view.left;
	proof->blocks++;
	memcpy(proof->last, key.bytes, key.size);
	proof->last_size = key.size;
	return true;
}

bool st_run_proof_complete(const struct st_run_proof *proof)
{
	return proof->entries == proof->run.entries && proof->blocks == proof->run.blocks &&
	       proof->last_size == sizeof st_run_end && !memcmp(proof->last, st_run_end, sizeof st_run_end);
}

MDB_dbi st_table_dbi(const struct st_store *store, uint32_t table)
{
	PD_ASSERT(table < ST_WORK_COUNT || (table >= ST_TABLE_FACTS_META && table < ST_TABLE_RUN + ST_RUN_SLOTS));
	return table < ST_WORK_COUNT           ? store->work.dbi[table]
	       : table == ST_TABLE_FACTS_META  ? store->facts.meta
	       : table == ST_TABLE_FACTS_GAMES ? store->facts.games
					       : store->facts.run[table - ST_TABLE_RUN];
}

static struct st_place place_of(const struct st_moment *m, uint32_t table)
{
	MDB_dbi dbi = st_table_dbi(m->store, table);
	return table < ST_WORK_COUNT ? (struct st_place){&m->store->work.env, m->work.txn, dbi}
				     : (struct st_place){&m->store->facts.env, m->facts.txn, dbi};
}

int st_moment_count(const struct st_moment *m, uint32_t table, uint64_t *records, struct pd_fail *fail)
{
	struct st_place at = place_of(m, table);
	return st_dbi_count(at.env, at.txn, at.dbi, records, fail);
}

static uint64_t run_of(const struct st_moment *m, uint32_t table)
{
	for (uint32_t i = 0; i < m->runs.count; i++)
		if (m->runs.run[i].slot + ST_TABLE_RUN == table)
			return m->runs.run[i].id;
	return 0;
}

int st_moment_each(const struct st_moment *m, const struct st_moment_walk *walk, struct pd_fail *fail)
{
	struct st_place at = place_of(m, walk->table);
	struct st_cursor c = {.cursor = NULL};
	uint8_t first[ST_DB_KEY_MAX + 1] = {0};
	uint64_t run = run_of(m, walk->table);
	PD_ASSERT(walk->after.size <= ST_DB_KEY_MAX);
	if (walk->after.size)
		memcpy(first, walk->after.bytes, walk->after.size);
	int rc = st_cursor_open(&c, at.env, at.txn, at.dbi, fail);
	if (!rc)
		rc = walk->after.size ? st_cursor_move(&c, at.env, MDB_SET_RANGE, first, walk->after.size + 1, fail)
				      : st_cursor_move(&c, at.env, MDB_FIRST, NULL, 0, fail);
	while (!rc) {
		struct st_data key = {c.key.mv_data, c.key.mv_size}, value = {c.data.mv_data, c.data.mv_size};
		if (is_copied(walk->table, key)) {
			if (!st_table_record_sound(walk->table, run, key, value))
				rc = st_env_corrupt(at.env, fail, "a record has a wrong checksum");
			else
				rc = walk->each(walk->ctx, walk->table, key, value);
		}
		if (!rc)
			rc = st_cursor_move(&c, at.env, MDB_NEXT, NULL, 0, fail);
	}
	st_cursor_close(&c, at.env);
	return rc == PD_E_NOT_FOUND ? PD_OK : rc;
}
