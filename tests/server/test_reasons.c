/* A scale of many values, asked claim by claim: a fact gets as many reasons as there were claims, none is lost, and
 * others depend on each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/common/core_state.h"
#include "server/common/open_games.h"
#include "server/proofs/maintenance/check.h"
#include "server/proofs/certificates/export.h"
#include "tests/support/insession.h"
#include "tests/support/suite.h"

enum { VALUES = 40 };

/* The root leads through some moves to a choice: value n lies at the end of a line of 2n moves, so a better value takes
 * longer. */
static void write_graph(const char *graphs)
{
	char path[128];
	snprintf(path, sizeof path, "%s/lines.json", graphs);
	FILE *file = fopen(path, "w");
	fprintf(file, "{\"root\":\"t0\",\"values\":[%d,%d],\"nodes\":{", -VALUES, VALUES);
	fprintf(file,
		"\"t0\":{\"and\":[\"t1\"]},\"t1\":{\"or\":[\"t2\"]},\"t2\":{\"and\":[\"r\"]},\"r\":{\"or\":[\"l1.1\"");
	for (unsigned n = 2; n <= VALUES; n++)
		fprintf(file, ",\"l%u.1\"", n);
	fprintf(file, "]}");
	for (unsigned n = 1; n <= VALUES; n++) {
		for (unsigned i = 1; i < 2 * n; i++)
			fprintf(file, ",\"l%u.%u\":{\"%s\":[\"l%u.%u\"]}", n, i, i % 2 ? "and" : "or", n, i + 1);
		fprintf(file, ",\"l%u.%u\":{\"value\":%u}", n, 2 * n, n);
	}
	fprintf(file, "}}");
	ck_assert(!fclose(file));
}

static void solve_all(const char *dir, char *graphs, const char *more)
{
	struct insession s;
	insession_open(&s, dir, 1, 0.05);
	const char *own = s.core->config.graphs;
	s.core->config.graphs = graphs;
	s.core->games->graphs = s.core->config.graphs;
	for (unsigned n = 1; n <= VALUES; n++) {
		char params[200], state[16];
		bool ok;
		pr_ref result;
		snprintf(params, sizeof params, "\"game\":\"andor:lines\",\"claim\":\"first>=%u\",\"memory\":\"2M\"%s",
			 n, more);
		struct pr_doc *doc = insession_call(&s, "job.submit", params, &ok, &result);
		ck_assert_msg(ok, "%s", params);
		insession_wait(&s, (unsigned)pr_get_int(result, "job", 0), state);
		ck_assert_str_eq(state, "solved");
		pr_doc_free(doc);
	}
	s.core->config.graphs = own;
	s.core->games->graphs = s.core->config.graphs;
	insession_close(&s);
}

static void note_problem(void *ctx, const char *text)
{
	fprintf(stderr, "%s\n", text);
	++*(unsigned *)ctx;
}

static void expect_clean(const char *dir, const char *graphs)
{
	struct sv_check sum;
	struct pd_fail fail;
	unsigned problems = 0;
	ck_assert_msg(!sv_check_directory(dir, &(struct sv_check_order){graphs, 1, note_problem, NULL, &problems}, &sum,
					  &fail),
		      "%s", fail.text);
	ck_assert_uint_eq(problems, 0);
	ck_assert_uint_ge(sum.reasons, 4 * VALUES);
}

static void expect_exports(const char *dir, const char *graphs, bool frontier)
{
	for (unsigned n = 1; n <= VALUES; n++) {
		char file[128], claim[32];
		struct sv_exported out;
		struct pd_fail fail = {.text = ""};
		snprintf(file, sizeof file, "%s/proof", graphs);
		snprintf(claim, sizeof claim, "first>=%u", n);
		struct sv_export_order order = {
			.game = "andor:lines", .position = "", .claim = claim, .file = file, .frontier = frontier};
		ck_assert_msg(!sv_export_directory(dir, graphs, &order, &out, &fail), "%s: %s", claim, fail.text);
		ck_assert_str_eq(out.status, "proved");
		unlink(file);
	}
}

START_TEST(every_claim_of_a_long_scale_keeps_its_reason)
{
	static const char *const ways[] = {",\"detail\":\"full\"", "", ",\"algorithm\":\"pn\",\"detail\":\"full\"",
					   ",\"algorithm\":\"df-pn\""};
	char dir[64], graphs[64];
	scratch_dir(dir);
	scratch_dir(graphs);
	write_graph(graphs);
	solve_all(dir, graphs, ways[_i]);
	expect_clean(dir, graphs);
	expect_exports(dir, graphs, false);
	expect_exports(dir, graphs, true);
	scratch_remove(dir);
	scratch_remove(graphs);
}
END_TEST

SUITE(reasons)
{
	tcase_set_timeout(c, 300);
	tcase_add_loop_test(c, every_claim_of_a_long_scale_keeps_its_reason, 0, 4);
}
