/* Lines of Action: recorded games and positions, forced wins, a second implementation square by square, texts and
 * refusals, and the disputed points on positions chosen by hand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solver/games/board_picture.h"
#include "tests/games/loa_positions.h"

enum { PASS = 0xfffe, LINE = 4096 };

static uint64_t base_seed;

/* --- recorded games ----------------------------------------------------------------------- */

static FILE *opened_file(const char *name)
{
	char path[512];
	snprintf(path, sizeof path, "%s/loa/%s", TEST_DATA, name);
	FILE *file = fopen(path, "r");
	ck_assert_msg(file != NULL, "%s", path);
	return file;
}

static const struct {
	const char *file;
	int plies;
	bool over;
} games[] = {
	{"appendix_E_game1.txt", 36, true}, {"appendix_E_game2.txt", 33, true},
	{"appendix_E_game3.txt", 36, true}, {"appendix_E_game4.txt", 33, true},
	{"appendix_E_game5.txt", 34, true}, {"appendix_E_game6.txt", 38, true},
	{"appendix_E_game7.txt", 35, true}, {"appendix_F_game1_incomplete.txt", 36, false},
	{"appendix_F_game2.txt", 39, true}, {"appendix_F_game3.txt", 47, true},
	{"appendix_F_game4.txt", 39, true}, {"appendix_F_game5.txt", 42, true},
	{"appendix_F_game6.txt", 41, true}, {"appendix_F_game7.txt", 35, true},
	{"appendix_F_game8.txt", 43, true}, {"shortest_game.txt", 9, true},
};

START_TEST(a_recorded_game_goes_to_its_end)
{
	struct game *game = open_game("loa:8");
	const struct game_rules *rules = game->rules;
	struct walk_state s = parse_position(game, "");
	char path[128], word[32], text[LINE] = "";
	int plies = 0, value = 0;
	bool over = false;
	snprintf(path, sizeof path, "games/%s", games[_i].file);
	FILE *file = opened_file(path);
	while (fscanf(file, "%31s", word) == 1) {
		game_move move;
		struct pd_fail fail;
		char back[32];
		if (strchr(word, '.'))
			continue;
		ck_assert_msg(!over, "%s: the game is over before ply %d", games[_i].file, plies + 1);
		ck_assert_msg(rules->move_parse(game, &s, word, &move, &fail) == PD_OK, "%s", fail.text);
		rules->move_print(game, &s, move, back, sizeof back);
		ck_assert_str_eq(back, word);
		rules->play(game, &s, move);
		over = rules->terminal(game, &s, &value);
		plies++;
		strcat(strcat(text, plies % 2 ? " " : ", "), word);
	}
	fclose(file);
	ck_assert_int_eq(plies, games[_i].plies);
	ck_assert_int_eq(over, games[_i].over);
	if (over) /* who moved last has won */
		ck_assert_int_eq(value, plies % 2 ? 1 : -1);
	struct walk_state t = parse_position(game, text);
	ck_assert(!memcmp(&s, &t, game->state_size));
	game_close(game);
}
END_TEST

/* --- recorded positions ------------------------------------------------------------------- */

/* The board of 64 letters from a1 on, as a position's text. */
static void text_of(const char *board, char side, char *out)
{
	for (int row = 7; row >= 0; row--) {
		for (int column = 0; column < 8; column++) {
			char c = board[8 * row + column];
			*out++ = c == 'x' ? 'b' : c == 'o' ? 'w' : '1';
		}
		*out++ = row ? '/' : ' ';
	}
	*out++ = side == 'x' ? 'b' : 'w';
	*out = 0;
}

