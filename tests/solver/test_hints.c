/* Hints: they change the order of the search, and never what is proved. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/cyclic.h"
#include "tests/support/effort.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

enum { LINES = 6, LINE_MOVES = 5 };

/* --- random graphs ------------------------------------------------------------------------ */

static void random_lines(const struct game *g, const void *root, uint64_t *random, struct pn_line *lines,
			 game_move moves[LINES][LINE_MOVES], unsigned *count)
{
	*count = 0;
	for (unsigned i = 0; i < LINES; i++) {
		_Alignas(16) uint8_t state[GAME_STATE_MAX];
		game_move all[64];
		unsigned length = 1 + walk_below(random, LINE_MOVES), made = 0;
		int value;
		memcpy(state, root, g->state_size);
		while (made < length && !g->rules->terminal(g, state, &value)) {
			unsigned n = g->rules->moves(g, state, all);
			moves[i][made] = all[walk_below(random, n)];
			g->rules->play(g, state, moves[i][made++]);
		}
		if (made)
			lines[(*count)++] = (struct pn_line){moves[i], made};
	}
}

START_TEST(random_hints_change_no_answer)
{
	struct cyclic_sum sum = {0};
	const unsigned graphs = effort_of(150, 15);
	for (uint64_t seed = 0; seed < graphs; seed++) {
		struct game *game = cyclic_game(UINT64_C(88000000) + 1000 * (uint64_t)_i + seed);
		struct retro *retro = retro_new(game, 64);
		_Alignas(16) uint8_t root[GAME_STATE_MAX];
		uint64_t random = seed;
		game->rules->start(game, root);
		ck_assert(retro_add(retro, root));
		unsigned solved[2] = {retro_solve(retro, 0), retro_solve(retro, 1)};
		for (int a = 0; a <= PN_ALGORITHM_LAST; a++)
			for (unsigned way = 0; way < 2; way++) {
				struct pn_line lines[LINES];
				game_move moves[LINES][LINE_MOVES];
				struct cyclic_more more = {.slice = 1000, .first = lines};
				struct pd_claim claim = {.value = true};
				struct factbase base;
				struct pn_options o;
				unsigned leaves;
				random_lines(game, root, &random, lines, moves, &more.first_count);
				pn_options_init(&o);
				o.algorithm = (enum pn_algorithm)a;
				o.detail = way ? PN_FULL : PN_FRONTIER;
				o.memory = pn_algorithm_has_tt(o.algorithm) ? 1 << 20 : 16 << 20;
				o.cap_first = o.cap_last = 1 + walk_below(&random, 23);
				o.threads = pn_algorithm_has_threads(o.algorithm) ? 1 + walk_below(&random, 3) : 1;
				factbase_init(&base);
				cyclic_solve_more(game, root, &claim, &o, NULL, retro, solved, 300000, &base, &sum,
						  &more);
				sum.wrong += factbase_check(&base, game, &leaves) + base.conflicts;
				factbase_fini(&base);
			}
		retro_free(retro);
		game_close(game);
	}
	ck_assert_uint_eq(sum.wrong, 0);
	ck_assert_uint_eq(sum.unanswered, 0);
}
END_TEST

/* --- what they are worth ------------------------------------------------------------------ */

/* Nodes until the claim is answered, with a hint for the root; NULL: none. */
static uint64_t nodes_with(const char *name, const char *claim_text, enum pn_algorithm algorithm, const char *hint)
{
	struct game *g;
	struct pd_claim claim;
	struct pd_fail fail;
	struct pn_options o;
	struct pn_solver *solver;
	struct pn_progress p;
	game_move move;
	_Alignas(16) uint8_t root[GAME_STATE_MAX];
	struct pn_line line = {&move, 1};
	ck_assert(!game_open(name, NULL, &g, &fail));
	g->rules->start(g, root);
	if (hint)
		ck_assert(!g->rules->move_parse(g, root, hint, &move, &fail));
	ck_assert(!pd_claim_parse(claim_text, &claim, &fail));
	pn_options_init(&o);
	o.algorithm = algorithm;
	o.memory = 64 << 20;
	o.knowledge = false;
	ck_assert(!pn_solver_new(&(struct pn_solver_setup){.game = g,
							   .root = root,
							   .claim = &claim,
							   .options = &o,
							   .first = &line,
							   .first_count = hint ? 1 : 0},
				 &solver, &fail));
	ck_assert_int_eq(solve_all(solver, 10000, NULL), PN_ANSWERED);
	pn_solver_progress(solver, &p);
	pn_solver_free(solver);
	game_close(g);
	return p.level1 + p.level2;
}

START_TEST(a_right_hint_is_better_than_a_wrong_one)
{
	/* The smallest proof is the same whatever is tried first, and threats are searched for before that. */
	if (_i == PN_MINIMAL || _i == PN_LAMBDA)
		return;
	uint64_t none = nodes_with("hex:4", "first-wins", (enum pn_algorithm)_i, NULL);
	uint64_t right = nodes_with("hex:4", "first-wins", (enum pn_algorithm)_i, "b3");
	uint64_t wrong = nodes_with("hex:4", "first-wins", (enum pn_algorithm)_i, "a1");
	printf("%s: %llu nodes, right hint %llu, wrong hint %llu\n", pn_algorithm_text((enum pn_algorithm)_i),
	       (unsigned long long)none, (unsigned long long)right, (unsigned long long)wrong);
	ck_assert_uint_lt(right, wrong);
	ck_assert_uint_le(right, none + none / 3);
	ck_assert_uint_le(wrong, 12 * none);
}
END_TEST

SUITE(hints)
{
	tcase_set_timeout(c, 500);
	tcase_add_loop_test(c, random_hints_change_no_answer, 0, 4);
	tcase_add_loop_test(c, a_right_hint_is_better_than_a_wrong_one, 0, PN_ALGORITHM_LAST + 1);
}
