/* One damaged record of a directory costs what stood in it and no more: the rest opens, and is right. */
#include <lmdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/bytes.h"
#include "proto/base/log.h"
#include "store/store.h"
#include "tests/support/restamp.h"
#include "tests/support/storedir.h"
#include "tests/support/suite.h"

enum { JOBS = 5, EVENTS = 7, ENTRIES = 3000, FACTS = 2000 };

static struct st_store *open_store(const char *dir)
{
	struct st_store *store = NULL;
	struct pd_fail fail = {.text = ""};
	ck_assert_msg(st_open(dir, 0, &store, &fail) == 0, "%s", fail.text);
	return store;
}

static struct st_batch *begun(struct st_store *store)
{
	struct st_batch *batch = NULL;
	struct pd_fail fail = {.text = ""};
	ck_assert_msg(st_batch_begin(store, &batch, &fail) == 0, "%s", fail.text);
	return batch;
}

static struct st_tt_entry entry(uint32_t n)
{
	struct st_tt_entry e = {{0}};
	pd_put_le32(e.bytes, n * UINT32_C(2654435761));
	pd_put_le32(e.bytes + 4, n);
	pd_put_le32(e.bytes + 20, n + 1);
	return e;
}

static int put_facts(struct st_batch *batch, const char *game, uint32_t from, uint32_t count, struct pd_fail *fail)
{
	uint32_t id;
	int rc = st_batch_game(batch, game, 1, &id, fail);
	for (uint32_t n = from; !rc && n < from + count; n++) {
		struct pd_reason r = {.side = PD_LO, .bound = 1, .rank = 3, .move = 3, .job = 1};
		uint8_t key[4];
		pd_put_be32(key, n);
		rc = st_batch_fact(batch, id, key, sizeof key, &r, fail);
	}
	return rc;
}

/* Jobs 1..JOBS, each with events, a snapshot and a journal; two games with facts, `moved` to runs or in the log. */
static void fill_directory(const char *dir, bool moved)
{
	struct st_store *store = open_store(dir);
	struct pd_fail fail = {.text = ""};
	struct st_tt_entry e[ENTRIES];
	int rc = 0;
	for (uint32_t n = 0; n < ENTRIES; n++)
		e[n] = entry(n);
	struct st_batch *batch = begun(store);
	for (uint32_t i = 1; i <= JOBS && !rc; i++) {
		uint32_t job;
		rc = st_batch_job_new(batch, &job, &fail);
		for (uint32_t n = 0; n < EVENTS && !rc; n++)
			rc = st_batch_event(batch, job, &n, sizeof n, &fail);
		if (!rc)
			rc = st_batch_job_put(batch, job, &job, sizeof job, &fail);
		if (!rc)
			rc = st_batch_snapshot_start(batch, job, &fail);
		if (!rc)
			rc = st_batch_snapshot_put(batch, job, e, ENTRIES / 2, &fail);
		if (!rc)
			rc = st_batch_snapshot_end(batch, job, &fail);
		if (!rc)
			rc = st_batch_tt(batch, job, e + ENTRIES / 2, ENTRIES - ENTRIES / 2, &fail);
	}
	ck_assert_int_eq(rc, 0);
	ck_assert_int_eq(put_facts(batch, "g", 0, FACTS, &fail), 0);
	ck_assert_int_eq(put_facts(batch, "h", 0, FACTS, &fail), 0);
	ck_assert_int_eq(st_batch_commit(batch, &fail), 0);
	while (moved && (rc = st_facts_maintain(store, true, &fail)) > 0)
		;
	ck_assert_int_eq(rc, 0);
	st_close(store);
}

enum damage { FLIP, REMOVE };

/* Damages the record with that key. */
static void damage_file(const char *dir, const char *table, const void *key, size_t size, enum damage how)
{
	char path[300];
	MDB_dbi dbi;
	MDB_val k = {size, (void *)(uintptr_t)key}, value;
	uint8_t copy[5000];
	snprintf(path, sizeof path, "%s/work.mdb", dir);
	MDB_txn *txn = restamp_begin(path, table, 0, &dbi);
	ck_assert_int_eq(mdb_get(txn, dbi, &k, &value), 0);
	memcpy(copy, value.mv_data, value.mv_size);
	copy[value.mv_size / 2] ^= 0x10;
	value.mv_data = copy;
	if (how == REMOVE)
		ck_assert_int_eq(mdb_del(txn, dbi, &k, NULL), 0);
	else
		ck_assert_int_eq(mdb_put(txn, dbi, &k, &value, 0), 0);
	restamp_commit(txn);
}

struct seen {
	uint32_t count, damaged, last_damaged;
};

static int see_job(void *ctx, uint32_t job, const void *record, size_t size)
{
	struct seen *s = ctx;
	s->count++;
	if (!record) {
		s->damaged++;
		s->last_damaged = job;
		return 0;
	}
	ck_assert_uint_eq(size, sizeof job);
	ck_assert_mem_eq(record, &job, sizeof job);
	return 0;
}

