/* The key of identities: drawn once, kept, and where it is lost the tables that were named with it go. */
#include <stdlib.h>
#include <string.h>

#include "store/record.h"
#include "store/store.h"
#include "store/store_state.h"
#include "store/txn.h"
#include "tests/support/insession.h"
#include "tests/support/suite.h"

static struct st_store *open_store(const char *dir, unsigned flags)
{
	struct st_store *store;
	struct pd_fail fail = {.text = ""};
	ck_assert_msg(!st_open(dir, flags, &store, &fail), "%s", fail.text);
	return store;
}

/* A job with a table of one entry. */
static void add_table(struct st_store *store)
{
	struct st_batch *batch;
	struct pd_fail fail;
	uint32_t job;
	struct st_tt_entry entry = {{1, 2, 3}};
	ck_assert(!st_batch_begin(store, &batch, &fail));
	ck_assert(!st_batch_job_new(batch, &job, &fail));
	ck_assert(!st_batch_job_put(batch, job, "job", 3, &fail));
	ck_assert(!st_batch_tt(batch, job, &entry, 1, &fail));
	ck_assert(!st_batch_commit(batch, &fail));
}

static int count_entries(void *ctx, const struct st_tt_entry *entries, size_t count)
{
	*(size_t *)ctx += count;
	return 0;
}

static size_t entries_of(struct st_store *store)
{
	size_t count = 0;
	struct pd_fail fail;
	ck_assert(!st_tt_each(store, 1, count_entries, &count, &fail));
	return count;
}

/* The record goes, or says something else under its old seal. */
static void spoil_identity(struct st_store *store, bool damage)
{
	MDB_txn *txn;
	struct pd_fail fail;
	uint8_t junk[12] = {1};
	ck_assert(!st_txn_begin(&store->work.env, false, &txn, &fail));
	if (damage)
		ck_assert(!st_put((struct st_place){&store->work.env, txn, store->work.dbi[ST_META]},
				  (struct st_data){"identity", 8}, (struct st_data){junk, sizeof junk}, 0, &fail));
	else
		ck_assert(!st_del((struct st_place){&store->work.env, txn, store->work.dbi[ST_META]},
				  (struct st_data){"identity", 8}, &fail));
	ck_assert(!st_txn_commit(&store->work.env, txn, &fail));
}

static void count_problem(void *ctx, const char *text)
{
	++*(unsigned *)ctx;
}

START_TEST(a_directory_keeps_its_key)
{
	char dir[64];
	scratch_dir(dir);
	struct st_store *store = open_store(dir, 0);
	uint64_t key = st_identity(store);
	ck_assert(key);
	add_table(store);
	st_close(store);
	for (unsigned i = 0; i < 3; i++) {
		store = open_store(dir, i == 1 ? ST_READ_ONLY : 0);
		ck_assert(st_identity(store) == key);
		ck_assert_uint_eq(entries_of(store), 1);
		st_close(store);
	}
	scratch_remove(dir);
}
END_TEST

START_TEST(every_store_has_its_own)
{
	char dirs[2][64];
	struct st_store *stores[4];
	for (unsigned i = 0; i < 4; i++) {
		if (i < 2)
			scratch_dir(dirs[i]);
		stores[i] = open_store(i < 2 ? dirs[i] : NULL, 0);
		for (unsigned k = 0; k < i; k++)
			ck_assert(st_identity(stores[i]) != st_identity(stores[k]));
	}
	for (unsigned i = 0; i < 4; i++)
		st_close(stores[i]);
	for (unsigned i = 0; i < 2; i++)
		scratch_remove(dirs[i]);
}
END_TEST

START_TEST(with_a_lost_key_the_tables_go)
{
	char dir[64];
	struct pd_fail fail;
	unsigned problems = 0;
	scratch_dir(dir);
	struct st_store *store = open_store(dir, 0);
	uint64_t key = st_identity(store);
	add_table(store);
	spoil_identity(store, _i);
	st_close(store);
	store = open_store(dir, ST_READ_ONLY); /* who only reads changes nothing */
	ck_assert_uint_eq(entries_of(store), 1);
	st_close(store);
	store = open_store(dir, 0);
	uint64_t other = st_identity(store);
	ck_assert(other && other != key);
	ck_assert_uint_eq(entries_of(store), 0);
	ck_assert_int_eq(st_check(store, count_problem, &problems, &fail), 0);
	st_close(store);
	store = open_store(dir, 0);
	ck_assert(st_identity(store) == other);
	ck_assert_uint_eq(entries_of(store), 0);
	st_close(store);
	scratch_remove(dir);
}
END_TEST

SUITE(identity)
{
	tcase_add_test(c, a_directory_keeps_its_key);
	tcase_add_test(c, every_store_has_its_own);
	tcase_add_loop_test(c, with_a_lost_key_the_tables_go, 0, 2);
}
