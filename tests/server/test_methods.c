/* Every row of the method table is served: real replies have the shape that the row promises, and every parameter of
 * every row is refused by name when it is of a wrong type, out of range, or unknown. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/insession.h"
#include "tests/support/suite.h"
#include "tests/support/shape.h"

/* Calls in an order in which all succeed; `$proof` stands for the certificate made before. A method that is not among
 * them is called with the example of its row, before the last of these calls. */
static const struct sample {
	enum pr_method method;
	const char *params;
} samples[] = {
	{PR_DISCOVER, ""},
	{PR_HELLO, ""},
	{PR_STATS, ""},
	{PR_GAME_LIST, ""},
	{PR_GAME_DESCRIBE, "\"game\":\"mnk:3,3,3\""},
	{PR_GAME_DESCRIBE, "\"game\":\"loa:6\""},
	{PR_POSITION_SHOW, "\"game\":\"mnk:3,3,3\",\"position\":\"b2 a1\""},
	{PR_POSITION_SHOW, "\"game\":\"connect4:7x6\",\"position\":\"1212121\""},
	{PR_POSITION_SHOW, "\"game\":\"mnk:5,5,5\",\"marks\":true,\"svg\":true"},
	{PR_JOB_SUBMIT, "\"game\":\"mnk:3,3,3\",\"memory\":\"4M\",\"key\":\"k\",\"options\":{\"epsilon\":0.5}"},
	{PR_JOB_WATCH, "\"job\":1,\"interval\":0.1"},
	{PR_JOB_UNWATCH, "\"job\":1"},
	{PR_JOB_SUBMIT, "\"game\":\"connect4:7x6\",\"memory\":\"4M\",\"budget\":{\"nodes\":100000000}"},
	{PR_JOB_PAUSE, "\"job\":2"},
	{PR_JOB_SET, "\"job\":2,\"priority\":-1,\"budget\":{\"seconds\":2.5}"},
	{PR_JOB_RESUME, "\"job\":2"},
	{PR_JOB_LIST, "\"limit\":1"},
	{PR_JOB_CANCEL, "\"job\":2"},
	{PR_JOB_GET, "\"job\":2"},
	{PR_JOB_HISTORY, "\"job\":1"},
	{PR_FACT_QUERY, "\"game\":\"mnk:3,3,3\",\"moves\":true"},
	{PR_FACT_QUERY, "\"game\":\"mnk:3,3,3\",\"positions\":[\"\",\"a1\",\"no such\"]"},
	{PR_FACT_QUERY, "\"game\":\"connect4:7x6\",\"positions\":[\"1212121\",\"7\"],\"moves\":true"},
	{PR_FACT_QUERY, "\"game\":\"mnk:5,5,5\",\"theorems\":true"},
	{PR_FACT_LINE, "\"game\":\"mnk:3,3,3\""},
	{PR_PROOF_EXPORT, "\"job\":1"},
	{PR_PROOF_READ, "\"proof\":\"$proof\",\"size\":100"},
	{PR_PROOF_VERIFY, "\"proof\":\"$proof\""},
	{PR_PROOF_LIST, ""},
	{PR_PROOF_CITE, "\"proof\":\"$proof\""},
	{PR_PROOF_REMOVE, "\"proof\":\"$proof\""},
	{PR_TABLE_BUILD, "\"game\":\"checkers\",\"material\":\"KKvKK\""},
	{PR_TABLE_LIST, ""},
	{PR_TABLE_CANCEL, "\"game\":\"checkers\",\"material\":\"KKvKK\""},
	{PR_TABLE_LIST, "\"game\":\"checkers:8\""},
	{PR_JOB_GET, "\"job\":1"},
	{PR_JOB_REMOVE, "\"job\":2"},
	{PR_STUDY_PUT, "\"title\":\"t\",\"game\":\"mnk:3,3,3\",\"moves\":\"(;B[b2]C[centre](;W[a1])(;W[a2]BM[1]))\""},
	{PR_STUDY_GET, "\"study\":3,\"record\":\"sgf\""},
	{PR_STUDY_LIST, "\"game\":\"mnk:3,3,3\""},
	{PR_STUDY_REMOVE, "\"study\":3,\"revision\":1"},
	{PR_EXPERIMENT_START, "\"text\":\"{\\\"name\\\":\\\"t\\\",\\\"game\\\":\\\"mnk:3,3,3\\\"}\""},
	{PR_EXPERIMENT_START,
	 "\"title\":\"hard\",\"text\":\"{\\\"name\\\":\\\"h\\\",\\\"game\\\":\\\"connect4:7x6\\\"}\""},
	{PR_EXPERIMENT_LIST, ""},
	{PR_EXPERIMENT_READ, "\"experiment\":2"},
	{PR_EXPERIMENT_STOP, "\"experiment\":2"},
	{PR_EXPERIMENT_RESUME, "\"experiment\":2"},
	{PR_EXPERIMENT_STOP, "\"experiment\":2"},
	{PR_EXPERIMENT_REMOVE, "\"experiment\":2"},
	{PR_EXPERIMENT_REPORT, "\"experiment\":1"},
	{PR_EXPERIMENT_REPORT, "\"experiment\":1,\"form\":\"csv\""},
	{PR_SHUTDOWN, ""},
};

