/* connect4 and mnk: their texts, their refusals, and positions chosen by hand. */
#include <string.h>

#include "solver/games/board_picture.h"
#include "solver/games/game.h"
#include "tests/support/positions.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

static bool same_key(const char *name, const char *a, const char *b)
{
	struct game *game = open_game(name);
	uint8_t k[GAME_KEY_MAX], l[GAME_KEY_MAX];
	struct walk_state s = parse_position(game, a), t = parse_position(game, b);
	size_t size = game->rules->key(game, &s, k);
	bool same = size == game->rules->key(game, &t, l) && !memcmp(k, l, size);
	game_close(game);
	return same;
}

START_TEST(one_position_has_many_texts_and_one_key)
{
	ck_assert(same_key("connect4:7x6", "4453", "7/7/7/7/3o3/2oxx2"));
	ck_assert(same_key("connect4:7x6", "4453", "4435"));
	ck_assert(same_key("connect4:7x6", "12", "76"));
	ck_assert(!same_key("connect4:7x6", "12", "21"));
	ck_assert(same_key("connect4:7x6", "1234", "3412"));
	ck_assert(same_key("connect4:12x4", "1ac", "c31"));
	ck_assert(same_key("connect4:7x1", "", "7/"));
	ck_assert(same_key("connect4:7x1", "1234", "xoxo3/"));
	ck_assert(same_key("mnk:3,3,3", "a1", "c3"));
	ck_assert(same_key("mnk:3,3,3", "a1,b1 , c1", "\tc1 b1  a1 "));
	ck_assert(same_key("mnk:3,3,3", "b2 a1", "3/1x1/o2"));
	ck_assert(same_key("mnk:3,3,3", "a1 b1", "c3 c2"));
	ck_assert(!same_key("mnk:3,3,3", "a1 b1", "b1 a1"));
	ck_assert(!same_key("mnk:4,3,3", "a1 a2", "a1 b1"));
	ck_assert(same_key("mnk:64,1,4", "a1 aa1", "bl1 al1"));
	ck_assert(same_key("connect4:10x6", "1a", "a1"));
	ck_assert(!same_key("connect4:10x6", "19", "91"));
	ck_assert(same_key("mnk:19,19,6,2,1", "j10 a1 b3 s19 r17", "j10 b3 a1 r17 s19"));
	ck_assert(same_key("mnk:19,19,6,2,1", "j10 a1 b3 s19 r17", "j10 s19 r17 a1 b3"));
	ck_assert(!same_key("mnk:19,19,6,2,1", "j10 a1 b3 s19 q17", "j10 s19 q17 a1 b3"));
}
END_TEST

