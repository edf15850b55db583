/* st_check tested itself: a flipped bit, a lost record and a record in a wrong place are found, in every database of
 * both files. */
#include <lmdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/games.h"
#include "store/meta_page.h"
#include "store/record.h"
#include "store/store_state.h"
#include "store/txn.h"
#include "tests/support/restamp.h"
#include "tests/support/storedir.h"
#include "tests/support/storemodel.h"
#include "tests/support/suite.h"

static void count_problem(void *ctx, const char *text)
{
	++*(unsigned *)ctx;
}

/* A store with something in every database, several runs and a write-ahead log. */
static void fill_directory(const char *dir)
{
	struct st_tuning tuning = {.flush_facts = 300, .compaction_width = 100};
	struct st_store *store = NULL;
	struct pd_fail fail = {.text = ""};
	struct model *model = model_new(99);
	ck_assert_msg(st_open(dir, 0, &store, &fail) == 0, "%s", fail.text);
	st_tune(store, &tuning);
	for (unsigned i = 0; i < 14; i++) {
		struct st_batch *batch;
		ck_assert_int_eq(st_batch_begin(store, &batch, &fail), 0);
		ck_assert_int_eq(model_batch(model, batch, &fail), 0);
		ck_assert_int_eq(st_batch_commit(batch, &fail), 0);
		while (i < 12 && st_facts_maintain(store, false, &fail) == 1)
			;
	}
	struct st_stats stats;
	st_stats(store, &stats);
	ck_assert_uint_gt(stats.runs, 1);
	ck_assert_uint_gt(stats.memtable, 0);
	st_close(store);
	model_free(model);
}

/* True when opening or checking finds fault. */
static bool found(const char *dir)
{
	struct st_store *store = NULL;
	struct pd_fail fail;
	unsigned problems = 0;
	int rc = st_open(dir, ST_READ_ONLY, &store, &fail);
	if (rc)
		return rc == PD_E_CORRUPT || rc == PD_E_FORMAT;
	int64_t told = st_check(store, count_problem, &problems, &fail);
	ck_assert_int_eq(told, problems);
	st_close(store);
	return problems > 0;
}

enum damage { FLIP_VALUE, FLIP_KEY, REMOVE, DAMAGES };

/* Damages record number `n` of the named database; false when it has fewer. */
static bool damage_file(const char *path, const char *table, size_t n, enum damage how, uint64_t *random)
{
	MDB_dbi dbi;
	MDB_cursor *cursor;
	MDB_val key, value;
	MDB_stat stat_of;
	uint8_t k[512], v[70000];
	MDB_txn *txn = restamp_begin(path, table, 0, &dbi);
	ck_assert_int_eq(mdb_stat(txn, dbi, &stat_of), 0);
	bool there = n < stat_of.ms_entries;
	if (there) {
		ck_assert_int_eq(mdb_cursor_open(txn, dbi, &cursor), 0);
		for (size_t i = 0; i <= n; i++)
			ck_assert_int_eq(mdb_cursor_get(cursor, &key, &value, MDB_NEXT), 0);
		memcpy(k, key.mv_data, key.mv_size);
		memcpy(v, value.mv_data, value.mv_size);
		mdb_cursor_close(cursor);
		key.mv_data = k;
		value.mv_data = v;
		ck_assert_int_eq(mdb_del(txn, dbi, &key, NULL), 0);
		if (how == FLIP_VALUE)
			v[model_random(random, value.mv_size)] ^= (uint8_t)(1 << model_random(random, 8));
		else if (how == FLIP_KEY)
			k[model_random(random, key.mv_size)] ^= (uint8_t)(1 << model_random(random, 8));
		if (how != REMOVE)
			ck_assert_int_eq(mdb_put(txn, dbi, &key, &value, 0), 0);
	}
	restamp_commit(txn);
	return there;
}

static void damage_all(const char *file, const char *table, uint64_t *random)
{
	char dir[256], copy[256], path[300];
	storedir_new(dir, sizeof dir);
	fill_directory(dir);
	unsigned tried = 0;
	for (enum damage how = FLIP_VALUE; how < DAMAGES; how++) {
		for (size_t n = 0; n < 200; n += 1 + model_random(random, 20)) {
			storedir_copy(dir, copy, sizeof copy);
			snprintf(path, sizeof path, "%s/%s", copy, file);
			bool there = damage_file(path, table, n, how, random);
			tried += there;
			if (there)
				ck_assert_msg(found(copy), "%s: damage %d to record %zu of %s was not found", file, how,
					      n, table);
			storedir_remove(copy);
		}
	}
	ck_assert_msg(tried, "%s has no records", table);
	storedir_remove(dir);
}

static const char *const work_tables[] = {"meta",   "games",   "jobs",     "cards",  "events",
					  "tables", "journal", "snapshot", "factlog"};
