/* Clocked games (solver/clocked.h), and the bounded searches that ask for a win within that many plies. */
#include <stdio.h>
#include <string.h>

#include "solver/bounded.h"
#include "solver/clocked.h"
#include "tests/support/cyclic.h"
#include "tests/support/graph.h"
#include "tests/support/suite.h"

/* --- random graphs ------------------------------------------------------------------------ */

struct unclocked {
	const struct clocked *clocked;
	struct factbase base;
};

static void take_fact(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *reason)
{
	struct unclocked *u = ctx;
	ck_assert_uint_ge(clocked_key(key, &size), reason->rank);
	if (clocked_holds(u->clocked, reason))
		factbase_add(&u->base, key, size, reason);
}

/* Whether a search in the clocked game reaches the goal; the facts that it leaves must justify each other without a
 * clock. */
static bool reaches(const struct game *g, const void *state, const struct pn_goal *goal, enum pn_detail detail)
{
	_Alignas(16) uint8_t start[GAME_STATE_MAX];
	struct pd_claim claim = {.threshold = goal->threshold};
	struct clocked clocked;
	struct unclocked u = {.clocked = &clocked};
	struct pn_options o;
	struct pn_solver *solver;
	struct pn_answer answer;
	enum pn_state end;
	unsigned leaves;
	ck_assert(clocked_init(&clocked, g, goal));
	clocked_start(&clocked, state, goal->plies, start);
	pn_options_init(&o);
	o.memory = 1 << 20;
	o.detail = detail;
	o.cap_first = o.cap_last = 10;
	factbase_init(&u.base);
	ck_assert(
		!pn_solver_new(&(struct pn_solver_setup){&clocked.game, start, &claim, &o, NULL, NULL}, &solver, NULL));
	do {
		end = pn_solver_step(solver, 1000);
		pn_solver_take_facts(solver, take_fact, &u);
	} while (end == PN_RUNNING || end == PN_COLLECT);
	ck_assert_int_eq(end, PN_ANSWERED);
	pn_solver_answer(solver, &answer);
	ck_assert_uint_eq(u.base.conflicts, 0);
	ck_assert_uint_eq(factbase_check(&u.base, g, &leaves), 0);
	if (detail == PN_FULL)
		ck_assert_uint_eq(leaves, 0);
	pn_solver_free(solver);
	factbase_fini(&u.base);
	return goal->proof ? answer.lo >= goal->threshold : answer.hi < goal->threshold;
}

START_TEST(a_goal_is_reached_in_time_exactly_if_it_is_near_enough)
{
	enum { POSITIONS_MAX = 64, LATER = 3 };
	unsigned asked = 0;
	for (uint64_t seed = 0; seed < 150; seed++) {
		struct game *g = cyclic_game(7000000 + seed);
		struct retro *retro = retro_new(g, POSITIONS_MAX);
		_Alignas(16) uint8_t state[GAME_STATE_MAX];
		int value;
		g->rules->start(g, state);
		ck_assert(retro_add(retro, state));
		for (int threshold = 0; threshold <= 1; threshold++) {
			bool proof = g->acyclic || g->infinite_value < threshold;
			unsigned distance, solved = retro_solve(retro, threshold);
			bool holds = retro_holds(retro, solved, state, &distance);
			if (g->rules->terminal(g, state, &value))
				continue;
			unsigned last = holds == proof ? distance + LATER : LATER;
			for (unsigned plies = 1; plies <= last; plies++) {
				struct pn_goal goal = {(int16_t)threshold, proof, (uint16_t)plies};
				bool wanted = holds == proof && distance <= plies;
				ck_assert_int_eq(reaches(g, state, &goal, PN_FULL), wanted);
				ck_assert_int_eq(reaches(g, state, &goal, PN_FRONTIER), wanted);
				asked++;
			}
		}
		retro_free(retro);
		game_close(g);
	}
	ck_assert_uint_gt(asked, 500);
}
END_TEST

/* --- a long win that is easily found, and a short one that is not ------------------------- */

