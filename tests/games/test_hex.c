/* Hex: against a naive implementation on a plain array, its keys on all positions of small boards, its texts and
 * refusals, and who wins. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/games/hex_naive.h"
#include "solver/games/board_picture.h"

/* --- opening ------------------------------------------------------------------------------ */

START_TEST(bad_parameters_are_refused)
{
	static const char *const bad[] = {"hex",     "hex:",    "hex:0",    "hex:20",        "hex:5x",    "hex:x5",
					  "hex:5x0", "hex:0x5", "hex:5x20", "hex:20x5",      "hex:5x5x5", "hex:5 ",
					  "hex:-5",  "hex:5,5", "hex:5X5",  "hex:4294967301"};
	for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct game *game = NULL;
		struct pd_fail fail = {0};
		ck_assert_msg(game_open(bad[i], NULL, &game, &fail) == PD_E_GAME, "%s", bad[i]);
		ck_assert_str_eq(fail.field, "game");
		ck_assert_msg(strstr(fail.text, "as in hex:5") || strstr(fail.text, "1 to 19"), "%s", fail.text);
		ck_assert_ptr_null(game);
	}
}
END_TEST

/* --- the same game ------------------------------------------------------------------------ */

static const struct board {
	int width, height;
	int depth; /* of perft, so that the naive count takes well under a second */
} boards[] = {
	{1, 1, 2},   {2, 2, 5},  {3, 3, 9},   {4, 4, 5},   {5, 5, 4},   {3, 2, 7},  {2, 3, 7},  {4, 2, 8},  {2, 5, 7},
	{1, 6, 6},   {6, 1, 6},  {8, 8, 3},   {9, 7, 2},   {7, 9, 2},   {9, 8, 2},  {9, 9, 2},  {11, 6, 2}, {11, 11, 2},
	{10, 11, 2}, {16, 8, 2}, {12, 12, 2}, {13, 13, 2}, {19, 19, 2}, {3, 19, 2}, {19, 7, 2},
};

enum { BOARDS = sizeof boards / sizeof boards[0] };

START_TEST(counts_are_those_of_the_naive_implementation)
{
	struct naive n = naive_start(boards[_i].width, boards[_i].height);
	struct game *game = opened_board(n.width, n.height);
	struct walk_state s;
	game->rules->start(game, &s);
	for (int depth = 0; depth <= boards[_i].depth; depth++)
		ck_assert_uint_eq(game_perft(game, &s, (unsigned)depth), naive_perft(&n, depth));
	game_close(game);
}
END_TEST

static void same_letters(const struct game *game, const void *state, const struct naive *n)
{
	char text[GAME_TEXT_MAX];
	int cell = 0;
	game_picture(game, state, text, sizeof text);
	for (const char *p = strchr(text, '\n'); *p && cell < n->width * n->height; p++)
		if (strchr(".xo", *p)) {
			ck_assert_int_eq(*p, n->cell[cell / n->width][cell % n->width]);
			cell++;
		}
	ck_assert_int_eq(cell, n->width * n->height);
}

START_TEST(random_games_go_as_in_the_naive_implementation)
{
	struct game *game = opened_board(boards[_i].width, boards[_i].height);
	const struct game_rules *rules = game->rules;
	uint64_t seed = walk_seed("games.hex", 3) + (uint64_t)_i;
	for (int round = 0; round < 30; round++) {
		struct naive n = naive_start(boards[_i].width, boards[_i].height);
		struct walk_state s;
		rules->start(game, &s);
		for (;;) {
			uint8_t key[GAME_KEY_MAX], naive[GAME_KEY_MAX];
			int value, naive_value, won;
			bool over = rules->terminal(game, &s, &value);
			same_letters(game, &s, &n);
			size_t size = naive_key(&n, naive);
			ck_assert_uint_eq(rules->key(game, &s, key), size);
			ck_assert_mem_eq(key, naive, size);
			ck_assert_int_eq(over, naive_over(&n, &naive_value));
			if (over) {
				ck_assert_int_eq(value, naive_value);
				break;
			}
			ck_assert_int_eq(rules->first_to_move(game, &s), !n.second);
			ck_assert_int_eq(rules->immediate_win(game, &s, &won), naive_immediate_win(&n));
			game_move moves[400];
			unsigned count = rules->moves(game, &s, moves);
			ck_assert_uint_eq(count, (unsigned)naive_stones(&n, '.'));
			game_move move = moves[walk_below(&seed, count)];
			rules->play(game, &s, move);
			ck_assert(naive_play(&n, move));
		}
	}
	game_close(game);
}
END_TEST

