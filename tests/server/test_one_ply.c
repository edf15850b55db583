/* What is told of a position agrees: random positions of all games after random jobs, asked by fact.query, fact.probe
 * and fact.line, and of libproofd-probe when the server is gone. A position is not weaker than the best of its moves,
 * nor told with a larger rank; the recorded move is one of the best; a line is not longer than the rank. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/probe/probe.h"
#include "server/core.h"
#include "tests/support/effort.h"
#include "tests/support/gamedata.h"
#include "tests/support/insession.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

enum { ASKED_MAX = 4096, NO_RANK = -1, PARAMS = 3 * GAME_TEXT_MAX };

/* An answer, to be compared with the library's. */
struct told {
	char game[GAME_NAME_MAX], position[GAME_TEXT_MAX], move[64];
	int lo, hi, rank;
	bool known;
};

struct world {
	struct insession s;
	const struct game *game;
	uint64_t seed;
	struct told *told; /* ASKED_MAX of them */
	unsigned count;
	unsigned known, improved, lines, starred, results; /* how often there was something to look at */
};

static int rank_of(pr_ref fact)
{
	return (int)pr_get_int(fact, "rank", NO_RANK);
}

/* A bound of one side, as that side sees it: larger is better. */
static int good_for(pr_ref fact, bool first)
{
	return first ? (int)pr_get_int(fact, "lo", 0) : -(int)pr_get_int(fact, "hi", 0);
}

/* Asserts it, or says what was told. */
static void assert_told(bool good, const struct world *w, pr_ref fact)
{
	ck_assert_msg(good, "%s: %s within %d, move %s, effort %d, job %d", w->game->name, pr_get_str(fact, "text", ""),
		      rank_of(fact), pr_get_str(fact, "move", "none"), (int)pr_get_int(fact, "effort", -1),
		      (int)pr_get_int(fact, "job", -1));
}

static struct pr_doc *call_method(struct world *w, const char *method, const char *position, const char *more,
				  pr_ref *result)
{
	char params[PARAMS];
	bool ok;
	bool probe = !strcmp(method, "fact.probe");
	snprintf(params, sizeof params,
		 probe ? "\"positions\":[{\"game\":\"%s\",\"position\":\"%s\"}]%s"
		       : "\"game\":\"%s\",\"position\":\"%s\"%s",
		 w->game->name, position, more);
	struct pr_doc *doc = insession_call(&w->s, method, params, &ok, result);
	ck_assert_msg(ok, "%s of %s '%s': %s", method, w->game->name, position, pr_get_str(*result, "message", ""));
	return doc;
}

/* --- a position and its moves ------------------------------------------------------------- */

static void assert_bounds(pr_ref fact, pr_ref moves, bool first)
{
	int best = INT_MIN, other_best = INT_MAX;
	for (size_t i = 0; i < pr_count(moves); i++) {
		int own = good_for(pr_at(moves, i), first), other = good_for(pr_at(moves, i), !first);
		best = own > best ? own : best;
		other_best = other < other_best ? other : other_best;
	}
	ck_assert_int_ge(good_for(fact, first), best);
	ck_assert_int_ge(good_for(fact, !first), other_best);
}

/* Where one side wins, the ranks of fact and moves are of that side's bound. */
static void assert_rank(pr_ref fact, pr_ref moves, bool first)
{
	int rank = rank_of(fact), least = INT_MAX, most = 0;
	bool wins = good_for(fact, first) > 0, loses = good_for(fact, !first) > 0, all = true;
	for (size_t i = 0; i < pr_count(moves); i++) {
		pr_ref m = pr_at(moves, i);
		bool same = good_for(m, wins ? first : !first) >= good_for(fact, wins ? first : !first);
		if (same && rank_of(m) != NO_RANK) {
			least = rank_of(m) < least ? rank_of(m) : least;
			most = rank_of(m) > most ? rank_of(m) : most;
		}
		all &= same && rank_of(m) != NO_RANK;
	}
	if (wins && least < INT_MAX && rank != NO_RANK)
		ck_assert_int_le(rank, least + 1);
	if (loses && all && rank != NO_RANK)
		ck_assert_int_le(rank, most + 1);
}

