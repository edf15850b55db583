/* Rules against published counts, and against a second implementation square by square. */
#include <inttypes.h>
#include <stdlib.h>

#include "solver/games/game.h"
#include "tests/games/naive.h"
#include "tests/support/effort.h"
#include "tests/support/gamedata.h"
#include "tests/support/positions.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

/* A board that both implementations play. */
struct board {
	const char *name;
	int width, height, k;
	bool gravity;
	int depth;         /* of perft, so that the naive count takes well under a second */
	int turn, opening; /* as in naive.h */
	bool exact;
};

static const struct board boards[] = {
	{"connect4:7x6", 7, 6, 4, true, 6},
	{"connect4:4x4", 4, 4, 4, true, 9},
	{"connect4:5x4", 5, 4, 4, true, 8},
	{"connect4:4x5", 4, 5, 4, true, 9},
	{"connect4:3x5", 3, 5, 4, true, 10},
	{"connect4:2x9", 2, 9, 4, true, 15},
	{"connect4:1x9", 1, 9, 4, true, 10},
	{"connect4:9x1", 9, 1, 4, true, 7},
	{"connect4:8x2", 8, 2, 4, true, 6},
	{"connect4:5x3", 5, 3, 4, true, 9},
	{"connect4:12x4", 12, 4, 4, true, 5},
	{"connect4:4x15", 4, 15, 4, true, 8},
	{"connect4:1x63", 1, 63, 4, true, 63},
	{"connect4:32x1", 32, 1, 4, true, 4},
	{"mnk:3,3,3", 3, 3, 3, false, 9},
	{"mnk:4,3,3", 4, 3, 3, false, 6},
	{"mnk:3,4,3", 3, 4, 3, false, 6},
	{"mnk:4,4,4", 4, 4, 4, false, 6},
	{"mnk:2,2,2", 2, 2, 2, false, 4},
	{"mnk:5,2,3", 5, 2, 3, false, 7},
	{"mnk:7,1,2", 7, 1, 2, false, 7},
	{"mnk:1,7,3", 1, 7, 3, false, 7},
	{"mnk:3,3,1", 3, 3, 1, false, 9},
	{"mnk:3,3,4", 3, 3, 4, false, 9},
	{"mnk:8,8,2", 8, 8, 2, false, 4},
	{"mnk:64,1,2", 64, 1, 2, false, 4},
	{"mnk:5,5,3", 5, 5, 3, false, 5},
	{"connect4:8x8", 8, 8, 4, true, 5},
	{"connect4:9x7", 9, 7, 4, true, 5},
	{"connect4:10x6", 10, 6, 4, true, 5},
	{"connect4:35x2", 35, 2, 4, true, 3},
	{"connect4:3x31", 3, 31, 4, true, 9},
	{"connect4:4x31", 4, 31, 4, true, 8},
	{"connect4:1x64", 1, 64, 4, true, 64},
	{"connect4:16x7", 16, 7, 4, true, 4},
	{"mnk:9,8,3", 9, 8, 3, false, 3},
	{"mnk:64,6,3", 64, 6, 3, false, 2},
	{"mnk:30,4,2", 30, 4, 2, false, 3},
	{"mnk:19,19,6,2,1", 19, 19, 6, false, 2, 2, 1, false},
	{"mnk:20,20,2", 20, 20, 2, false, 2},
	{"mnk:15,15,5,exact", 15, 15, 5, false, 2, 1, 1, true},
	{"mnk:3,3,3,2,1", 3, 3, 3, false, 9, 2, 1, false},
	{"mnk:3,3,2,exact", 3, 3, 2, false, 9, 1, 1, true},
	{"mnk:4,3,2,2,1,exact", 4, 3, 2, false, 7, 2, 1, true},
	{"mnk:4,4,3,3,2", 4, 4, 3, false, 6, 3, 2, false},
	{"mnk:5,1,1,exact", 5, 1, 1, false, 5, 1, 1, true},
	{"mnk:1,9,2,2,3,exact", 1, 9, 2, false, 9, 2, 3, true},
	{"mnk:3,3,3,9,9", 3, 3, 3, false, 9, 9, 9, false},
	{"mnk:11,11,3,2,3,exact", 11, 11, 3, false, 3, 2, 3, true},
	{"mnk:64,1,3,1,2,exact", 64, 1, 3, false, 4, 1, 2, true},
};

