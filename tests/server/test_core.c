/* The core in this process: jobs from submission to answer, every arrow (V4), durability (D1, D2), full disks (D4),
 * facts and lines against minimax, and the check of a directory against forged facts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/common/config.h"
#include "server/common/core_state.h"
#include "proto/base/mutex.h"
#include "server/core.h"
#include "server/jobs/index/job_index.h"
#include "server/proofs/maintenance/check.h"
#include "store/store.h"
#include "tests/support/effort.h"
#include "tests/support/insession.h"
#include "tests/support/oracle.h"
#include "tests/support/suite.h"

static int64_t nodes_of(struct insession *s, unsigned job)
{
	char params[32];
	bool ok;
	pr_ref result;
	snprintf(params, sizeof params, "\"job\":%u", job);
	struct pr_doc *doc = insession_call(s, "job.get", params, &ok, &result);
	pr_ref nodes = pr_get(result, "nodes");
	int64_t sum = pr_get_int(nodes, "level1", 0) + pr_get_int(nodes, "level2", 0);
	pr_doc_free(doc);
	return sum;
}

static void assert_value(struct insession *s, unsigned job, int value)
{
	char params[32];
	bool ok;
	pr_ref result;
	snprintf(params, sizeof params, "\"job\":%u", job);
	struct pr_doc *doc = insession_call(s, "job.get", params, &ok, &result);
	pr_ref answer = pr_get(result, "result");
	ck_assert_str_eq(pr_get_str(answer, "status", ""), "solved");
	ck_assert_int_eq(pr_get_int(pr_get(answer, "value"), "lo", 99), value);
	ck_assert_int_eq(pr_get_int(pr_get(answer, "value"), "hi", 99), value);
	pr_doc_free(doc);
}

static void ignore(void *ctx, const char *text)
{
}

static struct sv_check check_dir(const char *dir)
{
	struct sv_check sum;
	struct pd_fail fail;
	ck_assert_msg(
		!sv_check_directory(dir, &(struct sv_check_order){TEST_GRAPHS, 2, ignore, NULL, NULL}, &sum, &fail),
		"%s", fail.text);
	return sum;
}

START_TEST(a_job_is_solved_and_asked_again_costs_nothing)
{
	struct insession s;
	insession_open(&s, NULL, 1, 2);
	unsigned job = insession_submit(&s, "\"game\":\"connect4:4x4\"");
	insession_assert_ends(&s, job, "solved");
	assert_value(&s, job, 0);
	ck_assert_int_gt(nodes_of(&s, job), 1000);
	unsigned again = insession_submit(&s, "\"game\":\"connect4:4x4\"");
	insession_assert_ends(&s, again, "solved");
	assert_value(&s, again, 0);
	ck_assert_int_eq(nodes_of(&s, again), 0);
	insession_close(&s);
}
END_TEST

START_TEST(a_key_names_one_job_also_while_it_is_being_written)
{
	struct insession s;
	insession_open(&s, NULL, 1, 2);
	insession_send(&s, "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"job.submit\",\"params\":{\"game\":\"mnk:3,3,"
			   "3\",\"key\":\"k\"}},"
			   "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"job.submit\",\"params\":{\"game\":\"mnk:3,3,3\","
			   "\"key\":\"k\"}}]");
	char *line = insession_line(&s);
	ck_assert_ptr_nonnull(strstr(line, "\"id\":1,\"result\":{\"job\":1}"));
	ck_assert_ptr_nonnull(strstr(line, "\"id\":2,\"result\":{\"job\":1}"));
	free(line);
	ck_assert_uint_eq(insession_submit(&s, "\"game\":\"mnk:3,3,3\",\"key\":\"k\""), 1);
	ck_assert_uint_eq(insession_submit(&s, "\"game\":\"mnk:3,3,3\",\"key\":\"other\""), 2);
	insession_close(&s);
}
END_TEST

START_TEST(bad_jobs_name_the_field)
{
	static const struct {
		const char *params, *field;
	} cases[] = {
		{"\"game\":\"chess\"", "game"},
		{"\"game\":\"connect4:7x6\",\"position\":\"8\"", "position"},
		{"\"game\":\"connect4:7x6\",\"claim\":\"who\"", "claim"},
		{"\"game\":\"connect4:7x6\",\"claim\":\"first>=2\"", "claim"},
		{"\"game\":\"connect4:7x6\",\"algorithm\":\"minimax\"", "algorithm"},
		{"\"game\":\"connect4:7x6\",\"memory\":\"1K\"", "memory"},
		{"\"game\":\"connect4:7x6\",\"budget\":{\"nodes\":-1}", "budget.nodes"},
		{"\"game\":\"connect4:7x6\",\"options\":{\"cap-first\":0}", "options"},
		{"\"game\":\"connect4:7x6\",\"options\":{\"cap-first\":1.5}", "options"},
		{"\"game\":\"connect4:7x6\",\"options\":{\"cap-first\":\"500\"}", "options"},
		{"\"game\":\"connect4:7x6\",\"options\":{\"cache\":1}", "options"},
		{"\"game\":\"connect4:7x6\",\"options\":{\"epsilon\":null}", "options"},
		{"\"game\":\"connect4:7x6\",\"options\":{\"epsilon\":[0.5]}", "options"},
		{"\"game\":\"connect4:7x6\",\"options\":{\"luck\":1}", "options"},
		{"\"game\":\"connect4:7x6\",\"options\":[]", "options"},
		{"\"game\":\"andor:../secret\"", "game"},
		{"\"position\":\"\"", "game"},
	};
	struct insession s;
	insession_open(&s, NULL, 1, 2);
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		bool ok;
		pr_ref result;
		struct pr_doc *doc = insession_call(&s, "job.submit", cases[i].params, &ok, &result);
		ck_assert_msg(!ok, "%s", cases[i].params);
		ck_assert_str_eq(pr_get_str(pr_get(result, "data"), "field", ""), cases[i].field);
		pr_doc_free(doc);
	}
	insession_close(&s);
}
END_TEST

START_TEST(a_job_changes_state_only_along_the_arrows)
{
	struct insession s;
	insession_open(&s, NULL, 1, 0.1);
	unsigned large = insession_submit(&s, "\"game\":\"connect4:7x6\",\"memory\":\"32M\"");
	unsigned waits = insession_submit(&s, "\"game\":\"connect4:7x5\",\"memory\":\"32M\"");
	insession_assert_state(&s, waits, "queued");
	ck_assert_int_eq(insession_on_job(&s, "job.resume", waits, ""), PD_E_STATE);
	ck_assert_int_eq(insession_on_job(&s, "job.pause", waits, ""), 0);
	insession_assert_state(&s, waits, "paused");
	ck_assert_int_eq(insession_on_job(&s, "job.pause", waits, ""), PD_E_STATE);
	ck_assert_int_eq(insession_on_job(&s, "job.pause", large, ""), 0);
	insession_assert_state(&s, large, "paused");
	int64_t nodes = nodes_of(&s, large);
	ck_assert_int_eq(insession_on_job(&s, "job.resume", large, ""), 0);
	ck_assert_int_eq(insession_on_job(&s, "job.set", large, ",\"priority\":3"), 0);
	ck_assert_int_eq(insession_on_job(&s, "job.pause", large, ""), 0);
	ck_assert_int_ge(nodes_of(&s, large), nodes);
	ck_assert_int_eq(insession_on_job(&s, "job.cancel", large, ""), 0);
	insession_assert_state(&s, large, "cancelled");
	ck_assert_int_eq(insession_on_job(&s, "job.resume", large, ""), PD_E_STATE);
	ck_assert_int_eq(insession_on_job(&s, "job.cancel", large, ""), PD_E_STATE);
	ck_assert_int_eq(insession_on_job(&s, "job.set", large, ",\"priority\":1"), PD_E_STATE);
	ck_assert_int_eq(insession_on_job(&s, "job.cancel", waits, ""), 0);
	ck_assert_int_eq(insession_on_job(&s, "job.get", 77, ""), PD_E_NO_JOB);
	unsigned running = insession_submit(&s, "\"game\":\"connect4:7x6\",\"memory\":\"32M\"");
	ck_assert_int_eq(insession_on_job(&s, "job.cancel", running, ""), 0);
	insession_assert_state(&s, running, "cancelled");
	insession_close(&s);
}
END_TEST

START_TEST(budgets_end_a_job_unanswered_and_can_be_raised)
{
	struct insession s;
	insession_open(&s, NULL, 1, 2);
	unsigned job = insession_submit(&s, "\"game\":\"connect4:5x4\",\"budget\":{\"nodes\":20000}");
	insession_assert_ends(&s, job, "exhausted");
	int64_t nodes = nodes_of(&s, job);
	ck_assert_int_ge(nodes, 20000);
	ck_assert_int_le(nodes, 20010);
	ck_assert_int_eq(insession_on_job(&s, "job.resume", job, ""), PD_E_STATE);
	ck_assert_int_eq(insession_on_job(&s, "job.set", job, ",\"budget\":{\"nodes\":100000000}"), 0);
	ck_assert_int_eq(insession_on_job(&s, "job.resume", job, ""), 0);
	insession_assert_ends(&s, job, "solved");
	assert_value(&s, job, 0);
	unsigned brief = insession_submit(&s, "\"game\":\"connect4:7x6\",\"budget\":{\"seconds\":0.3}");
	insession_assert_ends(&s, brief, "exhausted");
	unsigned full = insession_submit(&s, "\"game\":\"connect4:7x6\",\"algorithm\":\"pn\",\"memory\":\"2M\"");
	insession_assert_ends(&s, full, "exhausted");
	insession_close(&s);
}
END_TEST

START_TEST(a_closed_core_goes_on_where_it_was)
{
	struct insession s;
	char dir[64];
	scratch_dir(dir);
	insession_open(&s, dir, 1, 0.1);
	bool whole = effort() == 100;
	const char *params = whole ? "\"game\":\"connect4:5x6\",\"key\":\"long\",\"options\":{\"knowledge\":false}"
				   : "\"game\":\"connect4:5x4\",\"key\":\"long\",\"options\":{\"knowledge\":false}";
	const int64_t first_part = whole ? 3000000 : 200000;
	unsigned job = insession_submit(&s, params);
	while (nodes_of(&s, job) < first_part)
		;
	insession_close(&s);
	insession_open(&s, dir, 1, 0.1);
	ck_assert_int_ge(nodes_of(&s, job), first_part);
	ck_assert_uint_eq(insession_submit(&s, params), job);
	insession_assert_ends(&s, job, "solved");
	assert_value(&s, job, 0);
	ck_assert_int_lt(nodes_of(&s, job), 40 * first_part);
	insession_close(&s);
	struct sv_check sum = check_dir(dir);
	ck_assert_uint_eq(sum.problems, 0);
	ck_assert_uint_gt(sum.facts, whole ? 1000 : 100);
	ck_assert_uint_eq(sum.skipped, 0);
	scratch_remove(dir);
}
END_TEST

START_TEST(what_was_answered_is_on_disk)
{
	struct insession s;
	char dir[64];
	scratch_dir(dir);
	insession_open(&s, dir, 0, 2);
	for (unsigned i = 1; i <= 20; i++) {
		struct sv_core *reader;
		struct sv_config config;
		struct pd_fail fail;
		unsigned job = insession_submit(&s, "\"game\":\"mnk:3,3,3\"");
		ck_assert_uint_eq(job, i);
		sv_config_init(&config);
		config.data = dir;
		config.read_only = true;
		ck_assert_msg(!sv_core_open(&config, NULL, NULL, &reader, &fail), "%s", fail.text);
		ck_assert_uint_eq(reader->index->all.count, i);
		ck_assert_int_eq(reader->index->all.jobs[i - 1]->record.state, SV_QUEUED);
		sv_core_close(reader);
	}
	ck_assert_int_eq(insession_on_job(&s, "job.cancel", 7, ""), 0);
	insession_close(&s);
	insession_open(&s, dir, 0, 2);
	insession_assert_state(&s, 7, "cancelled");
	insession_assert_state(&s, 8, "queued");
	insession_close(&s);
	scratch_remove(dir);
}
END_TEST

START_TEST(a_full_disk_pauses_and_loses_nothing)
{
	struct insession s;
	char dir[64], state[16];
	scratch_dir(dir);
	insession_open(&s, dir, 1, 0.05);
	bool whole = effort() == 100;
	unsigned job = insession_submit(&s, whole ? "\"game\":\"connect4:5x5\",\"options\":{\"knowledge\":false}"
						  : "\"game\":\"connect4:5x4\",\"options\":{\"knowledge\":false}");
	for (unsigned i = 0; i < 3; i++) {
		pd_mutex_lock(&s.core->lock);
		pd_mutex_unlock(&s.core->lock);
		st_fault(s.core->store, i % 2 ? ST_FAULT_PUT : ST_FAULT_COMMIT, 1 + i);
		while (nodes_of(&s, job) < (whole ? 1000000 : 100000) * (int64_t)(i + 1))
			;
	}
	bool ok;
	pr_ref result;
	insession_wait(&s, job, state);
	while (!strcmp(state, "paused")) /* for want of room; it goes on by itself */
		insession_wait(&s, job, state);
	ck_assert_str_eq(state, "solved");
	assert_value(&s, job, 0);
	pr_doc_free(insession_call(&s, "server.stats", "", &ok, &result));
	ck_assert(ok);
	insession_close(&s);
	ck_assert_uint_eq(check_dir(dir).problems, 0);
	scratch_remove(dir);
}
END_TEST

