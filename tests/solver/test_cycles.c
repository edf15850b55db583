/* Games with cycles (F1, F3): the graph history interaction, random graphs against the fixpoint, and what depends on
 * what.
 *
 * Graph history interaction: a result that depends on a repetition is stored for the position, and used where that
 * repetition is not on the path. The files ghi-*.json are traps for it (solver/GHI.md draws one); a deliberately
 * naive search falls into every one, so that it is known that they are traps. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/graph_file.h"
#include "tests/support/cyclic.h"
#include "tests/support/effort.h"
#include "tests/support/graph.h"
#include "tests/support/suite.h"

static const char *const traps[] = {"ghi-first", "ghi-second", "ghi-long", "ghi-serves-first", "ghi-two-circles"};
enum { TRAPS = sizeof traps / sizeof *traps };

static struct game *open_trap(const char *name)
{
	char path[512], text[4096];
	struct pd_graph *graph;
	struct pd_fail fail;
	snprintf(path, sizeof path, TEST_GRAPHS "/%s.json", name);
	FILE *file = fopen(path, "r");
	ck_assert_msg(file != NULL, "%s", path);
	size_t size = fread(text, 1, sizeof text, file);
	fclose(file);
	ck_assert_msg(!pr_graph_parse(text, size, &graph, &fail), "%s", fail.text);
	return graph_game(graph);
}

/* --- the naive search --------------------------------------------------------------------- */

enum { NODES_MAX = 64, UNKNOWN = 0, YES, NO };

struct naive {
	const struct game *game;
	int threshold;
	char known[NODES_MAX]; /* by node: what was found, on whatever path */
	bool on_path[NODES_MAX];
};

/* Depth-first, a repetition of the path counts as what infinite play is worth, and results are kept by position alone.
 */
static bool naive_holds(struct naive *n, const void *state)
{
	const struct game *g = n->game;
	_Alignas(16) uint8_t child[GAME_STATE_MAX];
	game_move moves[NODES_MAX];
	uint32_t node;
	int value;
	memcpy(&node, state, sizeof node);
	if (g->rules->terminal(g, state, &value))
		return value >= n->threshold;
	if (n->on_path[node])
		return g->infinite_value >= n->threshold;
	if (n->known[node])
		return n->known[node] == YES;
	bool first = g->rules->first_to_move(g, state), result = !first;
	unsigned count = g->rules->moves(g, state, moves);
	n->on_path[node] = true;
	for (unsigned i = 0; i < count && result != first; i++) {
		memcpy(child, state, g->state_size);
		g->rules->play(g, child, moves[i]);
		if (naive_holds(n, child) == first)
			result = first;
	}
	n->on_path[node] = false;
	n->known[node] = result ? YES : NO;
	return result;
}

static int naive_value(const struct game *g)
{
	int value = -1;
	for (int t = 0; t <= 1; t++) {
		struct naive n = {.game = g, .threshold = t};
		_Alignas(16) uint8_t state[GAME_STATE_MAX];
		g->rules->start(g, state);
		if (naive_holds(&n, state))
			value = t;
	}
	return value;
}

/* --- the traps ---------------------------------------------------------------------------- */

static struct retro *retro_of(const struct game *g, unsigned solved[2])
{
	struct retro *retro = retro_new(g, 1000);
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	g->rules->start(g, state);
	ck_assert(retro_add(retro, state));
	solved[0] = retro_solve(retro, 0);
	solved[1] = retro_solve(retro, 1);
	return retro;
}

static int true_value(const struct game *g)
{
	unsigned solved[2];
	struct retro *retro = retro_of(g, solved);
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	g->rules->start(g, state);
	int value = retro_holds(retro, solved[1], state, NULL)   ? 1
		    : retro_holds(retro, solved[0], state, NULL) ? 0
								 : -1;
	retro_free(retro);
	return value;
}

START_TEST(a_naive_search_falls_into_the_trap)
{
	struct game *g = open_trap(traps[_i]);
	ck_assert_msg(naive_value(g) != true_value(g), "%s: a naive search finds the value, too: %d", traps[_i],
		      true_value(g));
	game_close(g);
}
END_TEST

START_TEST(no_mode_falls_into_the_trap)
{
	struct game *g = open_trap(traps[_i]);
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	unsigned solved[2];
	struct retro *retro = retro_of(g, solved);
	struct cyclic_sum sum = {0};
	struct pd_claim claim = {.value = true};
	g->rules->start(g, state);
	for (int a = 0; a <= PN_ALGORITHM_LAST; a++)
		for (int detail = PN_FRONTIER; detail <= PN_FULL; detail++)
			for (uint64_t seed = 0; seed < 20; seed++)
				for (uint32_t cap = 1; cap <= 10000; cap *= 10) {
					struct pn_options o;
					struct factbase base;
					unsigned leaves;
					pn_options_init(&o);
					o.algorithm = (enum pn_algorithm)a;
					o.detail = (enum pn_detail)detail;
					o.memory = 1 << 20;
					o.seed = seed;
					o.cap_first = o.cap_last = cap;
					factbase_init(&base);
					ck_assert_msg(cyclic_solve(g, state, &claim, &o, NULL, retro, solved, 1000000,
								   &base, &sum),
						      "%s by %s", traps[_i], pn_algorithm_text(o.algorithm));
					ck_assert_uint_eq(factbase_check(&base, g, &leaves), 0);
					if (detail == PN_FULL && a != PN_PAPER)
						ck_assert_uint_eq(leaves, 0);
					factbase_fini(&base);
				}
	ck_assert_uint_eq(sum.wrong, 0);
	retro_free(retro);
	game_close(g);
}
END_TEST

