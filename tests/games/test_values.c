/* Values: what the oracle finds about small boards is what is known about them, and scored positions end as their
 * scores say. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solver/games/game.h"
#include "tests/support/oracle.h"
#include "tests/support/positions.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

static int value_of(const char *name)
{
	struct game *game = open_game(name);
	struct oracle *oracle = oracle_new(game);
	struct walk_state s;
	game->rules->start(game, &s);
	int value = oracle_value(oracle, &s);
	oracle_free(oracle);
	game_close(game);
	return value;
}

/* The rows of a table whose boards have few enough squares for the oracle; a line is the parameters, a tab, and W, D or
 * L. */
static void check_table(const char *game, const char *file, unsigned squares_max, unsigned rows_expected)
{
	char path[512], line[256], name[96], parameters[64], result;
	unsigned width, height, checked = 0;
	snprintf(path, sizeof path, "%s/%s", TEST_DATA, file);
	FILE *f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof line, f)) {
		if (line[0] == '#')
			continue;
		ck_assert_int_eq(sscanf(line, "%63s %c", parameters, &result), 2);
		ck_assert_int_eq(sscanf(parameters, "%u%*[x,]%u", &width, &height), 2);
		if (width * height > squares_max)
			continue;
		snprintf(name, sizeof name, "%s:%s", game, parameters);
		ck_assert_msg(value_of(name) == (result == 'W' ? 1 : result == 'D' ? 0 : -1), "%s", name);
		checked++;
	}
	fclose(f);
	ck_assert_uint_eq(checked, rows_expected);
}

START_TEST(small_boards_of_connect4_have_their_published_values)
{
	check_table("connect4", "connect4/values.tsv", 20, 3);
}
END_TEST

START_TEST(small_boards_of_mnk_have_their_known_values)
{
	check_table("mnk", "mnk/values.tsv", 16, 3);
}
END_TEST

/* W wins for First, D draws; one letter for k = 1, 2, ... */
static const struct {
	unsigned width, height;
	const char *values;
} mnk_boards[] = {
	{1, 1, "WDD"},  {2, 1, "WDD"},   {3, 1, "WWDD"},  {4, 1, "WWDDD"}, {5, 1, "WWDDDD"},
	{8, 1, "WWDD"}, {2, 2, "WWDD"},  {3, 2, "WWDD"},  {4, 2, "WWDDD"}, {5, 2, "WWDDDD"},
	{3, 3, "WWDD"}, {4, 3, "WWWDD"}, {3, 4, "WWWDD"},
};

START_TEST(every_k_has_its_value)
{
	for (unsigned k = 1; k <= strlen(mnk_boards[_i].values); k++) {
		char name[64];
		snprintf(name, sizeof name, "mnk:%u,%u,%u", mnk_boards[_i].width, mnk_boards[_i].height, k);
		ck_assert_msg(value_of(name) == (mnk_boards[_i].values[k - 1] == 'W' ? 1 : 0), "%s", name);
	}
}
END_TEST

/* Turns of several stones and exact lines: by full search in a program of its own, in Python, bits of whole numbers as
 * boards and lines counted from the last stone. */
static const struct {
	const char *game;
	int value;
} mnk_turns[] = {
	{"mnk:2,2,2,2,1", -1},       {"mnk:4,2,2,2,1", -1},       {"mnk:3,3,3,3,1", -1},
	{"mnk:4,3,3,3,1", -1},       {"mnk:3,3,3,2,1", 1},        {"mnk:3,3,3,1,2", 1},
	{"mnk:3,3,3,2,2", 1},        {"mnk:4,3,4,2,1", 0},        {"mnk:4,3,4,3,1", 0},
	{"mnk:4,3,3,3,2,exact", -1}, {"mnk:3,3,2,exact", 1},      {"mnk:5,1,2,exact", 1},
	{"mnk:6,1,2,exact", 1},      {"mnk:7,1,2,exact", 1},      {"mnk:6,1,3,2,1,exact", 0},
	{"mnk:6,2,3,2,1,exact", 0},  {"mnk:6,2,3,3,1,exact", -1}, {"mnk:4,3,3,2,1,exact", 1},
	{"mnk:3,3,3,3,1,exact", -1}, {"mnk:5,2,2,exact", 1},      {"mnk:8,1,3,3,1,exact", -1},
	{"mnk:8,1,3,3,1", -1},       {"mnk:9,1,3,2,2,exact", 1},  {"mnk:4,3,3,exact", 1},
};

