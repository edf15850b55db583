/* Facts that no search can have found: a bound between two values or off the scale, a rank that cannot be. Whatever
 * meets one says so and names game and position; none of them becomes an answer, and none ends the program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/proofs/maintenance/check.h"
#include "server/proofs/certificates/export.h"
#include "server/proofs/maintenance/retraction.h"
#include "solver/games/game.h"
#include "store/store.h"
#include "tests/support/insession.h"
#include "tests/support/suite.h"

static const struct forged {
	const char *game, *position;
	struct pd_reason reason;
	const char *words;
} forged[] = {
	/* bounds */
	{"hex:3", "", {.side = PD_HI, .bound = 0, .rank = 5, .move = PD_NO_MOVE, .effort = 1000}, "between two values"},
	{"hex:3", "", {.side = PD_HI, .bound = 0, .rank = 5, .move = PD_NO_MOVE}, "between two values"},
	{"hex:3",
	 "b2 a1",
	 {.side = PD_HI, .bound = 0, .rank = 5, .move = PD_NO_MOVE, .effort = 9},
	 "between two values"},
	{"hex:3", "", {.side = PD_LO, .bound = 0, .rank = 9, .move = 0, .effort = 1000}, "between two values"},
	{"hex:3", "", {.side = PD_HI, .bound = -3, .rank = 5, .move = PD_NO_MOVE, .effort = 1000}, "off the scale"},
	{"hex:3", "", {.side = PD_HI, .bound = 1, .rank = 5, .move = PD_NO_MOVE, .effort = 1000}, "says nothing"},
	/* ranks */
	{"hex:3",
	 "",
	 {.side = PD_HI, .bound = -1, .rank = PD_RANK_NONE, .move = PD_NO_MOVE, .effort = 1000},
	 "no rank"},
	{"hex:3",
	 "",
	 {.side = PD_HI, .bound = -1, .rank = PD_RANK_MAX + 1, .move = PD_NO_MOVE, .effort = 9},
	 "greater than"},
	{"loa:4", "", {.side = PD_LO, .bound = 1, .rank = PD_RANK_NONE, .move = 0, .effort = 1000}, "no rank"},
	{"loa:4", "", {.side = PD_HI, .bound = -1, .rank = PD_RANK_NONE, .move = PD_NO_MOVE}, "no rank"},
	{"antichess", "", {.side = PD_LO, .bound = 2, .rank = 3, .move = 0, .effort = 1}, "off the scale"},
	{"mnk:3,3,3", "", {.side = PD_LO, .bound = 1, .rank = PD_RANK_NONE, .move = 0}, "no rank"},
};
enum { FORGED = sizeof forged / sizeof *forged };

static void add_forged(char *dir, const struct forged *f)
{
	struct game *g;
	uint8_t key[GAME_KEY_MAX];
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct st_store *store;
	struct st_batch *batch;
	struct pd_fail fail;
	uint32_t id;
	scratch_dir(dir);
	ck_assert(!game_open(f->game, NULL, &g, NULL));
	ck_assert(!g->rules->parse(g, f->position, state, NULL));
	ck_assert(!st_open(dir, 0, &store, &fail));
	ck_assert(!st_batch_begin(store, &batch, &fail));
	ck_assert(!st_batch_game(batch, g->name, g->rules_version, &id, &fail));
	ck_assert(!st_batch_fact(batch, id, key, g->rules->key(g, state, key), &f->reason, &fail));
	ck_assert(!st_batch_commit(batch, &fail));
	st_close(store);
	game_close(g);
}

static void expect_words(const struct forged *f, const char *text)
{
	ck_assert_msg(strstr(text, f->game) && strstr(text, f->words), "%s, '%s': %s", f->game, f->words, text);
}

static void note_problem(void *ctx, const char *text)
{
	const struct forged **f = ctx;
	expect_words(*f, text);
	*f = NULL;
}

START_TEST(a_check_finds_them)
{
	const struct forged *f = &forged[_i];
	struct sv_check sum;
	struct pd_fail fail;
	char dir[64];
	add_forged(dir, f);
	ck_assert(!sv_check_directory(dir, &(struct sv_check_order){NULL, 1, note_problem, NULL, &f}, &sum, &fail));
	ck_assert_uint_eq(sum.problems, 1);
	ck_assert_ptr_null(f);
	scratch_remove(dir);
}
END_TEST

/* What a call says when it must be an error. */
static void expect_refused(struct insession *s, const struct forged *f, const char *method, const char *params)
{
	bool ok;
	pr_ref result;
	struct pr_doc *doc = insession_call(s, method, params, &ok, &result);
	ck_assert_msg(!ok, "%s", method);
	ck_assert_int_eq(pr_get_int(result, "code", 0), PD_E_CORRUPT);
	expect_words(f, pr_get_str(result, "message", ""));
	pr_doc_free(doc);
}

