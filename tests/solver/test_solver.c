/* The solver as a whole: right values by every algorithm, with tables and arenas far too small (P3), in any slices
 * (P4), resumed from its entries; and every fact it gives out is justified (F2, F3). */
#include "solver/solver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solver/bounded.h"
#include "solver/numbers.h"
#include "tests/support/effort.h"
#include "tests/support/factbase.h"
#include "tests/support/graph.h"
#include "tests/support/positions.h"
#include "tests/support/suite.h"

static struct pn_solver *open_solver(const struct game *g, const char *position, const char *claim_text,
				     const struct pn_options *o, const struct pn_host *host)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct pd_fail fail;
	struct pd_claim claim;
	struct pn_solver *solver;
	ck_assert_msg(!g->rules->parse(g, position, state, &fail), "%s", fail.text);
	ck_assert(!pd_claim_parse(claim_text, &claim, &fail));
	ck_assert_msg(!pn_solver_new(&(struct pn_solver_setup){g, state, &claim, o, host, NULL}, &solver, &fail), "%s",
		      fail.text);
	return solver;
}

static struct pn_answer value_of(const struct game *g, const char *position, const struct pn_options *o,
				 struct factbase *base)
{
	struct pn_solver *solver = open_solver(g, position, "value", o, NULL);
	ck_assert_int_eq(solve_all(solver, 100000, base), PN_ANSWERED);
	struct pn_answer answer;
	pn_solver_answer(solver, &answer);
	ck_assert(answer.answered);
	ck_assert_int_eq(answer.lo, answer.hi);
	pn_solver_free(solver);
	return answer;
}

static const struct {
	const char *game;
	int value;
	bool large; /* left out of a share */
} boards[] = {
	{"connect4:4x4", 0},
	{"connect4:5x4", 0, true},
	{"connect4:4x5", 0, true},
	{"mnk:3,3,3", 0},
	{"mnk:4,3,3", 1},
	{"mnk:4,4,4", 0, true},
	{"mnk:4,4,3", 1},
	{"mnk:3,3,2", 1},
	{"mnk:2,2,3", 0},
	{"mnk:4,2,3", 0},
	{"hex:3", 1},
	{"hex:4", 1},
	{"hex:3x4", -1},
};
enum { BOARDS = sizeof boards / sizeof *boards };

START_TEST(every_algorithm_finds_the_value_and_justified_facts)
{
	if (boards[_i].large && effort() < 100)
		return;
	struct game *g = open_game(boards[_i].game);
	for (int a = 0; a <= PN_ALGORITHM_LAST; a++)
		for (int detail = PN_FRONTIER; detail <= PN_FULL; detail++) {
			struct pn_options o;
			struct factbase base;
			unsigned leaves;
			pn_options_init(&o);
			o.algorithm = (enum pn_algorithm)a;
			o.detail = (enum pn_detail)detail;
			o.memory = 64 << 20;
			if (!pn_algorithm_has_tt(o.algorithm) && !strcmp(g->name, "mnk:4,4,4"))
				continue; /* in a tree, without transpositions, it is too large */
			if (o.algorithm == PN_MINIMAL && (boards[_i].large || !strcmp(g->name, "hex:4")))
				continue; /* so is the tree of the search for the smallest proof of these */
			factbase_init(&base);
			ck_assert_int_eq(value_of(g, "", &o, &base).lo, boards[_i].value);
			ck_assert_uint_eq(base.conflicts, 0);
			ck_assert_uint_gt(base.count, 0);
			ck_assert_msg(factbase_check(&base, g, &leaves) == 0, "%s by %s, detail %d", g->name,
				      pn_algorithm_text(o.algorithm), detail);
			if (detail == PN_FULL)
				ck_assert_uint_eq(leaves, 0);
			factbase_fini(&base);
		}
	game_close(g);
}
END_TEST