static const struct {
	const char *game, *text, *says;
} bad_positions[] = {
	{"connect4:7x6", "1238", "index 3"},
	{"connect4:7x6", "0", "index 0"},
	{"connect4:7x6", "4444444", "index 6 (counted from 0), column '4': the column is full"},
	{"connect4:7x6", "12121212", "index 7 (counted from 0), column '2': the game is over"},
	{"connect4:7x6", "44\xc3\xa9", "index 2 (counted from 0), column '\xc3\xa9'"},
	{"connect4:7x6", "7/7/7/7/7", "more rows"},
	{"connect4:7x6", "7/7/7/7/7/7/7", "no more rows"},
	{"connect4:7x6", "7/7/7/7/7/6", "shorter"},
	{"connect4:7x6", "7/7/7/7/7/8", "longer"},
	{"connect4:7x6", "7/7/7/7/7/6xo", "the last one is complete"},
	{"connect4:7x6", "7/7/7/7/7/60", "a row is made of"},
	{"connect4:7x6", "7/7/7/7/7/x7", "index 11 (counted from 0), '7': the row is longer"},
	{"connect4:7x6", "7/7/7/7/x6/7", "column 1, row 2"},
	{"connect4:7x6", "7/7/7/7/7/xx5", "x must have as many as o, or one more"},
	{"connect4:7x6", "7/7/7/7/7/o6", "x must have as many as o, or one more"},
	{"connect4:7x6", "7/7/7/7/7/q6", "index 10 (counted from 0), 'q6': a row is made of"},
	{"connect4:7x6", "7/7/7/7/oooo3/xxxx3", "the side to move has four"},
	{"connect4:7x6", "7/7/7/xxxx3/oooxoo1/xxxxooo", "the game went on"},
	{"connect4:7x1", "7/1", "no more rows"},
	{"connect4:7x1", "8", "index 0"},
	{"mnk:3,3,3", "a1 a1", "index 3 (counted from 0), 'a1': the square is taken"},
	{"mnk:3,3,3", "a1 d1", "not on the board"},
	{"mnk:3,3,3", "a1 b4", "not on the board"},
	{"mnk:3,3,3", "a1 b0", "not on the board"},
	{"mnk:3,3,3", "a1b2", "something follows the move"},
	{"mnk:3,3,3", "a1 11", "index 3"},
	{"mnk:3,3,3", "a1 a2 b1 b2 c1 c2", "index 15 (counted from 0), 'c2': the game is over"},
	{"mnk:3,3,3", "3/3/2", "shorter"},
	{"connect4:7x6", "7/7/7/7/7/x6 x", "Second is to move"},
	{"connect4:7x6", "7/7/7/7/7/x6 z", "index 13 (counted from 0), 'z': the side to move is one letter"},
	{"mnk:3,3,3", "3/3/xx1", "does not tell who is to move: name the side"},
	{"mnk:3,3,3", "3/3/xx1 xo", "the side to move is one letter"},
	{"mnk:3,3,3", "3/ooo/xxx", "both sides have a winning line"},
	{"mnk:5,5,3", "5/5/ooooo/5/xx1xxx", "the last one is complete"},
	{"connect4:10x6", "a9b",
	 "index 2 (counted from 0), column 'b': there is no such column; the columns are 1 to a"},
	{"connect4:8x8", "8/8/8/8/8/8/x7/8", "column 1, row 2"},
	{"connect4:8x8", "8/8/8/8/8/8/8/xx6", "x must have as many as o, or one more"},
	{"mnk:19,19,6,2,1", "k10 a1 a2 a1", "index 10 (counted from 0), 'a1': the square is taken"},
	{"mnk:19,19,6,2,1", "t1", "not on the board"},
	{"mnk:19,19,6,2,1", "a20", "not on the board"},
	{"mnk:5,5,3,2,1", "5/5/5/5/xx3", "the stones that their turns give them"},
	{"mnk:5,5,3,2,1", "5/5/5/ooo2/xx3", "the stones that their turns give them"},
	{"mnk:7,7,3,2,1", "7/7/7/7/x1x4/ooo1o2/xx5", "the side that did not put the last stone"},
	{"mnk:5,5,3,2,1", "5/5/5/5/x4 x", "the other side is to move"},
	{"mnk:7,7,3,2,1", "7/7/o1o4/7/oo1oo1x/7/xxx1xxx", "the game went on"},
};

START_TEST(a_bad_position_is_refused_with_the_place)
{
	for (unsigned i = 0; i < sizeof bad_positions / sizeof bad_positions[0]; i++)
		check_refused_position(bad_positions[i].game, bad_positions[i].text, bad_positions[i].says);
}
END_TEST

START_TEST(a_position_in_which_the_game_is_over_is_legal)
{
	static const struct {
		const char *game, *text;
		int value;
	} over[] = {
		{"connect4:7x6", "1212121", 1},
		{"connect4:7x6", "12121272", -1},
		{"connect4:7x6", "7/7/7/7/ooo4/xxxx3", 1},
		{"connect4:2x2", "1122", 0},
		{"mnk:3,3,3", "a1 a2 b1 b2 c1", 1},
		{"mnk:3,3,3", "a1 a2 b1 b2 c3 c2", -1},
		{"mnk:3,3,3", "xox/xoo/oxx", 0},
		{"mnk:1,1,1", "a1", 1},
		{"mnk:5,5,3", "5/5/5/oo1oo/xxxxx", 1},
		{"connect4:10x6", "a9a9a9a", 1},
		{"connect4:2x40", "1212121", 1},
		{"mnk:19,19,6,2,1", "a1 a2 b2 b1 c1 c2 d2 d1 e1 a3 a4 f1", 1},
		{"mnk:19,19,6,2,1", "a1 a2 b2 b1 c1 c2 d2 d1 e1 e2 f2", -1},
		{"mnk:5,5,3,2,1", "a1 a2 b2 b1 c1", 1},
		{"mnk:15,15,5,exact", "a1 a2 b1 b2 c1 c2 d1 d2 f1 f3 g1 h3 e2 g4 e3 g5 e4 h7 e5 j9 e1", 1},
		{"mnk:3,3,3,9,9", "3/3/xxx", 1},
		{"mnk:2,2,2,1,2,exact", "a1 b2", 1},
	};
	for (unsigned i = 0; i < sizeof over / sizeof over[0]; i++) {
		struct game *game = open_game(over[i].game);
		int value;
		game_move moves[400];
		struct walk_state s = parse_position(game, over[i].text);
		ck_assert_msg(game->rules->terminal(game, &s, &value), "%s", over[i].text);
		ck_assert_int_eq(value, over[i].value);
		ck_assert_uint_eq(game->rules->moves(game, &s, moves), 0);
		game_close(game);
	}
}
END_TEST

