/* Domineering, NoGo, Atari Go, Dots and Boxes and Nim against plain minimax, closed forms and published values. */
#include <stdio.h>
#include <string.h>

#include "solver/games/game.h"
#include "tests/support/effort.h"
#include "tests/support/oracle.h"
#include "tests/support/positions.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

/* V, H, N, P of Domineering by exhaustive search elsewhere (rows by columns in those tables); NoGo by Chow and Mueller;
 * the others by tests/games/count_small.py. */
static const struct {
	const char *game, *position;
	int value;
} values[] = {
	{"domineering:4x4", "", 1},  {"domineering:4x4", "4/4/4/4 h", -1},
	{"domineering:4x2", "", -1}, {"domineering:4x2", "4/4 h", -1},
	{"domineering:2x5", "", -1}, {"domineering:2x5", "2/2/2/2/2 h", -1},
	{"domineering:5x2", "", 1},  {"domineering:5x2", "5/5 h", 1},
	{"domineering:3x5", "", 1},  {"domineering:3x5", "3/3/3/3/3 h", 1},
	{"domineering:1x1", "", -1}, {"domineering:1x1", "1/ h", 1},
	{"nogo:2x2", "", 1},         {"nogo:3x2", "", -1},
	{"nogo:4x2", "", -1},        {"nogo:5x2", "", 1},
	{"nogo:3x3", "", 1},         {"nogo:4x3", "", -1},
	{"nogo:1x1", "", -1},        {"nogo:4x1", "", -1},
	{"nogo:5x1", "", 1},         {"atari-go:1x1", "", -1},
	{"atari-go:2x2", "", -1},    {"atari-go:3x3", "", 1},
	{"atari-go:4x2", "", -1},    {"atari-go:4x3", "", 1},
	{"dots:1x1", "", -1},        {"dots:2x1", "", 0},
	{"dots:2x2", "", 2},         {"dots:3x2", "", -2},
	{"dots:2x3", "", -2},
};

START_TEST(small_boards_have_their_known_values)
{
	struct game *game = open_game(values[_i].game);
	struct walk_state s = parse_position(game, values[_i].position);
	struct oracle *oracle = oracle_new(game);
	ck_assert_int_eq(oracle_value(oracle, &s), values[_i].value);
	oracle_free(oracle);
	game_close(game);
}
END_TEST

/* Bouton: the player to move wins unless the exclusive or of the heaps is 0. */
START_TEST(nim_is_won_as_bouton_says)
{
	struct game *game = open_game("nim:4,5,6,7");
	struct oracle *oracle = oracle_new(game);
	for (unsigned code = 0; code < 5 * 6 * 7 * 8; code++) {
		unsigned a = code % 5, b = code / 5 % 6, c = code / 30 % 7, d = code / 210;
		char text[64];
		for (unsigned side = 0; side < 2; side++) {
			snprintf(text, sizeof text, "%u,%u,%u,%u %c", a, b, c, d, side ? 'o' : 'x');
			struct walk_state s = parse_position(game, text);
			bool mover = (a ^ b ^ c ^ d) != 0;
			ck_assert_msg(oracle_value(oracle, &s) == (mover == !side ? 1 : -1), "%s", text);
		}
	}
	oracle_free(oracle);
	game_close(game);
}
END_TEST

/* A board of at least two rows, with the side to move, as a text. */
static void board_text(unsigned width, unsigned height, uint32_t covered, char side, char *out)
{
	for (unsigned i = 0; i < height; i++) {
		unsigned run = 0;
		for (unsigned j = 0; j <= width; j++) {
			bool is_covered = j < width && covered >> (i * width + j) & 1;
			if (j < width && !is_covered) {
				run++;
				continue;
			}
			if (run)
				out += sprintf(out, "%u", run);
			run = 0;
			if (is_covered)
				*out++ = '#';
		}
		*out++ = i + 1 < height ? '/' : ' ';
	}
	*out++ = side;
	*out = 0;
}

static const struct {
	const char *game;
	unsigned width, height;
} whole[] = {
	{"domineering:4x3", 4, 3},
	{"domineering:3x4", 3, 4},
	{"domineering:6x2", 6, 2},
	{"domineering:2x6", 2, 6},
};

