/* V1: every request gets exactly one reply, or none when it is a notification; what is wrong is named. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/rpc.h"
#include "tests/support/suite.h"

/* Answers what is open with `result` and returns the reply line, "" for none. Static memory. */
static const char *answer(const char *line, const char *result)
{
	static char text[1 << 16];
	struct pr_exchange *exchange = pr_exchange_new(line, strlen(line));
	struct pd_buf out;
	pd_buf_init(&out, PR_REPLY_MAX);
	for (unsigned i = pr_exchange_count(exchange); i-- > 0;) { /* any order will do */
		struct pr_call *call = pr_exchange_call(exchange, i);
		ck_assert_int_eq(pr_exchange_done(exchange), false);
		if (call)
			pr_call_result(call, result, strlen(result));
		else
			continue;
		ck_assert_ptr_null(pr_exchange_call(exchange, i));
	}
	ck_assert(pr_exchange_done(exchange));
	pr_exchange_reply(exchange, &out);
	snprintf(text, sizeof text, "%s", out.data ? out.data : "");
	pd_buf_fini(&out);
	pr_exchange_free(exchange);
	return text;
}

/* The reply to a line that is answered without the server's help. */
static const char *refusal(const char *line)
{
	static char text[1 << 16];
	struct pr_exchange *exchange = pr_exchange_new(line, strlen(line));
	struct pd_buf out;
	ck_assert_msg(pr_exchange_done(exchange), "%s", line);
	pd_buf_init(&out, PR_REPLY_MAX);
	pr_exchange_reply(exchange, &out);
	snprintf(text, sizeof text, "%s", out.data ? out.data : "");
	pd_buf_fini(&out);
	pr_exchange_free(exchange);
	return text;
}

#define CALL(id, method, params) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\",\"params\":" params "}"

START_TEST(a_call_reaches_the_server_with_its_parameters)
{
	const char *line = CALL("1", "job.get", "{\"job\":42}");
	struct pr_exchange *exchange = pr_exchange_new(line, strlen(line));
	ck_assert_uint_eq(pr_exchange_count(exchange), 1);
	struct pr_call *call = pr_exchange_call(exchange, 0);
	ck_assert_int_eq(call->method, PR_JOB_GET);
	ck_assert_int_eq(pr_get_int(call->params, "job", 0), 42);
	ck_assert_ptr_eq(call->exchange, exchange);
	pr_exchange_free(exchange); /* unanswered: the connection closed */
	ck_assert_str_eq(answer("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"game.list\"}", "[]"),
			 "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[]}\n");
}
END_TEST

START_TEST(ids_come_back_as_they_were_sent)
{
	static const char *const ids[] = {"0", "-9223372036854775808", "null", "\"\"", "\"a\\u0001\\\"\\\\\xc3\xa4\""};
	for (unsigned i = 0; i < sizeof ids / sizeof *ids; i++) {
		char line[256], want[256];
		snprintf(line, sizeof line, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"game.list\"}", ids[i]);
		snprintf(want, sizeof want, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":7}\n", ids[i]);
		ck_assert_str_eq(answer(line, "7"), want);
	}
}
END_TEST

START_TEST(notifications_get_no_reply_not_even_a_refusal)
{
	ck_assert_str_eq(answer("{\"jsonrpc\":\"2.0\",\"method\":\"game.list\"}", "{}"), "");
	ck_assert_str_eq(answer("[{\"jsonrpc\":\"2.0\",\"method\":\"game.list\"},{\"jsonrpc\":\"2.0\",\"method\":"
				"\"game.list\"}]",
				"{}"),
			 "");
	ck_assert_str_eq(refusal("{\"jsonrpc\":\"2.0\",\"method\":\"no.such\"}"), "");
	ck_assert_str_eq(refusal("{\"jsonrpc\":\"2.0\",\"method\":\"job.get\",\"params\":{}}"), "");
}
END_TEST

START_TEST(a_batch_is_one_reply_in_the_order_of_the_requests)
{
	ck_assert_str_eq(answer("[" CALL("1", "game.list", "{}") ",7," CALL(
					"2", "job.get", "{}") ","
							      "{\"jsonrpc\":\"2.0\",\"method\":\"game.list\"}," CALL(
								      "\"x\"", "job.get", "{\"job\":1}") "]",
				"{}"),
			 "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}},"
			 "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":\"a request is an "
			 "object, or an array of "
			 "objects\",\"data\":{\"slug\":\"invalid-request\",\"field\":null}}},"
			 "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32602,\"message\":\"parameter 'job' is "
			 "missing\",\"data\":{\"slug\":\"invalid-params\",\"field\":\"job\"}}},"
			 "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{}}]\n");
}
END_TEST

