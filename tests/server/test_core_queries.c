/* Queries against a core in this process: facts of many positions, from the loop and from reader threads, against
 * minimax; sessions and cores that close before their answers come; the rate of notifications. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/clock.h"
#include "server/api/session_state.h"
#include "server/api/session.h"
#include "server/core.h"
#include "tests/support/insession.h"
#include "tests/support/oracle.h"
#include "tests/support/suite.h"

static void solve_job(struct insession *s, const char *params)
{
	bool ok;
	char state[16];
	pr_ref result;
	struct pr_doc *doc = insession_call(s, "job.submit", params, &ok, &result);
	ck_assert_msg(ok, "%s", params);
	insession_wait(s, (unsigned)pr_get_int(result, "job", 0), state);
	ck_assert_str_eq(state, "solved");
	pr_doc_free(doc);
}

/* The text of a random position of at most `plies` moves. */
static void random_position(const struct game *g, uint64_t *seed, unsigned plies, uint8_t *state, char *text)
{
	game_move moves[GAME_MOVES_MAX];
	int value;
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	unsigned depth = (unsigned)(*seed >> 40) % (plies + 1);
	g->rules->start(g, state);
	while (depth-- && !g->rules->terminal(g, state, &value)) {
		unsigned count = g->rules->moves(g, state, moves);
		*seed = *seed * 6364136223846793005u + 1442695040888963407u;
		g->rules->play(g, state, moves[(*seed >> 33) % count]);
	}
	g->rules->print(g, state, text, GAME_TEXT_MAX);
}

/* What a fact says must hold for the position, and so must what it says of the moves. */
static unsigned assert_true(const struct game *g, struct oracle *oracle, const void *state, pr_ref fact)
{
	_Alignas(16) uint8_t child[GAME_STATE_MAX];
	int value = oracle_value(oracle, state), end;
	const char *source = pr_get_str(fact, "source", "");
	bool over = g->rules->terminal(g, state, &end);
	ck_assert_int_le(pr_get_int(fact, "lo", 99), value);
	ck_assert_int_ge(pr_get_int(fact, "hi", -99), value);
	ck_assert_int_eq(!strcmp(source, "rules") && !pr_get_int(fact, "rank", 1), over);
	if (!strcmp(source, "none"))
		ck_assert_int_eq(pr_kind_of(pr_get(fact, "rank")), PR_NULL);
	const char *move = pr_get_str(fact, "move", NULL);
	if (move) { /* it secures the mover's bound */
		game_move m;
		bool first = g->rules->first_to_move(g, state);
		memcpy(child, state, g->state_size);
		ck_assert(!g->rules->move_parse(g, child, move, &m, NULL));
		g->rules->play(g, child, m);
		if (first)
			ck_assert_int_ge(oracle_value(oracle, child), pr_get_int(fact, "lo", 99));
		else
			ck_assert_int_le(oracle_value(oracle, child), pr_get_int(fact, "hi", -99));
	}
	pr_ref moves = pr_get(fact, "moves");
	for (size_t i = 0; i < pr_count(moves); i++) {
		game_move m;
		memcpy(child, state, g->state_size);
		ck_assert(!g->rules->move_parse(g, child, pr_get_str(pr_at(moves, i), "move", ""), &m, NULL));
		g->rules->play(g, child, m);
		ck_assert_int_le(pr_get_int(pr_at(moves, i), "lo", 99), oracle_value(oracle, child));
		ck_assert_int_ge(pr_get_int(pr_at(moves, i), "hi", -99), oracle_value(oracle, child));
	}
	return !strcmp(source, "fact");
}