START_TEST(tiny_tables_and_budgets_never_stop_the_search)
{
	struct game *g = open_game("connect4:4x4");
	static const unsigned memory[] = {PN_MEMORY_MIN, 1 << 17};
	static const unsigned caps[] = {1, 10, 100};
	for (unsigned m = 0; m < 2; m++)
		for (unsigned c = 0; c < 3; c++)
			for (uint64_t seed = 0; seed < 3; seed++) {
				struct pn_options o;
				struct factbase base;
				unsigned leaves;
				pn_options_init(&o);
				o.memory = memory[m];
				o.cap_first = o.cap_last = caps[c];
				o.seed = seed;
				o.detail = seed % 2 ? PN_FULL : PN_FRONTIER;
				factbase_init(&base);
				ck_assert_int_eq(value_of(g, "", &o, &base).lo, 0);
				ck_assert_uint_eq(base.conflicts, 0);
				ck_assert_uint_eq(factbase_check(&base, g, &leaves), 0);
				factbase_fini(&base);
			}
	game_close(g);
}
END_TEST

/* 17,562 entries would be made by pds, 8,576 by df-pn, with room for all. With steps of one pds gives no answer in ten
 * seconds with 16 places; like this it takes 311,046 nodes. */
START_TEST(a_table_a_thousand_times_too_small_costs_some_time)
{
	enum { OTHERS = 500000 }; /* algorithms without a bound of their own here */
	static const uint64_t most[PN_ALGORITHM_LAST + 1] = {
		[PN_PDS_PN] = 120000, [PN_PAPER] = 250000, [PN_PDS] = 500000, [PN_DFPN_PN] = 130000, [PN_DFPN] = 90000};
	struct game *g = open_game("connect4:4x4");
	for (int a = 0; a <= PN_ALGORITHM_LAST; a++) {
		struct pn_options o;
		struct pn_progress p;
		struct pn_answer answer;
		uint64_t limit = most[a] ? most[a] : OTHERS;
		if (!pn_algorithm_has_tt((enum pn_algorithm)a))
			continue;
		pn_options_init(&o);
		o.algorithm = (enum pn_algorithm)a;
		o.tt_entries = 16;
		struct pn_solver *solver = open_solver(g, "", "value", &o, NULL);
		ck_assert_int_eq(solve_all(solver, 100000, NULL), PN_ANSWERED);
		pn_solver_answer(solver, &answer);
		pn_solver_progress(solver, &p);
		ck_assert(answer.answered && answer.lo == 0 && answer.hi == 0);
		ck_assert_msg(p.level1 + p.level2 <= limit, "%s: %llu nodes", pn_algorithm_text(o.algorithm),
			      (unsigned long long)(p.level1 + p.level2));
		pn_solver_free(solver);
	}
	game_close(g);
}
END_TEST

/* All of it, the search for a shorter win included. */
static void check_slices(const char *game, const char *position, uint64_t shorten)
{
	struct game *g = open_game(game);
	struct pn_progress whole = {0}, sliced = {0};
	static const uint64_t slices[] = {UINT64_MAX >> 1, 1, 7, 1000};
	struct pn_options o;
	pn_options_init(&o);
	o.shorten = shorten;
	for (int a = 0; a <= PN_ALGORITHM_LAST; a++)
		for (unsigned i = 0; i < 4; i++) {
			o.algorithm = (enum pn_algorithm)a;
			if (o.algorithm == PN_MINIMAL && !strcmp(game, "connect4:5x4"))
				continue; /* its tree is too large */
			o.memory = 32 << 20;
			struct pn_solver *solver = open_solver(g, position, "value", &o, NULL);
			ck_assert_int_eq(solve_all(solver, slices[i], NULL), PN_ANSWERED);
			pn_solver_progress(solver, i ? &sliced : &whole);
			pn_solver_free(solver);
			if (i) {
				ck_assert_uint_eq(sliced.level1, whole.level1);
				ck_assert_uint_eq(sliced.level2, whole.level2);
				ck_assert_uint_eq(sliced.facts, whole.facts);
				ck_assert_uint_eq(sliced.entries, whole.entries);
			}
		}
	game_close(g);
}

