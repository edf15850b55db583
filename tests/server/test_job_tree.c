/* job.tree: of running jobs with one and several search threads, of jobs that do not run, and wrong parameters.
 * position.analyze and position.watch: the best job of a position's line, lines, mirror moves, notifications. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/methods.h"
#include "tests/support/effort.h"
#include "tests/support/insession.h"
#include "tests/support/suite.h"

#define LARGE "\"game\":\"connect4:7x6\",\"memory\":\"16M\""

static struct pr_doc *tree_of(struct insession *s, unsigned job, const char *more, pr_ref *tree)
{
	char params[512];
	bool ok;
	snprintf(params, sizeof params, "\"job\":%u%s", job, more);
	struct pr_doc *doc = insession_call(s, "job.tree", params, &ok, tree);
	ck_assert_msg(ok, "%s: %s", params, pr_get_str(*tree, "message", "?"));
	return doc;
}

/* Calls until the job's search answers: at first it may be queued, or load its table. */
static struct pr_doc *running_tree(struct insession *s, unsigned job, const char *more, pr_ref *tree)
{
	for (;;) {
		struct pr_doc *doc = tree_of(s, job, more, tree);
		if (!strcmp(pr_get_str(*tree, "source", ""), "search"))
			return doc;
		ck_assert_str_ne(pr_get_str(*tree, "state", ""), "solved");
		pr_doc_free(doc);
	}
}

/* From top to bottom, each with the children that its own row speaks of; the status is what the value says. */
static void check_positions(pr_ref tree)
{
	pr_ref positions = pr_get(tree, "positions");
	int64_t threshold = pr_get_int(tree, "threshold", 0);
	ck_assert_uint_gt(pr_count(positions), 0);
	for (size_t i = 0; i < pr_count(positions); i++) {
		pr_ref p = pr_at(positions, i), value = pr_get(p, "value");
		int64_t parent = pr_get_int(p, "parent", -1), depth = pr_get_int(p, "depth", -1);
		const char *status = pr_get_str(p, "status", "");
		ck_assert_int_eq(parent == -1, i == 0);
		ck_assert_int_lt(parent, (int64_t)i);
		ck_assert_int_eq(depth, i ? pr_get_int(pr_at(positions, (size_t)parent), "depth", 0) + 1 : 0);
		ck_assert_int_le(depth, i ? pr_get_int(pr_at(positions, i - 1), "depth", 0) + 1 : 0);
		ck_assert_int_eq(pr_kind_of(pr_get(p, "move")) == PR_NULL, i == 0);
		ck_assert_int_le(pr_get_int(p, "known", 0), pr_get_int(p, "moves", 0));
		if (value && pr_get_int(value, "lo", -9) >= threshold)
			ck_assert_str_eq(status, "proved");
		if (value && pr_get_int(value, "hi", 9) < threshold)
			ck_assert_str_eq(status, "disproved");
	}
}

START_TEST(a_running_search_shows_itself)
{
	struct insession s;
	char job[96];
	insession_open(&s, NULL, (unsigned)_i, 0.1);
	unsigned id = insession_submit(&s, LARGE);
	for (unsigned i = 0; i < effort_of(12, 4); i++) {
		pr_ref tree;
		snprintf(job, sizeof job, ",\"depth\":%u,\"nodes_max\":%u%s", i % 5, 1 + 37 * i,
			 i % 3 == 2 ? ",\"moves\":\"44\"" : "");
		struct pr_doc *doc = running_tree(&s, id, job, &tree);
		check_positions(tree);
		ck_assert_str_eq(pr_get_str(tree, "state", ""), "running");
		ck_assert_uint_le(pr_count(pr_get(tree, "positions")), 1 + 37 * i);
		ck_assert_uint_eq(pr_count(pr_get(tree, "line")), i % 3 == 2 ? 2 : 0);
		pr_ref first = pr_at(pr_get(tree, "positions"), 0);
		if (i % 3 != 2) {
			ck_assert_int_ge(pr_get_int(first, "threads", 0), 1);
			ck_assert_int_le(pr_get_int(first, "threads", 0), _i);
			ck_assert_int_gt(pr_get_int(first, "effort", 0), 0);
			ck_assert_str_eq(pr_get_str(first, "numbers", ""), "search");
		}
		pr_doc_free(doc);
	}
	ck_assert_int_eq(insession_on_job(&s, "job.cancel", id, ""), 0);
	insession_close(&s);
}
END_TEST

