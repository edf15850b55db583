/* Calls about one thing in one batch: the last counts, and what is left on disk is sound. */
#include <string.h>

#include "store/store.h"
#include "tests/support/storedir.h"
#include "tests/support/suite.h"

struct fixture {
	char dir[256];
	bool disk;
	struct st_store *store;
	struct st_batch *batch;
	struct pd_fail fail;
};

static void open_store(struct fixture *f)
{
	f->fail.text[0] = 0;
	ck_assert_msg(!st_open(f->disk ? f->dir : NULL, 0, &f->store, &f->fail), "%s", f->fail.text);
}

/* A store with a job, and an open batch. */
static void set_up(struct fixture *f, bool disk)
{
	uint32_t job;
	f->disk = disk;
	storedir_new(f->dir, sizeof f->dir);
	open_store(f);
	ck_assert(!st_batch_begin(f->store, &f->batch, &f->fail));
	ck_assert(!st_batch_job_new(f->batch, &job, &f->fail));
}

static void tear_down(struct fixture *f)
{
	st_close(f->store);
	storedir_remove(f->dir);
}

static int see_size(void *ctx, uint32_t job, const void *record, size_t size)
{
	*(size_t *)ctx = record ? size : SIZE_MAX;
	return 0;
}

static void refuse(void *ctx, const char *text)
{
	ck_abort_msg("%s", text);
}

START_TEST(a_short_record_takes_the_place_of_a_long_one)
{
	static const uint8_t record[ST_JOB_MAX];
	static const size_t sizes[] = {ST_JOB_MAX, 9000, 5000, 4080, 2100, 40, 0};
	for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
		for (unsigned j = 0; j < sizeof sizes / sizeof *sizes; j++) {
			struct fixture f;
			size_t size = 1;
			set_up(&f, true);
			ck_assert(!st_batch_job_put(f.batch, 1, record, sizes[i], &f.fail));
			ck_assert(!st_batch_job_put(f.batch, 1, record, sizes[j], &f.fail));
			ck_assert(!st_batch_commit(f.batch, &f.fail));
			ck_assert_int_eq(st_check(f.store, refuse, NULL, &f.fail), 0);
			st_close(f.store);
			open_store(&f);
			ck_assert_int_eq(st_check(f.store, refuse, NULL, &f.fail), 0);
			ck_assert(!st_job_each(f.store, see_size, &size, &f.fail));
			ck_assert_uint_eq(size, sizes[j]);
			tear_down(&f);
		}
}
END_TEST

START_TEST(a_table_that_was_dropped_takes_another_question)
{
	struct fixture f;
	struct pd_id question;
	set_up(&f, _i);
	ck_assert(!st_batch_tt_question(f.batch, 1, (struct pd_id){1, 1}, &f.fail));
	ck_assert(!st_batch_tt_drop(f.batch, 1, &f.fail));
	ck_assert(!st_batch_tt_question(f.batch, 1, (struct pd_id){2, 2}, &f.fail));
	ck_assert(!st_batch_commit(f.batch, &f.fail));
	for (unsigned i = 0; i < 2; i++) { /* batches, which delete what is over */
		ck_assert(!st_batch_begin(f.store, &f.batch, &f.fail));
		ck_assert(!st_batch_commit(f.batch, &f.fail));
	}
	ck_assert(!st_tt_question(f.store, 1, &question, &f.fail));
	ck_assert(pd_id_equal(question, (struct pd_id){2, 2}));
	tear_down(&f);
}
END_TEST

START_TEST(a_batch_with_another_question_is_lost)
{
	struct fixture f;
	set_up(&f, _i);
	ck_assert(!st_batch_tt_question(f.batch, 1, (struct pd_id){1, 1}, &f.fail));
	ck_assert_int_eq(st_batch_tt_question(f.batch, 1, (struct pd_id){2, 2}, &f.fail), PD_E_CORRUPT);
	ck_assert_int_eq(st_batch_job_put(f.batch, 1, "r", 1, &f.fail), PD_E_CORRUPT);
	ck_assert_int_eq(st_batch_commit(f.batch, &f.fail), PD_E_CORRUPT);
	tear_down(&f);
}
END_TEST

SUITE(same_batch)
{
	tcase_set_timeout(c, 100);
	tcase_add_test(c, a_short_record_takes_the_place_of_a_long_one);
	tcase_add_loop_test(c, a_table_that_was_dropped_takes_another_question, 0, 2);
	tcase_add_loop_test(c, a_batch_with_another_question_is_lost, 0, 2);
}
