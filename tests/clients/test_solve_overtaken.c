/* `proofctl solve --data` on a directory whose job runs on by itself and ends between two calls: the calls of
 * cl_link_call are wrapped (see tests/CMakeLists.txt), and before the one of interest the job is waited for. */

#include "clients/commands.h"
#include "tests/support/insession.h"
#include "tests/support/suite.h"

int __real_cl_link_call(struct cl_link *link, const char *method, const char *params, pr_ref *result,
			struct pd_fail *fail);
int __wrap_cl_link_call(struct cl_link *link, const char *method, const char *params, pr_ref *result,
			struct pd_fail *fail);

static const char *before; /* the method before whose first call job 1 is waited for */
static unsigned calls;     /* of it */

static bool is_over(struct cl_link *link)
{
	pr_ref job;
	struct pd_fail fail;
	ck_assert(!__real_cl_link_call(link, "job.get", "{\"job\":1}", &job, &fail));
	const char *state = pr_get_str(job, "state", "");
	return strcmp(state, "queued") && strcmp(state, "running");
}

int __wrap_cl_link_call(struct cl_link *link, const char *method, const char *params, pr_ref *result,
			struct pd_fail *fail)
{
	if (before && !strcmp(method, before) && !calls++)
		while (!is_over(link))
			;
	return __real_cl_link_call(link, method, params, result, fail);
}

/* A directory with one job that waits. */
static void make_directory(const char *dir, const char *params)
{
	struct insession s;
	bool ok;
	pr_ref result;
	insession_open(&s, dir, 0, 2);
	pr_doc_free(insession_call(&s, "job.submit", params, &ok, &result));
	ck_assert(ok);
	insession_close(&s);
}

static int run_solve(const char *dir, const char *nodes)
{
	char *words[] = {"solve", "connect4:6x5", "--data",  (char *)dir,  "--memory",
			 "8M",    "--json",       "--nodes", (char *)nodes};
	struct cl_options options;
	struct pd_fail fail;
	int exit_code = -1;
	ck_assert(!cl_options_parse(nodes ? 9 : 7, words, &options, &fail));
	int rc = cl_cmd_solve(&options, &exit_code, &fail);
	ck_assert_msg(!rc, "%s", fail.text);
	cl_options_fini(&options);
	return exit_code;
}

static void assert_jobs(const char *dir, unsigned jobs, const char *state)
{
	struct insession s;
	char now[16];
	insession_open(&s, dir, 0, 2);
	insession_state(&s, jobs, now);
	ck_assert_str_eq(now, state);
	insession_state(&s, jobs + 1, now);
	ck_assert_str_eq(now, "error");
	insession_close(&s);
}

static void with(const char *params, const char *method, const char *nodes, int exit_code)
{
	char dir[64];
	scratch_dir(dir);
	make_directory(dir, params);
	before = method;
	calls = 0;
	ck_assert_int_eq(run_solve(dir, nodes), exit_code);
	ck_assert_uint_ge(calls, 1);
	before = NULL;
	assert_jobs(dir, 1, exit_code ? "exhausted" : "solved");
	scratch_remove(dir);
}

#define JOB "\"game\":\"connect4:6x5\",\"memory\":\"8M\""

START_TEST(a_job_that_is_solved_before_it_gets_its_budget_gives_its_answer)
{
	with(JOB, "job.set", NULL, CL_EXIT_OK);
	with(JOB, "job.set", "1000", CL_EXIT_OK);
}
END_TEST

START_TEST(a_job_that_uses_its_old_budget_up_meanwhile_goes_on_with_the_new_one)
{
	with(JOB ",\"budget\":{\"nodes\":5000}", "job.set", NULL, CL_EXIT_OK);
	with(JOB ",\"budget\":{\"nodes\":5000}", "job.watch", "20000", CL_EXIT_UNANSWERED);
	with(JOB ",\"budget\":{\"nodes\":5000}", "job.watch", NULL, CL_EXIT_OK);
}
END_TEST

SUITE(solve_overtaken)
{
	tcase_set_timeout(c, 300);
	tcase_add_test(c, a_job_that_is_solved_before_it_gets_its_budget_gives_its_answer);
	tcase_add_test(c, a_job_that_uses_its_old_budget_up_meanwhile_goes_on_with_the_new_one);
}