/* --- keys --------------------------------------------------------------------------------- */

/* All that unkey takes are the keys of the boards that come up, a board and its image counted once. */
START_TEST(keys_stand_for_boards_that_come_up)
{
	int width = small[_i].width, height = small[_i].height, cells = width * height;
	struct game *game = opened_board(width, height);
	struct naive start = naive_start(width, height);
	unsigned boards_all = 1, classes = 0, taken = 0;
	for (int cell = 0; cell < cells; cell++)
		boards_all *= 3;
	bool *seen = calloc(boards_all, sizeof *seen);
	mark_reachable(&start, 0, seen);
	for (unsigned number = 0; number < boards_all; number++) {
		struct naive n = board_of(width, height, number);
		uint8_t key[GAME_KEY_MAX], again[GAME_KEY_MAX];
		struct walk_state s;
		size_t size = naive_key(&n, key);
		unsigned image = turned(number, cells);
		ck_assert_int_eq(seen[number], seen[image]);
		classes += seen[number] && number <= image;
		ck_assert_int_eq(game->rules->unkey(game, key, size, &s) == PD_OK, seen[number]);
		if (seen[number]) {
			ck_assert_uint_eq(game->rules->key(game, &s, again), size);
			ck_assert_mem_eq(again, key, size);
		}
	}
	/* Every string of bits that can have two stones on a cell, or be the larger of two images. */
	for (uint32_t number = 0; number < 1u << 2 * cells; number++) {
		uint8_t key[4] = {(uint8_t)number, (uint8_t)(number >> 8), (uint8_t)(number >> 16)};
		struct walk_state s;
		taken += game->rules->unkey(game, key, game->key_size_max - 1, &s) == PD_OK;
	}
	ck_assert_uint_eq(taken, classes);
	free(seen);
	game_close(game);
}
END_TEST

/* --- text --------------------------------------------------------------------------------- */

START_TEST(one_position_has_many_texts_and_one_key)
{
	static const struct {
		const char *game, *a, *b;
		bool same;
	} pairs[] = {
		{"hex:3", "a1", "c3", true},
		{"hex:3", "a1,b1 , c1", "\tc1 b1  a1 ", true},
		{"hex:3", "a1 b1", "c3 b3", true},
		{"hex:3", "a1 b1", "b1 a1", false},
		{"hex:3", "a3", "c1", true},
		{"hex:3", "a1", "a3", false},
		{"hex:4x3", "a1", "d3", true},
		{"hex:4x3", "a1 b2", "d3 c2", true},
		{"hex:11", "a1 k11", "k11 a1", true},
		{"hex:9x8", "a1 b1 c1", "i8 h8 g8", true},
		{"hex:3", "", "3/3/3", true},
		{"hex:3", "", "3/3/3 x", true},
		{"hex:3", "", "3/3/3 o", false},
		{"hex:3", "a1", "x2/3/3 o", true},
		{"hex:3", "a1", "3/3/2x", true},
		{"hex:3", "x2/3/3 x", "x2/3/3 o", false},
		{"hex:3", "x2/3/3 x", "3/3/2x x", true},
		{"hex:3", "xx1/3/3 o", "3/3/1xx o", true},
		{"hex:4x3", "xx2/4/3o x", "o3/4/2xx  x", true},
		{"hex:1", "1/ o", "1/", false},
	};
	for (unsigned i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
		struct game *game = open_game(pairs[i].game);
		uint8_t k[GAME_KEY_MAX], l[GAME_KEY_MAX];
		struct walk_state s = parse_position(game, pairs[i].a), t = parse_position(game, pairs[i].b);
		size_t size = game->rules->key(game, &s, k);
		bool same = game->rules->key(game, &t, l) == size && !memcmp(k, l, size);
		ck_assert_msg(same == pairs[i].same, "%s, %s", pairs[i].a, pairs[i].b);
		game_close(game);
	}
}
END_TEST