START_TEST(the_run_is_the_same_however_it_is_sliced)
{
	check_slices(effort() < 100 ? "connect4:4x4" : "connect4:5x4", "3", 0);
	check_slices("mnk:5,4,3", "a1", 2000);
}
END_TEST

/* Every point at which a step may return is met, the search is the same after it, and what it found until then is
 * whole. */
START_TEST(a_search_may_be_stopped_at_every_point)
{
	struct game *g = open_game(effort() < 10 ? "connect4:4x4" : "connect4:5x4");
	struct pn_options o;
	struct factbase base;
	unsigned met[8] = {0}, leaves;
	pn_options_init(&o);
	o.detail = PN_FULL;
	factbase_init(&base);
	struct pn_solver *solver = open_solver(g, "", "value", &o, NULL);
	struct pn_progress p;
	enum pn_state state;
	unsigned steps = 0;
	do {
		state = pn_solver_step(solver, 1 + steps % 97);
		pn_solver_progress(solver, &p);
		met[p.point]++;
		if (++steps % 5000 == 0 || state == PN_ANSWERED) {
			pn_solver_take_facts(solver, factbase_add, &base);
			ck_assert_uint_eq(factbase_check(&base, g, &leaves), 0);
		}
	} while (state != PN_ANSWERED);
	ck_assert_uint_gt(met[PN_POINT_START], 0);
	ck_assert_uint_gt(met[PN_POINT_TURN], 0);
	ck_assert_uint_gt(met[PN_POINT_LEVEL2], 0);
	pn_solver_free(solver);
	factbase_fini(&base);
	/* Facts that no one takes stop the search until they are taken. */
	struct game *larger = open_game("connect4:6x5");
	solver = open_solver(larger, "", "first-wins", &o, NULL);
	while ((state = pn_solver_step(solver, 1000000)) == PN_RUNNING)
		;
	ck_assert_int_eq(state, PN_COLLECT);
	ck_assert_int_eq(pn_solver_step(solver, 1000000), PN_COLLECT);
	pn_solver_progress(solver, &p);
	ck_assert_int_eq(p.point, PN_POINT_COLLECT);
	factbase_init(&base);
	pn_solver_take_facts(solver, factbase_add, &base);
	ck_assert_uint_eq(factbase_check(&base, larger, &leaves), 0);
	ck_assert_int_eq(pn_solver_step(solver, 1000), PN_RUNNING);
	factbase_fini(&base);
	pn_solver_free(solver);
	game_close(larger);
	game_close(g);
}
END_TEST

/* df-pn never leaves the root, and reported its initial numbers, 1 and 1, throughout. */
START_TEST(every_algorithm_reports_the_numbers_of_the_root_and_a_move)
{
	struct game *g = open_game("connect4:6x4");
	struct pn_options o;
	pn_options_init(&o);
	o.knowledge = false; /* no answer within these steps */
	for (int a = 0; a <= PN_ALGORITHM_LAST; a++) {
		o.algorithm = (enum pn_algorithm)a;
		struct pn_solver *solver = open_solver(g, "", "first-wins", &o, NULL);
		struct pn_progress p;
		unsigned grown = 0;
		for (unsigned i = 0; i < 20; i++) {
			pn_solver_step(solver, 1000);
			pn_solver_progress(solver, &p);
			ck_assert_uint_gt(p.pn, 0);
			ck_assert_uint_gt(p.dn, 0);
			ck_assert_uint_lt(p.pn, UINT32_MAX);
			grown += p.pn > 1 && p.dn > 1;
			ck_assert_uint_lt(p.leading, 6); /* a column */
		}
		ck_assert_msg(grown > 10, "%s reports %u, %u", pn_algorithm_text(o.algorithm), p.pn, p.dn);
		pn_solver_free(solver);
	}
	game_close(g);
}
END_TEST