START_TEST(queries_are_refused)
{
	const struct forged *f = &forged[_i];
	char dir[64], one[200], many[200];
	struct insession s;
	add_forged(dir, f);
	insession_open(&s, dir, 0, 0.05);
	snprintf(one, sizeof one, "\"game\":\"%s\",\"position\":\"%s\"", f->game, f->position);
	snprintf(many, sizeof many, "\"game\":\"%s\",\"positions\":[\"%s\"],\"moves\":true", f->game, f->position);
	expect_refused(&s, f, "fact.query", one);
	expect_refused(&s, f, "fact.query", many);
	expect_refused(&s, f, "fact.line", one);
	insession_close(&s);
	scratch_remove(dir);
}
END_TEST

START_TEST(a_job_that_meets_one_fails_and_says_so)
{
	const struct forged *f = &forged[_i];
	char dir[64], params[200], state[16];
	struct insession s;
	bool ok;
	pr_ref result;
	add_forged(dir, f);
	for (unsigned threads = 1; threads <= 2; threads++) {
		insession_open(&s, dir, threads, 0.05);
		snprintf(params, sizeof params, "\"game\":\"%s\",\"position\":\"%s\",\"threads\":%u", f->game,
			 f->position, threads);
		struct pr_doc *doc = insession_call(&s, "job.submit", params, &ok, &result);
		ck_assert(ok);
		unsigned job = (unsigned)pr_get_int(result, "job", 0);
		pr_doc_free(doc);
		insession_wait(&s, job, state);
		ck_assert_str_eq(state, "failed");
		snprintf(params, sizeof params, "\"job\":%u", job);
		doc = insession_call(&s, "job.get", params, &ok, &result);
		ck_assert(ok);
		expect_words(f, pr_get_str(result, "reason", ""));
		ck_assert_ptr_null(pr_get(result, "result"));
		pr_doc_free(doc);
		insession_close(&s);
	}
	scratch_remove(dir);
}
END_TEST

/* The fact stands somewhere below the root, where the search meets it when it is well under way. */
START_TEST(a_search_that_meets_one_on_its_way_fails)
{
	const struct forged *f = &forged[2];
	char dir[64], params[200], state[16];
	struct insession s;
	bool ok;
	pr_ref result;
	add_forged(dir, f);
	for (unsigned threads = 1; threads <= 2; threads++) {
		insession_open(&s, dir, threads, 0.05);
		snprintf(params, sizeof params,
			 "\"game\":\"hex:3\",\"position\":\"b2\",\"algorithm\":\"pds\",\"threads\":%u,\"options\":{"
			 "\"knowledge\":false}",
			 threads);
		struct pr_doc *doc = insession_call(&s, "job.submit", params, &ok, &result);
		ck_assert(ok);
		insession_wait(&s, (unsigned)pr_get_int(result, "job", 0), state);
		ck_assert_str_eq(state, "failed");
		pr_doc_free(doc);
		insession_close(&s);
	}
	scratch_remove(dir);
}
END_TEST

START_TEST(exports_are_refused)
{
	static const char *const claims[] = {NULL, "value", "first-wins", "first-draws", "first>=0", "second-wins"};
	const struct forged *f = &forged[_i];
	char dir[64], file[96];
	add_forged(dir, f);
	snprintf(file, sizeof file, "%s/proof", dir);
	for (unsigned i = 0; i < sizeof claims / sizeof *claims; i++) {
		struct sv_exported out;
		struct pd_fail fail = {.text = ""};
		struct sv_export_order order = {
			.game = f->game, .position = f->position, .claim = claims[i], .file = file};
		ck_assert(sv_export_directory(dir, NULL, &order, &out, &fail));
		ck_assert_int_eq(fail.code, PD_E_CORRUPT);
		expect_words(f, fail.text);
		ck_assert(access(file, F_OK));
	}
	scratch_remove(dir);
}
END_TEST

START_TEST(taint_takes_them_away)
{
	const struct forged *f = &forged[_i];
	struct sv_retraction_order order = {.game = f->game, .threads = 1};
	struct sv_check check = {0};
	struct sv_retracted sum;
	struct pd_fail fail;
	struct game *g;
	char dir[64];
	add_forged(dir, f);
	ck_assert(!game_open(f->game, NULL, &g, NULL));
	order.rules_version = g->rules_version;
	game_close(g);
	ck_assert_msg(!sv_retract(dir, &order, &sum, &fail), "%s", fail.text);
	ck_assert_uint_eq(sum.kept, 0);
	ck_assert(!sv_check_directory(dir, &(struct sv_check_order){NULL, 1, note_problem, NULL, &f}, &check, &fail));
	ck_assert_uint_eq(check.problems, 0);
	scratch_remove(dir);
}
END_TEST