START_TEST(a_submission_that_cannot_be_written_is_refused)
{
	struct insession s;
	bool ok;
	pr_ref result;
	char dir[64];
	scratch_dir(dir);
	insession_open(&s, dir, 0, 2);
	st_fault(s.core->store, ST_FAULT_COMMIT, 1);
	struct pr_doc *doc = insession_call(&s, "job.submit", "\"game\":\"mnk:3,3,3\"", &ok, &result);
	ck_assert(!ok);
	ck_assert_int_eq(pr_get_int(result, "code", 0), PD_E_NO_SPACE);
	pr_doc_free(doc);
	ck_assert_uint_eq(insession_submit(&s, "\"game\":\"mnk:3,3,3\""), 1);
	insession_close(&s);
	scratch_remove(dir);
}
END_TEST

/* Every fact about every position within a few plies agrees with minimax; so does the line. */
START_TEST(queries_and_lines_agree_with_minimax)
{
	static const char *const games[] = {"connect4:4x4", "mnk:3,3,3", "mnk:4,3,3", "connect4:5x4"};
	for (unsigned i = 0; i < 4; i++) {
		struct insession s;
		struct game *g;
		char params[256];
		bool ok;
		pr_ref result;
		_Alignas(16) uint8_t state[GAME_STATE_MAX];
		ck_assert(!game_open(games[i], NULL, &g, NULL));
		struct oracle *oracle = oracle_new(g);
		insession_open(&s, NULL, 1, 2);
		snprintf(params, sizeof params, "\"game\":\"%s\",\"detail\":\"%s\"", games[i],
			 i % 2 ? "full" : "frontier");
		insession_assert_ends(&s, insession_submit(&s, params), "solved");
		snprintf(params, sizeof params, "\"game\":\"%s\"", games[i]);
		struct pr_doc *doc = insession_call(&s, "fact.line", params, &ok, &result);
		ck_assert(ok);
		ck_assert(pr_get_bool(result, "complete", false));
		pr_ref line = pr_get(result, "line");
		g->rules->start(g, state);
		int value = oracle_value(oracle, state), end;
		for (size_t n = 0; n < pr_count(line); n++) {
			game_move move;
			ck_assert(!g->rules->move_parse(g, state, pr_text(pr_at(line, n), ""), &move, NULL));
			g->rules->play(g, state, move);
			ck_assert_int_eq(oracle_value(oracle, state), value);
		}
		ck_assert(g->rules->terminal(g, state, &end));
		ck_assert_int_eq(end, value);
		pr_doc_free(doc);
		snprintf(params, sizeof params, "\"game\":\"%s\",\"moves\":true", games[i]);
		doc = insession_call(&s, "fact.query", params, &ok, &result);
		pr_ref fact = pr_at(pr_get(result, "facts"), 0), moves = pr_get(fact, "moves");
		ck_assert_int_eq(pr_get_int(fact, "lo", 99), value);
		ck_assert_int_eq(pr_get_int(fact, "hi", 99), value);
		for (size_t n = 0; n < pr_count(moves); n++) {
			game_move move;
			g->rules->start(g, state);
			ck_assert(
				!g->rules->move_parse(g, state, pr_get_str(pr_at(moves, n), "move", ""), &move, NULL));
			g->rules->play(g, state, move);
			int child = oracle_value(oracle, state);
			ck_assert_int_le(pr_get_int(pr_at(moves, n), "lo", 99), child);
			ck_assert_int_ge(pr_get_int(pr_at(moves, n), "hi", -99), child);
		}
		pr_doc_free(doc);
		insession_close(&s);
		oracle_free(oracle);
		game_close(g);
	}
}
END_TEST

