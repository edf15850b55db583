/* Checks, as of one moment (a read transaction on each environment, the facts' first): seals and checksums of
 * blocks, the packing, order and numbers of records, the counters, the sums of runs. Jobs, events and table entries
 * are opaque. */
#include "store/verify_directory.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "proto/base/assert.h"
#include "store/conflict.h"
#include "store/cursor.h"
#include "store/existence.h"
#include "store/games.h"
#include "store/meta_decode.h"
#include "store/pack.h"
#include "store/pages.h"
#include "store/read_txn.h"
#include "store/store_state.h"
#include "store/wal.h"

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

static void report_problem(struct check *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void report_problem(struct check *c, const char *format, ...)
{
	PD_ASSERT(c->problems >= 0);
	char text[400];
	va_list ap;
	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	c->problems++;
	c->problem(c->ctx, text);
}

/* A walk through a database. */
struct pass {
	const struct st_env *env;
	struct st_cursor cursor;
	MDB_val key, data; /* of the record it is at */
};

static void start_pass(struct check *c, struct pass *p, const struct st_env *env, MDB_txn *txn, MDB_dbi dbi)
{
	struct pd_fail fail;
	*p = (struct pass){.env = env};
	int rc = st_cursor_open(&p->cursor, env, txn, dbi, &fail);
	if (rc)
		report_problem(c, "%s", fail.text);
}

/* One step; false at the end. A walk that cannot go on is a problem of its own. */
static bool step_pass(struct check *c, struct pass *p)
{
	struct pd_fail fail;
	int rc = p->cursor.cursor ? st_cursor_move(&p->cursor, p->env, MDB_NEXT, NULL, 0, &fail) : PD_E_NOT_FOUND;
	if (rc && rc != PD_E_NOT_FOUND)
		report_problem(c, "%s", fail.text);
	if (rc)
		st_cursor_close(&p->cursor, p->env);
	p->key = p->cursor.key;
	p->data = p->cursor.data;
	return !rc;
}

/* --- jobs, events, games ------------------------------------------------------------------ */

/* The job of a record under a key of `size` bytes, 0 when there is none. */
static uint32_t job_of(struct check *c, const struct pass *p, size_t size, const char *table)
{
	uint32_t job = p->key.mv_size == size ? pd_get_be32(p->key.mv_data) : 0;
	if (!job || job >= c->counters.next_job)
		report_problem(c, "%s: a record for job %u, which was never given", table, job);
	return job;
}

/* Whether a record exists; if not, *fail says what is wrong. */
static bool is_there(const struct check *c, enum st_work_dbi dbi, const void *key, size_t size, struct pd_fail *fail)
{
	struct st_cursor cursor = {.cursor = NULL};
	int rc = st_cursor_open(&cursor, &c->store->work.env, c->work, c->store->work.dbi[dbi], fail);
	if (!rc)
		rc = st_cursor_move(&cursor, &c->store->work.env, MDB_SET_RANGE, key, size, fail);
	bool found = !rc && cursor.key.mv_size == size && !memcmp(cursor.key.mv_data, key, size);
	if (!found && (!rc || rc == PD_E_NOT_FOUND))
		pd_fail_set(fail, PD_E_NOT_FOUND, "", "nothing is stored under its key");
	st_cursor_close(&cursor, &c->store->work.env);
	return found;
}

/* Checks that what the existence records name exists; returns the number of these records. */
static uint32_t check_existence(struct check *c)
{
	const struct st_env *env = &c->store->work.env;
	struct pass p;
	uint32_t existing = 0;
	start_pass(c, &p, env, c->work, c->store->work.dbi[ST_EXISTENCE]);
	while (step_pass(c, &p)) {
		static const enum st_work_dbi dbi[] = {ST_JOBS, ST_TT};
		uint32_t job = job_of(c, &p, ST_KEY_32, "cards");
		struct st_existence existence = {0};
		existing++;
		if (!st_unseal(p.key.mv_data, p.key.mv_size, &p.data) ||
		    !st_existence_unpack(p.data.mv_data, p.data.mv_size, &existence))
			report_problem(c, "cards: the checksum of job %u does not match", job);
		for (unsigned i = 0; i < 2 && p.key.mv_size == ST_KEY_32; i++) {
			struct pd_fail fail;
			bool wanted = i ? existence.tt : existence.record;
			if (wanted && !is_there(c, dbi[i], p.key.mv_data, p.key.mv_size, &fail))
				report_problem(c, "%s: the record of job %u is missing: %s", i ? "tables" : "jobs", job,
					       fail.text);
		}
	}
	return existing;
}

static void check_jobs(struct check *c)
{
	struct pass p;
	uint32_t existing = check_existence(c);
	if (existing != c->counters.jobs)
		report_problem(c, "cards: %u instead of %u", existing, c->counters.jobs);
	start_pass(c, &p, &c->store->work.env, c->work, c->store->work.dbi[ST_JOBS]);
	while (step_pass(c, &p)) {
		uint32_t job = job_of(c, &p, ST_KEY_32, "jobs");
		struct st_existence existence;
		struct pd_fail fail;
		if (st_existence_get(&c->store->work, c->work, job, &existence, &fail) || !existence.record)
			report_problem(c, "jobs: job %u has a record, but no existence record says so", job);
		if (!st_unseal(p.key.mv_data, p.key.mv_size, &p.data) || p.data.mv_size > ST_JOB_MAX)
			report_problem(c, "jobs: the checksum of job %u does not match", job);
	}
}

/* The end of a walk through a job's events; `next` is one more than the number of the last. */
static void events_end(struct check *c, uint32_t job, uint64_t next)
{
	struct st_existence existence;
	struct pd_fail fail;
	if (!job)
		return;
	if (st_existence_get(&c->store->work, c->work, job, &existence, &fail))
		report_problem(c, "events: job %u has events, but no existence record", job);
	else if (existence.events != next)
		report_problem(c, "events: job %u has %" PRIu64 " events instead of %" PRIu64, job, next,
			       existence.events);
}

static void check_events(struct check *c)
{
	struct pass p;
	uint32_t job = 0;
	uint64_t next = 0;
	start_pass(c, &p, &c->store->work.env, c->work, c->store->work.dbi[ST_EVENTS]);
	while (step_pass(c, &p)) {
		if (p.key.mv_size != ST_KEY_32_64) {
			report_problem(c, "events: a key has %zu bytes", p.key.mv_size);
			continue;
		}
		uint32_t j = job_of(c, &p, ST_KEY_32_64, "events");
		uint64_t n = st_get_be64((const uint8_t *)p.key.mv_data + 4);
		if (j != job) {
			events_end(c, job, next);
			next = 0;
		}
		if (n != next)
			report_problem(c, "events: job %u has event %" PRIu64 " where %" PRIu64 " belongs", j, n, next);
		if (!st_unseal(p.key.mv_data, p.key.mv_size, &p.data) || p.data.mv_size > ST_EVENT_MAX)
			report_problem(c, "events: the checksum of event %" PRIu64 " of job %u does not match", n, j);
		job = j;
		next = n + 1;
	}
	events_end(c, job, next);
}

/* Checks the first event of each job: the walk above does not encounter a job that lost all of its events. */
static void check_first_events(struct check *c)
{
	for (uint32_t job = 1; job < c->counters.next_job; job++) {
		uint8_t key[ST_KEY_32_64];
		struct st_existence existence;
		struct pd_fail fail;
		pd_put_be32(key, job);
		st_put_be64(key + 4, 0);
		if (!st_existence_get(&c->store->work, c->work, job, &existence, &fail) && existence.events &&
		    !is_there(c, ST_EVENTS, key, sizeof key, &fail))
			report_problem(c, "events: the first event of job %u is missing", job);
	}
}

/* Games are numbered from 1 without gaps; returns how many there are. */
static uint32_t check_games(struct check *c, const struct st_env *env, MDB_txn *txn, MDB_dbi dbi)
{
	struct pass p;
	uint32_t games = 0;
	start_pass(c, &p, env, txn, dbi);
	while (step_pass(c, &p)) {
		games++;
		if (p.key.mv_size != ST_KEY_32 || pd_get_be32(p.key.mv_data) != games)
			report_problem(c, "%s: games: number %u is missing", env->name, games);
		if (!st_unseal(p.key.mv_data, p.key.mv_size, &p.data) || p.data.mv_size < 9 ||
		    p.data.mv_size > 8 + ST_NAME_MAX)
			report_problem(c, "%s: games: the checksum of game %u does not match", env->name, games);
	}
	return games;
}

/* --- tables ------------------------------------------------------------------------------- */

/* How many blocks of a table were found, to compare with its record. */
struct tt_seen {
	uint32_t job;
	bool there;
	struct st_tt_state state;
	uint64_t journal, snapshot, building;
};

static void tt_get(struct check *c, uint32_t job, struct tt_seen *t)
{
	uint8_t key[ST_KEY_32], record[ST_SEAL + ST_TT_STATE];
	size_t size;
	struct pd_fail fail;
	pd_put_be32(key, job);
	*t = (struct tt_seen){.job = job};
	int rc = st_get_sealed(st_work_place(&c->store->work, c->work, ST_TT), ST_BYTES(key), record, sizeof record,
			       &size, &fail);
	t->there = !rc && st_tt_state_unpack(record, size, &t->state);
}

static void table_end(struct check *c, const struct tt_seen *t, bool journal)
{
	const struct st_tt_state *s = &t->state;
	if (!t->there)
		return;
	if (journal && t->journal != s->journal_next - s->journal_start)
		report_problem(c, "journal: job %u has %" PRIu64 " blocks instead of %" PRIu64, t->job, t->journal,
			       s->journal_next - s->journal_start);
	if (!journal && (t->snapshot != s->snapshot_blocks || t->building != s->building_blocks))
		report_problem(c, "snapshot: job %u has %" PRIu64 " and %" PRIu64 " blocks instead of %u and %u",
			       t->job, t->snapshot, t->building, s->snapshot_blocks, s->building_blocks);
}

static const char *blocks_name(bool journal)
{
	return journal ? "journal" : "snapshot";
}

static void check_block(struct check *c, bool journal, const MDB_val *key, const MDB_val *data)
{
	struct st_tt_entry entries[ST_BLOCK_ENTRIES];
	struct st_block_view view;
	if (!st_block_open(data->mv_data, data->mv_size, journal ? ST_BLOCK_JOURNAL : ST_BLOCK_SNAPSHOT, key->mv_data,
			   key->mv_size, &view) ||
	    !st_block_entries(&view, entries))
		report_problem(c, "%s: a block of job %u does not decode", blocks_name(journal),
			       pd_get_be32(key->mv_data));
}

static void count_block(struct check *c, bool journal, struct tt_seen *t, const uint8_t *key)
{
	const struct st_tt_state *s = &t->state;
	uint64_t block = st_get_be64(key + 4);
	uint32_t snapshot = pd_get_be32(key + 4), n = pd_get_be32(key + 8);
	if (!t->there) {
		report_problem(c, "%s: blocks of job %u, which has no table", blocks_name(journal), t->job);
	} else if (journal) {
		if (block >= s->journal_next)
			report_problem(c, "journal: block %" PRIu64 " of job %u was never written", block, t->job);
		t->journal += block >= s->journal_start;
	} else if (snapshot > s->last_snapshot || (snapshot == s->snapshot && n >= s->snapshot_blocks) ||
		   (snapshot == s->building && n >= s->building_blocks)) {
		report_problem(c, "snapshot: block %u of snapshot %u of job %u was never written", n, snapshot, t->job);
	} else {
		t->snapshot += snapshot == s->snapshot;
		t->building += snapshot == s->building;
	}
}

static void check_blocks(struct check *c, bool journal)
{
	struct pass p;
	struct tt_seen t = {0};
	start_pass(c, &p, &c->store->work.env, c->work, c->store->work.dbi[journal ? ST_JOURNAL : ST_SNAPSHOT]);
	while (step_pass(c, &p)) {
		if (p.key.mv_size != ST_KEY_32_64) {
			report_problem(c, "%s: a key has %zu bytes", blocks_name(journal), p.key.mv_size);
			continue;
		}
		uint32_t job = pd_get_be32(p.key.mv_data);
		if (job != t.job) {
			table_end(c, &t, journal);
			tt_get(c, job, &t);
		}
		count_block(c, journal, &t, p.key.mv_data);
		check_block(c, journal, &p.key, &p.data);
	}
	table_end(c, &t, journal);
}

/* Checks the records of tables. The walks through blocks do not encounter a table that lost all of its blocks. */
static void check_tables(struct check *c)
{
	struct pass p;
	start_pass(c, &p, &c->store->work.env, c->work, c->store->work.dbi[ST_TT]);
	while (step_pass(c, &p)) {
		struct st_tt_state state;
		uint32_t job = job_of(c, &p, ST_KEY_32, "tables");
		uint8_t first[ST_KEY_32_64];
		struct st_existence existence;
		struct pd_fail fail;
		if (!st_unseal(p.key.mv_data, p.key.mv_size, &p.data) ||
		    !st_tt_state_unpack(p.data.mv_data, p.data.mv_size, &state)) {
			report_problem(c, "tables: the record of job %u does not decode", job);
			continue;
		}
		if (!state.dropped &&
		    (st_existence_get(&c->store->work, c->work, job, &existence, &fail) || !existence.tt))
			report_problem(c, "tables: job %u has a table, but no existence record says so", job);
		pd_put_be32(first, job);
		st_put_be64(first + 4, state.journal_start);
		if (state.journal_start < state.journal_next && !is_there(c, ST_JOURNAL, first, sizeof first, &fail))
			report_problem(c, "journal: block %" PRIu64 " of job %u is missing", state.journal_start, job);
		pd_put_be32(first + 4, state.snapshot);
		pd_put_be32(first + 8, 0);
		if (state.snapshot_blocks && !is_there(c, ST_SNAPSHOT, first, sizeof first, &fail))
			report_problem(c, "snapshot: the first block of job %u is missing", job);
	}
}

/* --- facts -------------------------------------------------------------------------------- */

static void check_log_block(struct check *c, uint64_t block, const MDB_val *key, const MDB_val *data)
{
	struct st_block_view view;
	struct st_wal_record record = {.key_size = 0};
	bool sound = st_block_open(data->mv_data, data->mv_size, ST_BLOCK_FACTS, key->mv_data, key->mv_size, &view);
	for (uint32_t i = 0; sound && i < view.count; i++) {
		sound = st_wal_next(&view, &record);
		uint32_t game = pd_get_be32(record.key);
		if (sound && (!game || game >= c->counters.next_game))
			report_problem(c, "factlog: block %" PRIu64 " has a fact of game %u, which was never given",
				       block, game);
	}
	if (!sound || view.p != view.end)
		report_problem(c, "factlog: block %" PRIu64 " does not decode", block);
}

static void check_log(struct check *c)
{
	struct pass p;
	uint64_t next = 0;
	start_pass(c, &p, &c->store->work.env, c->work, c->store->work.dbi[ST_WAL]);
	while (step_pass(c, &p)) {
		uint64_t block = p.key.mv_size == ST_KEY_64 ? st_get_be64(p.key.mv_data) : 0;
		/* Old blocks are deleted from the front. */
		bool gap = next ? block != next : block > c->counters.dropped_log + 1;
		if (!block || gap)
			report_problem(c, "factlog: block %" PRIu64 " is missing",
				       next ? next : c->counters.dropped_log + 1);
		check_log_block(c, block, &p.key, &p.data);
		next = block + 1;
	}
	if (next ? next != c->counters.next_log : c->counters.next_log > c->counters.dropped_log + 1)
		report_problem(c, "factlog: the last blocks before %" PRIu64 " are missing", c->counters.next_log);
}

/* Checks the records of one block; returns their number. */
static uint32_t check_run_block(struct check *c, const struct st_run *run, uint64_t block, struct st_run_view *view,
				const MDB_val *upper, uint32_t games)
{
	uint8_t last[ST_DB_KEY_MAX];
	size_t last_size = view->lower_size;
	uint32_t records = 0;
	int got;
	memcpy(last, view->lower, last_size);
	while ((got = st_run_view_next(view)) > 0) {
		int order = st_key_compare(last, last_size, view->key, view->key_size);
		uint32_t game = view->key_size > 4 ? pd_get_be32(view->key) : 0;
		if (!game || game > games)
			report_problem(c, "run.%u: block %" PRIu64 " has a fact of the unknown game %u", run->slot,
				       block, game);
		if (order > 0 || (!order && records) ||
		    st_key_compare(view->key, view->key_size, upper->mv_data, upper->mv_size) >= 0)
			report_problem(c, "run.%u: block %" PRIu64 " has a fact out of order", run->slot, block);
		if (!st_fact_canonical(view->value, view->value_size))
			report_problem(c, "run.%u: a fact of block %" PRIu64 " does not decode", run->slot, block);
		records++;
		last_size = view->key_size;
		memcpy(last, view->key, last_size);
	}
	if (got < 0)
		report_problem(c, "run.%u: block %" PRIu64 " does not decode", run->slot, block);
	return records;
}

static void check_run(struct check *c, const struct st_run *run, uint32_t games)
{
	struct pass p;
	uint8_t last[ST_DB_KEY_MAX];
	size_t last_size = 0;
	uint64_t entries = 0, blocks = 0;
	bool whole = true;
	start_pass(c, &p, &c->store->facts.env, c->facts, c->store->facts.run[run->slot]);
	while (step_pass(c, &p)) {
		struct st_run_view view;
		blocks++;
		bool sound =
			st_run_view_open(&view, p.data.mv_data, p.data.mv_size, run->id, p.key.mv_data, p.key.mv_size);
		if (!sound)
			report_problem(c, "run.%u: the checksum of block %" PRIu64 " does not match", run->slot,
				       blocks);
		else if (st_key_compare(last, last_size, view.lower, view.lower_size))
			report_problem(c, "run.%u: a block before block %" PRIu64 " is missing", run->slot, blocks);
		if (sound)
			entries += check_run_block(c, run, blocks, &view, &p.key, games);
		whole = whole && sound;
		last_size = p.key.mv_size;
		memcpy(last, p.key.mv_data, last_size);
	}
	if (last_size != sizeof st_run_end || memcmp(last, st_run_end, last_size))
		report_problem(c, "run.%u: its last block is missing", run->slot);
	if (whole && (entries != run->entries || blocks != run->blocks))
		report_problem(c, "run.%u: %" PRIu64 " facts in %" PRIu64 " blocks instead of %" PRIu64 " in %" PRIu64,
			       run->slot, entries, blocks, run->entries, run->blocks);
}

static void check_conflicts(struct check *c)
{
	struct pass p;
	start_pass(c, &p, &c->store->work.env, c->work, c->store->work.dbi[ST_CONFLICTS]);
	while (step_pass(c, &p)) {
		char text[400];
		bool sound = st_unseal(p.key.mv_data, p.key.mv_size, &p.data);
		st_conflict_describe(p.data.mv_data, sound ? p.data.mv_size : 0, text, sizeof text);
		report_problem(c, "%s", text);
	}
}

/* --- all of it ---------------------------------------------------------------------------- */

/* Checks every record of the `meta` of a file, and that none is missing. */
static void check_meta_records(struct check *c, const struct st_env *env, MDB_txn *txn, MDB_dbi dbi)
{
	enum st_meta_flag file = env == &c->store->facts.env ? ST_META_FACTS : ST_META_WORK;
	bool found[ST_META_COUNT] = {false};
	struct pass p;
	start_pass(c, &p, env, txn, dbi);
	while (step_pass(c, &p)) {
		enum st_meta_id id = st_meta_find(file, p.key.mv_data, p.key.mv_size);
		if (id == ST_META_COUNT) {
			report_problem(c, "%s: meta: a record with an unknown name", env->name);
			continue;
		}
		found[id] = true;
		bool sealed = !(st_meta_flags(id) & ST_META_PLAIN);
		if ((sealed && !st_unseal(p.key.mv_data, p.key.mv_size, &p.data)) ||
		    !st_meta_decodes(id, file, p.data.mv_data, p.data.mv_size))
			report_problem(c, "%s: meta: the record \"%s\" does not decode", env->name,
				       (const char *)st_meta_key(id).bytes);
	}
	for (unsigned id = 0; id < ST_META_COUNT; id++)
		if (!found[id] && (st_meta_flags(id) & file) && (st_meta_flags(id) & ST_META_NEEDED))
			report_problem(c, "%s: meta: the record \"%s\" is missing", env->name,
				       (const char *)st_meta_key(id).bytes);
}

static void check_meta(struct check *c)
{
	struct st_store *store = c->store;
	struct pd_fail fail;
	int64_t before = c->problems;
	check_meta_records(c, &store->work.env, c->work, store->work.dbi[ST_META]);
	check_meta_records(c, &store->facts.env, c->facts, store->facts.meta);
	if ((st_counters_get(&store->work, c->work, &c->counters, &fail) ||
	     st_run_list_get(&store->facts, c->facts, &c->runs, &fail)) &&
	    c->problems == before)
		report_problem(c, "meta: %s", fail.text);
}

static void check_pages(struct check *c, const struct st_env *env, MDB_txn *txn)
{
	struct pd_fail fail;
	if (st_pages_check(env, mdb_txn_id(txn), &fail))
		report_problem(c, "%s", fail.text);
}

static void check_all(struct check *c)
{
	struct st_store *store = c->store;
	PD_ASSERT(c->work && c->facts && !store->memory);
	check_pages(c, &store->facts.env, c->facts);
	check_pages(c, &store->work.env, c->work);
	check_meta(c);
	uint32_t games = check_games(c, &store->work.env, c->work, store->work.dbi[ST_GAMES]);
	if (games + 1 != c->counters.next_game)
		report_problem(c, "games: %u instead of %u", games, c->counters.next_game - 1);
	check_jobs(c);
	check_events(c);
	check_first_events(c);
	check_tables(c);
	check_blocks(c, true);
	check_blocks(c, false);
	check_log(c);
	check_conflicts(c);
	games = check_games(c, &store->facts.env, c->facts, store->facts.games);
	struct pd_fail fail;
	if (st_games_load(store, c->work, &fail) || st_games_agree(store, c->facts, &fail))
		report_problem(c, "games: %s", fail.text);
	for (uint32_t i = 0; i < c->runs.count; i++)
		check_run(c, &c->runs.run[i], games);
}

int64_t st_verify_directory(struct st_store *store, void (*problem)(void *ctx, const char *text), void *ctx,
			    struct pd_fail *fail)
{
	struct check c = {.store = store, .problem = problem, .ctx = ctx, .fail = fail};
	struct st_read_txn facts, work;
	int rc = st_read_txn_begin(&store->facts.env, &facts, fail);
	if (rc)
		return -1;
	rc = st_read_txn_begin(&store->work.env, &work, fail);
	if (!rc) {
		c.facts = facts.txn;
		c.work = work.txn;
		check_all(&c);
		st_read_txn_end(&store->work.env, &work);
	}
	st_read_txn_end(&store->facts.env, &facts);
	return rc ? -1 : c.problems;
}