enum { SAMPLES = sizeof samples / sizeof *samples };

static bool is_sampled(unsigned method)
{
	for (unsigned i = 0; i < SAMPLES; i++)
		if (samples[i].method == method)
			return true;
	return false;
}

/* insession_call holds the result to the method's row. */
static struct pr_doc *must_call(struct insession *s, const char *name, const char *params, pr_ref *result)
{
	bool ok;
	struct pr_doc *doc = insession_call(s, name, params, &ok, result);
	ck_assert_msg(ok, "%s {%s}: %s", name, params, pr_get_str(*result, "message", "?"));
	return doc;
}

static void call_other_examples(struct insession *s)
{
	for (unsigned method = 0; method < PR_METHOD_COUNT; method++) {
		const struct pr_method_info *info = pr_method_info((enum pr_method)method);
		char params[512];
		pr_ref result;
		if (is_sampled(method))
			continue;
		int size = (int)strlen(info->example) - 2; /* without the braces */
		ck_assert(size >= 0 && size < (int)sizeof params);
		snprintf(params, sizeof params, "%.*s", size, info->example + 1);
		pr_doc_free(must_call(s, info->name, params, &result));
	}
}

/* What these methods are about has to have ended. */
static void await_experiment(struct insession *s, const struct sample *sample)
{
	bool over = sample->method != PR_EXPERIMENT_RESUME && sample->method != PR_EXPERIMENT_REMOVE &&
		    sample->method != PR_EXPERIMENT_REPORT;
	while (!over) {
		pr_ref result;
		char params[32];
		snprintf(params, sizeof params, "%.14s", sample->params);
		struct pr_doc *doc = must_call(s, "experiment.read", params, &result);
		const char *state = pr_get_str(result, "state", "");
		over = strcmp(state, "waiting") != 0 && strcmp(state, "running") != 0;
		pr_doc_free(doc);
	}
}

START_TEST(every_result_is_of_its_shape)
{
	struct insession s;
	char dir[64], params[512], proof[80] = "", state[16];
	scratch_dir(dir);
	insession_open(&s, dir, 1, 0.05);
	for (unsigned i = 0; i < SAMPLES; i++) {
		pr_ref result;
		const char *name = pr_method_info(samples[i].method)->name, *at = strstr(samples[i].params, "$proof");
		int before = at ? (int)(at - samples[i].params) : (int)strlen(samples[i].params);
		snprintf(params, sizeof params, "%.*s%s%s", before, samples[i].params, at ? proof : "",
			 at ? at + strlen("$proof") : "");
		if (samples[i].method == PR_JOB_HISTORY) { /* from here on the answer of job 1 is needed */
			insession_wait(&s, 1, state);
			ck_assert_str_eq(state, "solved");
		}
		await_experiment(&s, &samples[i]);
		if (i == SAMPLES - 1)
			call_other_examples(&s);
		struct pr_doc *doc = must_call(&s, name, params, &result);
		if (samples[i].method == PR_PROOF_EXPORT)
			snprintf(proof, sizeof proof, "%s", pr_get_str(result, "proof", ""));
		pr_doc_free(doc);
	}
	insession_close(&s);
	scratch_remove(dir);
}
END_TEST

/* --- wrong parameters --------------------------------------------------------------------- */

/* A value of the parameter's type, as JSON. */
static const char *good_value(const struct pr_param *param)
{
	static char text[64];
	if (param->choices) {
		snprintf(text, sizeof text, "\"%s\"", param->choices[0]);
		return text;
	}
	switch (param->type) {
	case PR_T_STRING:
		return "\"x\"";
	case PR_T_BOOL:
		return "true";
	case PR_T_STRINGS:
		return "[\"\"]";
	case PR_T_OBJECTS:
		return "[{\"game\":\"mnk:3,3,3\"}]";
	case PR_T_OBJECT:
	case PR_T_OPTIONS:
		return "{}";
	case PR_T_REAL:
		snprintf(text, sizeof text, "%g", (double)param->min / 1000);
		return text;
	default:
		snprintf(text, sizeof text, "%lld", (long long)param->min);
		return text;
	}
}

