/* Memory runs out: every allocation of an exchange, a document and a graph fails in turn. Nothing leaks (the sanitizer
 * build looks), nothing breaks, and an exchange that came to be still gives a reply that can be read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/graph_file.h"
#include "proto/rpc.h"
#include "tests/support/suite.h"

static long countdown; /* allocations until one fails; 0: none does */

static bool must_fail(void)
{
	return countdown && !--countdown;
}

/* The linker leads every call of our own code here (tests/CMakeLists.txt), jansson's by way of proto/json.c. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

void *__wrap_malloc(size_t size)
{
	return must_fail() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return must_fail() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	return must_fail() ? NULL : __real_realloc(old, size);
}

static const char batch[] = "[{\"jsonrpc\":\"2.0\",\"id\":\"a long id that takes memory of its "
			    "own\",\"method\":\"job.submit\",\"params\":{\"game\":"
			    "\"connect4:7x6\",\"position\":\"44\",\"budget\":{\"nodes\":5}}},{\"jsonrpc\":\"2.0\","
			    "\"id\":2,\"method\":\"job.get\"},"
			    "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"job.get\",\"params\":{\"job\":7}}]";

/* True when nothing failed. */
static bool exchange_once(void)
{
	struct pd_buf out;
	struct pd_fail fail;
	char *line = strdup(batch);
	if (!line)
		return false;
	struct pr_exchange *exchange = pr_exchange_new(line, strlen(line));
	free(line);
	if (!exchange)
		return false;
	pd_fail_set(&fail, PD_E_NO_JOB, "job", "there is no job 7");
	for (unsigned i = 0; i < pr_exchange_count(exchange); i++) {
		struct pr_call *call = pr_exchange_call(exchange, i);
		if (call && i == 0)
			pr_call_result(call, "{\"job\":1}", 9);
		else if (call)
			pr_call_error(call, &fail);
	}
	bool spent = countdown == 0;
	countdown = 0; /* the reply is printed with memory, to see what it says; and Check's own assertions allocate */
	ck_assert(pr_exchange_done(exchange));
	pd_buf_init(&out, PR_REPLY_MAX);
	pr_exchange_reply(exchange, &out);
	struct pr_doc *doc;
	ck_assert_int_eq(pr_doc_parse(out.data, out.size, &doc, NULL), PD_OK);
	pr_doc_free(doc);
	bool whole = strstr(out.data, "\"result\":{\"job\":1}") &&
		     strstr(out.data, "\"message\":\"there is no job 7\"") &&
		     strstr(out.data, "parameter 'job' is missing");
	pd_buf_fini(&out);
	pr_exchange_free(exchange);
	return whole && !spent;
}

START_TEST(an_exchange_survives_any_allocation_that_fails)
{
	long k = 1;
	for (bool whole = false; !whole; k++) {
		ck_assert_int_lt(k, 10000);
		countdown = k;
		whole = exchange_once();
		countdown = 0;
	}
	ck_assert_int_gt(k, 20); /* it did fail, many times */
}
END_TEST

/* Long tokens: their buffer grows while they are read. */
START_TEST(a_document_of_long_texts_survives_any_allocation_that_fails)
{
	static const char text[] = "{\"a key that is much longer than the sixteen bytes of a buffer at its "
				   "beginning\":[\"and a text of more than a hundred"
				   " bytes, so that it grows again and again, with \\u00e9scapes and all that belongs "
				   "to it\",12345678901234567,"
				   "1234567890.12345678901234567890123456789012345678901234567890,true]}";
	int rc = -1;
	for (long k = 1; rc; k++) {
		struct pr_doc *doc;
		struct pd_fail fail;
		ck_assert_int_lt(k, 1000);
		countdown = k;
		rc = pr_doc_parse(text, strlen(text), &doc, &fail);
		countdown = 0;
		ck_assert_msg(!rc || rc == PD_E_NO_MEMORY, "%s", fail.text);
		if (!rc)
			pr_doc_free(doc);
	}
}
END_TEST

START_TEST(a_graph_survives_any_allocation_that_fails)
{
	static const char *const texts[] = {"{\"root\":\"a\",\"nodes\":{\"a\":{\"or\":[\"b\",\"c\"]},\"b\":{"
					    "\"value\":1},\"c\":{\"and\":[\"a\",\"b\"]}}}",
					    "a or b c\nb = 1\nc and a b\n"};
	int rc = -1;
	for (long k = 1; rc; k++) {
		const char *text = texts[_i];
		struct pd_graph *graph;
		struct pd_fail fail;
		ck_assert_int_lt(k, 10000);
		countdown = k;
		rc = pr_graph_parse(text, strlen(text), &graph, &fail);
		countdown = 0;
		ck_assert_msg(!rc || rc == PD_E_NO_MEMORY, "%s", fail.text);
		if (!rc)
			pd_graph_free(graph);
	}
}
END_TEST

START_TEST(a_dump_survives_any_allocation_that_fails)
{
	struct pr_doc *doc;
	static const char text[] = "{\"a\":[1,2,{\"b\":\"c\"}]}";
	ck_assert_int_eq(pr_doc_parse(text, strlen(text), &doc, NULL), PD_OK);
	char *dump = NULL;
	for (long k = 1; !dump; k++) {
		ck_assert_int_lt(k, 1000);
		countdown = k;
		dump = pr_dump(pr_doc_root(doc), NULL);
		countdown = 0;
	}
	ck_assert_str_eq(dump, text);
	free(dump);
	pr_doc_free(doc);
}
END_TEST

SUITE(memory)
{
	tcase_set_timeout(c, 30);
	tcase_add_test(c, an_exchange_survives_any_allocation_that_fails);
	tcase_add_test(c, a_document_of_long_texts_survives_any_allocation_that_fails);
	tcase_add_loop_test(c, a_graph_survives_any_allocation_that_fails, 0, 2);
	tcase_add_test(c, a_dump_survives_any_allocation_that_fails);
}