static void assert_star(struct world *w, pr_ref fact, pr_ref moves, bool first)
{
	const char *star = pr_get_str(fact, "move", NULL);
	int bound = good_for(fact, first), rank = rank_of(fact);
	bool stands = false, given = false, sooner = false; /* on such a row; one gives the bound; within the rank */
	for (size_t i = 0; i < pr_count(moves); i++) {
		pr_ref m = pr_at(moves, i);
		bool gives = good_for(m, first) == bound, soon = gives && rank != NO_RANK && rank_of(m) + 1 <= rank;
		if (star && !strcmp(pr_get_str(m, "move", ""), star))
			stands = gives && (bound <= 0 || rank == NO_RANK || soon || pr_get_int(fact, "effort", 0));
		given |= gives;
		sooner |= soon && rank_of(m) != NO_RANK;
	}
	if (bound == (first ? w->game->value_min : -w->game->value_max))
		return;
	/* Of a leaf the search was not kept: it may say more than its moves. */
	assert_told(stands || !sooner, w, fact);
	assert_told(star || !given, w, fact);
	w->starred += stands;
}

/* --- the other ways to ask ---------------------------------------------------------------- */

static void assert_same(pr_ref a, pr_ref b)
{
	static const char *const numbers[] = {"lo", "hi", "rank", "effort"};
	for (size_t i = 0; i < 4; i++)
		ck_assert_int_eq(pr_get_int(a, numbers[i], -99), pr_get_int(b, numbers[i], -99));
	ck_assert_str_eq(pr_get_str(a, "text", ""), pr_get_str(b, "text", ""));
	ck_assert_str_eq(pr_get_str(a, "source", ""), pr_get_str(b, "source", ""));
}

static void compare_queries(struct world *w, const char *position, pr_ref fact)
{
	pr_ref result;
	struct pr_doc *doc = call_method(w, "fact.query", position, ",\"depth\":1", &result);
	assert_same(fact, pr_at(pr_get(result, "facts"), 0));
	ck_assert_str_eq(pr_get_str(fact, "move", ""), pr_get_str(pr_at(pr_get(result, "facts"), 0), "move", ""));
	pr_doc_free(doc);
	doc = call_method(w, "fact.query", position, "", &result);
	pr_ref usual = pr_at(pr_get(result, "facts"), 0);
	ck_assert_int_eq(pr_get_int(usual, "lo", -99), pr_get_int(fact, "lo", -98));
	ck_assert_int_eq(pr_get_int(usual, "hi", -99), pr_get_int(fact, "hi", -98));
	pr_doc_free(doc);
	doc = call_method(w, "fact.query", position, ",\"depth\":0", &result);
	pr_ref own = pr_at(pr_get(result, "facts"), 0);
	ck_assert_int_eq(pr_get_int(result, "depth", -1), 0);
	ck_assert_int_le(pr_get_int(own, "lo", 99), pr_get_int(fact, "lo", -98));
	ck_assert_int_ge(pr_get_int(own, "hi", -99), pr_get_int(fact, "hi", 98));
	w->improved += pr_get_int(own, "lo", 0) < pr_get_int(fact, "lo", 0) ||
		       pr_get_int(own, "hi", 0) > pr_get_int(fact, "hi", 0) || rank_of(own) > rank_of(fact);
	pr_doc_free(doc);
}

static void compare_probe(struct world *w, const char *position, pr_ref fact, bool first)
{
	pr_ref result;
	struct pr_doc *doc = call_method(w, "fact.probe", position, "", &result);
	pr_ref answer = pr_at(pr_get(result, "answers"), 0), moves = pr_get(answer, "moves");
	assert_same(fact, answer);
	assert_bounds(answer, moves, first);
	assert_rank(answer, moves, first);
	pr_doc_free(doc);
}