/* The call with all required parameters, but `bad` has the value `value`. It is refused with that field. */
static void refuse(struct insession *s, const struct pr_method_info *info, const char *bad, const char *value)
{
	char params[4096] = "";
	size_t size = 0;
	bool ok;
	pr_ref result;
	for (const struct pr_param *p = info->params; p->name; p++)
		if (p->required && strcmp(p->name, bad))
			size += (size_t)snprintf(params + size, sizeof params - size, "\"%s\":%s,", p->name,
						 good_value(p));
	snprintf(params + size, sizeof params - size, "\"%s\":%s", bad, value);
	struct pr_doc *doc = insession_call(s, info->name, params, &ok, &result);
	pr_ref data = ok ? NULL : pr_get(result, "data");
	ck_assert_msg(!ok, "%s takes {%s}", info->name, params);
	ck_assert_msg(!strcmp(pr_get_str(data, "slug", ""), "invalid-params") &&
			      !strncmp(pr_get_str(data, "field", ""), bad, strlen(bad)),
		      "%s {%s}: %s of '%s'", info->name, params, pr_get_str(data, "slug", "?"),
		      pr_get_str(data, "field", "?"));
	pr_doc_free(doc);
}

static void refuse_range(struct insession *s, const struct pr_method_info *info, const struct pr_param *p)
{
	char value[64];
	double unit = p->type == PR_T_REAL ? 1000 : 1;
	if (p->type != PR_T_INT && p->type != PR_T_SIZE && p->type != PR_T_REAL)
		return;
	snprintf(value, sizeof value, "%.0f", (double)p->min / unit - 1);
	refuse(s, info, p->name, value);
	if (p->max < INT64_MAX) {
		snprintf(value, sizeof value, "%.0f", (double)p->max / unit + 1);
		refuse(s, info, p->name, value);
	}
}

START_TEST(every_parameter_is_checked)
{
	static const char *const wrong[] = {"null", "true", "-1.5",       "\"\\u0001\"",
					    "[[]]", "[7]",  "{\"a\":{}}", "1e300"};
	struct insession s;
	insession_open(&s, NULL, 0, 2);
	for (unsigned method = 0; method < PR_METHOD_COUNT; method++) {
		const struct pr_method_info *info = pr_method_info((enum pr_method)method);
		refuse(&s, info, "no_such_parameter", "1");
		for (const struct pr_param *p = info->params; p->name; p++) {
			for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
				bool text = wrong[i][0] == '"', object = wrong[i][0] == '{';
				bool moves = p->type == PR_T_MOVES || p->type == PR_T_MOVES_OR_BOOL;
				bool flag = p->type == PR_T_BOOL || p->type == PR_T_MOVES_OR_BOOL;
				if ((text && (moves || (p->type == PR_T_STRING && !p->choices))) ||
				    (!strcmp(wrong[i], "true") && flag) ||
				    (!strcmp(wrong[i], "[7]") && p->type == PR_T_INTS) ||
				    (object && p->type == PR_T_OPTIONS))
					continue;
				refuse(&s, info, p->name, wrong[i]);
			}
			refuse_range(&s, info, p);
		}
	}
	insession_close(&s);
}
END_TEST

START_TEST(what_is_required_must_be_there)
{
	struct insession s;
	bool ok;
	pr_ref result;
	insession_open(&s, NULL, 0, 2);
	for (unsigned method = 0; method < PR_METHOD_COUNT; method++) {
		const struct pr_method_info *info = pr_method_info((enum pr_method)method);
		const struct pr_param *p = info->params;
		while (p->name && !p->required)
			p++;
		if (!p->name)
			continue;
		struct pr_doc *doc = insession_call(&s, info->name, "", &ok, &result);
		ck_assert_msg(!ok, "%s", info->name);
		ck_assert_str_eq(pr_get_str(pr_get(result, "data"), "field", ""), p->name);
		pr_doc_free(doc);
	}
	insession_close(&s);
}
END_TEST

/* A shape that does not fit is told by the member. */
START_TEST(a_result_of_another_shape_is_found)
{
	static const struct {
		const char *json, *field;
	} wrong[] = {
		{"{\"job\":1}", "state"},
		{"{\"job\":1,\"state\":\"asleep\"}", "state"},
		{"{\"job\":\"1\",\"state\":\"paused\"}", "job"},
		{"{\"job\":null,\"state\":\"paused\"}", "job"},
		{"{\"job\":1,\"state\":\"paused\",\"x\":1}", ""},
		{"[]", ""},
	};
	for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct pr_doc *doc;
		struct pd_fail fail;
		ck_assert(!pr_doc_parse(wrong[i].json, strlen(wrong[i].json), &doc, &fail));
		ck_assert_int_eq(shape_check(pr_method_info(PR_JOB_PAUSE)->result, pr_doc_root(doc), &fail),
				 PD_E_INTERNAL);
		ck_assert_str_eq(fail.field, wrong[i].field);
		pr_doc_free(doc);
	}
}
END_TEST

SUITE(methods)
{
	tcase_set_timeout(c, 300);
	tcase_add_test(c, every_result_is_of_its_shape);
	tcase_add_test(c, every_parameter_is_checked);
	tcase_add_test(c, what_is_required_must_be_there);
	tcase_add_test(c, a_result_of_another_shape_is_found);
}