/* Many at once, the same and different ones, while the job comes and goes: each gets its one reply. */
START_TEST(each_call_gets_one_reply)
{
	struct insession s;
	char line[200];
	enum { CALLS = 24 };
	insession_open(&s, NULL, 3, 0.1);
	unsigned job = insession_submit(&s, LARGE);
	for (unsigned round = 0; round < effort_of(6, 2); round++) {
		unsigned replies = 0;
		for (unsigned i = 0; i < CALLS; i++) {
			snprintf(line, sizeof line,
				 "{\"jsonrpc\":\"2.0\",\"id\":\"t%u\",\"method\":\"job.tree\",\"params\":{\"job\":%u,"
				 "\"depth\":%u,\"nodes_max\":60}}",
				 i, job, i % 2);
			insession_send(&s, line);
			if (i == CALLS / 2)
				insession_send(
					&s, round % 2 ? "{\"jsonrpc\":\"2.0\",\"id\":\"t99\",\"method\":\"job.resume\","
							"\"params\":{\"job\":1}}"
						      : "{\"jsonrpc\":\"2.0\",\"id\":\"t99\",\"method\":\"job.pause\","
							"\"params\":{\"job\":1}}");
		}
		while (replies < CALLS + 1) {
			char *reply = insession_line(&s);
			ck_assert_ptr_nonnull(strstr(reply, "\"result\""));
			replies += strstr(reply, "\"id\":\"t") != NULL;
			free(reply);
		}
	}
	ck_assert_int_eq(insession_on_job(&s, "job.cancel", job, ""), 0);
	insession_close(&s);
}
END_TEST

static const char *source_of(struct insession *s, unsigned job)
{
	static char source[16];
	pr_ref tree;
	struct pr_doc *doc = tree_of(s, job, ",\"depth\":3", &tree);
	check_positions(tree);
	snprintf(source, sizeof source, "%s", pr_get_str(tree, "source", "?"));
	pr_doc_free(doc);
	return source;
}

START_TEST(a_job_that_does_not_run_shows_its_table_or_its_facts)
{
	struct insession s;
	char dir[64], state[16];
	pr_ref tree;
	scratch_dir(dir);
	insession_open(&s, dir, 1, 0.05);
	unsigned paused = insession_submit(&s, LARGE);
	pr_doc_free(running_tree(&s, paused, "", &tree));
	ck_assert_int_eq(insession_on_job(&s, "job.pause", paused, ""), 0);
	ck_assert_str_eq(source_of(&s, paused), "table");
	unsigned without = insession_submit(&s, LARGE ",\"algorithm\":\"pn2\"");
	pr_doc_free(running_tree(&s, without, "", &tree));
	ck_assert_int_eq(insession_on_job(&s, "job.pause", without, ""), 0);
	ck_assert_str_eq(source_of(&s, without), "facts");
	unsigned solved = insession_submit(&s, "\"game\":\"mnk:3,3,3\",\"memory\":\"4M\"");
	insession_wait(&s, solved, state);
	ck_assert_str_eq(state, "solved");
	struct pr_doc *doc = tree_of(&s, solved, ",\"depth\":2", &tree);
	check_positions(tree);
	pr_ref first = pr_at(pr_get(tree, "positions"), 0);
	ck_assert_str_ne(pr_get_str(first, "status", ""), "open");
	ck_assert_str_eq(pr_get_str(pr_get(first, "value"), "text", ""), "draw");
	pr_doc_free(doc);
	insession_close(&s);
	/* After a restart without search threads. */
	insession_open(&s, dir, 0, 0.05);
	ck_assert_str_eq(source_of(&s, paused), "table");
	insession_close(&s);
	scratch_remove(dir);
}
END_TEST