START_TEST(notifications_are_held_back_from_a_slow_reader_and_end_with_the_result)
{
	struct insession s;
	bool ok;
	pr_ref result;
	insession_open(&s, NULL, 1, 2);
	bool whole = effort() == 100;
	unsigned job = insession_submit(&s, whole ? "\"game\":\"connect4:5x5\",\"options\":{\"knowledge\":false}"
						  : "\"game\":\"connect4:5x4\",\"options\":{\"knowledge\":false}");
	struct pr_doc *doc = insession_call(&s, "job.watch", "\"job\":1,\"interval\":0.1", &ok, &result);
	ck_assert(ok);
	pr_doc_free(doc);
	s.backlog = 1;
	while (nodes_of(&s, job) < (whole ? 2000000 : 300000))
		;
	for (unsigned i = 0; i < 20; i++)
		sv_core_tick(s.core);
	ck_assert_uint_eq(s.count, 0);
	s.backlog = 0;
	for (;;) {
		char *line = insession_line(&s);
		bool over = strstr(line, "\"state\":\"solved\"") != NULL;
		ck_assert_ptr_nonnull(strstr(line, "\"method\":\"job.progress\""));
		if (over)
			ck_assert_ptr_nonnull(strstr(line, "\"result\":{"));
		free(line);
		if (over)
			break;
	}
	sv_core_tick(s.core);
	ck_assert_uint_eq(s.count, 0);
	insession_close(&s);
}
END_TEST