enum { WIDTH = 3, CHAIN = 60 };

/* First may enter a chain at whose end he wins, or a wood of `depth` layers in which every path wins, and which has
 * three to the power of depth / 2 paths that must be shown. Positions can come back on the chain. */
static struct game *chain_and_wood(unsigned depth)
{
	struct graph_maker m;
	char name[16], children[80];
	graph_begin(&m, -1, 1);
	graph_node(&m, "root", true, "chain0 wood1-0");
	for (unsigned i = 0; i < CHAIN; i++) {
		snprintf(name, sizeof name, "chain%u", i);
		snprintf(children, sizeof children, i + 1 < CHAIN ? "chain%u" : "won", i + 1);
		if (i == 1)
			strcat(children, " chain0");
		graph_node(&m, name, i % 2, children);
	}
	for (unsigned layer = 1; layer < depth; layer++)
		for (unsigned i = 0; i < WIDTH; i++) {
			children[0] = 0;
			for (unsigned j = 0; j < WIDTH && layer + 1 < depth; j++)
				snprintf(children + strlen(children), sizeof children - strlen(children), "%swood%u-%u",
					 j ? " " : "", layer + 1, j);
			snprintf(name, sizeof name, "wood%u-%u", layer, i);
			graph_node(&m, name, layer % 2 == 0, children[0] ? children : "won");
		}
	graph_leaf(&m, "won", 1);
	struct game *g = graph_game(graph_end(&m));
	ck_assert(!g->acyclic);
	return g;
}

START_TEST(a_long_win_does_not_hide_a_short_one_from_the_prover)
{
	enum { DEPTH = 20 };
	struct game *g = chain_and_wood(DEPTH);
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	g->rules->start(g, state);
	for (unsigned plies = DEPTH - 1; plies <= DEPTH + 1; plies++) {
		struct pn_prover *prover;
		enum pn_verdict verdict;
		uint64_t nodes = 1000000;
		ck_assert(!pn_prover_new(g, &(struct pn_prover_options){.memory = 1 << 16}, &prover, NULL));
		ck_assert(!pn_prover_run(prover, state, &(struct pn_goal){1, true, (uint16_t)plies}, &nodes, &verdict,
					 NULL));
		ck_assert_int_eq(verdict, plies < DEPTH ? PN_OPEN : PN_PROVED);
		pn_prover_free(prover);
	}
	game_close(g);
}
END_TEST

START_TEST(a_long_win_does_not_hide_the_proof_of_a_short_one)
{
	enum { DEPTH = 36 };
	struct game *g = chain_and_wood(DEPTH);
	struct factbase base;
	struct pd_fact fact = {0};
	enum pn_verdict verdict;
	unsigned leaves;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	uint8_t key[GAME_KEY_MAX];
	g->rules->start(g, state);
	factbase_init(&base);
	struct pn_bounded_options options = {.nodes = 40000000, .fact = factbase_add, .fact_ctx = &base};
	ck_assert(!pn_bounded(g, state, &(struct pn_goal){1, true, DEPTH}, &options, &verdict, NULL));
	ck_assert_int_eq(verdict, PN_PROVED);
	ck_assert(factbase_get(&base, key, g->rules->key(g, state, key), &fact));
	ck_assert_uint_le(pd_fact_find(&fact, PD_LO, 1)->rank, DEPTH);
	ck_assert_uint_eq(factbase_check(&base, g, &leaves), 0);
	ck_assert_uint_eq(leaves, 0);
	pd_fact_fini(&fact);
	factbase_fini(&base);
	game_close(g);
}
END_TEST

SUITE(clocked)
{
	tcase_set_timeout(c, 110);
	tcase_add_test(c, a_goal_is_reached_in_time_exactly_if_it_is_near_enough);
	tcase_add_test(c, a_long_win_does_not_hide_a_short_one_from_the_prover);
	tcase_add_test(c, a_long_win_does_not_hide_the_proof_of_a_short_one);
}