START_TEST(facts_of_many_positions_are_true_from_every_thread)
{
	static const char *const games[] = {"connect4:4x4", "mnk:4,3,3"};
	static const unsigned counts[] = {3, 64, 65, 500}; /* answered by the loop up to 64, beyond by a reader */
	static char params[1 << 18];
	for (unsigned i = 0; i < 2; i++) {
		struct insession s;
		struct game *g;
		char text[GAME_TEXT_MAX];
		unsigned known = 0;
		uint64_t seed = 11 + i;
		ck_assert(!game_open(games[i], NULL, &g, NULL));
		struct oracle *oracle = oracle_new(g);
		insession_open(&s, NULL, 1, 0.05);
		snprintf(params, sizeof params, "\"game\":\"%s\",\"detail\":\"full\"", games[i]);
		solve_job(&s, params);
		for (unsigned c = 0; c < 4; c++) {
			uint8_t *states = aligned_alloc(16, (counts[c] * (size_t)GAME_STATE_MAX));
			bool ok;
			pr_ref result;
			size_t n =
				(size_t)snprintf(params, sizeof params, "\"game\":\"%s\",\"moves\":%s,\"positions\":[",
						 games[i], c % 2 ? "true" : "false");
			for (unsigned p = 0; p < counts[c]; p++) {
				random_position(g, &seed, 8, states + p * (size_t)GAME_STATE_MAX, text);
				n += (size_t)snprintf(params + n, sizeof params - n, "%s\"%s\"", p ? "," : "", text);
			}
			snprintf(params + n, sizeof params - n, "]");
			struct pr_doc *doc = insession_call(&s, "fact.query", params, &ok, &result);
			ck_assert(ok);
			ck_assert_uint_eq(pr_count(pr_get(result, "facts")), counts[c]);
			for (unsigned p = 0; p < counts[c]; p++)
				known += assert_true(g, oracle, states + p * (size_t)GAME_STATE_MAX,
						     pr_at(pr_get(result, "facts"), p));
			pr_doc_free(doc);
			free(states);
		}
		ck_assert_uint_gt(known, 50);
		insession_close(&s);
		oracle_free(oracle);
		game_close(g);
	}
}
END_TEST

START_TEST(a_bad_position_spoils_only_its_own_entry)
{
	struct insession s;
	bool ok;
	pr_ref result;
	insession_open(&s, NULL, 0, 2);
	struct pr_doc *doc = insession_call(
		&s, "fact.query", "\"game\":\"connect4:7x6\",\"positions\":[\"44\",\"9\",\"1212121\"]", &ok, &result);
	ck_assert(ok);
	pr_ref facts = pr_get(result, "facts");
	ck_assert_uint_eq(pr_count(facts), 3);
	ck_assert_str_eq(pr_get_str(pr_at(facts, 0), "source", ""), "none");
	ck_assert_str_eq(pr_get_str(pr_at(facts, 0), "text", ""), "unknown");
	ck_assert_int_eq(pr_get_int(pr_get(pr_at(facts, 1), "error"), "code", 0), PD_E_POSITION);
	ck_assert_str_eq(pr_get_str(pr_at(facts, 2), "source", ""), "rules");
	ck_assert_str_eq(pr_get_str(pr_at(facts, 2), "text", ""), "first wins");
	ck_assert_int_eq(pr_get_int(pr_at(facts, 2), "rank", 9), 0);
	pr_doc_free(doc);
	doc = insession_call(&s, "fact.query", "\"game\":\"connect4:7x6\",\"position\":\"9\"", &ok, &result);
	ck_assert(!ok);
	ck_assert_int_eq(pr_get_int(result, "code", 0), PD_E_POSITION);
	pr_doc_free(doc);
	doc = insession_call(&s, "fact.query", "\"game\":\"connect4:7x6\",\"position\":\"\",\"positions\":[]", &ok,
			     &result);
	ck_assert(!ok);
	pr_doc_free(doc);
	doc = insession_call(&s, "fact.line", "\"game\":\"connect4:7x6\"", &ok, &result);
	ck_assert(!ok);
	ck_assert_int_eq(pr_get_int(result, "code", 0), PD_E_NO_FACT);
	pr_doc_free(doc);
	insession_close(&s);
}
END_TEST

START_TEST(values_on_another_scale_are_said_in_numbers)
{
	struct insession s;
	bool ok;
	pr_ref result;
	insession_open(&s, NULL, 1, 0.05);
	solve_job(&s, "\"game\":\"andor:scores\",\"memory\":\"2M\"");
	struct pr_doc *doc = insession_call(&s, "job.get", "\"job\":1", &ok, &result);
	const char *word = pr_get_str(pr_get(result, "value"), "text", "");
	ck_assert_str_eq(word, pr_get_str(pr_get(pr_get(result, "result"), "value"), "text", "?"));
	ck_assert_msg(strstr(word, " by ") != NULL, "%s", word);
	pr_doc_free(doc);
	insession_close(&s);
}
END_TEST