static const struct {
	const char *game, *text, *says;
} bad_positions[] = {
	{"hex:3", "a1 a1", "index 3 (counted from 0), 'a1': the square is taken"},
	{"hex:3", "a1 d1", "index 3 (counted from 0), 'd1': the square is not on the board; the squares are a1 to c3"},
	{"hex:3", "a1 b4", "not on the board"},
	{"hex:3", "a1 b0", "not on the board"},
	{"hex:3", "a1b2", "index 0 (counted from 0), 'a1b2': something follows the move"},
	{"hex:3", "a1 11", "index 3 (counted from 0), '11': a square is"},
	{"hex:3", "a1 A2", "'A2': a square is"},
	{"hex:3", "a1  \xc3\xa9", "index 4 (counted from 0), '"},
	{"hex:3", "a1 c3 a2 c2 a3 c1", "index 15 (counted from 0), 'c1': the game is over"},
	{"hex:3", "a1 c3 a2 c2 a3 z9", "index 15 (counted from 0), 'z9': the square is not on the board"},
	{"hex:3", "3/3/3 z", "index 6 (counted from 0), 'z': the side to move is one letter"},
	{"hex:3", "3/3", "index 3 (counted from 0), '': the board has more rows"},
	{"hex:3", "3/3/4 x", "index 4 (counted from 0), '4 x': the row is longer"},
	{"hex:3", "3/3/2 x", "index 5 (counted from 0), ' x': the row is shorter"},
	{"hex:3", "3/x#1/3 x", "index 3 (counted from 0), '#1/3 x': a row is made of letters"},
	{"hex:3", "3/3/3/3 x", "index 5 (counted from 0), '/3 x': the board has no more rows"},
	{"hex:3", "3/3/3 xo", "the side to move is one letter"},
	{"hex:3", "xx1/3/3", "the number of stones does not tell who is to move"},
	{"hex:3", "oo1/1x1/3", "does not tell who is to move"},
	{"hex:4x3", "d4", "the squares are a1 to d3"},
	{"hex:11", "l1", "the squares are a1 to k11"},
	{"hex:19", "t1", "the squares are a1 to s19"},
	{"hex:11", "a12", "not on the board"},
	{"hex:11", "a4294967297", "a square is"},
};

START_TEST(a_bad_position_is_refused_with_the_place)
{
	for (unsigned i = 0; i < sizeof bad_positions / sizeof bad_positions[0]; i++)
		check_refused_position(bad_positions[i].game, bad_positions[i].text, bad_positions[i].says);
}
END_TEST

START_TEST(chains_end_the_game)
{
	static const struct {
		const char *game, *text, *printed;
		int value; /* 0: the game goes on */
	} games[] = {
		{"hex:3", "a1 c3 a2 c2 a3", "a2 c2 a3 c3 a1", 1}, /* a column is a chain from the top to the bottom */
		{"hex:3", "c1 a1 b2 a2 a3", "b2 a1 a3 a2 c1", 1}, /* and so is the short diagonal */
		{"hex:3", "a1 a2 b2 a3 c3", "a1 a2 b2 a3 c3", 0}, /* the long diagonal is none */
		{"hex:3", "a1 a2 c1 b2 c3 c2", "a1 b2 c1 c2 c3 a2", -1},
		{"hex:3", "c3 a2 b3 b2 a1 c1", "a1 a2 b3 b2 c3 c1", -1},
		{"hex:3", "b1 a1 b2 a2 a3", "b2 a1 a3 a2 b1", 1},
		{"hex:1", "a1", "a1", 1},
		{"hex:4x1", "c1", "c1", 1},
		{"hex:1x4", "a3 a2", "a3 a2", -1},
		{"hex:2x2", "a1 b2", "a1 b2", 0},
		{"hex:1", "", "", 0},
	};
	for (unsigned i = 0; i < sizeof games / sizeof games[0]; i++) {
		struct game *game = open_game(games[i].game);
		int value = 0;
		char text[GAME_TEXT_MAX];
		struct walk_state s = parse_position(game, games[i].text);
		ck_assert_msg(game->rules->terminal(game, &s, &value) == (games[i].value != 0), "%s", games[i].text);
		ck_assert_int_eq(value, games[i].value);
		game->rules->print(game, &s, text, sizeof text);
		ck_assert_str_eq(text, games[i].printed);
		game_close(game);
	}
}
END_TEST

START_TEST(moves_begin_in_the_centre)
{
	static const struct {
		const char *game, *moves, *unique_moves;
	} orders[] = {
		{"hex:2", "b1 a2 a1 b2", "b1 a1"},
		{"hex:3", "b2 b1 c1 a2 c2 a3 b3 a1 c3", "b2 b1 c1 a2 a1"},
		{"hex:3x1", "b1 a1 c1", "b1 a1"},
	};
	for (unsigned i = 0; i < sizeof orders / sizeof orders[0]; i++) {
		check_move_order(orders[i].game, false, orders[i].moves);
		check_move_order(orders[i].game, true, orders[i].unique_moves);
	}
}
END_TEST

