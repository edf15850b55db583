/* Search groups: workers that search one job together, and those that leave it because another job is queued. */
#include <stdio.h>
#include <string.h>

#include "proto/base/clock.h"
#include "server/common/core_state.h"
#include "proto/base/mutex.h"
#include "server/jobs/queue/scheduler.h"
#include "server/jobs/write/task.h"
#include "server/proofs/maintenance/check.h"
#include "tests/support/insession.h"
#include "tests/support/suite.h"

enum { WAIT_S = 200 };

#define LARGE "\"game\":\"connect4:7x6\",\"memory\":\"16M\""

/* Waits until that many workers search a job of their own, and that many are in another's search group. */
static void wait_workers(struct insession *s, unsigned busy, unsigned helping)
{
	struct sv_search_threads *workers = s->core->search_threads;
	uint64_t until_ns = pd_now_ns() + WAIT_S * UINT64_C(1000000000);
	bool late = false;
	pd_mutex_lock(&s->core->lock);
	while ((workers->searching != busy || workers->helping != helping) && !late)
		late = !pd_mutex_wait_until(&s->core->lock, &workers->moved, until_ns);
	ck_assert_uint_eq(workers->searching, busy);
	ck_assert_uint_eq(workers->helping, helping);
	pd_mutex_unlock(&s->core->lock);
}

/* Waits for that many commits; never are there more helping workers than `most`. */
static void watch_helping(struct insession *s, unsigned commits, unsigned most)
{
	pd_mutex_lock(&s->core->lock);
	for (unsigned i = 0; i < commits; i++) {
		pd_mutex_wait(&s->core->lock, &s->core->writer->written);
		ck_assert_uint_le(s->core->search_threads->helping, most);
	}
	pd_mutex_unlock(&s->core->lock);
}

START_TEST(free_workers_join_and_leave_for_a_job_of_their_own)
{
	struct insession s;
	insession_open(&s, NULL, 3, 0.2);
	unsigned first = insession_submit(&s, LARGE);
	wait_workers(&s, 1, 2);
	unsigned second = insession_submit(&s, LARGE ",\"position\":\"44\"");
	wait_workers(&s, 2, 1);
	unsigned third = insession_submit(&s, LARGE ",\"position\":\"4\"");
	wait_workers(&s, 3, 0);
	ck_assert_int_eq(insession_on_job(&s, "job.cancel", second, ""), 0);
	wait_workers(&s, 2, 1);
	ck_assert_int_eq(insession_on_job(&s, "job.pause", first, ""), 0);
	wait_workers(&s, 1, 2);
	ck_assert_int_eq(insession_on_job(&s, "job.resume", first, ""), 0);
	wait_workers(&s, 2, 1);
	ck_assert_int_eq(insession_on_job(&s, "job.cancel", first, ""), 0);
	ck_assert_int_eq(insession_on_job(&s, "job.cancel", third, ""), 0);
	wait_workers(&s, 0, 0);
	insession_close(&s);
}
END_TEST

START_TEST(a_job_keeps_to_the_threads_it_was_given)
{
	struct insession s;
	insession_open(&s, NULL, 4, 0.2);
	unsigned one = insession_submit(&s, LARGE ",\"threads\":2");
	wait_workers(&s, 1, 1);
	unsigned two = insession_submit(&s, LARGE ",\"threads\":1");
	wait_workers(&s, 2, 1);
	watch_helping(&s, 6, 1);
	ck_assert_int_eq(insession_on_job(&s, "job.cancel", one, ""), 0);
	ck_assert_int_eq(insession_on_job(&s, "job.cancel", two, ""), 0);
	insession_close(&s);
}
END_TEST

static void note_problem(void *ctx, const char *text)
{
	fprintf(stderr, "%s\n", text);
}

START_TEST(what_a_group_finds_is_right_and_justified)
{
	static const struct {
		const char *game, *more;
		int value;
	} jobs[] = {
		{"connect4:5x4", ",\"options\":{\"cap-first\":100}", 0},
		{"connect4:5x4", ",\"detail\":\"full\",\"options\":{\"cap-first\":100}", 0},
		{"connect4:4x5", ",\"algorithm\":\"dfpn-pn\"", 0},
		{"mnk:4,3,3", ",\"algorithm\":\"df-pn\"", 1},
		{"mnk:4,4,3", ",\"algorithm\":\"pds\"", 1},
		{"mnk:4,3,3", ",\"algorithm\":\"pn\"", 1},
	};
	struct insession s;
	char dir[64], params[200], state[16];
	struct sv_check sum = {0};
	struct pd_fail fail;
	scratch_dir(dir);
	insession_open(&s, dir, 3, 0.05);
	for (unsigned i = 0; i < sizeof jobs / sizeof *jobs; i++) {
		bool ok;
		pr_ref result;
		snprintf(params, sizeof params, "\"game\":\"%s\",\"memory\":\"8M\"%s", jobs[i].game, jobs[i].more);
		unsigned job = insession_submit(&s, params);
		insession_wait(&s, job, state);
		ck_assert_str_eq(state, "solved");
		snprintf(params, sizeof params, "\"job\":%u", job);
		struct pr_doc *doc = insession_call(&s, "job.get", params, &ok, &result);
		pr_ref value = pr_get(pr_get(result, "result"), "value");
		ck_assert_int_eq(pr_get_int(value, "lo", 9), jobs[i].value);
		ck_assert_int_eq(pr_get_int(value, "hi", 9), jobs[i].value);
		pr_doc_free(doc);
	}
	insession_close(&s);
	ck_assert_msg(!sv_check_directory(dir, &(struct sv_check_order){TEST_GRAPHS, 2, note_problem, NULL, NULL}, &sum,
					  &fail),
		      "%s", fail.text);
	ck_assert_uint_eq(sum.problems, 0);
	ck_assert_uint_gt(sum.facts, 100);
	scratch_remove(dir);
}
END_TEST

SUITE(search_group)
{
	tcase_set_timeout(c, 300);
	tcase_add_test(c, free_workers_join_and_leave_for_a_job_of_their_own);
	tcase_add_test(c, a_job_keeps_to_the_threads_it_was_given);
	tcase_add_test(c, what_a_group_finds_is_right_and_justified);
}