static int see_event(void *ctx, const void *record, size_t size)
{
	struct seen *s = ctx;
	if (!record) {
		s->damaged++;
		s->last_damaged = s->count;
	} else {
		ck_assert_uint_eq(size, sizeof s->count);
		ck_assert_mem_eq(record, &s->count, sizeof s->count);
	}
	s->count++;
	return 0;
}

static int see_entries(void *ctx, const struct st_tt_entry *entries, size_t count)
{
	*(size_t *)ctx += count;
	return 0;
}

static int table(struct st_store *store, uint32_t job, size_t *entries, struct pd_fail *fail)
{
	*entries = 0;
	return st_tt_each(store, job, see_entries, entries, fail);
}

static bool is_known(struct st_store *store, const char *game, uint32_t n)
{
	struct st_reader *reader;
	struct pd_fact fact = {0};
	struct pd_fail fail;
	uint8_t key[4];
	uint32_t id = st_game_find(store, game, 1);
	pd_put_be32(key, n);
	ck_assert_int_eq(st_reader_open(store, &reader, &fail), 0);
	int rc = st_fact_get(reader, id, key, sizeof key, &fact, &fail);
	ck_assert_int_ge(rc, 0);
	st_reader_close(reader);
	return rc;
}

/* All jobs but `bad`, and all facts, are there, and everything can be written. */
static void assert_rest(struct st_store *store, uint32_t bad)
{
	struct pd_fail fail = {.text = ""};
	size_t entries;
	uint32_t next = 0, changed = bad == JOBS ? JOBS - 1 : JOBS;
	for (uint32_t job = 1; job <= changed; job++) {
		struct seen events = {0};
		if (job == bad)
			continue;
		ck_assert_int_eq(st_event_each(store, job, 100, see_event, &events, &fail), 0);
		ck_assert_uint_ge(events.count, EVENTS);
		ck_assert_uint_eq(events.damaged, 0);
		next = events.count;
		ck_assert_int_eq(table(store, job, &entries, &fail), 0);
		ck_assert_uint_ge(entries, ENTRIES);
	}
	ck_assert(is_known(store, "g", 0) && is_known(store, "g", FACTS - 1) && is_known(store, "h", FACTS - 1));
	for (uint32_t i = 0; i < 3; i++) {
		struct st_batch *batch = begun(store);
		struct st_tt_entry e = entry(ENTRIES - 1);
		uint32_t job = 1 + (bad == 1);
		ck_assert_int_eq(st_batch_job_put(batch, job, &job, sizeof job, &fail), 0);
		ck_assert_int_eq(st_batch_tt(batch, job, &e, 1, &fail), 0);
		ck_assert_int_eq(st_batch_event(batch, changed, &next, sizeof next, &fail), 0);
		next++;
		ck_assert_int_eq(put_facts(batch, "g", FACTS + i, 1, &fail), 0);
		ck_assert_msg(st_batch_commit(batch, &fail) == 0, "%s", fail.text);
		ck_assert_int_ge(st_facts_maintain(store, true, &fail), 0);
	}
}

START_TEST(a_damaged_job_is_named_and_the_others_are_there)
{
	for (uint32_t bad = 1; bad <= JOBS; bad++) {
		char dir[256];
		uint8_t key[4];
		struct pd_fail fail;
		struct seen seen = {0};
		storedir_new(dir, sizeof dir);
		fill_directory(dir, bad % 2);
		pd_put_be32(key, bad);
		damage_file(dir, "jobs", key, sizeof key, FLIP);
		struct st_store *store = open_store(dir);
		ck_assert_int_eq(st_job_each(store, see_job, &seen, &fail), 0);
		ck_assert_uint_eq(seen.count, JOBS);
		ck_assert_uint_eq(seen.damaged, 1);
		ck_assert_uint_eq(seen.last_damaged, bad);
		assert_rest(store, bad);
		st_close(store);
		storedir_remove(dir);
	}
}
END_TEST

START_TEST(a_damaged_event_is_a_gap_in_the_history)
{
	for (uint32_t bad = 0; bad < 2 * EVENTS; bad++) {
		char dir[256];
		uint8_t key[12] = {0};
		struct pd_fail fail;
		struct seen seen = {0};
		enum damage how = bad < EVENTS ? FLIP : REMOVE;
		if (how == REMOVE && bad % EVENTS == EVENTS - 1)
			continue; /* that there was one more, no one knows */
		storedir_new(dir, sizeof dir);
		fill_directory(dir, true);
		pd_put_be32(key, 2);
		pd_put_be32(key + 8, bad % EVENTS);
		damage_file(dir, "events", key, sizeof key, how);
		struct st_store *store = open_store(dir);
		ck_assert_int_eq(st_event_each(store, 2, 100, see_event, &seen, &fail), 0);
		ck_assert_uint_eq(seen.count, EVENTS);
		ck_assert_uint_eq(seen.damaged, 1);
		ck_assert_uint_eq(seen.last_damaged, bad % EVENTS);
		assert_rest(store, 2);
		st_close(store);
		storedir_remove(dir);
	}
}
END_TEST

