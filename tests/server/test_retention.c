/* What of the past is kept: jobs that are removed, by hand and because there are too many, their keys, watchers and
 * facts; tables that are dropped. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/buf.h"
#include "server/common/config.h"
#include "server/common/core_state.h"
#include "proto/base/mutex.h"
#include "server/core.h"
#include "server/jobs/index/job_index.h"
#include "server/proofs/maintenance/check.h"
#include "server/proofs/maintenance/retraction.h"
#include "store/store.h"
#include "tests/support/effort.h"
#include "tests/support/insession.h"
#include "tests/support/suite.h"

#define SMALL "\"game\":\"mnk:3,3,3\",\"memory\":\"2M\""
#define LARGE "\"game\":\"connect4:7x6\",\"memory\":\"4M\""

static unsigned run_job(struct insession *s, const char *params, const char *wanted)
{
	char state[16];
	unsigned job = insession_submit(s, params);
	insession_wait(s, job, state);
	ck_assert_str_eq(state, wanted);
	return job;
}

/* The numbers of the jobs there are, newest first. */
static void list(struct insession *s, const char *params, char *out)
{
	bool ok;
	pr_ref result;
	struct pr_doc *doc = insession_call(s, "job.list", params, &ok, &result);
	ck_assert(ok);
	pr_ref jobs = pr_get(result, "jobs");
	*out = 0;
	for (size_t i = 0; i < pr_count(jobs); i++)
		sprintf(out + strlen(out), "%u ", (unsigned)pr_get_int(pr_at(jobs, i), "job", 0));
	pr_doc_free(doc);
}

static void assert_list(struct insession *s, const char *params, const char *wanted)
{
	char text[512];
	list(s, params, text);
	ck_assert_str_eq(text, wanted);
}

static void wait_list(struct insession *s, const char *wanted)
{
	char text[512];
	do {
		sv_core_pump(s->core);
		list(s, "", text);
	} while (strcmp(text, wanted));
}

static bool has_event(struct insession *s, unsigned job, const char *event)
{
	char params[64];
	bool ok, found = false;
	pr_ref result;
	snprintf(params, sizeof params, "\"job\":%u", job);
	struct pr_doc *doc = insession_call(s, "job.history", params, &ok, &result);
	pr_ref points = pr_get(result, "points");
	for (size_t i = 0; i < pr_count(points); i++)
		found |= !strcmp(pr_get_str(pr_at(points, i), "event", ""), event);
	pr_doc_free(doc);
	return found;
}

static void note_problem(void *ctx, const char *text)
{
	ck_abort_msg("%s", text);
}

static void assert_sound(const char *dir)
{
	struct sv_check sum;
	struct pd_fail fail;
	ck_assert_msg(!sv_check_directory(dir, &(struct sv_check_order){TEST_GRAPHS, 1, note_problem, NULL, NULL}, &sum,
					  &fail),
		      "%s", fail.text);
}

/* --- by hand ------------------------------------------------------------------------------ */

START_TEST(a_removed_job_is_gone_and_its_facts_stay)
{
	struct insession s;
	char dir[64];
	bool ok;
	pr_ref result;
	scratch_dir(dir);
	insession_open(&s, dir, 1, 0.05);
	unsigned a = run_job(&s, SMALL ",\"key\":\"mine\"", "solved"), b = run_job(&s, SMALL, "solved");
	ck_assert_uint_eq(insession_submit(&s, SMALL ",\"key\":\"mine\""), a);
	ck_assert_int_eq(insession_on_job(&s, "job.remove", a, ""), 0);
	ck_assert_int_eq(insession_on_job(&s, "job.get", a, ""), PD_E_NO_JOB);
	ck_assert_int_eq(insession_on_job(&s, "job.history", a, ""), PD_E_NO_JOB);
	ck_assert_int_eq(insession_on_job(&s, "job.remove", a, ""), PD_E_NO_JOB);
	assert_list(&s, "", "2 ");
	assert_list(&s, "\"before\":2", "");
	struct pr_doc *doc = insession_call(&s, "server.stats", "", &ok, &result);
	ck_assert_int_eq(pr_get_int(pr_get(result, "jobs"), "solved", 0), 1);
	ck_assert_int_gt(pr_get_int(result, "memory_limit", 0), 0);
	pr_doc_free(doc);
	doc = insession_call(&s, "fact.query", "\"game\":\"mnk:3,3,3\"", &ok, &result);
	ck_assert_str_eq(pr_get_str(pr_at(pr_get(result, "facts"), 0), "text", ""), "draw");
	pr_doc_free(doc);
	unsigned c = run_job(&s, SMALL ",\"key\":\"mine\"", "solved"); /* the key is free again */
	ck_assert_uint_eq(c, 3);
	insession_close(&s);
	assert_sound(dir);
	insession_open(&s, dir, 0, 2);
	assert_list(&s, "", "3 2 ");
	ck_assert_uint_eq(insession_submit(&s, SMALL ",\"key\":\"mine\""), c);
	ck_assert_int_eq(insession_on_job(&s, "job.remove", b, ""), 0);
	ck_assert_int_eq(insession_on_job(&s, "job.remove", c, ""), 0);
	ck_assert_uint_eq(insession_submit(&s, SMALL), 4); /* numbers are never given again */
	insession_close(&s);
	assert_sound(dir);
	scratch_remove(dir);
}
END_TEST

