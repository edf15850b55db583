/* Jobs that are taken out: what goes, what stays, in shares, after failures and over restarts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/store.h"
#include "tests/support/storedir.h"
#include "tests/support/suite.h"

struct fixture {
	char dir[256];
	bool on_disk;
	struct st_store *store;
	struct pd_fail fail;
};

#define OK(call) ck_assert_msg((call) == 0, "%s: %s", #call, f.fail.text)

static void set_up(struct fixture *f, bool on_disk)
{
	*f = (struct fixture){.on_disk = on_disk};
	if (on_disk)
		storedir_new(f->dir, sizeof f->dir);
	ck_assert_msg(!st_open(on_disk ? f->dir : NULL, 0, &f->store, &f->fail), "%s", f->fail.text);
}

static void reopen_store(struct fixture *f)
{
	if (!f->on_disk)
		return;
	st_close(f->store);
	ck_assert_msg(!st_open(f->dir, 0, &f->store, &f->fail), "%s", f->fail.text);
}

static void tear_down(struct fixture *f)
{
	st_close(f->store);
	if (f->on_disk)
		storedir_remove(f->dir);
}

static struct st_batch *begin_batch(struct fixture *f)
{
	struct st_batch *batch;
	ck_assert_msg(!st_batch_begin(f->store, &batch, &f->fail), "%s", f->fail.text);
	return batch;
}

static void note_problem(void *ctx, const char *text)
{
	fprintf(stderr, "check: %s\n", text);
	++*(int *)ctx;
}

static void assert_sound(struct fixture *f)
{
	int problems = 0;
	ck_assert_int_eq(st_check(f->store, note_problem, &problems, &f->fail), 0);
}

static int list_job(void *ctx, uint32_t job, const void *record, size_t size)
{
	char *text = ctx;
	ck_assert_uint_gt(size, 0);
	sprintf(text + strlen(text), "%u ", (unsigned)job);
	return 0;
}

static void assert_jobs(struct fixture *f, const char *wanted)
{
	char text[200] = "";
	ck_assert(!st_job_each(f->store, list_job, text, &f->fail));
	ck_assert_str_eq(text, wanted);
}

static int count_event(void *ctx, const void *record, size_t size)
{
	++*(unsigned *)ctx;
	return 0;
}

static unsigned count_events(struct fixture *f, uint32_t job)
{
	unsigned count = 0;
	ck_assert(!st_event_each(f->store, job, 100000, count_event, &count, &f->fail));
	return count;
}

/* Three jobs, each with events, a journal and a snapshot. */
static void fill_jobs(struct fixture *f, unsigned events_each)
{
	for (uint32_t i = 1; i <= 3; i++) {
		struct st_batch *batch = begin_batch(f);
		struct st_tt_entry entries[500];
		uint32_t job;
		memset(entries, 0, sizeof entries);
		for (unsigned k = 0; k < 500; k++)
			memcpy(entries[k].bytes, &(uint32_t[2]){k, i}, 8);
		ck_assert(!st_batch_job_new(batch, &job, &f->fail));
		ck_assert_uint_eq(job, i);
		ck_assert(!st_batch_job_put(batch, job, "record", 6, &f->fail));
		for (unsigned k = 0; k < events_each; k++)
			ck_assert(!st_batch_event(batch, job, "event", 5, &f->fail));
		ck_assert(!st_batch_tt(batch, job, entries, 500, &f->fail));
		ck_assert(!st_batch_snapshot_start(batch, job, &f->fail));
		ck_assert(!st_batch_snapshot_put(batch, job, entries, 500, &f->fail));
		ck_assert(!st_batch_snapshot_end(batch, job, &f->fail));
		ck_assert(!st_batch_tt(batch, job, entries, 100, &f->fail));
		ck_assert(!st_batch_commit(batch, &f->fail));
	}
}

