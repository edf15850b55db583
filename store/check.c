/* Check: decodes every record of both environments.
 *
 * It looks at one moment: a read transaction on each environment for as long as it takes, the facts' first, so that beside a writer the
 * work environment is never older. What it holds records to: their seals and block checksums, their packing, their order and their
 * numbers without gaps, the counters, the sums of runs. The meaning of jobs, events and table entries is not the store's. */
#include "store/internal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/bytes.h"

struct check {
	struct st_store *store;
	void (*problem)(void *ctx, const char *text);
	void *ctx;
	struct pd_fail *fail;
	int64_t problems;
	MDB_txn *work, *facts;
	struct st_counters counters;
	struct st_run_list runs;
};

static void report(struct check *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void report(struct check *c, const char *format, ...)
{
	char text[400];
	va_list ap;
	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	c->problems++;
	c->problem(c->ctx, text);
}

/* One step of a walk through a database; false at the end. A walk that cannot go on is a problem of its own. */
static bool step(struct check *c, const struct st_env *env, MDB_cursor *cursor, MDB_val *key, MDB_val *data)
{
	struct pd_fail fail;
	int rc = st_cursor(env, cursor, key, data, MDB_NEXT, &fail);
	if (rc && rc != PD_E_NOT_FOUND)
		report(c, "%s: %s", env->name, fail.text);
	return !rc;
}

static MDB_cursor *start(struct check *c, const struct st_env *env, MDB_txn *txn, MDB_dbi dbi)
{
	MDB_cursor *cursor;
	int rc = mdb_cursor_open(txn, dbi, &cursor);
	if (!rc)
		return cursor;
	report(c, "%s: a table cannot be read: %s", env->name, mdb_strerror(rc));
	return NULL;
}

/* --- jobs, events, games ---------------------------------------------------------------------------------------------- */

static bool job_known(const struct check *c, uint32_t job)
{
	return job && job < c->counters.next_job;
}

static void check_jobs(struct check *c)
{
	MDB_val key, data;
	MDB_cursor *cursor = start(c, &c->store->work, c->work, c->store->dbi[ST_JOBS]);
	while (cursor && step(c, &c->store->work, cursor, &key, &data)) {
		uint32_t job = key.mv_size == ST_KEY_32 ? pd_get_be32(key.mv_data) : 0;
		if (!job_known(c, job))
			report(c, "jobs: a record for job %" PRIu32 ", which was never given", job);
		if (!st_unseal(key.mv_data, key.mv_size, &data) || data.mv_size > ST_JOB_MAX)
			report(c, "jobs: the checksum of job %" PRIu32 " does not match", job);
	}
	if (cursor)
		mdb_cursor_close(cursor);
}

static void check_events(struct check *c)
{
	MDB_val key, data;
	uint32_t job = 0;
	uint64_t next = 0;
	MDB_cursor *cursor = start(c, &c->store->work, c->work, c->store->dbi[ST_EVENTS]);
	while (cursor && step(c, &c->store->work, cursor, &key, &data)) {
		if (key.mv_size != ST_KEY_32_64) {
			report(c, "events: a key has %zu bytes", key.mv_size);
			continue;
		}
		uint32_t j = pd_get_be32(key.mv_data);
		uint64_t n = st_get_be64((const uint8_t *)key.mv_data + 4);
		if (j != job)
			next = 0;
		if (!job_known(c, j))
			report(c, "events: a record for job %" PRIu32 ", which was never given", j);
		if (n != next)
			report(c, "events: job %" PRIu32 " has event %" PRIu64 " where %" PRIu64 " belongs", j, n,
			       next);
		if (!st_unseal(key.mv_data, key.mv_size, &data) || data.mv_size > ST_EVENT_MAX)
			report(c, "events: the checksum of event %" PRIu64 " of job %" PRIu32 " does not match", n, j);
		job = j;
		next = n + 1;
	}
	if (cursor)
		mdb_cursor_close(cursor);
}

/* Games are numbered from 1 without gaps; returns how many there are. */
static uint32_t check_games(struct check *c, const struct st_env *env, MDB_txn *txn, MDB_dbi dbi)
{
	MDB_val key, data;
	uint32_t games = 0;
	MDB_cursor *cursor = start(c, env, txn, dbi);
	while (cursor && step(c, env, cursor, &key, &data)) {
		games++;
		if (key.mv_size != ST_KEY_32 || pd_get_be32(key.mv_data) != games)
			report(c, "%s: games: number %" PRIu32 " is missing", env->name, games);
		if (!st_unseal(key.mv_data, key.mv_size, &data) || data.mv_size < 9 || data.mv_size > 8 + ST_NAME_MAX)
			report(c, "%s: games: the checksum of game %" PRIu32 " does not match", env->name, games);
	}
	if (cursor)
		mdb_cursor_close(cursor);
	return games;
}

/* --- tables ----------------------------------------------------------------------------------------------------------- */

/* How many blocks of a table were found, to compare with its record. */
struct table {
	uint32_t job;
	bool there;
	struct st_table_state state;
	uint64_t journal, sweep, building;
};

static void table_get(struct check *c, uint32_t job, struct table *t)
{
	uint8_t key[ST_KEY_32];
	MDB_val record;
	struct pd_fail fail;
	pd_put_be32(key, job);
	*t = (struct table){.job = job};
	int rc = st_get_sealed(&c->store->work, c->work, c->store->dbi[ST_TABLES], key, sizeof key, &record, &fail);
	t->there = !rc && st_table_state_unpack(record.mv_data, record.mv_size, &t->state);
}

static void table_end(struct check *c, const struct table *t, bool journal)
{
	const struct st_table_state *s = &t->state;
	if (!t->there)
		return;
	if (journal && t->journal != s->journal_next - s->journal_start)
		report(c, "journal: job %" PRIu32 " has %" PRIu64 " blocks instead of %" PRIu64, t->job, t->journal,
		       s->journal_next - s->journal_start);
	if (!journal && (t->sweep != s->sweep_blocks || t->building != s->building_blocks))
		report(c,
		       "snapshot: job %" PRIu32 " has %" PRIu64 " and %" PRIu64 " blocks instead of %" PRIu32
		       " and %" PRIu32,
		       t->job, t->sweep, t->building, s->sweep_blocks, s->building_blocks);
}

static void check_block(struct check *c, bool journal, const MDB_val *key, const MDB_val *data)
{
	struct st_block_view view;
	uint8_t entry[ST_ENTRY];
	uint32_t count = 0;
	bool sound = st_block_open(data->mv_data, data->mv_size, journal ? ST_BLOCK_JOURNAL : ST_BLOCK_SNAPSHOT,
				   key->mv_data, key->mv_size, &view);
	while (sound && view.p < view.end) {
		view.p = st_entry_unpack(view.p, view.end, entry);
		sound = view.p != NULL;
		count++;
	}
	if (!sound || count != view.count)
		report(c, "%s: a block of job %" PRIu32 " does not decode", journal ? "journal" : "snapshot",
		       pd_get_be32(key->mv_data));
}

static void count_block(struct check *c, bool journal, struct table *t, const uint8_t *key)
{
	const struct st_table_state *s = &t->state;
	uint64_t block = st_get_be64(key + 4);
	uint32_t sweep = pd_get_be32(key + 4), n = pd_get_be32(key + 8);
	if (!t->there) {
		report(c, "%s: blocks of job %" PRIu32 ", which has no table", journal ? "journal" : "snapshot",
		       t->job);
	} else if (journal) {
		if (block >= s->journal_next)
			report(c, "journal: block %" PRIu64 " of job %" PRIu32 " was never written", block, t->job);
		t->journal += block >= s->journal_start;
	} else if (sweep > s->last_sweep || (sweep == s->sweep && n >= s->sweep_blocks) ||
		   (sweep == s->building && n >= s->building_blocks)) {
		report(c, "snapshot: block %" PRIu32 " of sweep %" PRIu32 " of job %" PRIu32 " was never written", n,
		       sweep, t->job);
	} else {
		t->sweep += sweep == s->sweep;
		t->building += sweep == s->building;
	}
}

static void check_blocks(struct check *c, bool journal)
{
	MDB_val key, data;
	struct table t = {0};
	MDB_cursor *cursor = start(c, &c->store->work, c->work, c->store->dbi[journal ? ST_JOURNAL : ST_SNAPSHOT]);
	while (cursor && step(c, &c->store->work, cursor, &key, &data)) {
		if (key.mv_size != ST_KEY_32_64) {
			report(c, "%s: a key has %zu bytes", journal ? "journal" : "snapshot", key.mv_size);
			continue;
		}
		uint32_t job = pd_get_be32(key.mv_data);
		if (job != t.job) {
			table_end(c, &t, journal);
			table_get(c, job, &t);
		}
		count_block(c, journal, &t, key.mv_data);
		check_block(c, journal, &key, &data);
	}
	table_end(c, &t, journal);
	if (cursor)
		mdb_cursor_close(cursor);
}

/* Blocks were compared with the records of their tables; a table without any block is left to compare. */
static void check_tables(struct check *c)
{
	MDB_val key, data;
	struct pd_fail fail;
	MDB_cursor *cursor = start(c, &c->store->work, c->work, c->store->dbi[ST_TABLES]);
	while (cursor && step(c, &c->store->work, cursor, &key, &data)) {
		struct st_table_state state;
		uint32_t job = key.mv_size == ST_KEY_32 ? pd_get_be32(key.mv_data) : 0;
		uint8_t first[ST_KEY_32_64];
		MDB_val value;
		if (!job_known(c, job))
			report(c, "tables: a record for job %" PRIu32 ", which was never given", job);
		if (!st_unseal(key.mv_data, key.mv_size, &data) ||
		    !st_table_state_unpack(data.mv_data, data.mv_size, &state)) {
			report(c, "tables: the record of job %" PRIu32 " does not decode", job);
			continue;
		}
		pd_put_be32(first, job);
		st_put_be64(first + 4, state.journal_start);
		if (state.journal_start < state.journal_next &&
		    st_get(&c->store->work, c->work, c->store->dbi[ST_JOURNAL], first, sizeof first, &value, &fail))
			report(c, "journal: block %" PRIu64 " of job %" PRIu32 " is missing", state.journal_start, job);
		pd_put_be32(first + 4, state.sweep);
		pd_put_be32(first + 8, 0);
		if (state.sweep_blocks &&
		    st_get(&c->store->work, c->work, c->store->dbi[ST_SNAPSHOT], first, sizeof first, &value, &fail))
			report(c, "snapshot: the first block of job %" PRIu32 " is missing", job);
	}
	if (cursor)
		mdb_cursor_close(cursor);
}

/* --- facts ------------------------------------------------------------------------------------------------------------ */

static void check_log_block(struct check *c, uint64_t block, const MDB_val *key, const MDB_val *data)
{
	struct st_block_view view;
	struct st_log_record record = {.key_size = 0};
	bool sound = st_block_open(data->mv_data, data->mv_size, ST_BLOCK_FACTS, key->mv_data, key->mv_size, &view);
	for (uint32_t i = 0; sound && i < view.count; i++) {
		sound = st_log_next(&view, &record);
		uint32_t game = pd_get_be32(record.key);
		if (sound && (!game || game >= c->counters.next_game))
			report(c, "factlog: block %" PRIu64 " has a fact of game %" PRIu32 ", which was never given",
			       block, game);
	}
	if (!sound || view.p != view.end)
		report(c, "factlog: block %" PRIu64 " does not decode", block);
}

static void check_log(struct check *c)
{
	MDB_val key, data;
	uint64_t next = 0;
	MDB_cursor *cursor = start(c, &c->store->work, c->work, c->store->dbi[ST_FACTLOG]);
	while (cursor && step(c, &c->store->work, cursor, &key, &data)) {
		uint64_t block = key.mv_size == ST_KEY_64 ? st_get_be64(key.mv_data) : 0;
		/* Old blocks are deleted from the front. */
		bool gap = next ? block != next : block > c->counters.dropped_log + 1;
		if (!block || gap)
			report(c, "factlog: block %" PRIu64 " is missing", next ? next : c->counters.dropped_log + 1);
		check_log_block(c, block, &key, &data);
		next = block + 1;
	}
	if (cursor)
		mdb_cursor_close(cursor);
	if (next ? next != c->counters.next_log : c->counters.next_log > c->counters.dropped_log + 1)
		report(c, "factlog: the last blocks before %" PRIu64 " are missing", c->counters.next_log);
}

static void check_run(struct check *c, const struct st_run *run, uint32_t games)
{
	MDB_val key, data;
	uint8_t last[ST_DB_KEY_MAX], packed[ST_FACT_PACKED_MAX];
	size_t last_size = 0;
	uint64_t entries = 0, sum = 0;
	MDB_cursor *cursor = start(c, &c->store->facts, c->facts, c->store->run[run->slot]);
	while (cursor && step(c, &c->store->facts, cursor, &key, &data)) {
		struct pd_fact fact;
		entries++;
		sum += st_run_hash(key.mv_data, key.mv_size, data.mv_data, data.mv_size);
		uint32_t game = key.mv_size > 4 ? pd_get_be32(key.mv_data) : 0;
		if (!game || game > games)
			report(c, "run.%" PRIu32 ": record %" PRIu64 " has an unknown game %" PRIu32, run->slot,
			       entries, game);
		if (last_size && st_key_compare(last, last_size, key.mv_data, key.mv_size) >= 0)
			report(c, "run.%" PRIu32 ": record %" PRIu64 " is out of order", run->slot, entries);
		if (!st_fact_unpack(data.mv_data, data.mv_size, &fact) || !st_fact_sound(&fact) ||
		    st_fact_pack(packed, &fact) != data.mv_size || memcmp(packed, data.mv_data, data.mv_size))
			report(c, "run.%" PRIu32 ": the fact of record %" PRIu64 " does not decode", run->slot,
			       entries);
		last_size = key.mv_size;
		memcpy(last, key.mv_data, key.mv_size);
	}
	if (cursor)
		mdb_cursor_close(cursor);
	if (entries != run->entries)
		report(c, "run.%" PRIu32 ": %" PRIu64 " records instead of %" PRIu64, run->slot, entries, run->entries);
	else if (sum != run->sum)
		report(c, "run.%" PRIu32 ": the sum over its records does not match: one of them was changed",
		       run->slot);
}

static void report_conflict(struct check *c, const uint8_t *p, size_t size)
{
	char hex[2 * 64 + 1] = "";
	size_t key_size = size >= 10 ? pd_get_le16(p + 8) : 0;
	if (key_size < 5 || key_size > ST_DB_KEY_MAX || size < 10 + key_size + 2) {
		report(c, "conflicts: a record does not decode");
		return;
	}
	for (size_t i = 4; i < key_size && i < 68; i++)
		snprintf(hex + 2 * (i - 4), 3, "%02x", p[10 + i]);
	report(c, "conflicts: two facts about game %" PRIu32 ", position %s contradict each other", pd_get_be32(p + 10),
	       hex);
}

static void check_conflicts(struct check *c)
{
	MDB_val key, data;
	MDB_cursor *cursor = start(c, &c->store->work, c->work, c->store->dbi[ST_CONFLICTS]);
	while (cursor && step(c, &c->store->work, cursor, &key, &data)) {
		if (st_unseal(key.mv_data, key.mv_size, &data))
			report_conflict(c, data.mv_data, data.mv_size);
		else
			report(c, "conflicts: a record does not decode");
	}
	if (cursor)
		mdb_cursor_close(cursor);
}

static int memory_conflict(void *ctx, const void *data, size_t size)
{
	report_conflict(ctx, data, size);
	return 0;
}

/* --- all of it -------------------------------------------------------------------------------------------------------- */

static void check_meta(struct check *c)
{
	struct pd_fail fail;
	if (st_counters_get(c->store, c->work, &c->counters, &fail))
		report(c, "meta: %s", fail.text);
	if (st_run_list_get(c->store, c->facts, &c->runs, &fail))
		report(c, "meta: %s", fail.text);
}

static void check_all(struct check *c)
{
	struct st_store *store = c->store;
	check_meta(c);
	uint32_t games = check_games(c, &store->work, c->work, store->dbi[ST_GAMES]);
	if (games + 1 != c->counters.next_game)
		report(c, "games: %" PRIu32 " instead of %" PRIu32, games, c->counters.next_game - 1);
	check_jobs(c);
	check_events(c);
	check_tables(c);
	check_blocks(c, true);
	check_blocks(c, false);
	check_log(c);
	check_conflicts(c);
	games = check_games(c, &store->facts, c->facts, store->facts_games);
	for (uint32_t i = 0; i < c->runs.count; i++)
		check_run(c, &c->runs.run[i], games);
}

int64_t st_check(struct st_store *store, void (*problem)(void *ctx, const char *text), void *ctx, struct pd_fail *fail)
{
	struct check c = {.store = store, .problem = problem, .ctx = ctx, .fail = fail};
	if (store->memory)
		return st_memory_each(store->memory, ST_MEM_CONFLICT, 0, SIZE_MAX, memory_conflict, &c, fail)
			       ? -1
			       : c.problems;
	int rc = st_txn_begin(&store->facts, true, &c.facts, fail);
	if (rc)
		return -1;
	rc = st_txn_begin(&store->work, true, &c.work, fail);
	if (!rc) {
		check_all(&c);
		mdb_txn_abort(c.work);
	}
	mdb_txn_abort(c.facts);
	return rc ? -1 : c.problems;
}