START_TEST(only_jobs_that_are_over_are_removed)
{
	struct insession s;
	insession_open(&s, NULL, 1, 0.05);
	unsigned running = insession_submit(&s, LARGE), queued = insession_submit(&s, LARGE);
	ck_assert_int_eq(insession_on_job(&s, "job.remove", running, ""), PD_E_STATE);
	ck_assert_int_eq(insession_on_job(&s, "job.remove", queued, ""), PD_E_STATE);
	ck_assert_int_eq(insession_on_job(&s, "job.remove", 99, ""), PD_E_NO_JOB);
	ck_assert_int_eq(insession_on_job(&s, "job.pause", queued, ""), 0);
	ck_assert_int_eq(insession_on_job(&s, "job.remove", queued, ""), PD_E_STATE);
	ck_assert_int_eq(insession_on_job(&s, "job.cancel", queued, ""), 0);
	ck_assert_int_eq(insession_on_job(&s, "job.remove", queued, ""), 0);
	/* all at once: whatever the worker still does with the job it has just been told to end */
	for (unsigned i = 0; i < 20; i++) {
		char line[512];
		snprintf(
			line, sizeof line,
			"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"job.cancel\",\"params\":{\"job\":%u}},"
			"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"job.remove\",\"params\":{\"job\":%u}},"
			"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"job.set\",\"params\":{\"job\":%u,\"priority\":1}}]",
			running, running, running);
		insession_send(&s, line);
		char *reply = insession_line(&s), wanted[64];
		snprintf(wanted, sizeof wanted, "\"id\":2,\"result\":{\"job\":%u}", running);
		ck_assert_msg(strstr(reply, wanted) && strstr(reply, "no-such-job"), "%s", reply);
		free(reply);
		running = insession_submit(&s, LARGE);
	}
	insession_close(&s);
}
END_TEST

START_TEST(who_watches_a_removed_job_hears_its_end_first)
{
	struct insession s;
	insession_open(&s, NULL, 1, 0.05);
	unsigned job = run_job(&s, SMALL, "solved");
	s.backlog = 1; /* the client does not read, so the tick holds the last notification back */
	ck_assert_int_eq(insession_on_job(&s, "job.watch", job, ""), 0);
	char line[128];
	snprintf(line, sizeof line, "{\"jsonrpc\":\"2.0\",\"id\":77,\"method\":\"job.remove\",\"params\":{\"job\":%u}}",
		 job);
	insession_send(&s, line);
	char *first = insession_line(&s), *second = insession_line(&s);
	ck_assert_msg(strstr(first, "job.progress") && strstr(first, "\"state\":\"solved\"") &&
			      strstr(first, "\"result\""),
		      "%s", first);
	ck_assert_msg(strstr(second, "\"id\":77,\"result\""), "%s", second);
	free(first);
	free(second);
	ck_assert_int_eq(insession_on_job(&s, "job.unwatch", job, ""), PD_E_NO_JOB);
	insession_close(&s);
}
END_TEST

START_TEST(a_removal_that_cannot_be_written_has_not_happened)
{
	struct insession s;
	insession_open(&s, NULL, 1, 0.05);
	unsigned job = run_job(&s, SMALL, "solved");
	st_fault(s.core->store, ST_FAULT_COMMIT, 1);
	ck_assert_int_eq(insession_on_job(&s, "job.remove", job, ""), PD_E_NO_SPACE);
	assert_list(&s, "", "1 ");
	ck_assert_int_eq(insession_on_job(&s, "job.remove", job, ""), 0);
	assert_list(&s, "", "");
	insession_close(&s);
}
END_TEST