START_TEST(the_quota_is_kept_to_within_an_expansion)
{
	struct game *g = open_game("connect4:6x4");
	struct pn_options o;
	pn_options_init(&o);
	for (int a = 0; a <= PN_ALGORITHM_LAST; a++) {
		o.algorithm = (enum pn_algorithm)a;
		struct pn_solver *solver = open_solver(g, "", "first-wins", &o, NULL);
		struct pn_progress p;
		for (uint64_t quota = 1000; quota <= 20000; quota += 1000) {
			pn_solver_step(solver, 1000);
			pn_solver_progress(solver, &p);
			ck_assert_uint_le(p.level1 + p.level2, quota + 20 * quota / 1000 * 6);
		}
		pn_solver_free(solver);
	}
	game_close(g);
}
END_TEST

/* Searches until `nodes` nodes, hands entries and facts to a new solver, and goes on with that. */
START_TEST(a_search_goes_on_from_its_entries_and_facts)
{
	struct game *g = open_game(effort() < 10 ? "connect4:5x4" : "connect4:5x5");
	struct pn_options o;
	struct factbase base;
	struct pn_host host = {&base, factbase_get};
	pn_options_init(&o);
	o.memory = 64 << 20;
	factbase_init(&base);
	struct pn_solver *whole = open_solver(g, "", "value", &o, NULL);
	ck_assert_int_eq(solve_all(whole, 1 << 30, NULL), PN_ANSWERED);
	struct pn_progress p, first;
	pn_solver_progress(whole, &p);
	uint64_t nodes = p.level1 + p.level2;
	pn_solver_free(whole);
	struct pn_solver *a = open_solver(g, "", "value", &o, &host), *b;
	ck_assert_int_eq(pn_solver_step(a, nodes / 2), PN_RUNNING);
	pn_solver_take_facts(a, factbase_add, &base);
	pn_solver_progress(a, &first);
	struct pd_claim claim = {.value = true};
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	g->rules->start(g, state);
	ck_assert(!pn_solver_new(&(struct pn_solver_setup){g, state, &claim, &o, &host, &first}, &b, NULL));
	struct pn_entry entries[100];
	size_t n, moved = 0;
	while ((n = pn_solver_take_entries(a, entries, 100)) > 0) {
		pn_solver_load(b, entries, n);
		moved += n;
	}
	ck_assert_uint_eq(moved, first.entries);
	pn_solver_free(a);
	ck_assert_int_eq(solve_all(b, 1 << 20, &base), PN_ANSWERED);
	struct pn_answer answer;
	pn_solver_answer(b, &answer);
	ck_assert_int_eq(answer.lo, 0);
	ck_assert_int_eq(answer.hi, 0);
	pn_solver_progress(b, &p);
	ck_assert_uint_ge(p.level1 + p.level2, nodes / 2);
	ck_assert_uint_lt(p.level1 + p.level2, nodes + nodes / 2);
	pn_solver_free(b);
	unsigned leaves;
	ck_assert_uint_eq(base.conflicts, 0);
	ck_assert_uint_eq(factbase_check(&base, g, &leaves), 0);
	/* Asked again with the facts at hand, it costs nothing. */
	struct pn_solver *again = open_solver(g, "", "value", &o, &host);
	ck_assert_int_eq(pn_solver_step(again, 1), PN_ANSWERED);
	pn_solver_progress(again, &p);
	ck_assert_uint_eq(p.level1 + p.level2, 0);
	pn_solver_free(again);
	factbase_fini(&base);
	game_close(g);
}
END_TEST