static void compare_line(struct world *w, const char *position, pr_ref fact, bool first)
{
	pr_ref result;
	if (!strcmp(pr_get_str(fact, "source", "none"), "none"))
		return;
	struct pr_doc *doc = call_method(w, "fact.line", position, ",\"limit\":400", &result);
	pr_ref line = pr_get(result, "line"), value = pr_get(result, "value"), moves = pr_get(fact, "moves");
	ck_assert_int_eq(pr_get_int(value, "lo", -99), pr_get_int(fact, "lo", -98));
	ck_assert_int_eq(pr_get_int(value, "hi", -99), pr_get_int(fact, "hi", -98));
	if (rank_of(fact) != NO_RANK)
		ck_assert_msg((int)pr_count(line) <= rank_of(fact), "%s '%s': a line of %zu within %d plies",
			      w->game->name, position, pr_count(line), rank_of(fact));
	w->lines += pr_count(line) > 0;
	/* Where the mover wins, the line begins with a move of the rank that is told. */
	for (size_t i = 0;
	     pr_count(line) && good_for(fact, first) > 0 && !pr_get_int(fact, "effort", 1) && i < pr_count(moves); i++)
		if (!strcmp(pr_get_str(pr_at(moves, i), "move", ""), pr_text(pr_at(line, 0), "?"))) {
			ck_assert_int_eq(good_for(pr_at(moves, i), first), good_for(fact, first));
			ck_assert(rank_of(fact) == NO_RANK || rank_of(pr_at(moves, i)) + 1 == rank_of(fact));
		}
	pr_doc_free(doc);
}

static void note(struct world *w, const char *position)
{
	if (w->count == ASKED_MAX || !strncmp(w->game->name, "andor:", 6))
		return;
	struct told *t = &w->told[w->count++];
	snprintf(t->game, sizeof t->game, "%s", w->game->name);
	snprintf(t->position, sizeof t->position, "%s", position);
}

/* Asks once more, after all jobs. */
static void ask_again(struct world *w, struct told *t)
{
	pr_ref result;
	struct game *g = gamedata_open(t->game);
	w->game = g;
	struct pr_doc *doc = call_method(w, "fact.query", t->position, ",\"depth\":1", &result);
	pr_ref fact = pr_at(pr_get(result, "facts"), 0);
	snprintf(t->move, sizeof t->move, "%s", pr_get_str(fact, "move", ""));
	t->lo = (int)pr_get_int(fact, "lo", 0);
	t->hi = (int)pr_get_int(fact, "hi", 0);
	t->rank = rank_of(fact);
	t->known = strcmp(pr_get_str(fact, "source", "none"), "none") != 0;
	pr_doc_free(doc);
	game_close(g);
}

static void look_at(struct world *w, const void *state)
{
	const struct game *g = w->game;
	char position[GAME_TEXT_MAX];
	pr_ref result;
	int value;
	if (g->rules->terminal(g, state, &value))
		return;
	bool first = g->rules->first_to_move(g, state);
	g->rules->print(g, state, position, sizeof position);
	struct pr_doc *doc = call_method(w, "fact.query", position, ",\"each_move\":true", &result);
	pr_ref fact = pr_at(pr_get(result, "facts"), 0), moves = pr_get(fact, "moves");
	w->known += strcmp(pr_get_str(fact, "source", "none"), "none") != 0;
	assert_bounds(fact, moves, first);
	assert_rank(fact, moves, first);
	assert_star(w, fact, moves, first);
	compare_queries(w, position, fact);
	compare_probe(w, position, fact, first);
	compare_line(w, position, fact, first);
	note(w, position);
	pr_doc_free(doc);
}

/* --- random jobs -------------------------------------------------------------------------- */

