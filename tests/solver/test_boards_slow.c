/* Whole boards come right by the default search: Connect Four up to 6x5, small boards of Breakthrough and Othello
 * against published values, and every m,n,k board up to 4x4 against naive minimax. On a board of Hex with equal sides
 * First wins (strategy stealing), on another the side whose edges are nearer. */
#include <stdio.h>

#include "solver/solver.h"
#include "tests/support/factbase.h"
#include "tests/support/oracle.h"
#include "tests/support/suite.h"

static int value_of_start(const struct game *g)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	struct pn_options o;
	struct pn_solver *solver;
	struct pn_answer answer;
	struct pd_claim claim = {.value = true};
	pn_options_init(&o);
	g->rules->start(g, state);
	ck_assert(!pn_solver_new(&(struct pn_solver_setup){g, state, &claim, &o, NULL, NULL}, &solver, NULL));
	ck_assert_int_eq(solve_all(solver, 1 << 24, NULL), PN_ANSWERED);
	pn_solver_answer(solver, &answer);
	ck_assert_int_eq(answer.lo, answer.hi);
	pn_solver_free(solver);
	return answer.lo;
}

START_TEST(connect_four_boards_have_their_published_values)
{
	/* Steininger's table, which confirms Tromp's. */
	static const struct {
		const char *game;
		int value;
	} boards[] = {{"connect4:4x4", 0}, {"connect4:5x4", 0}, {"connect4:4x5", 0}, {"connect4:6x4", -1},
		      {"connect4:4x6", 0}, {"connect4:5x5", 0}, {"connect4:5x6", 0}, {"connect4:6x5", 0}};
	for (unsigned i = 0; i < sizeof boards / sizeof *boards; i++) {
		struct game *g;
		ck_assert(!game_open(boards[i].game, NULL, &g, NULL));
		ck_assert_msg(value_of_start(g) == boards[i].value, "%s", boards[i].game);
		game_close(g);
	}
}
END_TEST

START_TEST(small_boards_of_breakthrough_and_othello_have_their_known_values)
{
	/* Of Breakthrough as others found them by exhaustion; Othello on 4 rows is lost by 3 discs to 11. */
	static const struct {
		const char *game;
		int value;
	} boards[] = {{"breakthrough:3x4", -1}, {"breakthrough:4x4", -1},      {"breakthrough:5x4", -1},
		      {"breakthrough:3x5", -1}, {"breakthrough:4x5", -1},      {"breakthrough:3x6", 1},
		      {"othello:4", -10},       {"othello:4,empties=none", -8}};
	for (unsigned i = 0; i < sizeof boards / sizeof *boards; i++) {
		struct game *g;
		ck_assert(!game_open(boards[i].game, NULL, &g, NULL));
		ck_assert_msg(value_of_start(g) == boards[i].value, "%s", boards[i].game);
		game_close(g);
	}
}
END_TEST

START_TEST(every_board_of_the_tic_tac_toe_family_up_to_four_by_four_agrees_with_minimax)
{
	for (int w = 1; w <= 4; w++)
		for (int h = 1; h <= 4; h++)
			for (int k = 1; k <= 4; k++) {
				char name[64];
				struct game *g;
				_Alignas(16) uint8_t state[GAME_STATE_MAX];
				snprintf(name, sizeof name, "mnk:%d,%d,%d", w, h, k);
				ck_assert(!game_open(name, NULL, &g, NULL));
				g->rules->start(g, state);
				struct oracle *oracle = oracle_new(g);
				ck_assert_msg(value_of_start(g) == oracle_value(oracle, state), "%s", name);
				oracle_free(oracle);
				game_close(g);
			}
}
END_TEST

START_TEST(boards_of_hex_of_up_to_25_cells_are_won_by_the_nearer_edges)
{
	for (int w = 4; w <= 6; w++)
		for (int h = 4; h <= 6; h++) {
			char name[32];
			struct game *g;
			snprintf(name, sizeof name, "hex:%dx%d", w, h);
			if (w * h > 25)
				continue;
			ck_assert(!game_open(name, NULL, &g, NULL));
			ck_assert_msg(value_of_start(g) == (w >= h ? 1 : -1), "%s", name);
			game_close(g);
		}
}
END_TEST

SUITE(boards_slow)
{
	tcase_set_timeout(c, 500);
	tcase_add_test(c, connect_four_boards_have_their_published_values);
	tcase_add_test(c, small_boards_of_breakthrough_and_othello_have_their_known_values);
	tcase_add_test(c, every_board_of_the_tic_tac_toe_family_up_to_four_by_four_agrees_with_minimax);
	tcase_add_test(c, boards_of_hex_of_up_to_25_cells_are_won_by_the_nearer_edges);
}
