/* Keys of job.submit: one question each, in a batch too, and free again when the job came to nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/common/core_state.h"
#include "proto/base/mutex.h"
#include "server/jobs/index/job_index.h"
#include "server/jobs/model/job_state.h"
#include "store/store.h"
#include "tests/support/insession.h"
#include "tests/support/suite.h"

#define FIRST "\"game\":\"mnk:3,3,3\",\"position\":\"b2 a1\",\"claim\":\"first>=1\",\"key\":\"k\",\"memory\":\"1M\""

/* The job's number; or 0 and the error, whose field must be "key". */
static unsigned submit_job(struct insession *s, const char *params, char message[320])
{
	bool ok;
	pr_ref result;
	struct pr_doc *doc = insession_call(s, "job.submit", params, &ok, &result);
	unsigned job = ok ? (unsigned)pr_get_int(result, "job", 0) : 0;
	snprintf(message, 320, "%s", ok ? "" : pr_get_str(result, "message", ""));
	if (!ok) {
		ck_assert_int_eq(pr_get_int(result, "code", 0), PD_E_PARAMS);
		ck_assert_str_eq(pr_get_str(pr_get(result, "data"), "field", ""), "key");
	}
	pr_doc_free(doc);
	return job;
}

static unsigned job_of(struct insession *s, const char *params)
{
	char message[320];
	unsigned job = submit_job(s, params, message);
	ck_assert_msg(job, "%s: %s", params, message);
	return job;
}

START_TEST(the_same_question_gives_the_same_job)
{
	static const char *const same[] = {
		FIRST,
		"\"game\":\"mnk:3,3,3\",\"position\":\" b2  a1 "
		"\",\"claim\":\"first-wins\",\"key\":\"k\",\"memory\":\"2M\"",
		"\"game\":\"mnk:3,3,3\",\"position\":\"b2 "
		"a1\",\"claim\":\"first>=01\",\"key\":\"k\",\"threads\":2,\"priority\":7,\"budget\":{\"nodes\":5}",
		"\"game\":\"mnk:3,3,3\",\"position\":\"b2 "
		"a1\",\"claim\":\"first-wins\",\"key\":\"k\",\"algorithm\":\"pds-pn\",\"detail\":\"frontier\","
		"\"options\":{\"cap-first\":2000},\"seed\":0,\"shorten\":0",
	};
	struct insession s;
	insession_open(&s, NULL, 0, 2);
	unsigned job = job_of(&s, FIRST);
	for (unsigned i = 0; i < sizeof same / sizeof *same; i++) {
		char message[320];
		ck_assert_msg(submit_job(&s, same[i], message) == job, "%s: %s", same[i], message);
	}
	ck_assert_uint_eq(s.core->index->all.count, 1);
	insession_close(&s);
}
END_TEST

START_TEST(another_question_is_refused_and_the_difference_is_named)
{
	static const struct {
		const char *params, *differs;
	} other[] = {
		{"\"game\":\"connect4:4x4\",\"key\":\"k\"", "another game"},
		{"\"game\":\"mnk:3,3,3\",\"position\":\"b2 a2\",\"claim\":\"first-wins\",\"key\":\"k\"",
		 "another position"},
		{"\"game\":\"mnk:3,3,3\",\"claim\":\"first-wins\",\"key\":\"k\"", "another position"},
		{"\"game\":\"mnk:3,3,3\",\"position\":\"b2 a1\",\"key\":\"k\"", "another claim"},
		{"\"game\":\"mnk:3,3,3\",\"position\":\"b2 a1\",\"claim\":\"first-draws\",\"key\":\"k\"",
		 "another claim"},
		{"\"game\":\"mnk:3,3,3\",\"position\":\"b2 a1\",\"claim\":\"second-draws\",\"key\":\"k\"",
		 "another claim"},
		{FIRST ",\"algorithm\":\"df-pn\"", "another algorithm"},
		{FIRST ",\"detail\":\"full\"", "another detail"},
		{FIRST ",\"options\":{\"cap-first\":500}", "other options"},
		{FIRST ",\"seed\":3", "another seed"},
		{FIRST ",\"shorten\":3", "another shorten"},
	};
	struct insession s;
	char message[320];
	insession_open(&s, NULL, 0, 2);
	ck_assert_uint_eq(job_of(&s, FIRST), 1);
	for (unsigned i = 0; i < sizeof other / sizeof *other; i++) {
		ck_assert_msg(!submit_job(&s, other[i].params, message), "%s", other[i].params);
		ck_assert_msg(strstr(message, "'k' belongs to job 1") && strstr(message, other[i].differs), "%s: %s",
			      other[i].params, message);
	}
	ck_assert_uint_eq(s.core->index->all.count, 1);
	insession_close(&s);
}
END_TEST

/* The reply line to two submissions in one batch; to be freed. */
static char *batch(struct insession *s, const char *a, const char *b)
{
	char text[2048];
	snprintf(text, sizeof text,
		 "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"job.submit\",\"params\":{%s}},"
		 "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"job.submit\",\"params\":{%s}}]",
		 a, b);
	insession_send(s, text);
	return insession_line(s);
}