START_TEST(wrong_parameters_are_named)
{
	static const struct {
		const char *params, *field, *slug;
	} calls[] = {
		{"\"job\":9", "job", "no-such-job"},
		{"\"job\":0", "job", "invalid-params"},
		{"\"job\":1,\"depth\":7", "depth", "invalid-params"},
		{"\"job\":1,\"depth\":-1", "depth", "invalid-params"},
		{"\"job\":1,\"depth\":1.5", "depth", "invalid-params"},
		{"\"job\":1,\"nodes_max\":0", "nodes_max", "invalid-params"},
		{"\"job\":1,\"nodes_max\":1001", "nodes_max", "invalid-params"},
		{"\"job\":1,\"moves\":true", "moves", "invalid-params"},
		{"\"job\":1,\"moves\":[\"4\",\"9\"]", "moves", "bad-move"},
		{"\"job\":1,\"moves\":\"44x\"", "moves", "bad-move"},
		{"\"job\":1,\"moves\":\"4444444\"", "moves", "bad-move"},
		{"\"job\":1,\"notation\":\"san\"", "notation", "invalid-params"},
		{"\"job\":1,\"more\":1", "more", "invalid-params"},
	};
	struct insession s;
	insession_open(&s, NULL, 0, 0.1);
	insession_submit(&s, LARGE ",\"position\":\"4\"");
	for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++) {
		bool ok;
		pr_ref error;
		struct pr_doc *doc = insession_call(&s, "job.tree", calls[i].params, &ok, &error);
		pr_ref data = pr_get(error, "data");
		ck_assert_msg(!ok, "%s", calls[i].params);
		ck_assert_str_eq(pr_get_str(data, "field", ""), calls[i].field);
		ck_assert_str_eq(pr_get_str(data, "slug", ""), calls[i].slug);
		pr_doc_free(doc);
	}
	ck_assert_str_eq(source_of(&s, 1), "facts"); /* it never ran */
	insession_close(&s);
}
END_TEST

static struct pr_doc *analyze_position(struct insession *s, const char *more, pr_ref *tree)
{
	char params[200];
	bool ok;
	snprintf(params, sizeof params, "\"game\":\"connect4:7x6\"%s", more);
	struct pr_doc *doc = insession_call(s, "position.analyze", params, &ok, tree);
	ck_assert_msg(ok, "%s: %s", params, pr_get_str(*tree, "message", "?"));
	check_positions(*tree);
	return doc;
}

static struct pr_doc *running_analysis(struct insession *s, const char *more, pr_ref *tree)
{
	for (;;) {
		struct pr_doc *doc = analyze_position(s, more, tree);
		if (!strcmp(pr_get_str(*tree, "source", ""), "search"))
			return doc;
		pr_doc_free(doc);
	}
}

/* Each move has its mirror image, and one line below it. */
static void check_lines(pr_ref tree, unsigned moves)
{
	pr_ref positions = pr_get(tree, "positions");
	unsigned count = 0, depth = 0;
	for (size_t i = 1; i < pr_count(positions); i++) {
		pr_ref p = pr_at(positions, i);
		int64_t at = pr_get_int(p, "depth", 0);
		count += at == 1;
		ck_assert_int_eq(pr_has(p, "alike"), at == 1);
		ck_assert_int_eq(pr_get_int(p, "parent", -1), at == 1 ? 0 : (int64_t)i - 1);
		depth = at > depth ? (unsigned)at : depth;
	}
	ck_assert_uint_eq(count, moves);
	ck_assert_uint_gt(depth, 2);
}