START_TEST(a_job_goes_with_all_it_had_and_its_number_for_good)
{
	struct fixture f;
	uint32_t job;
	bool left;
	set_up(&f, _i);
	fill_jobs(&f, 5);
	ck_assert_uint_gt(st_tt_bytes(f.store, 2), 0);
	struct st_batch *batch = begin_batch(&f);
	OK(st_batch_job_remove(batch, 2, 100, &left, &f.fail));
	ck_assert(!left);
	OK(st_batch_job_remove(batch, 3, 100, &left, &f.fail));
	OK(st_batch_commit(batch, &f.fail));
	for (unsigned round = 0; round < 2; round++) {
		assert_jobs(&f, "1 ");
		ck_assert_uint_eq(count_events(&f, 1), 5);
		ck_assert_uint_eq(count_events(&f, 2) + count_events(&f, 3), 0);
		ck_assert_uint_eq(st_tt_bytes(f.store, 2), 0);
		ck_assert_uint_gt(st_tt_bytes(f.store, 1), 0);
		assert_sound(&f);
		reopen_store(&f);
	}
	batch = begin_batch(&f);
	OK(st_batch_job_new(batch, &job, &f.fail));
	ck_assert_uint_eq(job, 4);
	OK(st_batch_job_put(batch, job, "new", 3, &f.fail));
	OK(st_batch_commit(batch, &f.fail));
	ck_assert_uint_eq(st_jobs_given(f.store), 4);
	assert_jobs(&f, "1 4 ");
	while (st_facts_maintain(f.store, true, &f.fail) > 0) /* the garbage goes, too */
		;
	assert_sound(&f);
	tear_down(&f);
}
END_TEST

START_TEST(a_long_history_goes_in_shares_from_its_end)
{
	struct fixture f;
	bool left = true;
	set_up(&f, true);
	fill_jobs(&f, 30);
	for (unsigned share = 1; left; share++) {
		struct st_batch *batch = begin_batch(&f);
		OK(st_batch_job_remove(batch, 1, 8, &left, &f.fail));
		OK(st_batch_commit(batch, &f.fail));
		ck_assert_int_eq(left, share < 4);
		ck_assert_uint_eq(count_events(&f, 1), left ? 30 - 8 * share : 0);
		assert_jobs(&f, left ? "1 2 3 " : "2 3 ");
		ck_assert_int_eq(st_tt_bytes(f.store, 1) > 0, left);
		assert_sound(&f);
		reopen_store(&f); /* a crash in between leaves a job with a shorter history */
	}
	tear_down(&f);
}
END_TEST

START_TEST(what_cannot_be_written_has_not_gone)
{
	struct fixture f;
	bool left;
	set_up(&f, true);
	fill_jobs(&f, 5);
	for (unsigned n = 1; n < 8; n++) { /* five events, the record, the table's state */
		struct st_batch *batch = begin_batch(&f);
		st_fault(f.store, ST_FAULT_PUT, n);
		int rc = st_batch_job_remove(batch, 2, 100, &left, &f.fail);
		if (!rc)
			rc = st_batch_commit(batch, &f.fail);
		else
			st_batch_abort(batch);
		st_fault(f.store, ST_FAULT_PUT, 0);
		ck_assert_int_eq(rc, PD_E_NO_SPACE);
		assert_jobs(&f, "1 2 3 ");
		ck_assert_uint_eq(count_events(&f, 2), 5);
		assert_sound(&f);
	}
	struct st_batch *batch = begin_batch(&f);
	ck_assert_int_eq(st_batch_job_remove(batch, 9, 100, &left, &f.fail), PD_E_NO_JOB);
	OK(st_batch_job_remove(batch, 2, 100, &left, &f.fail));
	OK(st_batch_commit(batch, &f.fail));
	assert_jobs(&f, "1 3 ");
	tear_down(&f);
}
END_TEST

static int take_note(void *ctx, const void *record, size_t size)
{
	memcpy(ctx, record, size);
	((char *)ctx)[size] = 0;
	return 0;
}

START_TEST(the_note_is_the_last_that_was_written)
{
	struct fixture f;
	char text[64] = "nothing";
	set_up(&f, true);
	OK(st_note_get(f.store, take_note, text, &f.fail));
	ck_assert_str_eq(text, "nothing");
	for (unsigned i = 0; i < 2; i++) {
		struct st_batch *batch = begin_batch(&f);
		OK(st_batch_note(batch, i ? "two" : "one", 3, &f.fail));
		OK(st_batch_commit(batch, &f.fail));
		reopen_store(&f);
		OK(st_note_get(f.store, take_note, text, &f.fail));
		ck_assert_str_eq(text, i ? "two" : "one");
	}
	assert_sound(&f);
	tear_down(&f);
}
END_TEST

SUITE(removal)
{
	tcase_add_loop_test(c, a_job_goes_with_all_it_had_and_its_number_for_good, 0, 2);
	tcase_add_test(c, a_long_history_goes_in_shares_from_its_end);
	tcase_add_test(c, what_cannot_be_written_has_not_gone);
	tcase_add_test(c, the_note_is_the_last_that_was_written);
}