START_TEST(claims_are_answered_as_asked)
{
	static const struct {
		const char *game, *position, *claim;
		bool yes;
	} cases[] = {
		{"connect4:6x4", "", "second-wins", true},  {"connect4:6x4", "", "first-draws", false},
		{"connect4:6x4", "", "first-wins", false},  {"connect4:6x4", "", "second-draws", true},
		{"connect4:4x4", "", "second-wins", false}, {"connect4:4x4", "", "second-draws", true},
		{"connect4:4x4", "", "first-draws", true},  {"connect4:4x4", "", "first>=1", false},
		{"hex:3", "", "second-wins", false},        {"hex:3", "", "first-draws", true},
		{"hex:3x4", "", "second-wins", true},       {"hex:3x4", "", "first>=0", false},
		{"hex:3x4", "", "second-draws", true},      {"hex:3x4", "", "first-wins", false},
		{"mnk:4,3,3", "", "first-wins", true},      {"mnk:4,3,3", "", "second-draws", false},
	};
	struct pn_options o;
	pn_options_init(&o);
	for (unsigned i = effort() < 10 ? 3 : 0; i < sizeof cases / sizeof *cases; i++) { /* 6x4 takes longest */
		struct game *g = open_game(cases[i].game);
		struct pn_solver *solver = open_solver(g, cases[i].position, cases[i].claim, &o, NULL);
		ck_assert_int_eq(solve_all(solver, 1 << 20, NULL), PN_ANSWERED);
		struct pn_answer answer;
		pn_solver_answer(solver, &answer);
		ck_assert(answer.answered);
		ck_assert_msg(answer.yes == cases[i].yes, "%s %s", cases[i].game, cases[i].claim);
		pn_solver_free(solver);
		game_close(g);
	}
}
END_TEST

START_TEST(bad_questions_name_the_field)
{
	struct game *g = open_game("connect4:4x4");
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct pn_options o;
	struct pn_solver *solver;
	struct pd_fail fail;
	g->rules->start(g, state);
	pn_options_init(&o);
	struct pd_claim claim = {.threshold = 2};
	ck_assert_int_eq(pn_solver_new(&(struct pn_solver_setup){g, state, &claim, &o, NULL, NULL}, &solver, &fail),
			 PD_E_CLAIM);
	ck_assert_str_eq(fail.field, "claim");
	claim.threshold = -1;
	ck_assert_int_eq(pn_solver_new(&(struct pn_solver_setup){g, state, &claim, &o, NULL, NULL}, &solver, &fail),
			 PD_E_CLAIM);
	claim.threshold = 1;
	o.memory = 1000;
	ck_assert_int_eq(pn_solver_new(&(struct pn_solver_setup){g, state, &claim, &o, NULL, NULL}, &solver, &fail),
			 PD_E_PARAMS);
	ck_assert_str_eq(fail.field, "memory");
	enum pn_algorithm algorithm;
	ck_assert_int_eq(pn_algorithm_parse("alpha-beta", &algorithm, &fail), PD_E_ALGORITHM);
	ck_assert_str_eq(fail.field, "algorithm");
	game_close(g);
}
END_TEST

START_TEST(a_position_that_is_over_needs_no_search)
{
	struct game *g = open_game("connect4:7x6");
	struct pn_options o;
	pn_options_init(&o);
	struct pn_solver *solver = open_solver(g, "1212121", "value", &o, NULL);
	ck_assert_int_eq(pn_solver_step(solver, 1), PN_ANSWERED);
	struct pn_answer answer;
	pn_solver_answer(solver, &answer);
	ck_assert_int_eq(answer.lo, 1);
	ck_assert_int_eq(answer.hi, 1);
	ck_assert_uint_eq(answer.plies, 0);
	ck_assert_uint_eq(answer.move, PD_NO_MOVE);
	pn_solver_free(solver);
	game_close(g);
}
END_TEST