START_TEST(moves_begin_in_the_centre)
{
	static const struct {
		const char *game, *moves, *unique_moves;
	} orders[] = {
		{"connect4:7x6", "4 3 5 2 6 1 7", "4 3 2 1"},
		{"connect4:4x4", "2 3 1 4", "2 1"},
		{"connect4:1x5", "1", "1"},
		{"connect4:2x5", "1 2", "1"},
		{"mnk:3,3,3", "b2 b1 a2 c2 b3 a1 c1 a3 c3", "b2 b1 a1"},
		{"mnk:2,3,3", "a2 b2 a1 b1 a3 b3", "a2 a1"},
	};
	for (unsigned i = 0; i < sizeof orders / sizeof orders[0]; i++) {
		check_move_order(orders[i].game, false, orders[i].moves);
		check_move_order(orders[i].game, true, orders[i].unique_moves);
	}
}
END_TEST

START_TEST(twins_by_a_quarter_turn_that_is_no_symmetry_of_the_position_are_seen)
{
	/* Both positions are images of themselves under no symmetry, but a stone a quarter turn before the mover's (or
	 * the pair of them) and one a quarter turn behind give the same position turned, since the other stones do not
	 * change when the board is turned. */
	static const struct {
		const char *game, *text;
		unsigned moves, unique_moves;
	} turned[] = {
		{"mnk:5,5,4", "b1 c3", 23, 22},
		{"mnk:7,7,7", "o5o/4x2/1x5/3o3/5x1/2x4/7", 42, 41},
		{"mnk:7,7,7", "o5o/4x2/1x5/3o3/5x1/3x3/7", 42, 42},
	};
	for (unsigned i = 0; i < sizeof turned / sizeof turned[0]; i++) {
		struct game *game = open_game(turned[i].game);
		struct walk_state s = parse_position(game, turned[i].text);
		game_move moves[64];
		ck_assert_uint_eq(game->rules->moves(game, &s, moves), turned[i].moves);
		ck_assert_uint_eq(game->rules->unique_moves(game, &s, moves), turned[i].unique_moves);
		game_close(game);
	}
}
END_TEST

START_TEST(pictures_show_the_board)
{
	char text[GAME_TEXT_MAX];
	struct game *game = open_game("connect4:4x2");
	struct walk_state s = parse_position(game, "223");
	game_picture(game, &s, text, sizeof text);
	ck_assert_str_eq(text, ". o . .\n. x x .\n1 2 3 4\nYellow (o) to move\n");
	game_close(game);
	game = open_game("mnk:3,2,3");
	s = parse_position(game, "b2 a1");
	game_picture(game, &s, text, sizeof text);
	ck_assert_str_eq(text, "2 . x .\n1 o . .\n  a b c\nX to move\n");
	game_close(game);
}
END_TEST

/* What game_rules.h says of boards as data: a diagram has the stones of the board form, a move names the place where
 * its stone lands, and a diagram sets up the position that it shows. */