START_TEST(pictures_show_the_board)
{
	char text[GAME_TEXT_MAX];
	struct game *game = open_game("hex:4x3");
	struct walk_state s = parse_position(game, "b2 c1 d3");
	game_picture(game, &s, text, sizeof text);
	ck_assert_str_eq(text, " a b c d\n1 . . o .\n 2 . x . .\n  3 . . . x\nWhite (o) to move\n");
	game_close(game);
}
END_TEST

/* --- who wins ----------------------------------------------------------------------------- */

/* Boards on which everything can be tried; the opening moves that win, where they are published. */
static const struct {
	int width, height;
	const char *winning;
} openings[] = {
	{1, 1, "a1"}, {2, 2, "b1 a2"}, {3, 3, "c1 a2 b2 c2 a3"}, {4, 4, "d1 c2 b3 a4"}, {3, 4, ""}, {2, 3, ""},
	{3, 2, NULL}, {4, 3, NULL},
};

enum { OPENINGS = sizeof openings / sizeof openings[0] };

START_TEST(every_opening_move_is_worth_what_trying_everything_says)
{
	struct naive start = naive_start(openings[_i].width, openings[_i].height);
	struct game *game = opened_board(start.width, start.height);
	int cells = start.width * start.height;
	size_t numbers = 1;
	char winning[128] = "";
	for (int cell = 0; cell < cells; cell++)
		numbers *= 3;
	uint8_t *known = calloc(numbers, 2);
	ck_assert_ptr_nonnull(known);
	for (int cell = 0, weight = 1; cell < cells; cell++, weight *= 3) {
		struct naive n = start;
		char text[16];
		ck_assert(naive_play(&n, cell));
		snprintf(text, sizeof text, "%c%d", 'a' + cell % start.width, cell / start.width + 1);
		bool first = first_wins(&n, (unsigned)weight, known);
		for (int a = 0; a <= PN_ALGORITHM_LAST; a++) {
			if (a == PN_MINIMAL && cells > 12)
				continue; /* the smallest proof takes more nodes than there is room for */
			ck_assert_int_eq(
				solve_position(game, text, a % 2 ? "second-wins" : "first-wins", (enum pn_algorithm)a),
				first ? 1 : -1);
		}
		if (first)
			snprintf(winning + strlen(winning), sizeof winning - strlen(winning), "%s%s",
				 *winning ? " " : "", text);
	}
	if (openings[_i].winning)
		ck_assert_str_eq(winning, openings[_i].winning);
	free(known);
	game_close(game);
}
END_TEST

/* On a board with equal sides the one who moves first wins (nothing is gained by passing); on another the one whose
 * edges are nearer, whichever side moves first. */
START_TEST(the_nearer_edges_win)
{
	static const char *const claims[] = {"value", "first-wins", "second-wins", "first-draws", "second-draws"};
	for (int width = 1; width <= 5; width++)
		for (int height = 1; height <= 4; height++) {
			struct game *game = opened_board(width, height);
			int value = solve_position(game, "", claims[(width + height) % 5], PN_PDS_PN);
			ck_assert_msg(value == (width >= height ? 1 : -1), "%s", game->name);
			game_close(game);
		}
}
END_TEST

SUITE(hex)
{
	tcase_set_timeout(c, 120);
	tcase_add_test(c, bad_parameters_are_refused);
	tcase_add_loop_test(c, counts_are_those_of_the_naive_implementation, 0, BOARDS);
	tcase_add_loop_test(c, random_games_go_as_in_the_naive_implementation, 0, BOARDS);
	tcase_add_loop_test(c, keys_stand_for_boards_that_come_up, 0, SMALL);
	tcase_add_test(c, one_position_has_many_texts_and_one_key);
	tcase_add_test(c, a_bad_position_is_refused_with_the_place);
	tcase_add_test(c, chains_end_the_game);
	tcase_add_test(c, moves_begin_in_the_centre);
	tcase_add_test(c, pictures_show_the_board);
	tcase_add_loop_test(c, every_opening_move_is_worth_what_trying_everything_says, 0,
			    effort() < 100 ? OPENINGS - 1 : OPENINGS);
	tcase_add_test(c, the_nearer_edges_win);
}