static void ignore_line(void *ctx, const char *line, size_t size)
{
	++*(unsigned *)ctx;
}

static void no_hanging_up(void *ctx)
{
	ck_abort_msg("the core wants to hang up");
}

static size_t no_backlog(void *ctx)
{
	return 0;
}

/* Everything that waits is asked for at once by a session that leaves; nothing is sent to it any more, and nothing is
 * lost or leaked. */
START_TEST(sessions_and_cores_close_while_answers_are_under_way)
{
	static const char *const lines[] = {
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"job.submit\",\"params\":{\"game\":\"connect4:7x6\","
		"\"memory\":\"4M\",\"key\":\"k\"}}",
		"[{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"job.set\",\"params\":{\"job\":1,\"priority\":3}},"
		"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"job.pause\",\"params\":{\"job\":1}},"
		"{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"job.resume\",\"params\":{\"job\":1}},"
		"{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"job.pause\",\"params\":{\"job\":1}},"
		"{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"job.watch\",\"params\":{\"job\":1}},"
		"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"fact.line\",\"params\":{\"game\":\"connect4:4x4\"}}]",
		"{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"fact.line\",\"params\":{\"game\":\"connect4:4x4\"}}",
	};
	for (unsigned turn = 0; turn < 12; turn++) {
		struct insession s;
		unsigned sent = 0;
		struct sv_sink sink = {&sent, ignore_line, no_backlog, no_hanging_up, true};
		insession_open(&s, NULL, 1, 0.05);
		solve_job(&s, "\"game\":\"connect4:4x4\",\"memory\":\"2M\"");
		struct sv_session *leaves = sv_session_new(s.core, &sink);
		for (unsigned i = 0; i < 3; i++)
			sv_session_line(leaves, lines[i], strlen(lines[i]));
		for (unsigned i = 0; i < turn % 4; i++) {
			bool ok;
			pr_ref result;
			pr_doc_free(insession_call(&s, "job.get", "\"job\":1", &ok, &result));
			sv_core_pump(s.core);
		}
		unsigned before = sent;
		sv_session_free(leaves);
		if (turn % 2) {
			bool ok;
			pr_ref result; /* the key is known, anyone who asked first */
			struct pr_doc *doc = insession_call(&s, "job.submit", "\"game\":\"connect4:7x6\",\"key\":\"k\"",
							    &ok, &result);
			ck_assert_int_eq(pr_get_int(result, "job", 0), 2);
			pr_doc_free(doc);
		}
		insession_close(&s);
		ck_assert_uint_eq(sent, before);
	}
}
END_TEST

START_TEST(notifications_keep_their_interval)
{
	struct insession s;
	unsigned sent = 0;
	bool ok;
	pr_ref result;
	struct sv_sink sink = {&sent, ignore_line, no_backlog, no_hanging_up, true};
	static const char watch[] =
		"{\"jsonrpc\":\"2.0\",\"method\":\"job.watch\",\"params\":{\"job\":1,\"interval\":0.2}}";
	insession_open(&s, NULL, 1, 0.05);
	pr_doc_free(insession_call(&s, "job.submit", "\"game\":\"connect4:7x6\",\"memory\":\"4M\"", &ok, &result));
	ck_assert(ok);
	struct sv_session *watcher = sv_session_new(s.core, &sink);
	uint64_t start = pd_now_ns();
	sv_session_line(watcher, watch, strlen(watch));
	sv_session_line(watcher, watch, strlen(watch)); /* twice is once */
	while (sent < 4)
		sv_core_tick(s.core);
	ck_assert_uint_ge(pd_now_ns() - start, UINT64_C(800000000));
	sv_session_free(watcher);
	sent = 0;
	sv_core_tick(s.core);
	ck_assert_uint_eq(sent, 0);
	insession_close(&s);
}
END_TEST

SUITE(core_queries)
{
	tcase_set_timeout(c, 300);
	tcase_add_test(c, facts_of_many_positions_are_true_from_every_thread);
	tcase_add_test(c, a_bad_position_spoils_only_its_own_entry);
	tcase_add_test(c, values_on_another_scale_are_said_in_numbers);
	tcase_add_test(c, sessions_and_cores_close_while_answers_are_under_way);
	tcase_add_test(c, notifications_keep_their_interval);
}
