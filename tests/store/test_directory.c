/* Directories of the store (D5): the lock, formats, damage that opening finds. */
#include <fcntl.h>
#include <lmdb.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/store/store_fixture.h"
#include "tests/support/child.h"
#include "tests/support/restamp.h"
#include "tests/support/storemodel.h"

static int open_fails(const char *dir, unsigned flags, struct pd_fail *fail)
{
	struct st_store *store = NULL;
	int rc = st_open(dir, flags, &store, fail);
	if (!rc)
		st_close(store);
	return rc;
}

START_TEST(a_second_writer_is_told_who_has_the_directory)
{
	struct fixture f;
	char pid[32];
	set_up(&f, true);
	snprintf(pid, sizeof pid, "%ld", (long)getpid());
	pid_t child = fork_child();
	if (!child) {
		struct pd_fail fail = {.text = ""};
		_exit(open_fails(f.dir, 0, &fail) == PD_E_LOCKED && strstr(fail.text, pid) ? 0 : 1);
	}
	int status;
	waitpid(child, &status, 0);
	ck_assert_int_eq(status, 0);
	tear_down(&f);
}
END_TEST

START_TEST(a_directory_that_is_not_there_is_not_made_for_reading)
{
	char dir[256], missing[300];
	struct pd_fail fail;
	storedir_new(dir, sizeof dir);
	ck_assert_int_ne(open_fails(dir, ST_READ_ONLY, &fail), 0);
	snprintf(missing, sizeof missing, "%s/none", dir);
	ck_assert_int_eq(open_fails(missing, ST_READ_ONLY, &fail), PD_E_NOT_FOUND);
	ck_assert_int_ne(access(missing, F_OK), 0);
	snprintf(missing, sizeof missing, "%s/none/deep", dir);
	ck_assert_int_eq(open_fails(missing, 0, &fail), PD_E_NOT_FOUND);
	storedir_remove(dir);
}
END_TEST

/* Changes a record behind the store's back. */
static void raw_put(const char *dir, const char *file, const char *table, const void *key, size_t key_size,
		    const void *data, size_t size)
{
	char path[300];
	MDB_dbi dbi;
	MDB_val k = {key_size, (void *)(uintptr_t)key}, v = {size, (void *)(uintptr_t)data};
	snprintf(path, sizeof path, "%s/%s", dir, file);
	MDB_txn *txn = restamp_begin(path, table, MDB_CREATE, &dbi);
	ck_assert_int_eq(mdb_put(txn, dbi, &k, &v, 0), 0);
	restamp_commit(txn);
}

START_TEST(another_format_is_refused_with_its_number)
{
	static const char *const file[] = {"work.mdb", "facts.mdb"}, *const magic[] = {"proofd-w", "proofd-f"};
	for (unsigned i = 0; i < 2; i++) {
		struct fixture f;
		uint8_t format[16];
		uint32_t mark = 0x01020304;
		set_up(&f, true);
		st_close(f.store);
		memcpy(format, magic[i], 8);
		memcpy(format + 8, "\x63\0\0\0", 4);
		memcpy(format + 12, &mark, 4);
		raw_put(f.dir, file[i], "meta", "format", 6, format, sizeof format);
		ck_assert_int_eq(open_fails(f.dir, 0, &f.fail), PD_E_FORMAT);
		ck_assert_ptr_nonnull(strstr(f.fail.text, "99"));
		format[8] = 2;
		memcpy(format + 12, "\1\2\3\4", 4);
		raw_put(f.dir, file[i], "meta", "format", 6, format, sizeof format);
		ck_assert_int_eq(open_fails(f.dir, ST_READ_ONLY, &f.fail), PD_E_FORMAT);
		ck_assert_ptr_nonnull(strstr(f.fail.text, "byte order"));
		memcpy(format + 12, &mark, 4);
		format[0] = 'x';
		raw_put(f.dir, file[i], "meta", "format", 6, format, sizeof format);
		ck_assert_int_eq(open_fails(f.dir, 0, &f.fail), PD_E_FORMAT);
		storedir_remove(f.dir);
	}
}
END_TEST

static void write_file(const char *dir, const char *file, const void *data, size_t size)
{
	char path[300];
	snprintf(path, sizeof path, "%s/%s", dir, file);
	FILE *out = fopen(path, "wb");
	ck_assert_ptr_nonnull(out);
	ck_assert_uint_eq(fwrite(data, 1, size, out), size);
	fclose(out);
}