static const char *const facts_tables[] = {"meta", "games", "run.0", "run.1"};

START_TEST(damage_to_the_work_environment_is_found)
{
	uint64_t random = 7 + (uint64_t)_i;
	damage_all("work.mdb", work_tables[_i], &random);
}
END_TEST

START_TEST(damage_to_the_facts_environment_is_found)
{
	uint64_t random = 70 + (uint64_t)_i;
	damage_all("facts.mdb", facts_tables[_i], &random);
}
END_TEST

/* Swaps the first two games of the facts environment, each under a seal of its own. */
static void swap_games(const char *dir)
{
	struct st_store *store = NULL;
	struct pd_fail fail;
	MDB_txn *txn;
	ck_assert_int_eq(st_open(dir, 0, &store, &fail), 0);
	ck_assert_uint_ge(store->games, 2);
	store->game[0].id = 2;
	store->game[1].id = 1;
	ck_assert_int_eq(st_txn_begin(&store->facts.env, false, &txn, &fail), 0);
	ck_assert_int_eq(st_games_publish(store, txn, &fail), 0);
	ck_assert_int_eq(st_txn_commit(&store->facts.env, txn, &fail), 0);
	st_close(store);
}

START_TEST(facts_of_one_game_are_not_taken_for_another_s)
{
	char dir[256];
	struct st_store *store = NULL;
	struct pd_fail fail;
	storedir_new(dir, sizeof dir);
	fill_directory(dir);
	swap_games(dir);
	for (unsigned flags = 0; flags <= ST_READ_ONLY; flags++) {
		ck_assert_int_eq(st_open(dir, flags, &store, &fail), PD_E_CORRUPT);
		ck_assert_ptr_nonnull(strstr(fail.text, "game number 1"));
	}
	storedir_remove(dir);
}
END_TEST

static void copy_problem(void *ctx, const char *text)
{
	snprintf(ctx, 512, "%s", text);
}

/* Makes the last record of the list of free pages `size` bytes long. */
static void shorten_free_list(const char *path, uint16_t size)
{
	struct st_meta_page meta[2];
	uint8_t p[4096];
	FILE *file = fopen(path, "r+b");
	ck_assert_ptr_nonnull(file);
	int newer = st_meta_pages_read(fileno(file), meta);
	ck_assert_int_ge(newer, 0);
	long at = (long)(meta[newer].db[0].root * meta[newer].page);
	ck_assert_int_eq(meta[newer].db[0].depth, 1); /* the root is a leaf */
	ck_assert_uint_le(meta[newer].page, sizeof p);
	ck_assert_int_eq(fseek(file, at, SEEK_SET), 0);
	ck_assert_uint_eq(fread(p, 1, meta[newer].page, file), meta[newer].page);
	uint16_t last = (uint16_t)(st_page_get16(p + 12) - 2); /* where the last node's offset is */
	memcpy(p + st_page_get16(p + last), &size, sizeof size);
	ck_assert_int_eq(fseek(file, at, SEEK_SET), 0);
	ck_assert_uint_eq(fwrite(p, 1, meta[newer].page, file), meta[newer].page);
	ck_assert_int_eq(fclose(file), 0);
}

START_TEST(a_list_of_free_pages_has_room_for_its_count)
{
	char dir[256], path[300], told[512] = "";
	struct st_store *store = NULL;
	struct pd_fail fail;
	storedir_new(dir, sizeof dir);
	fill_directory(dir);
	snprintf(path, sizeof path, "%s/work.mdb", dir);
	shorten_free_list(path, (uint16_t)_i);
	if (st_open(dir, ST_READ_ONLY, &store, &fail)) {
		snprintf(told, sizeof told, "%s", fail.text);
	} else {
		st_check(store, copy_problem, told, &fail);
		st_close(store);
	}
	ck_assert_msg(strstr(told, "a list of free pages is longer than its record") != NULL, "'%s'", told);
	storedir_remove(dir);
}
END_TEST

START_TEST(a_sound_store_has_no_problems)
{
	char dir[256];
	storedir_new(dir, sizeof dir);
	fill_directory(dir);
	ck_assert(!found(dir));
	storedir_remove(dir);
}
END_TEST

SUITE(check)
{
	tcase_set_timeout(c, 110);
	tcase_add_test(c, a_sound_store_has_no_problems);
	tcase_add_loop_test(c, a_list_of_free_pages_has_room_for_its_count, 0, 8);
	tcase_add_test(c, facts_of_one_game_are_not_taken_for_another_s);
	tcase_add_loop_test(c, damage_to_the_work_environment_is_found, 0, sizeof work_tables / sizeof *work_tables);
	tcase_add_loop_test(c, damage_to_the_facts_environment_is_found, 0, sizeof facts_tables / sizeof *facts_tables);
}