START_TEST(what_is_wrong_is_named)
{
	static const struct {
		const char *line, *part, *more;
	} cases[] = {
		{"", "-32700", "\"id\":null"},
		{"{\"jsonrpc\":\"2.0\",", "-32700", "byte 17"},
		{"{\"id\":1,\"id\":2}", "-32700", "duplicate"},
		{"7", "-32600", "a request is an object"},
		{"[]", "-32600", "at least one"},
		{"{}", "-32600", "\"field\":\"jsonrpc\""},
		{"{\"id\":5,\"method\":\"game.list\"}", "\"id\":5,\"error\":{\"code\":-32600", "must be the string"},
		{"{\"jsonrpc\":\"2.0\",\"id\":5}", "\"id\":5,\"error\":{\"code\":-32600", "'method'"},
		{"{\"jsonrpc\":\"2.0\",\"id\":5.5,\"method\":\"game.list\"}", "\"id\":null,\"error\":{\"code\":-32600",
		 "'id'"},
		{"{\"jsonrpc\":\"2.0\",\"id\":[1],\"method\":\"game.list\"}", "\"id\":null,\"error\":{\"code\":-32600",
		 "'id'"},
		{CALL("1", "no.such", "{}"), "-32601", "'no.such'; rpc.discover lists"},
		{CALL("1", "game.list", "[]"), "-32602", "given by name"},
		{CALL("1", "game.list", "null"), "-32602", "given by name"},
		{CALL("1", "game.list", "{\"x\":1}"), "\"field\":\"x\"", "takes none"},
		{CALL("1", "job.get", "{\"jb\":1}"), "\"field\":\"jb\"", "it takes job"},
		{CALL("1", "job.get", "{\"job\":\"1\"}"), "\"field\":\"job\"",
		 "must be an integer from 1 to 4294967295"},
		{CALL("1", "job.get", "{\"job\":1.5}"), "\"field\":\"job\"", "must be an integer"},
		{CALL("1", "job.get", "{\"job\":0}"), "\"field\":\"job\"", "must be an integer"},
		{CALL("1", "job.get", "{\"job\":null}"), "\"field\":\"job\"", "must be an integer"},
		{CALL("1", "job.submit", "{\"game\":1}"), "\"field\":\"game\"", "must be a string"},
		{CALL("1", "job.submit", "{\"game\":\"\"}"), "\"field\":\"game\"", "must be 1 to 95 bytes long"},
		{CALL("1", "job.submit", "{\"game\":\"g\",\"budget\":7}"), "\"field\":\"budget\"", "must be an object"},
		{CALL("1", "job.submit", "{\"game\":\"g\",\"budget\":{\"node\":7}}"), "\"field\":\"budget.node\"",
		 "nodes, seconds"},
		{CALL("1", "job.submit", "{\"game\":\"g\",\"budget\":{\"nodes\":-1}}"), "\"field\":\"budget.nodes\"",
		 "from 0"},
		{CALL("1", "job.submit", "{\"game\":\"g\",\"budget\":{\"seconds\":\"x\"}}"),
		 "\"field\":\"budget.seconds\"", "a number"},
		{CALL("1", "job.submit", "{\"game\":\"g\",\"memory\":\"lots\"}"), "\"field\":\"memory\"", "512M"},
		{CALL("1", "job.submit", "{\"game\":\"g\",\"memory\":\"1K\"}"), "\"field\":\"memory\"", "from 1048576"},
		{CALL("1", "job.submit", "{\"game\":\"g\",\"detail\":\"some\"}"), "\"field\":\"detail\"",
		 "one of frontier, full"},
		{CALL("1", "job.submit", "{\"game\":\"g\",\"priority\":101}"), "\"field\":\"priority\"",
		 "from -100 to 100"},
		{CALL("1", "job.list", "{\"state\":\"done\"}"), "\"field\":\"state\"", "queued, running, paused"},
		{CALL("1", "job.watch", "{\"job\":1,\"interval\":0.05}"), "\"field\":\"interval\"", "from 0.1 to 60"},
		{CALL("1", "fact.query", "{\"game\":\"g\",\"positions\":[\"a\",3]}"), "\"field\":\"positions[1]\"",
		 "must be a string"},
		{CALL("1", "fact.query", "{\"game\":\"g\",\"positions\":\"a\"}"), "\"field\":\"positions\"",
		 "array of strings"},
		{CALL("1", "fact.query", "{\"game\":\"g\",\"moves\":1}"), "\"field\":\"moves\"", "true or false"},
	};
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *reply = refusal(cases[i].line);
		ck_assert_msg(strstr(reply, cases[i].part) != NULL, "%s -> %s", cases[i].line, reply);
		ck_assert_msg(strstr(reply, cases[i].more) != NULL, "%s -> %s", cases[i].line, reply);
	}
}
END_TEST