START_TEST(a_tree_says_when_memory_ends)
{
	struct game *g = open_game("connect4:7x6");
	static const enum pn_algorithm trees[] = {PN_PN, PN_PN2};
	for (unsigned i = 0; i < 2; i++) {
		struct pn_options o;
		struct factbase base;
		unsigned leaves;
		pn_options_init(&o);
		o.algorithm = trees[i];
		o.memory = i ? 1 << 16 : 1 << 20;
		factbase_init(&base);
		struct pn_solver *solver = open_solver(g, "", "first-wins", &o, NULL);
		ck_assert_int_eq(solve_all(solver, 1 << 20, &base), PN_STUCK);
		ck_assert(strstr(pn_solver_why(solver), "memory"));
		ck_assert_uint_eq(factbase_check(&base, g, &leaves), 0);
		pn_solver_free(solver);
		factbase_fini(&base);
	}
	game_close(g);
}
END_TEST

/* A random layered graph with transpositions and any order of movers, values -2..2; checked against backward induction.
 */
static struct pd_graph *random_graph(unsigned seed, int *value)
{
	enum { LAYERS = 7, WIDTH = 9 };
	static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
	struct graph_maker m;
	int values[LAYERS][WIDTH];
	bool first[LAYERS][WIDTH];
	unsigned child[LAYERS][WIDTH][3];
	srand(seed);
	for (int l = LAYERS - 1; l >= 0; l--)
		for (int i = 0; i < WIDTH; i++) {
			bool leaf = l == LAYERS - 1 || (l > 1 && rand() % 8 == 0);
			values[l][i] = rand() % 5 - 2;
			first[l][i] = rand() % 2;
			child[l][i][0] = UINT32_MAX;
			if (leaf)
				continue;
			for (int c = 0; c < 3; c++) {
				child[l][i][c] = (unsigned)(rand() % WIDTH);
				int v = values[l + 1][child[l][i][c]];
				if (c == 0 || (first[l][i] ? v > values[l][i] : v < values[l][i]))
					values[l][i] = v;
			}
		}
	graph_begin(&m, -2, 2);
	for (int l = 0; l < LAYERS; l++)
		for (int i = 0; i < WIDTH; i++) {
			char name[16], children[64];
			snprintf(name, sizeof name, "%d%s", l, names[i]);
			const unsigned *c = child[l][i];
			if (c[0] == UINT32_MAX) {
				graph_leaf(&m, name, values[l][i]);
				continue;
			}
			snprintf(children, sizeof children, "%d%s %d%s %d%s", l + 1, names[c[0]], l + 1, names[c[1]],
				 l + 1, names[c[2]]);
			graph_node(&m, name, first[l][i], children);
		}
	*value = values[0][0];
	return graph_end(&m);
}

START_TEST(random_graphs_of_five_values_come_right_by_every_algorithm)
{
	for (unsigned seed = 1; seed <= effort_of(150, 15); seed++) {
		int value;
		struct game *g = graph_game(random_graph(seed, &value));
		for (int a = 0; a <= PN_ALGORITHM_LAST; a++) {
			struct pn_options o;
			struct factbase base;
			unsigned leaves;
			pn_options_init(&o);
			o.algorithm = (enum pn_algorithm)a;
			/* The published table may lose what the published loop needs (P3's exception): it gets room. */
			o.memory = a == PN_PAPER ? 8 << 20 : PN_MEMORY_MIN;
			o.seed = seed % 3;
			o.detail = seed % 2 ? PN_FULL : PN_FRONTIER;
			o.cap_first = o.cap_last = 1 + seed % 20;
			factbase_init(&base);
			ck_assert_msg(value_of(g, "", &o, &base).lo == value, "seed %u, %s", seed,
				      pn_algorithm_text(o.algorithm));
			ck_assert_uint_eq(base.conflicts, 0);
			ck_assert_uint_eq(factbase_check(&base, g, &leaves), 0);
			factbase_fini(&base);
		}
		game_close(g);
	}
}
END_TEST