START_TEST(a_batch_may_use_a_key_twice_for_one_question_only)
{
	struct insession s;
	insession_open(&s, NULL, 0, 2);
	char *line = batch(&s, FIRST, "\"game\":\"mnk:4,3,3\",\"key\":\"k\"");
	ck_assert_ptr_nonnull(strstr(line, "\"id\":1,\"result\":{\"job\":1}"));
	ck_assert_ptr_nonnull(strstr(line, "\"field\":\"key\""));
	ck_assert_ptr_nonnull(strstr(line, "another game"));
	free(line);
	line = batch(&s, FIRST, FIRST);
	ck_assert_ptr_null(strstr(line, "error"));
	ck_assert_ptr_null(strstr(line, "\"job\":2"));
	free(line);
	st_fault(s.core->store, ST_FAULT_COMMIT, 1);
	line = batch(&s, "\"game\":\"mnk:4,3,3\",\"key\":\"lost\"", "\"game\":\"mnk:4,3,3\",\"key\":\"lost\"");
	/* The first was not written. The second shares that, unless its turn came when the first had failed already:
	 * then it is a try of its own. */
	ck_assert_ptr_null(strstr(line, "\"id\":1,\"result\""));
	ck_assert(strstr(line, "\"id\":2,\"error\"") || strstr(line, "\"id\":2,\"result\":{\"job\":2}"));
	free(line);
	ck_assert_uint_eq(job_of(&s, "\"game\":\"mnk:4,3,3\",\"key\":\"lost\""), 2);
	insession_close(&s);
}
END_TEST

START_TEST(the_key_of_a_cancelled_job_is_free_again)
{
	struct insession s;
	char dir[64], message[320];
	scratch_dir(dir);
	insession_open(&s, dir, 0, 2);
	ck_assert_uint_eq(job_of(&s, FIRST), 1);
	ck_assert_int_eq(insession_on_job(&s, "job.cancel", 1, ""), 0);
	ck_assert_uint_eq(job_of(&s, "\"game\":\"mnk:4,3,3\",\"key\":\"k\""), 2); /* for any question */
	ck_assert_uint_eq(submit_job(&s, FIRST, message), 0);
	ck_assert_ptr_nonnull(strstr(message, "job 2"));
	insession_close(&s);
	insession_open(&s, dir, 0, 2); /* and so it stays */
	ck_assert_uint_eq(job_of(&s, "\"game\":\"mnk:4,3,3\",\"key\":\"k\""), 2);
	ck_assert_int_eq(insession_on_job(&s, "job.cancel", 2, ""), 0);
	ck_assert_uint_eq(job_of(&s, FIRST), 3);
	ck_assert_uint_eq(job_of(&s, FIRST), 3);
	insession_close(&s);
	scratch_remove(dir);
}
END_TEST

START_TEST(a_key_that_is_being_freed_is_waited_for)
{
	static const char cancel[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"job.cancel\",\"params\":{\"job\":1}}",
			  again[] = "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"job.submit\",\"params\":{\"game\":"
				    "\"connect4:7x6\",\"memory\":\"4M\",\"key\":\"k\"}}";
	struct insession s;
	char text[512];
	insession_open(&s, NULL, 1, 2);
	ck_assert_uint_eq(job_of(&s, "\"game\":\"connect4:7x6\",\"memory\":\"4M\",\"key\":\"k\""), 1);
	snprintf(text, sizeof text, "[%s,%s]", cancel, again);
	insession_send(&s, text);
	char *line = insession_line(&s);
	ck_assert_msg(strstr(line, "\"state\":\"cancelled\"") && strstr(line, "\"id\":2,\"result\":{\"job\":2}"), "%s",
		      line);
	free(line);
	insession_close(&s);
}
END_TEST

START_TEST(the_key_of_a_failed_job_is_free_again)
{
	struct insession s;
	insession_open(&s, NULL, 1, 2);
	ck_assert_uint_eq(job_of(&s, FIRST), 1);
	char state[16];
	insession_wait(&s, 1, state);
	pd_mutex_lock(&s.core->lock);
	s.core->index->all.jobs[0]->record.state = SV_FAILED;
	pd_mutex_unlock(&s.core->lock);
	ck_assert_uint_eq(job_of(&s, FIRST), 2);
	insession_wait(&s, 2, state);
	ck_assert_uint_eq(job_of(&s, FIRST), 2); /* a solved job keeps its key */
	insession_close(&s);
}
END_TEST

SUITE(keys)
{
	tcase_set_timeout(c, 300);
	tcase_add_test(c, the_same_question_gives_the_same_job);
	tcase_add_test(c, another_question_is_refused_and_the_difference_is_named);
	tcase_add_test(c, a_batch_may_use_a_key_twice_for_one_question_only);
	tcase_add_test(c, the_key_of_a_cancelled_job_is_free_again);
	tcase_add_test(c, a_key_that_is_being_freed_is_waited_for);
	tcase_add_test(c, the_key_of_a_failed_job_is_free_again);
}