START_TEST(garbage_is_refused)
{
	static uint8_t garbage[20000];
	char dir[256];
	struct pd_fail fail;
	uint64_t random = 9;
	for (size_t i = 0; i < sizeof garbage; i++)
		garbage[i] = (uint8_t)model_random(&random, 256);
	for (unsigned size = 1; size <= sizeof garbage; size = size * 3 + 1) {
		storedir_new(dir, sizeof dir);
		write_file(dir, "work.mdb", garbage, size);
		ck_assert_int_eq(open_fails(dir, 0, &fail), PD_E_FORMAT);
		ck_assert_str_eq(fail.field, "work.mdb");
		storedir_remove(dir);
	}
	storedir_new(dir, sizeof dir);
	raw_put(dir, "facts.mdb", "someone", "else", 4, "", 0);
	ck_assert_int_eq(open_fails(dir, 0, &fail), PD_E_FORMAT);
	ck_assert_str_eq(fail.field, "facts.mdb");
	storedir_remove(dir);
}
END_TEST

START_TEST(files_of_different_backups_are_refused)
{
	struct fixture f;
	char old[256];
	set_up(&f, true);
	one_game(&f);
	st_close(f.store);
	storedir_copy(f.dir, old, sizeof old);
	f.store = NULL;
	reopen_store(&f);
	struct st_batch *batch = begin_batch(&f);
	OK(add_fact(batch, "pos", make_reason(PD_LO, 1, 3), &f.fail));
	OK(st_batch_commit(batch, &f.fail));
	settle_store(&f);
	batch = begin_batch(&f);
	OK(st_batch_commit(batch, &f.fail));
	settle_store(&f);
	st_close(f.store);
	char a[300], b[300], c[300];
	snprintf(a, sizeof a, "%s/facts.mdb", f.dir);
	snprintf(b, sizeof b, "%s/facts.mdb", old);
	snprintf(c, sizeof c, "%s/facts.new", f.dir);
	rename(a, c);
	ck_assert_int_eq(open_fails(f.dir, 0, &f.fail), PD_E_CORRUPT); /* lost */
	rename(b, a);
	rename(c, b);
	for (unsigned flags = 0; flags <= ST_READ_ONLY; flags += ST_READ_ONLY) {
		ck_assert_int_eq(open_fails(f.dir, flags, &f.fail), PD_E_CORRUPT); /* older */
		ck_assert_ptr_nonnull(strstr(f.fail.text, "facts.mdb is older"));
		ck_assert_int_eq(open_fails(old, flags, &f.fail), PD_E_CORRUPT);
		ck_assert_ptr_nonnull(strstr(f.fail.text, "work.mdb is older"));
	}
	storedir_remove(old);
	storedir_remove(f.dir);
}
END_TEST

/* In children: a damaged page may end the process that reads it, but never with a wrong answer. */
START_TEST(a_file_that_was_cut_off_is_found)
{
	struct fixture f;
	struct model *model = model_new(11);
	char cut[256], path[300];
	set_up(&f, true);
	for (unsigned i = 0; i < 40; i++) {
		struct st_batch *batch = begin_batch(&f);
		OK(model_batch(model, batch, &f.fail));
		OK(st_batch_commit(batch, &f.fail));
	}
	settle_store(&f);
	st_close(f.store);
	for (unsigned part = 1; part <= 6; part++) {
		storedir_copy(f.dir, cut, sizeof cut);
		snprintf(path, sizeof path, "%s/%s", cut, part % 2 ? "work.mdb" : "facts.mdb");
		struct stat st;
		stat(path, &st);
		ck_assert_int_eq(truncate(path, st.st_size * part / 8), 0);
		pid_t child = fork_child();
		if (!child) {
			struct st_store *store;
			struct pd_fail fail;
			int problems = 0;
			if (st_open(cut, part & 2 ? ST_READ_ONLY : 0, &store, &fail))
				_exit(fail.code == PD_E_CORRUPT || fail.code == PD_E_FORMAT ? 0 : 3);
			_exit(st_check(store, count_problem, &problems, &fail) != 0 ? 0 : 4);
		}
		int status;
		waitpid(child, &status, 0);
		ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "part %u: status %x", part,
			      (unsigned)status);
		storedir_remove(cut);
	}
	model_free(model);
	storedir_remove(f.dir);
}
END_TEST

SUITE(directory)
{
	tcase_set_timeout(c, 110);
	tcase_add_test(c, a_second_writer_is_told_who_has_the_directory);
	tcase_add_test(c, a_directory_that_is_not_there_is_not_made_for_reading);
	tcase_add_test(c, another_format_is_refused_with_its_number);
	tcase_add_test(c, garbage_is_refused);
	tcase_add_test(c, files_of_different_backups_are_refused);
	tcase_add_test(c, a_file_that_was_cut_off_is_found);
}