static int compare_words(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* All moves as text, sorted, with blanks between. */
static void moves_as_text(const struct game *game, const void *state, char *out)
{
	game_move moves[GAME_MOVES_MAX];
	static char words[GAME_MOVES_MAX][8];
	static char *order[GAME_MOVES_MAX];
	unsigned n = game->rules->moves(game, state, moves);
	for (unsigned i = 0; i < n; i++) {
		game->rules->move_print(game, state, moves[i], words[i], sizeof words[i]);
		order[i] = words[i];
	}
	qsort(order, n, sizeof *order, compare_words);
	*out = 0;
	for (unsigned i = 0; i < n; i++)
		out += sprintf(out, "%s%s", i ? " " : "", order[i]);
}

START_TEST(recorded_positions_have_the_recorded_moves)
{
	struct game *game = open_game("loa:8");
	FILE *file = opened_file("legal_moves.tsv");
	char line[LINE], text[128], found[LINE];
	unsigned count = 0;
	while (fgets(line, sizeof line, file)) {
		line[strcspn(line, "\n")] = 0;
		if (line[0] == '#')
			continue;
		ck_assert_msg(line[64] == '\t' && line[66] == '\t', "%s", line);
		text_of(line, line[65], text);
		struct walk_state s = parse_position(game, text);
		moves_as_text(game, &s, found);
		ck_assert_str_eq(found, line + 67);
		count++;
	}
	fclose(file);
	ck_assert_uint_eq(count, 12);
	game_close(game);
}
END_TEST

/* Whether First (or Second) can force a win within that many plies. */
static bool forces(const struct game *game, const struct walk_state *s, bool first, unsigned plies)
{
	game_move moves[GAME_MOVES_MAX];
	int value;
	if (game->rules->terminal(game, s, &value))
		return value == (first ? 1 : -1);
	if (plies == 0)
		return false;
	bool mine = game->rules->first_to_move(game, s) == first;
	unsigned n = game->rules->moves(game, s, moves);
	for (unsigned i = 0; i < n; i++) {
		struct walk_state child = play_copy(game, s, moves[i]);
		if (forces(game, &child, first, plies - 1) == mine)
			return mine;
	}
	return !mine;
}

/* +d and -d for a win or loss of the side to move in exactly d plies, 0 for none in 5 and 4. */
static int outcome(const struct game *game, const struct walk_state *s)
{
	bool first = game->rules->first_to_move(game, s);
	for (unsigned plies = 1; plies <= 5; plies++)
		if (forces(game, s, first, plies))
			return (int)plies;
	for (unsigned plies = 1; plies <= 4; plies++)
		if (forces(game, s, !first, plies))
			return -(int)plies;
	return 0;
}

START_TEST(late_positions_are_won_and_lost_as_recorded)
{
	struct game *games_of[2] = {open_game("loa:8"), open_game("loa:8,simultaneous=mover")};
	FILE *file = opened_file("tails.tsv");
	char line[LINE], board[65], side, text[128];
	unsigned count = 0;
	while (fgets(line, sizeof line, file)) {
		int expected[2];
		if (line[0] == '#')
			continue;
		ck_assert_msg(sscanf(line, "%*s %*d %64s %c %d %d", board, &side, &expected[0], &expected[1]) == 4,
			      "%s", line);
		text_of(board, side, text);
		for (unsigned i = 0; i < 2; i++) {
			struct walk_state s = parse_position(games_of[i], text);
			ck_assert_msg(outcome(games_of[i], &s) == expected[i], "%s", line);
		}
		count++;
	}
	fclose(file);
	ck_assert_uint_eq(count, 64);
	game_close(games_of[0]);
	game_close(games_of[1]);
}
END_TEST

/* --- disputed points ---------------------------------------------------------------------- */

static const struct {
	const char *game, *before, *move; /* no move: the position is over as given */
	bool over;
	int value;
} ends[] = {
	/* Black takes c1, is connected, and leaves White a single man. */
	{"loa:4", "w3/4/2b1/b1w1 b", "a1xc1", true, 0},
	{"loa:4,nomove=loss", "w3/4/2b1/b1w1 b", "a1xc1", true, 0},
	{"loa:4,simultaneous=mover", "w3/4/2b1/b1w1 b", "a1xc1", true, 1},
	{"loa:4,simultaneous=mover", "b3/4/2w1/w1b1 w", "a1xc1", true, -1},
	/* The same without being connected: White wins by Black's capture. */
	{"loa:4", "w1b1/4/4/b1w1 b", "a1xc1", true, -1},
	{"loa:4,simultaneous=mover", "w1b1/4/4/b1w1 b", "a1xc1", true, -1},
	/* Connected as given: who is not to move has moved last. */
	{"loa:4", "w3/4/2bb/4 w", NULL, true, 0},
	{"loa:4", "w3/4/2bb/4 b", NULL, true, 0},
	{"loa:4,simultaneous=mover", "w3/4/2bb/4 w", NULL, true, 1},
	{"loa:4,simultaneous=mover", "w3/4/2bb/4 b", NULL, true, -1},
	{"loa:4", "w2w/4/2bb/4 w", NULL, true, 1},
	{"loa:4", "w2w/4/2bb/4 b", NULL, true, 1},
	{"loa:4", "w2w/4/2b1/4 b", NULL, true, 1},
	{"loa:4", "b2b/4/2w1/4 b", NULL, true, -1},
	/* Diagonal neighbours are connected; the edges of the board are not. */
	{"loa:5", "w3w/1b3/2b2/3b1/4w b", NULL, true, 1},
	{"loa:5", "w3w/4b/b4/5/4w b", NULL, false, 0},
	{"loa:8", "w6w/8/8/7b/b7/8/8/8 b", NULL, false, 0},
	/* Black has no move: a4 and d4 would land on each other, or jump White. */
	{"loa:4", "bw1b/wwww/4/1w1w b", "pass", false, 0},
	{"loa:4,nomove=loss", "bw1b/wwww/4/1w1w b", NULL, true, -1},
	{"loa:4,nomove=loss", "wb1w/bbbb/4/1b1b w", NULL, true, 1},
	/* Neither side has a move; passing goes on for ever. */
	{"loa:4", "bwww/wwbw/bbbb/wbwb b", "pass", false, 0},
	{"loa:4,nomove=loss", "bwww/wwbw/bbbb/wbwb b", NULL, true, -1},
	{"loa:4,nomove=loss", "bwww/wwbw/bbbb/wbwb w", NULL, true, 1},
	/* Who is connected has won, even if the other cannot move. */
	{"loa:4,nomove=loss", "bw1b/wwww/4/4 b", NULL, true, -1},
};

START_TEST(the_game_ends_as_the_options_say)
{
	struct game *game = open_game(ends[_i].game);
	struct walk_state s = parse_position(game, ends[_i].before);
	int value = 99;
	if (ends[_i].move) {
		game_move move;
		struct pd_fail fail;
		ck_assert(!game->rules->terminal(game, &s, &value));
		ck_assert_msg(game->rules->move_parse(game, &s, ends[_i].move, &move, &fail) == PD_OK, "%s", fail.text);
		game->rules->play(game, &s, move);
	}
	ck_assert_int_eq(game->rules->terminal(game, &s, &value), ends[_i].over);
	if (ends[_i].over)
		ck_assert_int_eq(value, ends[_i].value);
	game_close(game);
}
END_TEST

START_TEST(a_pass_is_the_one_move_of_who_has_no_other)
{
	struct game *game = open_game("loa:4");
	struct walk_state s = parse_position(game, "bw1b/wwww/4/1w1w b"), first = s;
	game_move moves[GAME_MOVES_MAX], move;
	char text[8];
	struct pd_fail fail;
	ck_assert_uint_eq(game->rules->moves(game, &s, moves), 1);
	ck_assert_uint_eq(moves[0], PASS);
	ck_assert_uint_eq(game_canon(game, &s, PASS, false), PASS);
	game->rules->move_print(game, &s, PASS, text, sizeof text);
	ck_assert_str_eq(text, "pass");
	ck_assert_int_eq(game->rules->move_parse(game, &s, "a4-b4", &move, &fail), PD_E_MOVE);
	ck_assert_ptr_nonnull(strstr(fail.text, "passes"));
	game->rules->play(game, &s, PASS);
	struct walk_state white = parse_position(game, "bw1b/wwww/4/1w1w w");
	ck_assert(!memcmp(&s, &white, game->state_size));
	ck_assert_int_eq(game->rules->move_parse(game, &s, "pass", &move, &fail), PD_E_MOVE);
	ck_assert_uint_gt(game->rules->moves(game, &s, moves), 1);
	/* Two passes in a row come back to the same position: the game has cycles of two plies. */
	s = first = parse_position(game, "bwww/wwbw/bbbb/wbwb b");
	game->rules->play(game, &s, PASS);
	game->rules->play(game, &s, PASS);
	ck_assert(!memcmp(&s, &first, game->state_size));
	game_close(game);
}
END_TEST

/* --- texts -------------------------------------------------------------------------------- */

static const struct {
	const char *game, *text, *says;
} bad_positions[] = {
	{"loa:4", "1bb1/w2w/w2w/1bb1", "a blank and the side to move follow the board"},
	{"loa:4", "1bb1/w2w/w2w/1bb1 ", "at index 18 (counted from 0), '': the side to move is one letter"},
	{"loa:4", "1bb1/w2w/w2w/1bb1 x", "the side to move is one letter"},
	{"loa:4", "1bb1/w2w/w2w/1bb1b", "the last one is complete"},
	{"loa:4", "1bb1/w2w/w2w/1bb1 bb", "the side to move is one letter"},
	{"loa:4", "1bb1/w2w/w2w/1bb1 b ", "the side to move is one letter"},
	{"loa:4", "1bb1/w2w/w2w/1bb1/4 b", "no more rows"},
	{"loa:4", "1bb1/w2w/w2w b", "more rows"},
	{"loa:4", "1bb1/w2w/w2w/", "shorter"},
	{"loa:4", "1bb1/w2w/w2w", "more rows"},
	{"loa:4", "1bb/w2w/w2w/1bb1 b", "at index 3 (counted from 0), '/w2w/w2w/1bb': the row is shorter"},
	{"loa:4", "1bbb1/w2w/w2w/1bb1 b", "at index 4 (counted from 0), '1/w2w/w2w/1b': the row is longer"},
	{"loa:4", "1bb2/w2w/w2w/1bb1 b", "at index 3 (counted from 0), '2/w2w/w2w/1b': the row is longer"},
	{"loa:4", "1bbw/w12w/4/4 b", "longer"},
	{"loa:4", "1xx1/w2w/w2w/1xx1 b", "at index 1 (counted from 0), 'xx1/w2w/w2w/': a row is made of"},
	{"loa:4", "1BB1/w2w/w2w/1bb1 b", "a row is made of"},
	{"loa:4", "0bb1/w2w/w2w/1bb1 b", "a row is made of"},
	{"loa:4", "1bb1/w2w/w2w/9 b", "longer"},
	{"loa:4", "4/w2w/w2w/4 b", "Black has no men"},
	{"loa:4", "4/4/b3/4 b", "White has no men"},
	{"loa:4", "4/4/4/4 b", "has no men"},
	{"loa:4", "1bb1/\xc3\xa9w2w/w2w/1bb1 b", "at index 5"},
	{"loa:8", "b1-b9", "at index 0 (counted from 0), 'b1-b9': a move is two squares"},
	{"loa:8", "b1-d1", "the man cannot move there"},
	{"loa:8", "b1-b3 b3-b4", "at index 6 (counted from 0), 'b3-b4': the side to move has no man there"},
	{"loa:8", "b1-b3, a3-a8", "the man cannot move there"},
	{"loa:8", "b1:b3", "a move is two squares"},
	{"loa:8", "b1b3", "a move is two squares"},
	{"loa:8", "b1-", "a move is two squares"},
	{"loa:8", "b", "a move is two squares"},
	{"loa:8", "b1-b3b", "something follows the move"},
	{"loa:8", "pass", "a side that has a legal move may not pass"},
	{"loa:8", "d1-b3 h5-g4 b1-b4 g4xg1 b4-e7 a3xc1 b3-e6 h3xf1 e1-e5 a2-a3",
	 "at index 54 (counted from 0), 'a2-a3': the game is over"},
	{"loa:6", "h1-h2", "a move is two squares of the board"},
};

START_TEST(a_bad_position_is_refused_with_the_place)
{
	for (unsigned i = 0; i < sizeof bad_positions / sizeof bad_positions[0]; i++)
		check_refused_position(bad_positions[i].game, bad_positions[i].text, bad_positions[i].says);
}
END_TEST

START_TEST(blanks_before_the_side_to_move_may_be_several)
{
	struct game *game = open_game("loa:4");
	struct walk_state one = parse_position(game, "1bb1/w2w/w2w/1bb1 w");
	struct walk_state two = parse_position(game, "1bb1/w2w/w2w/1bb1  w");
	ck_assert_mem_eq(&one, &two, game->state_size);
	game_close(game);
}
END_TEST

START_TEST(a_move_is_read_with_either_sign_and_nothing_more)
{
	static const char *const bad[] = {"a3x",    "a3xc", "a3-c2", "a3 c1", "A3xC1", "a3xc1 ",
					  " a3xc1", "pass", "a4-a3", "b1-b3", "pas",   "passe"};
	struct game *game = open_game("loa:8");
	struct walk_state s = parse_position(game, "b1-b3");
	game_move minus, times;
	struct pd_fail fail;
	char text[8];
	ck_assert_int_eq(game->rules->move_parse(game, &s, "a3-c1", &minus, &fail), PD_OK);
	ck_assert_int_eq(game->rules->move_parse(game, &s, "a3xc1", &times, &fail), PD_OK);
	ck_assert_uint_eq(minus, times);
	ck_assert_uint_eq(minus, 16 * 64 + 2);
	game->rules->move_print(game, &s, minus, text, sizeof text);
	ck_assert_str_eq(text, "a3xc1");
	ck_assert_int_eq(game->rules->move_parse(game, &s, "a4xc4", &minus, &fail), PD_OK);
	game->rules->move_print(game, &s, minus, text, sizeof text);
	ck_assert_str_eq(text, "a4-c4");
	for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		ck_assert_msg(game->rules->move_parse(game, &s, bad[i], &minus, &fail) == PD_E_MOVE, "%s", bad[i]);
		ck_assert_str_eq(fail.field, "move");
	}
	game_close(game);
}
END_TEST