START_TEST(diagrams_show_the_stones_and_set_them_up)
{
	static const char *const names[] = {"connect4:7x6",        "connect4:10x6",   "connect4:1x64", "mnk:3,3,3",
					    "mnk:5,5,4,2,1,exact", "mnk:19,19,6,2,1", "mnk:64,6,5"};
	static struct game_board board;
	uint64_t seed = walk_seed("games.boards", 3);
	for (unsigned i = 0; i < 50 * sizeof names / sizeof names[0]; i++) {
		struct game *game = open_game(names[i / 50]);
		const struct game_rules *rules = game->rules;
		struct game_diagram diagram = {0}, next = {0};
		struct walk_state s = {0}, back = {0};
		uint8_t key[GAME_KEY_MAX], again[GAME_KEY_MAX];
		uint16_t places[GAME_MOVE_PLACES_MAX];
		game_move moves[400];
		memset(&board, 0, sizeof board);
		rules->board(game, &board);
		walk_from_start(game, &s, game->plies_max, &seed);
		rules->diagram(game, &s, &diagram);
		ck_assert_uint_eq(board.pieces, 2);
		ck_assert_uint_eq(board.places, game->plies_max);
		ck_assert(!rules->set_up(game, &diagram, &back, NULL));
		size_t size = rules->key(game, &s, key);
		ck_assert_uint_eq(rules->key(game, &back, again), size);
		ck_assert_mem_eq(key, again, size);
		unsigned count = rules->moves(game, &s, moves);
		ck_assert_uint_eq(diagram.to_move == GAME_NO_SIDE, count == 0);
		if (count) {
			struct pd_fail fail = {0};
			game_move move = moves[walk_below(&seed, count)];
			ck_assert_uint_eq(rules->move_places(game, &s, move, places), 1);
			rules->play(game, &s, move);
			rules->diagram(game, &s, &next);
			for (unsigned place = 0; place < board.places; place++)
				ck_assert_uint_eq(next.on[place],
						  place == places[0] ? diagram.to_move + 1u : diagram.on[place]);
			diagram.to_move = diagram.to_move == GAME_FIRST ? GAME_SECOND : GAME_FIRST;
			int rc = rules->set_up(game, &diagram, &back, &fail);
			bool any = !strcmp(game->name, "mnk:3,3,3") || !strcmp(game->name, "mnk:64,6,5");
			ck_assert_int_eq(rc, any ? PD_OK : PD_E_POSITION);
			if (rc)
				ck_assert_str_eq(fail.field, "position");
			else
				ck_assert_uint_eq(rules->key(game, &back, again), size + 1);
		}
		game_close(game);
	}
}
END_TEST

START_TEST(diagrams_that_show_no_position_are_refused)
{
	struct game *game = open_game("connect4:8x8");
	struct game_diagram diagram = {.to_move = GAME_NO_SIDE};
	struct walk_state s;
	struct pd_fail fail;
	diagram.on[8] = 1; /* on nothing */
	ck_assert_int_eq(game->rules->set_up(game, &diagram, &s, &fail), PD_E_POSITION);
	diagram.on[0] = 2;
	ck_assert_int_eq(game->rules->set_up(game, &diagram, &s, &fail), PD_OK);
	diagram.on[0] = 3;
	ck_assert_int_eq(game->rules->set_up(game, &diagram, &s, &fail), PD_E_POSITION);
	game_close(game);
}
END_TEST

START_TEST(boards_say_what_players_write)
{
	static struct game_board board;
	struct game *game = open_game("connect4:10x6");
	game->rules->board(game, &board);
	ck_assert_uint_eq(board.labels, 10);
	ck_assert_str_eq(board.label[9].text, "a");
	ck_assert_str_eq(board.place[0].name, "");
	game_close(game);
	memset(&board, 0, sizeof board);
	game = open_game("mnk:30,4,4");
	game->rules->board(game, &board);
	ck_assert_uint_eq(board.place[0].shape, GAME_SQUARE);
	ck_assert_str_eq(board.place[119].name, "ad4");
	game_close(game);
	memset(&board, 0, sizeof board);
	game = open_game("mnk:19,19,6,2,1");
	game->rules->board(game, &board);
	ck_assert_uint_eq(board.place[0].shape, GAME_POINT);
	ck_assert_uint_eq(board.piece[0].look, GAME_DISC);
	game_close(game);
}
END_TEST

SUITE(boards)
{
	tcase_add_test(c, one_position_has_many_texts_and_one_key);
	tcase_add_test(c, a_bad_position_is_refused_with_the_place);
	tcase_add_test(c, a_position_in_which_the_game_is_over_is_legal);
	tcase_add_test(c, moves_begin_in_the_centre);
	tcase_add_test(c, twins_by_a_quarter_turn_that_is_no_symmetry_of_the_position_are_seen);
	tcase_add_test(c, pictures_show_the_board);
	tcase_add_test(c, diagrams_show_the_stones_and_set_them_up);
	tcase_add_test(c, diagrams_that_show_no_position_are_refused);
	tcase_add_test(c, boards_say_what_players_write);
}
