/* What the host is told of jobs: an end, once it is on disk; trouble, once until it is over. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/common/core_state.h"
#include "proto/base/mutex.h"
#include "server/jobs/index/job_index.h"
#include "store/store.h"
#include "tests/support/insession.h"
#include "tests/support/suite.h"

struct told {
	unsigned count;
	char state[16], reason[200], game[40], value[64];
	uint32_t job;
};

static void take_finished(void *ctx, const struct sv_finished *f)
{
	struct told *told = ctx;
	struct pr_doc *doc;
	struct pd_fail fail;
	told->count++;
	told->job = f->job;
	snprintf(told->state, sizeof told->state, "%s", f->state);
	snprintf(told->reason, sizeof told->reason, "%s", f->reason);
	snprintf(told->game, sizeof told->game, "%s", f->game);
	snprintf(told->value, sizeof told->value, "%s", f->value);
	ck_assert_msg(!pr_doc_parse(f->json, f->json_size, &doc, &fail), "%s", fail.text);
	ck_assert_int_eq(pr_get_int(pr_doc_root(doc), "job", 0), f->job);
	ck_assert_ptr_null(memchr(f->json, '\n', f->json_size));
	pr_doc_free(doc);
}

static void submit_job(struct insession *s, const char *params)
{
	bool ok;
	pr_ref result;
	pr_doc_free(insession_call(s, "job.submit", params, &ok, &result));
	ck_assert(ok);
}

static void run_loop(struct insession *s)
{
	sv_core_pump(s->core);
	sv_core_tick(s->core);
}

/* How often its checkpoint could not be written. */
static uint64_t failures(struct insession *s)
{
	run_loop(s);
	pd_mutex_lock(&s->core->lock);
	uint64_t troubles = s->core->index->all.jobs[0]->calls.troubles;
	pd_mutex_unlock(&s->core->lock);
	return troubles;
}

START_TEST(trouble_is_told_once_until_it_is_over)
{
	struct insession s;
	struct told told = {0};
	char dir[64], state[16];
	scratch_dir(dir);
	insession_open(&s, dir, 1, 0.05);
	sv_core_on_finish(s.core, take_finished, &told);
	submit_job(&s, "\"game\":\"connect4:7x6\",\"memory\":\"4M\"");
	for (unsigned i = 1; i <= 2; i++) {
		do
			insession_state(&s, 1, state);
		while (strcmp(state, "running"));
		uint64_t before = failures(&s);
		st_fault(s.core->store, ST_FAULT_COMMIT, ST_FAULT_ALWAYS);
		while (told.count < i)
			run_loop(&s);
		ck_assert_str_eq(told.state, "paused");
		ck_assert_str_eq(told.game, "connect4:7x6");
		ck_assert_str_ne(told.reason, "");
		while (failures(&s) < before + 2) /* it is tried again */
			;
		for (unsigned j = 0; j < 10; j++)
			run_loop(&s);
		ck_assert_uint_eq(told.count, i);
		st_fault(s.core->store, ST_FAULT_COMMIT, 0);
	}
	insession_close(&s); /* that a run ends because the server stops is not told */
	ck_assert_uint_eq(told.count, 2);
	scratch_remove(dir);
}
END_TEST

START_TEST(an_end_is_told_when_it_is_on_disk)
{
	struct insession s;
	struct told told = {0};
	char state[16];
	insession_open(&s, NULL, 1, 2);
	sv_core_on_finish(s.core, take_finished, &told);
	submit_job(&s, "\"game\":\"mnk:3,3,3\",\"memory\":\"1M\"");
	insession_wait(&s, 1, state);
	while (!told.count)
		run_loop(&s);
	ck_assert_str_eq(told.state, "solved");
	ck_assert_str_eq(told.value, "draw");
	ck_assert_str_eq(told.reason, "");
	ck_assert_uint_eq(told.job, 1);
	sv_core_on_finish(s.core, NULL, NULL);
	submit_job(&s, "\"game\":\"mnk:4,3,3\",\"memory\":\"1M\"");
	insession_wait(&s, 2, state);
	for (unsigned i = 0; i < 10; i++)
		run_loop(&s);
	ck_assert_uint_eq(told.count, 1);
	insession_close(&s);
}
END_TEST

SUITE(finished)
{
	tcase_set_timeout(c, 300);
	tcase_add_test(c, trouble_is_told_once_until_it_is_over);
	tcase_add_test(c, an_end_is_told_when_it_is_on_disk);
}