/* Puts a reason into a directory behind the server's back. */
static void forge_fact(const char *dir, const char *position, struct pd_reason reason)
{
	struct st_store *store;
	struct st_batch *batch;
	struct game *g;
	struct pd_fail fail;
	uint32_t id;
	uint8_t key[GAME_KEY_MAX];
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	ck_assert(!game_open("mnk:3,3,3", NULL, &g, NULL));
	ck_assert(!g->rules->parse(g, position, state, NULL));
	ck_assert(!st_open(dir, 0, &store, &fail));
	ck_assert(!st_batch_begin(store, &batch, &fail));
	ck_assert(!st_batch_game(batch, g->name, g->rules_version, &id, &fail));
	ck_assert_msg(!st_batch_fact(batch, id, key, g->rules->key(g, state, key), &reason, &fail), "%s", fail.text);
	ck_assert(!st_batch_commit(batch, &fail));
	st_close(store);
	game_close(g);
}

START_TEST(the_check_finds_forged_facts)
{
	/* a1 b1 c1 a2: First threatens nothing, the value is not a win. Each reason is false, or not justified as it
	 * says. */
	static const struct {
		const char *position;
		struct pd_reason reason;
	} forged[] = {
		{"a1 b1", {.bound = 1, .side = PD_LO, .rank = 3, .move = 0}},       /* no such fact below */
		{"a1", {.bound = 1, .side = PD_LO, .rank = 4, .move = PD_NO_MOVE}}, /* Second has a draw */
		{"",
		 {.bound = 1, .side = PD_LO, .rank = 5, .move = PD_NO_MOVE, .effort = 500}}, /* no search finds that */
		{"", {.bound = -1, .side = PD_HI, .rank = 9, .move = PD_NO_MOVE, .effort = 9}},
		{"a1",
		 {.bound = 0, .side = PD_LO, .rank = 1, .move = PD_NO_MOVE}}, /* true, with a rank that is too small */
		{"a1 b2", {.bound = 1, .side = PD_LO, .rank = 2, .move = 4}}, /* the move's square is taken */
	};
	for (unsigned i = 0; i < sizeof forged / sizeof *forged; i++) {
		char dir[64];
		scratch_dir(dir);
		forge_fact(dir, forged[i].position, forged[i].reason);
		struct sv_check sum = check_dir(dir);
		ck_assert_msg(sum.problems == 1, "forgery %u", i);
		ck_assert_uint_eq(sum.facts, 1);
		scratch_remove(dir);
	}
}
END_TEST