/* Moves of the mover's that no one can play. */
static const struct forged illegal[] = {
	{"mnk:3,3,3", "", {.side = PD_LO, .bound = 0, .rank = 9, .move = 60, .effort = 1000}, "not legal"},
	{"mnk:3,3,3", "b2", {.side = PD_HI, .bound = 0, .rank = 9, .move = 64, .effort = 1000}, "not legal"},
	{"mnk:3,3,3", "", {.side = PD_LO, .bound = 0, .rank = 9, .move = 0x7fff}, "not legal"},
	{"connect4:4x4", "", {.side = PD_LO, .bound = 0, .rank = 16, .move = 0xfffe, .effort = 1000}, "not legal"},
	{"hex:3", "", {.side = PD_LO, .bound = 1, .rank = 9, .move = 5000, .effort = 1000}, "not legal"},
	{"uttt", "", {.side = PD_LO, .bound = 0, .rank = 81, .move = 0xfff0, .effort = 1}, "not legal"},
	{"loa:4", "", {.side = PD_LO, .bound = 1, .rank = 40, .move = 0xfffe, .effort = 1}, "not legal"},
	{"loa:4", "", {.side = PD_LO, .bound = 1, .rank = 40, .move = 0xfff0, .effort = 1}, "not legal"},
	{"antichess", "", {.side = PD_LO, .bound = 1, .rank = 40, .move = 0xfff0, .effort = 1}, "not legal"},
};
enum { ILLEGAL = sizeof illegal / sizeof *illegal };

START_TEST(a_move_that_is_not_legal_is_damage)
{
	const struct forged *f = &illegal[_i];
	struct sv_check sum;
	struct pd_fail fail;
	char dir[64], params[200], state[16];
	struct insession s;
	bool ok;
	pr_ref result;
	add_forged(dir, f);
	insession_open(&s, dir, 1, 0.05);
	snprintf(params, sizeof params, "\"game\":\"%s\",\"position\":\"%s\"", f->game, f->position);
	expect_refused(&s, f, "fact.query", params);
	struct pr_doc *doc = insession_call(&s, "job.submit", params, &ok, &result);
	ck_assert(ok);
	unsigned job = (unsigned)pr_get_int(result, "job", 0);
	pr_doc_free(doc);
	insession_wait(&s, job, state);
	ck_assert_str_eq(state, "failed");
	doc = insession_call(&s, "fact.line", params, &ok, &result);
	ck_assert(ok); /* it takes no move that it has not made itself */
	pr_doc_free(doc);
	insession_close(&s);
	ck_assert(!sv_check_directory(dir, &(struct sv_check_order){NULL, 1, note_problem, NULL, &f}, &sum, &fail));
	ck_assert_uint_eq(sum.problems, 1);
	ck_assert_ptr_null(f);
	scratch_remove(dir);
}
END_TEST

static int contradict(void *ctx, uint32_t game, const uint8_t *key, size_t size, struct pd_fact *fact)
{
	const struct pd_reason other = {.side = PD_HI, .bound = -1, .rank = 9, .move = PD_NO_MOVE, .effort = 9};
	return pd_fact_append(fact, &other) ? PD_OK : PD_E_NO_MEMORY;
}

/* Each of its reasons could be true, but not both. */
START_TEST(a_fact_that_contradicts_itself_is_damage)
{
	static const struct forged draw = {
		"mnk:3,3,3", "", {.side = PD_LO, .bound = 0, .rank = 9, .move = PD_NO_MOVE, .effort = 9}, ""};
	static const char *const calls[][2] = {
		{"fact.query", "\"game\":\"mnk:3,3,3\",\"position\":\"\""},
		{"fact.query", "\"game\":\"mnk:3,3,3\",\"positions\":[\"\"]"},
		{"fact.probe", "\"positions\":[{\"game\":\"mnk:3,3,3\",\"position\":\"\"}]"},
		{"fact.line", "\"game\":\"mnk:3,3,3\",\"position\":\"\""},
	};
	struct st_store *store;
	struct pd_fail fail;
	struct insession s;
	char dir[64];
	add_forged(dir, &draw);
	ck_assert(!st_open(dir, 0, &store, &fail));
	ck_assert(!st_facts_rewrite(store, contradict, NULL, &fail));
	st_close(store);
	insession_open(&s, dir, 1, 0.05);
	for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++)
		ck_assert_int_eq(insession_code(&s, calls[i][0], calls[i][1]), PD_E_CORRUPT);
	insession_assert_ends(&s, insession_submit(&s, "\"game\":\"mnk:3,3,3\""), "failed");
	insession_close(&s);
	scratch_remove(dir);
}
END_TEST

SUITE(sound)
{
	tcase_set_timeout(c, 300);
	tcase_add_loop_test(c, a_check_finds_them, 0, FORGED);
	tcase_add_loop_test(c, queries_are_refused, 0, FORGED);
	tcase_add_loop_test(c, a_job_that_meets_one_fails_and_says_so, 0, FORGED);
	tcase_add_test(c, a_search_that_meets_one_on_its_way_fails);
	tcase_add_loop_test(c, exports_are_refused, 0, FORGED);
	tcase_add_loop_test(c, taint_takes_them_away, 0, FORGED);
	tcase_add_loop_test(c, a_move_that_is_not_legal_is_damage, 0, ILLEGAL);
	tcase_add_test(c, a_fact_that_contradicts_itself_is_damage);
}
