/* Chains of bridges in Hex: what the game says it knows is what trying everything finds, in as many plies at most. */
#include <stdio.h>
#include <string.h>

#include "solver/games/game.h"
#include "tests/support/effort.h"
#include "tests/support/oracle.h"
#include "tests/support/positions.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

/* The value; 0 where the game does not have to know it, or does not. */
static int find_value(const struct game *game, const void *state, struct game_theorem *out)
{
	int value;
	memset(out, 0, sizeof *out);
	if (game->rules->terminal(game, state, &value) || game->rules->immediate_win(game, state, &value) ||
	    !game->rules->theorem(game, state, 1, out, NULL))
		return 0;
	ck_assert_uint_eq(out->number, 8);
	return out->proved ? 1 : -1;
}

static const struct {
	const char *game, *position;
	int value; /* 0: not known */
	unsigned plies;
} cases[] = {
	{"hex:1", "", 0, 0},
	{"hex:2", "b1", 1, 2},       /* one bridge to the bottom row */
	{"hex:2", "", 1, 3},         /* and the stone for it */
	{"hex:3", "b2", 1, 4},       /* a bridge to either edge */
	{"hex:3", "", 1, 5},         /* and the stone for them */
	{"hex:3", "a1", -1, 5},      /* Second makes the same sideways */
	{"hex:3", "b2 b1", 1, 3},    /* the answer is the other cell, the one below is still there */
	{"hex:4", "c2 a1", 1, 5},    /* a stone makes a chain with that of the second row */
	{"hex:4", "c2 a1 b3", 1, 4}, /* edge, c2, b3, edge: b3 is next to c2 */
	{"hex:4", "c2 a4", 1, 5},
	{"hex:4", "", 0, 0},               /* there is more to it than bridges */
	{"hex:5", "c3 a1 b5 a2 d1", 1, 4}, /* from d1 down to c3 and to b5 */
	{"hex:11", "", 0, 0},
	{"hex:2x11", "b6", -1, 3},
};

enum { CASES = sizeof cases / sizeof *cases };

START_TEST(chains_are_known_when_they_are_there)
{
	for (unsigned i = 0; i < CASES; i++) {
		struct game *game = open_game(cases[i].game);
		struct walk_state s;
		struct pd_fail fail;
		struct game_theorem d;
		ck_assert_msg(!game->rules->parse(game, cases[i].position, &s, &fail), "%s", fail.text);
		ck_assert_msg(find_value(game, &s, &d) == cases[i].value, "%s %s", cases[i].game, cases[i].position);
		ck_assert_msg(d.plies == cases[i].plies, "%s %s: %u", cases[i].game, cases[i].position, d.plies);
		game_close(game);
	}
}
END_TEST

static const struct {
	const char *game;
	int least; /* stones before which everything takes too long to try */
} boards[] = {{"hex:2", 0}, {"hex:3", 0},   {"hex:2x5", 0}, {"hex:3x4", 0}, {"hex:4x3", 0},
	      {"hex:4", 7}, {"hex:5x3", 6}, {"hex:2x8", 7}, {"hex:5", 15}};

enum { BOARDS = sizeof boards / sizeof *boards };

START_TEST(what_is_known_is_what_trying_everything_finds)
{
	struct game *game = open_game(boards[_i].game);
	struct oracle *oracle = oracle_new(game);
	uint64_t seed = 7;
	unsigned met = 0, asked = 0, whole = effort_of(4000, 400);
	while (asked < whole) {
		struct walk_state s;
		struct game_theorem d;
		int value;
		game->rules->start(game, &s);
		for (int stones = 0; !game->rules->terminal(game, &s, &value); stones++) {
			game_move moves[64];
			unsigned rank, count = game->rules->moves(game, &s, moves);
			asked++;
			if (stones >= boards[_i].least && find_value(game, &s, &d)) {
				met++;
				ck_assert_int_eq(oracle_claim(oracle, &s, 1, &rank), d.proved);
				ck_assert_uint_le(rank, d.plies);
				ck_assert_uint_ge(d.effort, 1);
			}
			game->rules->play(game, &s, moves[walk_below(&seed, count)]);
		}
	}
	ck_assert_uint_gt(met, whole / 50);
	oracle_free(oracle);
	game_close(game);
}
END_TEST

SUITE(hex_bridges)
{
	tcase_set_timeout(c, 120);
	tcase_add_test(c, chains_are_known_when_they_are_there);
	tcase_add_loop_test(c, what_is_known_is_what_trying_everything_finds, 0, BOARDS);
}