START_TEST(initial_numbers_are_the_groups_to_bring_together)
{
	struct game *game = open_game("loa:8");
	struct walk_state s = parse_position(game, "b1b5/8/2b5/8/8/8/w7/w6w b"),
			  white = parse_position(game, "b1b5/8/2b5/8/8/8/w7/w6w w");
	uint32_t num[2];
	game->rules->initial_numbers(game, &s, 1, num);
	ck_assert(num[0] == 2 && num[1] == 1); /* Black has three groups and moves */
	game->rules->initial_numbers(game, &white, 1, num);
	ck_assert(num[0] == 3 && num[1] == 1);
	game->rules->initial_numbers(game, &s, 0, num);
	ck_assert(num[0] == 1 && num[1] == 2); /* that Black gets a draw fails when White's two come together */
	game->rules->initial_numbers(game, &white, 0, num);
	ck_assert(num[0] == 1 && num[1] == 1);
	game_close(game);
}
END_TEST

START_TEST(a_picture_shows_the_board)
{
	struct game *game = open_game("loa:4");
	struct walk_state s = parse_position(game, "c1-c3");
	char text[256];
	game_picture(game, &s, text, sizeof text);
	ck_assert_str_eq(text, "4 . b b .\n3 w . b w\n2 w . . w\n1 . b . .\n  a b c d\nWhite to move\n");
	game_close(game);
}
END_TEST