START_TEST(facts_of_removed_jobs_can_be_taken_back)
{
	struct insession s;
	struct pd_fail fail;
	struct sv_retracted sum;
	char dir[64];
	scratch_dir(dir);
	insession_open(&s, dir, 1, 0.05);
	run_job(&s, SMALL, "solved");
	run_job(&s, "\"game\":\"mnk:4,3,3\",\"memory\":\"2M\"", "solved");
	ck_assert_int_eq(insession_on_job(&s, "job.remove", 1, ""), 0);
	ck_assert_int_eq(insession_on_job(&s, "job.remove", 2, ""), 0);
	insession_close(&s);
	struct sv_retraction_order order = {.job = 3, .threads = 1, .graphs = TEST_GRAPHS};
	ck_assert_int_eq(sv_retract(dir, &order, &sum, &fail), PD_E_NO_JOB);
	order.job = 2;
	ck_assert_msg(!sv_retract(dir, &order, &sum, &fail), "%s", fail.text);
	ck_assert_uint_gt(sum.chosen, 0);
	ck_assert_uint_gt(sum.kept, 0);
	order = (struct sv_retraction_order){.engine = PD_VERSION, .threads = 1, .graphs = TEST_GRAPHS};
	ck_assert_msg(!sv_retract(dir, &order, &sum, &fail), "%s", fail.text);
	ck_assert_uint_gt(sum.chosen, 0);
	ck_assert_uint_eq(sum.kept, 0);
	ck_assert_int_eq(sv_retract(dir, &order, &sum, &fail), PD_E_NOT_FOUND); /* nothing of it is left */
	assert_sound(dir);
	scratch_remove(dir);
}
END_TEST

/* --- too many ----------------------------------------------------------------------------- */

static void open_with(struct insession *s, const char *dir, unsigned threads, unsigned keep, uint64_t tables)
{
	struct sv_config config;
	sv_config_init(&config);
	config.nice = 0;
	config.data = dir;
	config.threads = threads;
	config.checkpoint_s = 0.05;
	config.keep_jobs = keep;
	config.idle_tables = tables;
	insession_open_as(s, &config);
}

START_TEST(beyond_a_number_the_first_that_ended_go)
{
	struct insession s;
	char dir[64];
	scratch_dir(dir);
	open_with(&s, dir, 1, 3, 0);
	unsigned waits = insession_submit(&s, LARGE);
	ck_assert_int_eq(insession_on_job(&s, "job.pause", waits, ""), 0);
	for (unsigned i = 0; i < 5; i++)
		run_job(&s, SMALL, "solved");
	wait_list(&s, "6 5 4 1 ");
	usleep(2000); /* so that it ends in another millisecond than job 6: that is the order after a restart */
	ck_assert_int_eq(insession_on_job(&s, "job.cancel", waits, ""), 0); /* it ended last, so it stays longest */
	wait_list(&s, "6 5 1 ");
	run_job(&s, SMALL, "solved");
	wait_list(&s, "7 6 1 ");
	insession_close(&s);
	assert_sound(dir);
	open_with(&s, dir, 0, 2, 0);
	wait_list(&s, "7 1 ");
	insession_close(&s);
	open_with(&s, dir, 0, 1, 0);
	wait_list(&s, "7 ");
	insession_close(&s);
	open_with(&s, dir, 0, 0, 0);
	assert_list(&s, "", "7 ");
	insession_close(&s);
	assert_sound(dir);
	scratch_remove(dir);
}
END_TEST

/* A batch of one method for jobs first, first + 1 and so on; waits for the replies. */
static void call_all(struct insession *s, const char *method, const char *params, unsigned first, unsigned count)
{
	struct pd_buf line;
	pd_buf_init(&line, 1 << 20);
	for (unsigned i = 0; i < count; i++) {
		pd_buf_printf(&line, "%s{\"jsonrpc\":\"2.0\",\"id\":%u,\"method\":\"%s\",\"params\":{%s", i ? "," : "[",
			      i, method, params);
		if (first)
			pd_buf_printf(&line, "\"job\":%u", first + i);
		pd_buf_puts(&line, "}}");
	}
	pd_buf_put(&line, "]", 2);
	ck_assert(!line.failed);
	insession_send(s, line.data);
	char *reply = insession_line(s);
	ck_assert_msg(!strstr(reply, "\"error\""), "%.300s", reply);
	free(reply);
	pd_buf_fini(&line);
}

START_TEST(removal_keeps_up_with_jobs_that_come_as_quickly_as_they_can)
{
	enum { KEEP = 5, BATCH = 200 };
	struct insession s;
	uint32_t over_most = 0;
	open_with(&s, NULL, 0, KEEP, 0);
	for (unsigned i = 0, batches = effort_of(24, 8); i < batches; i++) {
		call_all(&s, "job.submit", SMALL, 0, BATCH);
		call_all(&s, "job.cancel", "", 1 + i * BATCH, BATCH);
		pd_mutex_lock(&s.core->lock);
		if (s.core->index->over_count > over_most)
			over_most = s.core->index->over_count;
		pd_mutex_unlock(&s.core->lock);
	}
	ck_assert_uint_le(over_most, KEEP + 2 * BATCH);
	insession_close(&s);
}
END_TEST