/* A position some plies before the end of a random game; false when none is found. */
static bool near_an_end(struct world *w, struct walk_state *out)
{
	const struct game *g = w->game;
	struct walk_state state;
	int value;
	for (unsigned tries = 0; tries < 20; tries++) {
		uint64_t seed = walk_random(&w->seed), again = seed;
		g->rules->start(g, state.bytes);
		unsigned plies = walk_on(g, state.bytes, 300, &seed), back = 1 + walk_below(&w->seed, 7);
		g->rules->start(g, state.bytes);
		walk_on(g, state.bytes, plies > back ? plies - back : 0, &again);
		if (g->rules->terminal(g, state.bytes, &value))
			continue;
		*out = state;
		return true;
	}
	return false;
}

static void search_all(struct world *w, const void *state)
{
	static const char *const algorithms[] = {"pds-pn", "df-pn", "pn", "pn2"};
	char position[GAME_TEXT_MAX], params[PARAMS], ended[16];
	bool ok;
	pr_ref result;
	w->game->rules->print(w->game, state, position, sizeof position);
	snprintf(params, sizeof params,
		 "\"game\":\"%s\",\"position\":\"%s\",\"algorithm\":\"%s\",\"detail\":\"%s\","
		 "\"budget\":{\"nodes\":%u},\"memory\":\"1M\",\"key\":\"%llx\"",
		 w->game->name, position, algorithms[walk_below(&w->seed, 4)],
		 walk_below(&w->seed, 3) ? "frontier" : "full", 50 + walk_below(&w->seed, 3000),
		 (unsigned long long)walk_random(&w->seed));
	struct pr_doc *doc = insession_call(&w->s, "job.submit", params, &ok, &result);
	ck_assert_msg(ok, "%s: %s", params, pr_get_str(result, "message", ""));
	unsigned job = (unsigned)pr_get_int(result, "job", 0);
	insession_wait(&w->s, job, ended);
	pr_doc_free(doc);
	snprintf(params, sizeof params, "\"job\":%u", job);
	doc = insession_call(&w->s, "job.get", params, &ok, &result);
	ck_assert(ok);
	pr_ref told = pr_get(result, "result");
	if (pr_kind_of(pr_get(told, "plies")) == PR_INT) {
		ck_assert_int_le((int)pr_count(pr_get(told, "line")), (int)pr_get_int(told, "plies", -1));
		w->results++;
	}
	pr_doc_free(doc);
}

static void try_game(struct world *w, const char *name)
{
	if (!strncmp(name, "andor:", 6)) /* the rows name graphs that tests make; these are files */
		name = walk_below(&w->seed, 2) ? "andor:ghi-long" : "andor:ghi-serves-first";
	struct game *g = gamedata_open(name);
	struct walk_state root, state;
	w->game = g;
	if (near_an_end(w, &root)) {
		for (unsigned i = 0; i < 2; i++) {
			state = root;
			walk_on(g, state.bytes, walk_below(&w->seed, 3), &w->seed);
			int value;
			if (!g->rules->terminal(g, state.bytes, &value))
				search_all(w, state.bytes);
		}
		for (unsigned i = 0; i < 8; i++) {
			state = root;
			walk_on(g, state.bytes, i ? walk_below(&w->seed, 4) : 0, &w->seed);
			look_at(w, state.bytes);
		}
	}
	game_close(g);
}

/* --- the library -------------------------------------------------------------------------- */

static void assert_library(const struct told *t, struct proofd_probe *probe)
{
	struct proofd_probe_game *game;
	struct proofd_probed known;
	struct proofd_error error;
	char move[64] = "";
	ck_assert_msg(!proofd_probe_game(probe, t->game, &game, &error), "%s", error.message);
	int rc = proofd_probe_position(game, t->position, &known, &error);
	ck_assert_msg(rc >= 0, "%s", error.message);
	ck_assert_int_eq(rc, t->known);
	ck_assert_int_eq(known.lo, t->lo);
	ck_assert_int_eq(known.hi, t->hi);
	ck_assert_int_eq(known.rank == PROOFD_NO_RANK ? NO_RANK : (int)known.rank, t->rank);
	if (known.move != PROOFD_NO_MOVE)
		ck_assert_int_gt(proofd_probe_move_text(game, t->position, known.move, move, sizeof move, &error), 0);
	ck_assert_str_eq(move, t->move);
}