START_TEST(a_board_beyond_the_range_is_refused_with_the_range)
{
	static const char *const beyond[] = {"loa:3", "loa:9", "loa:0", "loa:100"};
	for (unsigned i = 0; i < sizeof beyond / sizeof beyond[0]; i++) {
		struct game *game;
		struct pd_fail fail;
		ck_assert_int_eq(game_open(beyond[i], NULL, &game, &fail), PD_E_GAME);
		ck_assert_str_eq(fail.field, "game");
		ck_assert_ptr_nonnull(strstr(fail.text, "4 to 8"));
	}
}
END_TEST

SUITE(loa)
{
	base_seed = walk_seed("games.loa", 31);
	tcase_set_timeout(c, 60);
	tcase_add_loop_test(c, a_recorded_game_goes_to_its_end, 0, (int)(sizeof games / sizeof games[0]));
	tcase_add_test(c, recorded_positions_have_the_recorded_moves);
	tcase_add_test(c, late_positions_are_won_and_lost_as_recorded);
	tcase_add_loop_test(c, the_game_ends_as_the_options_say, 0, (int)(sizeof ends / sizeof ends[0]));
	tcase_add_test(c, a_pass_is_the_one_move_of_who_has_no_other);
	tcase_add_test(c, blanks_before_the_side_to_move_may_be_several);
	tcase_add_test(c, a_bad_position_is_refused_with_the_place);
	tcase_add_test(c, a_move_is_read_with_either_sign_and_nothing_more);
	tcase_add_test(c, initial_numbers_are_the_groups_to_bring_together);
	tcase_add_test(c, a_picture_shows_the_board);
	tcase_add_test(c, a_board_beyond_the_range_is_refused_with_the_range);
}