/* Every set of covered squares, either player to move: what the bounds decide is so, and within the plies they say. */
START_TEST(bounds_of_domineering_decide_what_is_so)
{
	struct game *game = open_game(whole[_i].game);
	struct oracle *oracle = oracle_new(game);
	unsigned decided = 0;
	for (uint32_t covered = 0; covered < UINT32_C(2) << (whole[_i].width * whole[_i].height); covered++) {
		char text[64];
		int value;
		struct game_theorem d;
		board_text(whole[_i].width, whole[_i].height, covered >> 1, covered & 1 ? 'h' : 'v', text);
		struct walk_state s = parse_position(game, text);
		if (game->rules->terminal(game, &s, &value) || game->rules->immediate_win(game, &s, &value) ||
		    !game->rules->theorem(game, &s, 1, &d, NULL))
			continue;
		unsigned rank;
		decided++;
		ck_assert_msg((oracle_value(oracle, &s) == 1) == d.proved, "%s", text);
		ck_assert(oracle_claim(oracle, &s, 1, &rank) == d.proved);
		ck_assert_msg(rank <= d.plies, "%s: %u plies, not %u", text, rank, d.plies);
	}
	ck_assert_uint_gt(decided, 100);
	oracle_free(oracle);
	game_close(game);
}
END_TEST

/* Random positions of larger boards. */
START_TEST(bounds_of_domineering_decide_what_is_so_on_larger_boards)
{
	static const char *const games[] = {"domineering:5x5", "domineering:6x4", "domineering:4x6"};
	struct game *game = open_game(games[_i]);
	struct oracle *oracle = oracle_new(game);
	uint64_t seed = walk_seed("games.last_move", 77);
	unsigned decided = 0;
	for (unsigned i = 0; i < effort_of(20000, 1000); i++) {
		struct walk_state s = {{0}};
		struct game_theorem d;
		int value;
		game->rules->start(game, &s);
		walk_on(game, &s, 3 + walk_below(&seed, 6), &seed);
		if (game->rules->terminal(game, &s, &value) || game->rules->immediate_win(game, &s, &value) ||
		    !game->rules->theorem(game, &s, 1, &d, NULL))
			continue;
		decided++;
		ck_assert_int_eq(oracle_value(oracle, &s), d.proved ? 1 : -1);
	}
	ck_assert_uint_gt(decided, 10);
	oracle_free(oracle);
	game_close(game);
}
END_TEST

static const struct {
	const char *game, *text, *word;
} refused[] = {
	{"domineering:4x4", "4/4/4/4", "the side to move"},
	{"domineering:4x4", "4/4/4 v", "more rows"},
	{"domineering:4x4", "4/4/4/5 v", "longer"},
	{"domineering:4x4", "a1b1", "one above the other"},
	{"domineering:4x4", "a1a2 a2b2", "covered"},
	{"domineering:4x4", "b2", "two squares of a domino"},
	{"nogo:3x3", "xo1/ox1/3 x", "no liberty"},
	{"nogo:3x3", "b1 c3 a2 a1", "forbid"},
	{"atari-go:2x2", "xo/ox x", "liberty"},
	{"atari-go:3x3", "1o1/o1o/1o1 x b2", "one letter"},
	{"atari-go:3x3", "a1 b1 c3 a2 c2", "over"},
	{"dots:1x1", "-/||/- x 0:0", "as many boxes"},
	{"dots:1x1", "a1b2", "next to each other"},
	{"dots:1x1", "a1b1 b1a1", "drawn already"},
	{"nim:3,4,5", "3,4,6 x", "more counters"},
	{"nim:3,4,5", "a3", "at least one"},
};

START_TEST(positions_that_are_none_are_refused)
{
	struct game *game = open_game(refused[_i].game);
	struct walk_state s;
	struct pd_fail fail = {0};
	ck_assert_int_eq(game->rules->parse(game, refused[_i].text, &s, &fail), PD_E_POSITION);
	ck_assert_msg(strstr(fail.text, refused[_i].word) != NULL, "%s: %s", refused[_i].text, fail.text);
	game_close(game);
}
END_TEST

/* Captures end Atari Go, and show; a stone may take a liberty that it captures to have. */
START_TEST(captures_end_atari_go)
{
	struct game *game = open_game("atari-go:3x3");
	struct walk_state s = parse_position(game, "a1 b1 c3 a2");
	int value = 0;
	ck_assert(game->rules->terminal(game, &s, &value));
	ck_assert_int_eq(value, -1);
	s = parse_position(game, "1xo/xo1/o2 o");
	game_move move;
	ck_assert_int_eq(game->rules->move_parse(game, &s, "a3", &move, NULL), PD_OK);
	game_close(game);
}
END_TEST

SUITE(last_move)
{
	tcase_set_timeout(c, 120);
	tcase_add_loop_test(c, small_boards_have_their_known_values, 0, (int)(sizeof values / sizeof values[0]));
	tcase_add_test(c, nim_is_won_as_bouton_says);
	tcase_add_loop_test(c, bounds_of_domineering_decide_what_is_so, 0, (int)(sizeof whole / sizeof whole[0]));
	tcase_add_loop_test(c, bounds_of_domineering_decide_what_is_so_on_larger_boards, 0, 3);
	tcase_add_loop_test(c, positions_that_are_none_are_refused, 0, (int)(sizeof refused / sizeof refused[0]));
	tcase_add_test(c, captures_end_atari_go);
}