START_TEST(a_position_has_the_job_of_its_line)
{
	struct insession s;
	pr_ref tree;
	insession_open(&s, NULL, 1, 0.1);
	struct pr_doc *doc = analyze_position(&s, "", &tree);
	ck_assert_int_eq(pr_kind_of(pr_get(tree, "job")), PR_NULL);
	ck_assert_str_eq(pr_get_str(tree, "source", ""), "facts");
	pr_doc_free(doc);
	unsigned root = insession_submit(&s, LARGE);
	doc = running_analysis(&s, "", &tree);
	ck_assert_int_eq(pr_get_int(tree, "job", 0), root);
	check_lines(tree, 4); /* of seven, of which three are mirror images */
	pr_doc_free(doc);
	doc = running_analysis(&s, ",\"moves\":[\"4\",\"4\"]", &tree);
	ck_assert_int_eq(pr_get_int(tree, "job", 0), root);
	ck_assert_uint_eq(pr_count(pr_get(tree, "line")), 2);
	pr_doc_free(doc);
	doc = analyze_position(&s, ",\"position\":\"4\",\"moves\":[\"4\"]", &tree);
	ck_assert_int_eq(pr_kind_of(pr_get(tree, "job")), PR_NULL); /* its line begins after the job's position */
	pr_doc_free(doc);
	/* A job after a move is told of that move or its mirror image; once it has begun, it is the best one below. */
	unsigned after = insession_submit(&s, LARGE ",\"moves\":[\"7\"],\"priority\":1"), found = 0;
	doc = analyze_position(&s, ",\"depth\":1", &tree);
	for (size_t i = 1; i < pr_count(pr_get(tree, "positions")); i++) {
		pr_ref p = pr_at(pr_get(tree, "positions"), i), job = pr_get(p, "job");
		found += job && pr_get_int(job, "job", 0) == after;
		ck_assert_int_eq(job != NULL, !strcmp(pr_get_str(p, "move", ""), "1"));
	}
	ck_assert_uint_eq(found, 1);
	pr_doc_free(doc);
	insession_wait_state(&s, after, "running");
	doc = running_analysis(&s, ",\"moves\":\"7\"", &tree);
	ck_assert_int_eq(pr_get_int(tree, "job", 0), after);
	pr_doc_free(doc);
	ck_assert_int_eq(insession_on_job(&s, "job.cancel", after, ""), 0);
	ck_assert_int_eq(insession_on_job(&s, "job.pause", root, ""), 0);
	doc = analyze_position(&s, ",\"moves\":\"7\"", &tree);
	ck_assert_int_eq(pr_get_int(tree, "job", 0), root);
	ck_assert_str_eq(pr_get_str(tree, "source", ""), "table");
	pr_doc_free(doc);
	insession_close(&s);
}
END_TEST

/* The next analysis that is told, which has to be of this position. */
static void next_analysis(struct insession *s, const char *position)
{
	for (;;) {
		char *line = insession_line(s);
		bool told = strstr(line, "\"method\":\"position.analysis\"");
		if (told)
			ck_assert_msg(strstr(line, position) != NULL, "%.200s", line);
		free(line);
		if (told)
			return;
	}
}

START_TEST(a_position_is_watched)
{
	struct insession s;
	char watch[120];
	insession_open(&s, NULL, 1, 0.1);
	unsigned job = insession_submit(&s, LARGE);
	for (unsigned i = 0; i < 4; i++) {
		snprintf(watch, sizeof watch, "\"game\":\"connect4:7x6\",\"moves\":\"%s\",\"interval\":0.1",
			 i % 2 ? "4" : "1");
		ck_assert_int_eq(insession_code(&s, "position.watch", watch), 0);
		for (unsigned k = 0; k < 3; k++) /* the search goes on, so each is another one */
			next_analysis(&s, i % 2 ? "\"line\":[\"4\"]" : "\"line\":[\"1\"]");
	}
	ck_assert_int_eq(insession_code(&s, "position.watch", "\"game\":\"connect4:7x6\",\"moves\":\"9\""), PD_E_MOVE);
	next_analysis(&s, "\"line\":[\"4\"]"); /* a refused call changes nothing */
	ck_assert_int_eq(insession_code(&s, "position.unwatch", ""), 0);
	ck_assert_int_eq(insession_on_job(&s, "job.cancel", job, ""), 0);
	ck_assert_int_eq(insession_code(&s, "position.watch", watch), 0);
	insession_close(&s); /* while it is asked */
}
END_TEST

SUITE(job_tree)
{
	tcase_set_timeout(c, 300);
	tcase_add_loop_test(c, a_running_search_shows_itself, 1, 4);
	tcase_add_test(c, each_call_gets_one_reply);
	tcase_add_test(c, a_job_that_does_not_run_shows_its_table_or_its_facts);
	tcase_add_test(c, wrong_parameters_are_named);
	tcase_add_test(c, a_position_has_the_job_of_its_line);
	tcase_add_test(c, a_position_is_watched);
}
