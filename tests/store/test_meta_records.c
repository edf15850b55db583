/* The records of `meta`: each that the table names is copied, checked and kept by repair as the table says. */
#include <stdio.h>
#include <string.h>

#include "proto/base/hash.h"
#include "store/backup.h"
#include "store/compact_files.h"
#include "store/meta_record.h"
#include "store/salvage.h"
#include "store/store_state.h"
#include "store/txn.h"
#include "tests/store/store_fixture.h"

enum { ROOM = 1024 };
static const enum st_meta_flag files[] = {ST_META_WORK, ST_META_FACTS};

struct raw {
	size_t size; /* 0: it is not there */
	uint8_t bytes[ROOM];
};

static struct st_place place_of(struct st_store *store, enum st_meta_flag file, MDB_txn *txn)
{
	return file == ST_META_WORK ? (struct st_place){&store->work.env, txn, store->work.dbi[ST_META]}
				    : (struct st_place){&store->facts.env, txn, store->facts.meta};
}

static struct raw read_raw(struct fixture *f, enum st_meta_flag file, enum st_meta_id id)
{
	struct raw raw = {.size = 0};
	MDB_txn *txn;
	struct st_place at = place_of(f->store, file, NULL);
	ck_assert_int_eq(st_txn_begin(at.env, true, &txn, &f->fail), 0);
	at.txn = txn;
	int rc = st_get(at, st_meta_key(id), raw.bytes, sizeof raw.bytes, &raw.size, &f->fail);
	ck_assert(!rc || rc == PD_E_NOT_FOUND);
	raw.size = rc ? 0 : raw.size;
	st_txn_abort(at.env, txn);
	return raw;
}

static void put_sealed(struct fixture *f, enum st_meta_flag file, struct st_data key, struct st_data value)
{
	MDB_txn *txn;
	struct st_place at = place_of(f->store, file, NULL);
	ck_assert_int_eq(st_txn_begin(at.env, false, &txn, &f->fail), 0);
	at.txn = txn;
	ck_assert_int_eq(st_put_sealed(at, key, value, 0, &f->fail), 0);
	struct st_env *env = file == ST_META_WORK ? &f->store->work.env : &f->store->facts.env;
	ck_assert_int_eq(st_txn_commit(env, txn, &f->fail), 0);
}

/* A store in which no record of the table is missing. */
static void setup_full(struct fixture *f)
{
	set_up(f, true);
	one_game(f);
	struct st_batch *batch = begin_batch(f);
	ck_assert_int_eq(add_fact(batch, "key", make_reason(PD_LO, 1, 5), &f->fail), 0);
	ck_assert_int_eq(st_batch_note(batch, "note", 4, &f->fail), 0);
	ck_assert_int_eq(st_batch_commit(batch, &f->fail), 0);
	settle_store(f);
	for (unsigned id = 0; id < ST_META_COUNT; id++)
		for (unsigned i = 0; i < 2; i++)
			if (st_meta_flags(id) & files[i])
				ck_assert_msg(read_raw(f, files[i], id).size > 0, "nothing writes \"%s\"",
					      (const char *)st_meta_key(id).bytes);
}

/* Whether the records with a flag are the same in two stores. */
static void compare_records(struct fixture *a, struct fixture *b, enum st_meta_flag flag)
{
	for (unsigned id = 0; id < ST_META_COUNT; id++)
		for (unsigned i = 0; i < 2; i++) {
			if (!(st_meta_flags(id) & flag) || !(st_meta_flags(id) & files[i]))
				continue;
			struct raw x = read_raw(a, files[i], id), y = read_raw(b, files[i], id);
			ck_assert_msg(x.size == y.size && !memcmp(x.bytes, y.bytes, x.size), "\"%s\" differs",
				      (const char *)st_meta_key(id).bytes);
		}
}

START_TEST(copies_have_every_record_that_is_copied)
{
	struct fixture f, copy = {.store = NULL};
	char place[256], backup[300];
	struct st_backup_sum sum;
	struct st_restored restored;
	setup_full(&f);
	storedir_new(place, sizeof place);
	const struct st_backup_order order = {.place = place, .name = "b"};
	OK(st_backup(f.store, &order, &sum, &f.fail));
	snprintf(backup, sizeof backup, "%s/b", place);
	storedir_new(copy.dir, sizeof copy.dir);
	OK(st_restore(backup, copy.dir, &restored, &f.fail));
	reopen_store(&copy);
	compare_records(&f, &copy, ST_META_COPIED);
	st_close(copy.store);
	copy.store = NULL;
	OK(st_compact_files(copy.dir, NULL, NULL, &(struct st_compacted){0}, &f.fail));
	reopen_store(&copy);
	compare_records(&f, &copy, ST_META_COPIED);
	tear_down(&copy);
	storedir_remove(backup);
	storedir_remove(place);
	tear_down(&f);
}
END_TEST

static int keep(void *ctx, unsigned id, const void *record, size_t size)
{
	struct fixture *f = ctx;
	return st_meta_keep(f->store, id, record, size, &f->fail);
}

START_TEST(repair_keeps_every_record_that_is_kept)
{
	struct fixture f, fresh;
	struct st_salvage *salvage;
	setup_full(&f);
	set_up(&fresh, true);
	st_close(f.store);
	f.store = NULL;
	OK(st_salvage_open(f.dir, "{", &salvage, &f.fail));
	OK(st_salvage_meta(salvage, keep, &fresh));
	st_salvage_close(salvage);
	reopen_store(&f);
	reopen_store(&fresh);
	compare_records(&f, &fresh, ST_META_KEPT);
	tear_down(&fresh);
	tear_down(&f);
}
END_TEST

static bool is_damaged(struct fixture *f)
{
	int problems = 0;
	st_close(f->store);
	if (st_open(f->dir, ST_READ_ONLY, &f->store, &f->fail)) {
		f->store = NULL;
		return true;
	}
	ck_assert_int_ge(st_check(f->store, count_problem, &problems, &f->fail), 0);
	return problems;
}

/* What a record becomes is found; ST_META_COUNT: a record that the table lacks is. */
START_TEST(check_decodes_every_record)
{
	struct fixture f;
	for (unsigned i = 0; i < 2; i++) {
		bool listed = _i < ST_META_COUNT;
		if (listed && !(st_meta_flags(_i) & files[i]))
			continue;
		setup_full(&f);
		ck_assert(!is_damaged(&f));
		reopen_store(&f);
		put_sealed(&f, files[i], listed ? st_meta_key(_i) : (struct st_data){"extra", 5},
			   (struct st_data){"!", 1});
		/* The bytes of the one mean nothing to the store; every commit writes the other. */
		ck_assert(is_damaged(&f) == (_i != ST_META_REMOVED_JOBS && _i != ST_META_TXN));
		tear_down(&f);
	}
}
END_TEST

SUITE(meta_records)
{
	tcase_add_test(c, copies_have_every_record_that_is_copied);
	tcase_add_test(c, repair_keeps_every_record_that_is_kept);
	tcase_add_loop_test(c, check_decodes_every_record, 0, ST_META_COUNT + 1);
}