enum { BOARD_COUNT = sizeof boards / sizeof boards[0] };

static uint64_t base_seed;
static const struct gamedata *anchors; /* tests/data/games */

static struct naive start_of(const struct board *b)
{
	struct naive n = naive_start(b->width, b->height, b->k, b->gravity);
	n.turn = b->turn;
	n.opening = b->opening;
	n.exact = b->exact;
	return n;
}

START_TEST(counts_are_the_published_ones)
{
	const struct gamedata_row *row = &anchors->row[_i];
	struct game *game = gamedata_open(row->column[0]);
	struct walk_state s;
	struct pd_fail fail;
	ck_assert_msg(!game->rules->parse(game, row->column[1], &s, &fail), "%s", fail.text);
	ck_assert_uint_eq(game_perft(game, &s, 0), 1);
	for (unsigned depth = 1; depth + 1 < row->columns; depth++) {
		uint64_t wanted = strtoull(row->column[depth + 1], NULL, 10);
		if (effort() < 100 && wanted > 300000)
			break;
		uint64_t count = game_perft(game, &s, depth);
		ck_assert_msg(count == wanted, "%s %s, depth %u: %" PRIu64, game->name, row->column[1], depth, count);
	}
	game_close(game);
}
END_TEST

START_TEST(counts_are_those_of_the_naive_implementation)
{
	const struct board *b = &boards[_i];
	struct naive n = start_of(b);
	struct game *game = open_game(b->name);
	struct walk_state s;
	game->rules->start(game, &s);
	for (int depth = 0; depth <= b->depth - (effort() < 100); depth++)
		ck_assert_uint_eq(game_perft(game, &s, (unsigned)depth), naive_perft(&n, depth));
	game_close(game);
}
END_TEST

/* The naive implementation's square of a move's code. */
static bool play_naive(struct naive *n, game_move move)
{
	return n->gravity ? naive_play(n, 0, move) : naive_play(n, move / n->width, move % n->width);
}

START_TEST(random_games_go_as_in_the_naive_implementation)
{
	const struct board *b = &boards[_i];
	struct game *game = open_game(b->name);
	const struct game_rules *rules = game->rules;
	uint64_t seed = base_seed + (uint64_t)_i;
	bool large = b->width * b->height > 64;
	for (int round = 0; round < (large ? 1 : 60); round++) {
		struct naive n = start_of(b);
		struct walk_state s;
		rules->start(game, &s);
		for (;;) {
			char text[GAME_TEXT_MAX], naive_text[GAME_TEXT_MAX];
			int value, naive_value, won;
			bool over = rules->terminal(game, &s, &value);
			rules->print(game, &s, text, sizeof text);
			naive_print(&n, naive_text);
			ck_assert_str_eq(text, naive_text);
			ck_assert_int_eq(over, naive_over(&n, &naive_value));
			if (over) {
				ck_assert_int_eq(value, naive_value);
				break;
			}
			ck_assert_int_eq(rules->first_to_move(game, &s), naive_mover(&n) == 'x');
			if (!large || n.plies % 13 == 0)
				ck_assert_int_eq(rules->immediate_win(game, &s, &won), naive_immediate_win(&n));
			game_move moves[400];
			unsigned count = rules->moves(game, &s, moves), legal = 0;
			for (int square = 0; square < (b->gravity ? b->width : b->width * b->height); square++) {
				struct naive next = n;
				legal += play_naive(&next, (game_move)square);
			}
			ck_assert_uint_eq(count, legal);
			game_move move = moves[walk_below(&seed, count)];
			rules->play(game, &s, move);
			ck_assert(play_naive(&n, move));
		}
	}
	game_close(game);
}
END_TEST

SUITE(perft)
{
	base_seed = walk_seed("games.perft", 7);
	anchors = gamedata_read("perft");
	tcase_set_timeout(c, 60);
	tcase_add_loop_test(c, counts_are_the_published_ones, 0, (int)anchors->count);
	tcase_add_loop_test(c, counts_are_those_of_the_naive_implementation, 0, BOARD_COUNT);
	tcase_add_loop_test(c, random_games_go_as_in_the_naive_implementation, 0, BOARD_COUNT);
}