/* Its state, a block of its snapshot or one of its journal: the table is refused, dropped on request, and begun again.
 */
START_TEST(a_damaged_table_can_be_dropped)
{
	static const char *const tables[] = {"tables", "snapshot", "journal"};
	for (unsigned i = 0; i < 6; i++) {
		char dir[256];
		uint8_t key[12] = {0};
		struct pd_fail fail = {.text = ""};
		struct st_tt_entry e = entry(1);
		size_t entries;
		if (i == 3)
			continue; /* a job without a record has no table */
		storedir_new(dir, sizeof dir);
		fill_directory(dir, true);
		pd_put_be32(key, 3);
		pd_put_be32(key + 4, i % 3 == 1); /* the first snapshot's number, or the first block's upper half */
		damage_file(dir, tables[i % 3], key, i % 3 ? 12 : 4, i < 3 ? FLIP : REMOVE);
		struct st_store *store = open_store(dir);
		ck_assert_int_eq(table(store, 3, &entries, &fail), PD_E_CORRUPT);
		assert_rest(store, 3);
		ck_assert_int_eq(table(store, 3, &entries, &fail), PD_E_CORRUPT);
		struct st_batch *batch = begun(store);
		ck_assert_int_eq(st_batch_tt_drop(batch, 3, &fail), 0);
		ck_assert_msg(st_batch_commit(batch, &fail) == 0, "%s", fail.text);
		ck_assert_int_eq(table(store, 3, &entries, &fail), 0);
		ck_assert_uint_eq(entries, 0);
		batch = begun(store);
		ck_assert_int_eq(st_batch_tt(batch, 3, &e, 1, &fail), 0);
		ck_assert_int_eq(st_batch_commit(batch, &fail), 0);
		int rc;
		while ((rc = st_facts_maintain(store, true, &fail)) > 0)
			;
		ck_assert_int_eq(rc, 0);
		st_close(store);
		store = open_store(dir);
		ck_assert_int_eq(table(store, 3, &entries, &fail), 0);
		ck_assert_uint_eq(entries, 1);
		assert_rest(store, 3);
		st_close(store);
		storedir_remove(dir);
	}
}
END_TEST

static int try_to_open(const char *dir, unsigned flags, struct pd_fail *fail)
{
	struct st_store *store = NULL;
	int rc = st_open(dir, flags, &store, fail);
	if (!rc)
		st_close(store);
	return rc;
}

START_TEST(a_damaged_game_is_made_good_or_refused)
{
	for (unsigned i = 0; i < 4; i++) {
		bool moved = i & 1;
		char dir[256];
		uint8_t key[4];
		struct pd_fail fail;
		struct st_store *store;
		storedir_new(dir, sizeof dir);
		fill_directory(dir, moved);
		pd_put_be32(key, 1 + (i >> 1));
		damage_file(dir, "games", key, sizeof key, i >> 1 ? REMOVE : FLIP);
		for (unsigned flags = 0; flags <= ST_READ_ONLY; flags++) {
			int rc = try_to_open(dir, flags ? 0 : ST_READ_ONLY,
					     &fail); /* reading first: it changes nothing */
			ck_assert_int_eq(rc, moved ? PD_OK : PD_E_CORRUPT);
			ck_assert(!rc || strstr(fail.text, "proofctl repair"));
		}
		if (moved) {
			store = open_store(dir);
			assert_rest(store, 0);
			st_close(store);
		}
		storedir_remove(dir);
	}
}
END_TEST

START_TEST(a_damaged_fact_log_is_refused_with_a_remedy)
{
	for (unsigned i = 0; i < 4; i++) {
		char dir[256];
		uint8_t key[8] = {0};
		struct pd_fail fail;
		storedir_new(dir, sizeof dir);
		fill_directory(dir, false);
		pd_put_be32(key + 4, 1 + i / 2);
		damage_file(dir, "factlog", key, sizeof key, i % 2 ? REMOVE : FLIP);
		ck_assert_int_eq(try_to_open(dir, 0, &fail), PD_E_CORRUPT);
		ck_assert_msg(strstr(fail.text, "write-ahead log") && strstr(fail.text, "proofctl repair"), "%s",
			      fail.text);
		ck_assert_int_eq(try_to_open(dir, ST_READ_ONLY, &fail), PD_E_CORRUPT);
		storedir_remove(dir);
	}
}
END_TEST

SUITE(lost_records)
{
	pd_log_threshold(PD_LOG_ERROR);
	tcase_set_timeout(c, 110);
	tcase_add_test(c, a_damaged_job_is_named_and_the_others_are_there);
	tcase_add_test(c, a_damaged_event_is_a_gap_in_the_history);
	tcase_add_test(c, a_damaged_table_can_be_dropped);
	tcase_add_test(c, a_damaged_game_is_made_good_or_refused);
	tcase_add_test(c, a_damaged_fact_log_is_refused_with_a_remedy);
}
