/* `proofctl compare` with runs that end as they should not: their results are made up here, because cl_follow_job is
 * wrapped (see tests/CMakeLists.txt). */

#include "clients/commands.h"
#include "clients/follow.h"
#include "tests/support/suite.h"

int __wrap_cl_follow_job(struct cl_link *link, int64_t id, const struct cl_follow *how, pr_ref *job, int *signal,
			 struct pd_fail *fail);

/* Of each run: its last state; NULL behind the last one. */
static const char *const *ends;
static struct pr_doc *doc; /* of the last one */

int __wrap_cl_follow_job(struct cl_link *link, int64_t id, const struct cl_follow *how, pr_ref *job, int *signal,
			 struct pd_fail *fail)
{
	*signal = 0;
	ck_assert(*ends != NULL);
	pr_doc_free(doc);
	int rc = pr_doc_parse(*ends, strlen(*ends), &doc, fail);
	ends++;
	*job = pr_doc_root(doc);
	return rc;
}

#define SOLVED(lo, hi)                                                                                                 \
	"{\"state\":\"solved\",\"value\":{\"lo\":" #lo ",\"hi\":" #hi                                                  \
	",\"text\":\"?\"},\"nodes\":{\"level1\":5,\"level2\":0},\"seconds\":0.5,\"entries\":3,\"facts\":1}"
#define ENDED(state) "{\"state\":\"" state "\",\"value\":{\"lo\":null,\"hi\":null,\"text\":\"unknown\"}}"

static int compare(const char *const *results)
{
	char *words[] = {"proofctl", "mnk:3,3,3", "--seeds", "1,2", "--algorithms", "pn", "--memory", "4M", "--csv"};
	struct cl_options options;
	struct pd_fail fail;
	int exit_code = -1;
	ends = results;
	ck_assert(!cl_options_parse(sizeof words / sizeof *words, words, &options, &fail));
	ck_assert_int_eq(cl_cmd_compare(&options, &exit_code, &fail), PD_OK);
	ck_assert(*ends == NULL);
	cl_options_fini(&options);
	pr_doc_free(doc);
	doc = NULL;
	return exit_code;
}

START_TEST(answers_that_contradict_each_other_are_an_error)
{
	const char *const wins_and_draws[] = {SOLVED(1, 1), SOLVED(0, 0), NULL};
	const char *const bounds_apart[] = {SOLVED(-1, 0), SOLVED(1, null), NULL};
	ck_assert_int_eq(compare(wins_and_draws), CL_EXIT_FAILED);
	ck_assert_int_eq(compare(bounds_apart), CL_EXIT_FAILED);
}
END_TEST

START_TEST(bounds_that_meet_are_none)
{
	const char *const one_of_two[] = {SOLVED(-1, 0), SOLVED(0, null), NULL};
	ck_assert_int_eq(compare(one_of_two), CL_EXIT_OK);
}
END_TEST

START_TEST(the_others_go_on_after_a_failure)
{
	const char *const failed[] = {ENDED("failed"), SOLVED(0, 0), NULL};
	const char *const exhausted[] = {SOLVED(0, 0), ENDED("exhausted"), NULL};
	ck_assert_int_eq(compare(failed), CL_EXIT_FAILED);
	ck_assert_int_eq(compare(exhausted), CL_EXIT_UNANSWERED);
}
END_TEST

SUITE(compare_runs)
{
	tcase_add_test(c, answers_that_contradict_each_other_are_an_error);
	tcase_add_test(c, bounds_that_meet_are_none);
	tcase_add_test(c, the_others_go_on_after_a_failure);
}