START_TEST(a_bounded_search_gives_a_whole_proof_or_nothing)
{
	struct game *g = open_game("nogo:4x3"); /* a game without theorems, so that the proof has no leaves */
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct factbase base;
	enum pn_verdict verdict;
	unsigned leaves;
	g->rules->start(g, state);
	factbase_init(&base);
	struct pn_bounded_options options = {.nodes = 100, .fact = factbase_add, .fact_ctx = &base};
	ck_assert(!pn_bounded(g, state, &(struct pn_goal){1, true, 0}, &options, &verdict, NULL));
	ck_assert_int_eq(verdict, PN_OPEN);
	ck_assert_uint_eq(base.count, 0);
	options.nodes = 5000000;
	ck_assert(!pn_bounded(g, state, &(struct pn_goal){1, true, 0}, &options, &verdict, NULL));
	ck_assert_int_ne(verdict, PN_OPEN);
	ck_assert_uint_eq(factbase_check(&base, g, &leaves), 0);
	ck_assert_uint_eq(leaves, 0);
	factbase_fini(&base);
	game_close(g);
}
END_TEST

/* One run with a table that loses much; the nodes it took. */
static uint64_t nodes_under(const struct game *g, uint64_t identity, struct pn_answer *answer)
{
	struct pn_solver *solver;
	struct pn_options o;
	struct pn_progress progress;
	struct pd_claim claim;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	pn_options_init(&o);
	o.algorithm = PN_DFPN;
	o.memory = 1 << 20;
	o.tt_entries = 64;
	o.identity = identity;
	o.knowledge = false; /* more positions than the table holds */
	g->rules->start(g, state);
	ck_assert(!pd_claim_parse("first-wins", &claim, NULL));
	ck_assert(!pn_solver_new(&(struct pn_solver_setup){g, state, &claim, &o, NULL, NULL}, &solver, NULL));
	ck_assert_int_eq(solve_all(solver, 100000, NULL), PN_ANSWERED);
	pn_solver_answer(solver, answer);
	pn_solver_progress(solver, &progress);
	pn_solver_free(solver);
	return progress.level1 + progress.level2;
}

/* P4: the key counts among the options. */
START_TEST(the_same_identity_key_gives_the_same_run)
{
	struct game *g;
	struct pn_answer first, answer;
	uint64_t differ = 0;
	ck_assert(!game_open("connect4:4x3", NULL, &g, NULL));
	uint64_t nodes = nodes_under(g, 0, &first);
	for (uint64_t key = 1; key < 5; key++) {
		uint64_t own = nodes_under(g, key, &answer);
		ck_assert_uint_eq(own, nodes_under(g, key, &answer));
		ck_assert_int_eq(answer.yes, first.yes);
		differ += own != nodes;
	}
	ck_assert_uint_gt(differ, 0); /* else it names nothing */
	game_close(g);
}
END_TEST

/* The host claims that First wins the empty board, which is not so. */
static bool false_fact(void *ctx, const uint8_t *key, size_t size, struct pd_fact *out)
{
	const struct game *g = ctx;
	uint8_t own[GAME_KEY_MAX];
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	g->rules->start(g, state);
	if (size != g->rules->key(g, state, own) || memcmp(key, own, size))
		return false;
	struct pd_reason r = {.bound = 1, .side = PD_LO, .rank = (uint16_t)g->plies_max, .move = 2, .effort = 5};
	out->count = 0;
	return pd_fact_append(out, &r);
}

/* Plies within which a win is proved, with that many nodes for a shorter one. */
static unsigned plies_of(const struct game *g, const char *position, enum pn_algorithm algorithm, enum pn_detail detail,
			 uint64_t shorten)
{
	struct factbase base;
	struct pn_options o;
	unsigned leaves;
	pn_options_init(&o);
	o.algorithm = algorithm;
	o.detail = detail;
	o.memory = 64 << 20;
	o.shorten = shorten;
	factbase_init(&base);
	struct pn_answer answer = value_of(g, position, &o, &base);
	ck_assert_uint_eq(base.conflicts, 0);
	ck_assert_uint_eq(factbase_check(&base, g, &leaves), 0);
	factbase_fini(&base);
	return answer.plies;
}