START_TEST(parameters_that_are_right_pass)
{
	static const char *const good[] = {
		CALL("1", "job.submit", "{\"game\":\"g\",\"memory\":1048576}"),
		CALL("1", "job.submit",
		     "{\"game\":\"g\",\"memory\":\"1T\",\"budget\":{\"nodes\":1e9,\"seconds\":0.5}}"),
		CALL("1", "job.submit",
		     "{\"game\":\"g\",\"budget\":{},\"detail\":\"full\",\"priority\":-100,\"seed\":"
		     "9223372036854775807}"),
		CALL("1", "job.watch", "{\"job\":1,\"interval\":60}"),
		CALL("1", "fact.query", "{\"game\":\"g\",\"positions\":[],\"moves\":true}"),
		CALL("1", "job.list", "{\"state\":\"solved\",\"limit\":5.0}"),
	};
	for (unsigned i = 0; i < sizeof good / sizeof *good; i++)
		ck_assert_str_eq(answer(good[i], "{}"), "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
}
END_TEST

START_TEST(batches_have_a_limit)
{
	struct pd_buf line;
	for (int count = PR_BATCH_MAX; count <= PR_BATCH_MAX + 1; count++) {
		pd_buf_init(&line, PR_LINE_MAX);
		for (int i = 0; i < count; i++)
			pd_buf_printf(&line, "%s{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"game.list\"}",
				      i ? "," : "[", i);
		pd_buf_puts(&line, "]");
		struct pr_exchange *exchange = pr_exchange_new(line.data, line.size);
		ck_assert_int_eq(pr_exchange_done(exchange), count > PR_BATCH_MAX);
		ck_assert_uint_eq(pr_exchange_count(exchange), count > PR_BATCH_MAX ? 1 : PR_BATCH_MAX);
		pr_exchange_free(exchange);
		if (count > PR_BATCH_MAX)
			ck_assert_ptr_nonnull(strstr(refusal(line.data), "\"slug\":\"limit\""));
		pd_buf_fini(&line);
	}
}
END_TEST

START_TEST(a_reply_never_passes_its_limit)
{
	struct pd_buf line, out;
	pd_buf_init(&line, PR_LINE_MAX);
	pd_buf_init(&out, PR_REPLY_MAX);
	for (int i = 0; i < 100; i++)
		pd_buf_printf(&line, "%s{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"game.list\"}", i ? "," : "[", i);
	pd_buf_puts(&line, "]");
	char *big = malloc(1000000);
	memset(big, '1', 1000000);
	struct pr_exchange *exchange = pr_exchange_new(line.data, line.size);
	for (unsigned i = 0; i < 100; i++)
		pr_call_result(pr_exchange_call(exchange, i), big, 1000000);
	pr_exchange_reply(exchange, &out);
	ck_assert(!out.failed);
	ck_assert_ptr_nonnull(
		strstr(out.data,
		       "{\"jsonrpc\":\"2.0\",\"id\":99,\"error\":{\"code\":8,\"message\":\"the reply would be longer"));
	struct pr_doc *doc;
	ck_assert_int_eq(pr_doc_parse(out.data, out.size, &doc, NULL),
			 PD_E_PARSE); /* that long an integer is refused */
	pr_exchange_free(exchange);
	pd_buf_fini(&line);
	pd_buf_fini(&out);
	free(big);
}
END_TEST

START_TEST(errors_carry_code_slug_and_field)
{
	struct pd_fail fail;
	struct pd_buf out;
	const char *line = CALL("1", "job.get", "{\"job\":3}");
	struct pr_exchange *exchange = pr_exchange_new(line, strlen(line));
	pd_fail_set(&fail, PD_E_NO_JOB, "job", "there is no job %d", 3);
	pr_call_error(pr_exchange_call(exchange, 0), &fail);
	pd_buf_init(&out, PR_REPLY_MAX);
	pr_exchange_reply(exchange, &out);
	ck_assert_str_eq(out.data, "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":6,\"message\":\"there is no job "
				   "3\",\"data\":{\"slug\":\"no-such-job\",\"field\":\"job\"}}}\n");
	pd_buf_reset(&out);
	pr_refusal(&out, &fail);
	ck_assert_str_eq(out.data,
			 "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":6,\"message\":\"there is no job "
			 "3\",\"data\":{\"slug\":\"no-such-job\",\"field\":\"job\"}}}\n");
	pd_buf_reset(&out);
	pr_notify(&out, "job.progress", "{\"job\":3}", 9);
	ck_assert_str_eq(out.data, "{\"jsonrpc\":\"2.0\",\"method\":\"job.progress\",\"params\":{\"job\":3}}\n");
	pd_buf_fini(&out);
	pr_exchange_free(exchange);
}
END_TEST

START_TEST(answering_twice_is_asserted)
{
	const char *line = CALL("1", "job.get", "{\"job\":3}");
	struct pr_exchange *exchange = pr_exchange_new(line, strlen(line));
	struct pr_call *call = pr_exchange_call(exchange, 0);
	pr_call_result(call, "{}", 2);
	pr_call_result(call, "{}", 2);
}
END_TEST

SUITE(rpc)
{
	tcase_add_test(c, a_call_reaches_the_server_with_its_parameters);
	tcase_add_test(c, ids_come_back_as_they_were_sent);
	tcase_add_test(c, notifications_get_no_reply_not_even_a_refusal);
	tcase_add_test(c, a_batch_is_one_reply_in_the_order_of_the_requests);
	tcase_add_test(c, what_is_wrong_is_named);
	tcase_add_test(c, parameters_that_are_right_pass);
	tcase_add_test(c, batches_have_a_limit);
	tcase_add_test(c, a_reply_never_passes_its_limit);
	tcase_add_test(c, errors_carry_code_slug_and_field);
	tcase_add_test_raise_signal(c, answering_twice_is_asserted, 6);
}