START_TEST(long_turns_and_exact_lines_have_their_values)
{
	for (unsigned i = 0; i < sizeof mnk_turns / sizeof mnk_turns[0]; i++)
		ck_assert_msg(value_of(mnk_turns[i].game) == mnk_turns[i].value, "%s", mnk_turns[i].game);
}
END_TEST

START_TEST(a_board_too_narrow_for_a_line_is_drawn)
{
	ck_assert_int_eq(value_of("connect4:3x3"), 0);
	ck_assert_int_eq(value_of("connect4:1x63"), 0);
	ck_assert_int_eq(value_of("connect4:1x64"), 0);
	ck_assert_int_eq(value_of("connect4:2x6"), 0);
	ck_assert_int_eq(value_of("mnk:3,3,64"), 0);
}
END_TEST

/* The plies until the game is decided, from a score: the winner's last stone is its (22 - |score|)-th. */
static unsigned plies_of(int score, unsigned plies_played)
{
	unsigned mine = plies_played / 2, theirs = plies_played - mine, winner_stones = 22 - (unsigned)abs(score);
	return score > 0 ? 2 * (winner_stones - mine) - 1 : 2 * (winner_stones - theirs);
}

/* One line of a test set: the position parses, its board form is the same position, and the oracle agrees when few
 * squares are empty. */
static bool check_line(const struct game *game, struct oracle *oracle, const char *columns, int score,
		       unsigned empty_max)
{
	struct walk_state s, t;
	struct pd_fail fail;
	char text[GAME_TEXT_MAX];
	unsigned played = (unsigned)strlen(columns), rank;
	ck_assert_msg(game->rules->parse(game, columns, &s, &fail) == PD_OK, "%s: %s", columns, fail.text);
	ck_assert_int_eq(game->rules->first_to_move(game, &s), played % 2 == 0);
	game->rules->print(game, &s, text, sizeof text);
	ck_assert_msg(game->rules->parse(game, text, &t, &fail) == PD_OK, "%s: %s", text, fail.text);
	ck_assert_mem_eq(&s, &t, game->state_size);
	if (42 - played > empty_max)
		return false;
	int mover = (score > 0) - (score < 0), first = played % 2 ? -mover : mover;
	ck_assert_msg(oracle_value(oracle, &s) == first, "%s: %d", columns, score);
	if (score) {
		ck_assert_int_eq(oracle_claim(oracle, &s, first > 0 ? 1 : 0, &rank), first > 0);
		ck_assert_msg(rank == plies_of(score, played), "%s: %u plies, score %d", columns, rank, score);
	}
	return true;
}

static const struct {
	const char *file;
	unsigned empty_max, solved_at_least;
} sets[] = {
	{"easy-end", 12, 150}, {"easy-middle", 14, 1},  {"medium-end", 15, 1},
	{"easy-begin", 0, 0},  {"medium-middle", 0, 0}, {"hard-begin", 0, 0},
};

START_TEST(scored_positions_end_as_their_scores_say)
{
	char path[512], columns[64];
	int score;
	unsigned lines = 0, solved = 0;
	struct game *game = open_game("connect4:7x6");
	struct oracle *oracle = oracle_new(game);
	snprintf(path, sizeof path, "%s/connect4/%s.txt", TEST_DATA, sets[_i].file);
	FILE *f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	while (fscanf(f, "%63s %d", columns, &score) == 2) {
		solved += check_line(game, oracle, columns, score, sets[_i].empty_max);
		lines++;
	}
	fclose(f);
	ck_assert_uint_eq(lines, 200);
	ck_assert_uint_ge(solved, sets[_i].solved_at_least);
	oracle_free(oracle);
	game_close(game);
}
END_TEST

SUITE(values)
{
	tcase_set_timeout(c, 100);
	tcase_add_test(c, small_boards_of_connect4_have_their_published_values);
	tcase_add_test(c, small_boards_of_mnk_have_their_known_values);
	tcase_add_loop_test(c, every_k_has_its_value, 0, (int)(sizeof mnk_boards / sizeof mnk_boards[0]));
	tcase_add_test(c, long_turns_and_exact_lines_have_their_values);
	tcase_add_test(c, a_board_too_narrow_for_a_line_is_drawn);
	tcase_add_loop_test(c, scored_positions_end_as_their_scores_say, 0, (int)(sizeof sets / sizeof sets[0]));
}