START_TEST(without_room_nothing_goes_until_there_is)
{
	struct insession s;
	open_with(&s, NULL, 1, 1, 0);
	run_job(&s, SMALL, "solved");
	pd_mutex_lock(&s.core->lock);
	s.core->config.keep_jobs = 0;
	pd_mutex_unlock(&s.core->lock);
	run_job(&s, SMALL, "solved");
	st_fault(s.core->store, ST_FAULT_COMMIT, 1);
	pd_mutex_lock(&s.core->lock);
	s.core->config.keep_jobs = 1;
	pd_mutex_unlock(&s.core->lock);
	wait_list(&s, "2 ");
	insession_close(&s);
}
END_TEST

/* --- tables that no one may ever want ----------------------------------------------------- */

static uint64_t table_of(struct insession *s, unsigned job)
{
	return st_tt_bytes(s->core->store, job);
}

START_TEST(the_tables_that_wait_longest_are_dropped)
{
	struct insession s;
	char dir[64];
	scratch_dir(dir);
	for (unsigned i = 0; i < 2; i++) {
		open_with(&s, _i ? dir : NULL, 1, 0, 1); /* one byte: all but the last */
		unsigned a = run_job(&s, LARGE ",\"budget\":{\"nodes\":300000}", "exhausted");
		ck_assert_uint_gt(table_of(&s, a), 0); /* the last one stays, however large it is */
		ck_assert(!has_event(&s, a, "table dropped"));
		unsigned b = run_job(&s, LARGE ",\"budget\":{\"nodes\":300000}", "exhausted");
		while (table_of(&s, a))
			sv_core_pump(s.core);
		while (!has_event(&s, a, "table dropped"))
			;
		ck_assert_uint_gt(table_of(&s, b), 0);
		ck_assert(!has_event(&s, b, "table dropped"));
		/* It can be resumed all the same, and is then the last that ended. */
		ck_assert_int_eq(insession_on_job(&s, "job.set", a, ",\"budget\":{\"nodes\":600000}"), 0);
		ck_assert_int_eq(insession_on_job(&s, "job.resume", a, ""), 0);
		char state[16];
		insession_wait(&s, a, state);
		ck_assert_str_eq(state, "exhausted");
		while (table_of(&s, b))
			sv_core_pump(s.core);
		ck_assert_uint_gt(table_of(&s, a), 0);
		insession_close(&s);
		if (!_i)
			break;
		assert_sound(dir);
		scratch_remove(dir);
		scratch_dir(dir);
	}
	scratch_remove(dir);
}
END_TEST

START_TEST(tables_are_counted_after_a_restart)
{
	struct insession s;
	char dir[64];
	scratch_dir(dir);
	open_with(&s, dir, 1, 0, 0);
	for (unsigned i = 0; i < 3; i++)
		run_job(&s, LARGE ",\"budget\":{\"nodes\":300000}", "exhausted");
	uint64_t all = table_of(&s, 1) + table_of(&s, 2) + table_of(&s, 3);
	pd_mutex_lock(&s.core->lock);
	ck_assert_uint_eq(s.core->index->idle_bytes, all);
	pd_mutex_unlock(&s.core->lock);
	insession_close(&s);
	open_with(&s, dir, 0, 0, all);
	ck_assert_int_eq(insession_code(&s, "server.stats", ""), 0);
	ck_assert_uint_eq(table_of(&s, 1) + table_of(&s, 2) + table_of(&s, 3), all);
	insession_close(&s);
	open_with(&s, dir, 0, 0, all - 1);
	while (table_of(&s, 1))
		sv_core_pump(s.core);
	insession_close(&s);
	open_with(&s, dir, 0, 0, all - 1);
	ck_assert_int_eq(insession_code(&s, "server.stats", ""), 0);
	ck_assert_uint_gt(table_of(&s, 2), 0);
	ck_assert_uint_gt(table_of(&s, 3), 0);
	insession_close(&s);
	scratch_remove(dir);
}
END_TEST

SUITE(retention)
{
	tcase_set_timeout(c, 300);
	tcase_add_test(c, a_removed_job_is_gone_and_its_facts_stay);
	tcase_add_test(c, only_jobs_that_are_over_are_removed);
	tcase_add_test(c, who_watches_a_removed_job_hears_its_end_first);
	tcase_add_test(c, a_removal_that_cannot_be_written_has_not_happened);
	tcase_add_test(c, facts_of_removed_jobs_can_be_taken_back);
	tcase_add_test(c, beyond_a_number_the_first_that_ended_go);
	tcase_add_test(c, removal_keeps_up_with_jobs_that_come_as_quickly_as_they_can);
	tcase_add_test(c, without_room_nothing_goes_until_there_is);
	tcase_add_loop_test(c, the_tables_that_wait_longest_are_dropped, 0, 2);
	tcase_add_test(c, tables_are_counted_after_a_restart);
}