START_TEST(shorter_wins_are_found_when_asked_for)
{
	static const struct {
		const char *game, *position;
	} wins[] = {{"mnk:4,4,3", ""}, {"mnk:5,4,3", "a1"}, {"loa:4", "4/bw2/1bw1/w2b w"}};
	for (unsigned i = 0; i < sizeof wins / sizeof *wins; i++) {
		struct game *g = open_game(wins[i].game);
		unsigned shortest = plies_of(g, wins[i].position, PN_PDS_PN, PN_FRONTIER, UINT64_C(1) << 40);
		for (int detail = PN_FRONTIER; detail <= PN_FULL; detail++) {
			ck_assert_uint_ge(plies_of(g, wins[i].position, PN_PDS_PN, (enum pn_detail)detail, 0),
					  shortest);
			ck_assert_uint_eq(
				plies_of(g, wins[i].position, PN_PDS_PN, (enum pn_detail)detail, UINT64_C(1) << 40),
				shortest);
			ck_assert_uint_eq(
				plies_of(g, wins[i].position, PN_PN2, (enum pn_detail)detail, UINT64_C(1) << 40),
				shortest);
			ck_assert_uint_eq(
				plies_of(g, wins[i].position, PN_PN, (enum pn_detail)detail, UINT64_C(1) << 40),
				shortest);
		}
		game_close(g);
	}
}
END_TEST

START_TEST(a_fact_does_not_vouch_for_itself)
{
	/* Second wins 6x4, 5x4 is a draw: both outgrow the trees, so that a whole solver takes over. */
	struct game *g = open_game(effort() < 10 ? "connect4:5x4" : "connect4:6x4");
	struct pn_host host = {g, false_fact};
	struct pn_prover *prover;
	enum pn_verdict verdict;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	uint64_t nodes = 200000000;
	g->rules->start(g, state);
	ck_assert(!pn_prover_new(g, &(struct pn_prover_options){.memory = 1 << 16, .host = &host}, &prover, NULL));
	ck_assert(!pn_prover_run(prover, state, &(struct pn_goal){1, true, 0}, &nodes, &verdict, NULL));
	ck_assert_int_eq(verdict, PN_DISPROVED);
	pn_prover_free(prover);
	struct pn_bounded_options options = {.nodes = 200000000, .host = &host};
	ck_assert(!pn_bounded(g, state, &(struct pn_goal){1, true, 0}, &options, &verdict, NULL));
	ck_assert_int_eq(verdict, PN_DISPROVED);
	game_close(g);
}
END_TEST

SUITE(solver)
{
	tcase_set_timeout(c, 110);
	tcase_add_loop_test(c, every_algorithm_finds_the_value_and_justified_facts, 0, BOARDS);
	tcase_add_test(c, tiny_tables_and_budgets_never_stop_the_search);
	tcase_add_test(c, a_table_a_thousand_times_too_small_costs_some_time);
	tcase_add_test(c, the_run_is_the_same_however_it_is_sliced);
	tcase_add_test(c, a_search_may_be_stopped_at_every_point);
	tcase_add_test(c, every_algorithm_reports_the_numbers_of_the_root_and_a_move);
	tcase_add_test(c, the_quota_is_kept_to_within_an_expansion);
	tcase_add_test(c, a_search_goes_on_from_its_entries_and_facts);
	tcase_add_test(c, claims_are_answered_as_asked);
	tcase_add_test(c, bad_questions_name_the_field);
	tcase_add_test(c, a_position_that_is_over_needs_no_search);
	tcase_add_test(c, a_tree_says_when_memory_ends);
	tcase_add_test(c, random_graphs_of_five_values_come_right_by_every_algorithm);
	tcase_add_test(c, shorter_wins_are_found_when_asked_for);
	tcase_add_test(c, a_fact_does_not_vouch_for_itself);
	tcase_add_test(c, a_bounded_search_gives_a_whole_proof_or_nothing);
	tcase_add_test(c, the_same_identity_key_gives_the_same_run);
}