/* --- random graphs ------------------------------------------------------------------------ */

START_TEST(graphs_that_were_once_answered_wrongly)
{
	/* df-pn kept its infinite thresholds as the numbers of a position that was held on another path. */
	static const uint64_t seeds[] = {1951, 2274};
	struct cyclic_sum sum = {0};
	cyclic_run(seeds[_i], &sum);
	ck_assert_uint_eq(sum.wrong, 0);
	ck_assert_uint_eq(sum.unanswered, 0);
}
END_TEST

START_TEST(random_graphs_agree_with_the_fixpoint)
{
	struct cyclic_sum sum = {0};
	const unsigned graphs = effort_of(400, 40);
	for (uint64_t seed = 0; seed < graphs; seed++)
		cyclic_run(1000000 * (uint64_t)(_i + 1) + seed, &sum);
	ck_assert_uint_eq(sum.wrong, 0);
	ck_assert_uint_eq(sum.unanswered, 0);
	ck_assert_uint_gt(sum.facts, graphs * 12);
}
END_TEST

/* King against king in losing chess: 8,112 positions that lead to each other on ever new paths. A search that tells
 * every path apart does not end. */
START_TEST(a_drawn_ending_is_answered)
{
	static const enum pn_algorithm algorithms[] = {PN_PDS_PN, PN_PDS};
	static const char *const claims[] = {"first-wins", "first-draws"};
	struct game *g;
	struct pd_fail fail;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	ck_assert(!game_open("antichess", NULL, &g, &fail));
	ck_assert(!g->rules->parse(g, "8/8/8/3k4/8/8/8/K7 w - -", state, &fail));
	struct retro *retro = retro_new(g, 10000);
	ck_assert(retro_add(retro, state));
	unsigned solved[2] = {retro_solve(retro, 0), retro_solve(retro, 1)};
	struct cyclic_sum sum = {0};
	for (unsigned i = 0; i < 4; i++) {
		struct pn_options o;
		struct factbase base;
		struct pd_claim claim;
		pn_options_init(&o);
		o.algorithm = algorithms[i % 2];
		o.memory = 32 << 20;
		ck_assert(!pd_claim_parse(claims[i / 2], &claim, &fail));
		factbase_init(&base);
		ck_assert_msg(cyclic_solve(g, state, &claim, &o, NULL, retro, solved, 4000000, &base, &sum), "%s by %s",
			      claims[i / 2], pn_algorithm_text(o.algorithm));
		factbase_fini(&base);
	}
	ck_assert_uint_eq(sum.wrong, 0);
	retro_free(retro);
	game_close(g);
}
END_TEST

START_TEST(an_answer_says_whether_it_is_counted)
{
	struct game *g = open_trap("cycle"); /* a drawn cycle: First is lost if he leaves it, Second too */
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct pd_claim claim = {.value = true};
	struct pn_options o;
	struct pn_solver *solver;
	struct pn_answer answer;
	pn_options_init(&o);
	o.memory = 1 << 20;
	g->rules->start(g, state);
	ck_assert(!pn_solver_new(&(struct pn_solver_setup){g, state, &claim, &o, NULL, NULL}, &solver, NULL));
	ck_assert_int_eq(solve_all(solver, 1000, NULL), PN_ANSWERED);
	pn_solver_answer(solver, &answer);
	ck_assert_int_eq(answer.lo, 0);
	ck_assert_int_eq(answer.hi, 0);
	ck_assert_uint_eq(answer.plies, PD_RANK_NONE);
	pn_solver_free(solver);
	game_close(g);
}
END_TEST

SUITE(cycles)
{
	tcase_set_timeout(c, 300);
	tcase_add_loop_test(c, a_naive_search_falls_into_the_trap, 0, TRAPS);
	tcase_add_loop_test(c, no_mode_falls_into_the_trap, 0, TRAPS);
	tcase_add_loop_test(c, random_graphs_agree_with_the_fixpoint, 0, 4);
	tcase_add_loop_test(c, graphs_that_were_once_answered_wrongly, 0, 2);
	tcase_add_test(c, a_drawn_ending_is_answered);
	tcase_add_test(c, an_answer_says_whether_it_is_counted);
}