START_TEST(arrows_are_those_of_the_picture)
{
	unsigned arrows = 0;
	for (int from = 0; from <= SV_FAILED; from++)
		for (int to = 0; to <= SV_FAILED; to++)
			arrows += sv_arrow((enum sv_state)from, (enum sv_state)to);
	ck_assert_uint_eq(arrows, 16);
	ck_assert(!sv_arrow(SV_SOLVED, SV_RUNNING));
	ck_assert(!sv_arrow(SV_CANCELLED, SV_QUEUED));
	ck_assert(!sv_arrow(SV_PAUSED, SV_RUNNING));
	ck_assert(sv_arrow(SV_RUNNING, SV_SOLVED));
}
END_TEST

SUITE(core)
{
	tcase_set_timeout(c, 300);
	tcase_add_test(c, a_job_is_solved_and_asked_again_costs_nothing);
	tcase_add_test(c, a_key_names_one_job_also_while_it_is_being_written);
	tcase_add_test(c, bad_jobs_name_the_field);
	tcase_add_test(c, a_job_changes_state_only_along_the_arrows);
	tcase_add_test(c, budgets_end_a_job_unanswered_and_can_be_raised);
	tcase_add_test(c, a_closed_core_goes_on_where_it_was);
	tcase_add_test(c, what_was_answered_is_on_disk);
	tcase_add_test(c, a_full_disk_pauses_and_loses_nothing);
	tcase_add_test(c, a_submission_that_cannot_be_written_is_refused);
	tcase_add_test(c, queries_and_lines_agree_with_minimax);
	tcase_add_test(c, notifications_are_held_back_from_a_slow_reader_and_end_with_the_result);
	tcase_add_test(c, the_check_finds_forged_facts);
	tcase_add_test(c, arrows_are_those_of_the_picture);
}