START_TEST(what_is_told_of_a_position_agrees)
{
	const struct gamedata *rows = gamedata_read("open");
	struct world w = {.seed = walk_seed("one ply", 1)};
	struct proofd_probe *probe;
	struct proofd_error error;
	char dir[64];
	w.told = malloc(ASKED_MAX * sizeof *w.told);
	scratch_dir(dir);
	insession_open(&w.s, dir, 1, 0.05);
	for (unsigned round = 0; round < effort_of(10, 1); round++)
		for (unsigned i = 0; i < rows->count; i++)
			if (!walk_below(&w.seed, 2))
				try_game(&w, rows->row[i].column[0]);
	for (unsigned i = 0; i < w.count; i++)
		ask_again(&w, &w.told[i]);
	insession_close(&w.s);
	printf("%u known, %u of them better than by their own fact, %u lines, %u moves\n", w.known, w.improved, w.lines,
	       w.starred);
	ck_assert_uint_gt(w.improved, 100);
	ck_assert_uint_gt(w.lines, 100);
	ck_assert_uint_gt(w.results, 20);
	ck_assert_msg(!proofd_probe_open(dir, NULL, &probe, &error), "%s", error.message);
	for (unsigned i = 0; i < w.count; i++)
		assert_library(&w.told[i], probe);
	proofd_probe_close(probe);
	scratch_remove(dir);
	free(w.told);
}
END_TEST

/* What takes more than 64 look-ups is left to a reader thread: the loop thread has not answered when the line is in. */
START_TEST(positions_with_many_moves_do_not_hold_up_the_loop)
{
	static const struct {
		const char *method, *params;
		bool at_once;
	} cases[] = {
		{"fact.query", "\"game\":\"mnk:7,7,3\",\"position\":\"\",\"each_move\":true", true},
		{"fact.query", "\"game\":\"mnk:9,9,3\",\"position\":\"\",\"each_move\":true", false},
		{"fact.query", "\"game\":\"mnk:9,9,3\",\"position\":\"a1 b1\",\"depth\":1", false},
		{"fact.query", "\"game\":\"mnk:9,9,3\",\"depth\":0", true},
		{"fact.query", "\"game\":\"mnk:9,9,3\",\"positions\":[\"a1\",\"b1\"]", true},
		{"fact.query", "\"game\":\"mnk:7,7,3\",\"depth\":1,\"positions\":[\"a1\",\"b1\"]", false},
		{"fact.probe", "\"positions\":[{\"game\":\"mnk:7,7,3\"}]", true},
		{"fact.probe", "\"positions\":[{\"game\":\"mnk:9,9,3\"}]", false},
	};
	struct insession s;
	char line[512];
	insession_open(&s, NULL, 1, 0.05);
	insession_assert_ends(&s, insession_submit(&s, "\"game\":\"mnk:7,7,3\""), "solved");
	insession_assert_ends(&s, insession_submit(&s, "\"game\":\"mnk:9,9,3\""), "solved");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		snprintf(line, sizeof line, "{\"jsonrpc\":\"2.0\",\"id\":900,\"method\":\"%s\",\"params\":{%s}}",
			 cases[i].method, cases[i].params);
		insession_send(&s, line);
		ck_assert_msg((s.count > 0) == cases[i].at_once, "%s", line);
		char *reply = insession_line(&s);
		ck_assert_msg(strstr(reply, "\"result\"") && strstr(reply, "\"id\":900"), "%s", reply);
		free(reply);
	}
	insession_close(&s);
}
END_TEST

SUITE(one_ply)
{
	tcase_set_timeout(c, 400);
	tcase_add_test(c, what_is_told_of_a_position_agrees);
	tcase_add_test(c, positions_with_many_moves_do_not_hold_up_the_loop);
}
