/* Othello: what the general laws do not see. */
#include <string.h>

#include "solver/games/game.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

enum { PASS = 0xfffe };

static struct game *game;
static struct walk_state state;

static void open_game(const char *name)
{
	game_close(game);
	ck_assert(!game_open(name, NULL, &game, NULL));
}

static int try_position(const char *position)
{
	struct pd_fail fail;
	return game->rules->parse(game, position, &state, &fail);
}

static const char *printed(void)
{
	static char text[GAME_TEXT_MAX];
	game->rules->print(game, &state, text, sizeof text);
	return text;
}

static int value_of(const char *position)
{
	int value = 99;
	ck_assert_msg(!try_position(position), "%s", position);
	ck_assert(game->rules->terminal(game, &state, &value));
	return value;
}

START_TEST(the_start_is_that_of_the_federation)
{
	open_game("othello:8");
	ck_assert(!try_position(""));
	ck_assert_str_eq(printed(), "---------------------------OX------XO--------------------------- X");
	ck_assert(!try_position("f5d6c3d3c4"));
	ck_assert_str_eq(printed(), "------------------XO------X"
				    "XX------OXX-----O-------------------- O");
}
END_TEST

START_TEST(lists_of_moves_are_read_as_people_write_them)
{
	static const char *const same[] = {"f5 d6 c3", "F5D6C3", "f5,d6,c3", " f5\td6  c3 "};
	static const char *const bad[] = {"f5 f5", "a1", "f5 pass", "f9", "i1", "f5 d", "pass", "f5-d6", "--"};
	open_game("othello:8");
	ck_assert(!try_position("f5d6c3"));
	struct walk_state wanted = state;
	for (unsigned i = 0; i < sizeof same / sizeof *same; i++) {
		ck_assert_msg(!try_position(same[i]), "%s", same[i]);
		ck_assert_mem_eq(&state, &wanted, game->state_size);
	}
	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
		ck_assert_msg(try_position(bad[i]) == PD_E_POSITION, "%s", bad[i]);
	ck_assert_mem_eq(&state, &wanted, game->state_size);
}
END_TEST

/* A game of 4 rows with a pass in it, found by playing on: with the pass, without it, and with another word for it. */
START_TEST(a_list_may_leave_passes_out)
{
	static const char *const words[] = {"", "pass", "ps", "--", " pass "};
	uint64_t seed = 4;
	unsigned found = 0;
	open_game("othello:4");
	while (found < 20) {
		char lists[5][GAME_TEXT_MAX] = {"", "", "", "", ""};
		bool passed = false;
		struct walk_state s;
		game->rules->start(game, &s);
		for (;;) {
			game_move moves[60];
			unsigned count = game->rules->moves(game, &s, moves);
			if (!count)
				break;
			game_move move = moves[walk_below(&seed, count)];
			char text[GAME_TEXT_MAX];
			game->rules->move_print(game, &s, move, text, sizeof text);
			passed |= move == PASS;
			for (unsigned i = 0; i < 5; i++)
				strcat(lists[i], move == PASS ? words[i] : text);
			game->rules->play(game, &s, move);
		}
		for (unsigned i = 0; i < 5; i++) {
			ck_assert_msg(!try_position(lists[i]), "%s", lists[i]);
			ck_assert_mem_eq(&state, &s, game->state_size);
		}
		found += passed;
	}
}
END_TEST

START_TEST(a_pass_is_the_only_move_where_there_is_no_other)
{
	game_move moves[60], move;
	open_game("othello:8");
	ck_assert(!try_position("XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX- X"));
	ck_assert(game->rules->terminal(game, &state, &(int){0})); /* neither side has a move */
	ck_assert(!try_position("XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXOXXXXXX- X"));
	ck_assert(game->rules->first_to_move(game, &state));
	ck_assert_uint_eq(game->rules->moves(game, &state, moves), 1);
	ck_assert_uint_eq(moves[0], PASS);
	ck_assert(!game->rules->move_parse(game, &state, "--", &move, NULL));
	ck_assert_uint_eq(move, PASS);
	game->rules->play(game, &state, PASS);
	ck_assert_uint_eq(game->rules->moves(game, &state, moves), 1);
	ck_assert_uint_eq(moves[0], 63);
	ck_assert(game->rules->move_parse(game, &state, "pass", &move, NULL) == PD_E_MOVE);
	game->rules->play(game, &state, 63);
	ck_assert(game->rules->terminal(game, &state, &(int){0}));
}
END_TEST

START_TEST(empty_squares_count_for_the_winner_unless_the_name_says_otherwise)
{
	open_game("othello:4");
	ck_assert_int_eq(value_of("XXXX-XX--XX----- O"), 16);
	ck_assert_int_eq(value_of("OOOO-OO--OO----- X"), -16);
	open_game("othello:4,empties=none");
	ck_assert_int_eq(value_of("XXXX-XX--XX----- X"), 8);
	ck_assert_int_eq(value_of("OOOO-OO--OO----- X"), -8);
	ck_assert_int_eq(value_of("XXXXXXXXOOOOOOOO X"), 0);
	open_game("othello:4");
	ck_assert_int_eq(value_of("XXXXXXXXOOOOOOOO X"), 0);
}
END_TEST

/* The rules cannot tell who is to move then. */
START_TEST(a_game_that_is_over_has_one_key)
{
	struct walk_state other;
	open_game("othello:4");
	ck_assert(!try_position("XXXX-XX--XX----- O"));
	other = state;
	ck_assert(!try_position("XXXX-XX--XX----- X"));
	ck_assert_mem_eq(&state, &other, game->state_size);
}
END_TEST

START_TEST(what_a_diagram_shows_can_be_set_up)
{
	static struct game_diagram diagram;
	uint64_t seed = 8;
	struct pd_fail fail;
	open_game("othello:6");
	for (unsigned i = 0; i < 300; i++) {
		struct walk_state s, back = {0};
		walk_from_start(game, &s, game->plies_max, &seed);
		memset(&diagram, 0, sizeof diagram);
		game->rules->diagram(game, &s, &diagram);
		ck_assert(!game->rules->set_up(game, &diagram, &back, &fail));
		ck_assert_mem_eq(&s, &back, game->state_size);
	}
	diagram.on[2 * 6 + 2] = 0;
	ck_assert(game->rules->set_up(game, &diagram, &state, &fail) == PD_E_POSITION);
	diagram.on[2 * 6 + 2] = 3;
	ck_assert(game->rules->set_up(game, &diagram, &state, &fail) == PD_E_POSITION);
}
END_TEST

START_TEST(boards_that_cannot_come_up_are_refused)
{
	static const char *const bad[] = {"-----------X---- X", "-----OX--XO----- B",  "-----OX--XO-----",
					  "-----OX--XO----X",   "-----OX--XO------ X", "-----OX--XO----- X ",
					  "-----OX--XOa---- X"};
	open_game("othello:4");
	ck_assert(!try_position("-----OX--XO----- X"));
	ck_assert(!try_position(".....ox..*o..... X"));
	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
		ck_assert_msg(try_position(bad[i]) == PD_E_POSITION, "%s", bad[i]);
}
END_TEST

SUITE(othello)
{
	tcase_add_test(c, the_start_is_that_of_the_federation);
	tcase_add_test(c, lists_of_moves_are_read_as_people_write_them);
	tcase_add_test(c, a_list_may_leave_passes_out);
	tcase_add_test(c, a_pass_is_the_only_move_where_there_is_no_other);
	tcase_add_test(c, empty_squares_count_for_the_winner_unless_the_name_says_otherwise);
	tcase_add_test(c, a_game_that_is_over_has_one_key);
	tcase_add_test(c, what_a_diagram_shows_can_be_set_up);
	tcase_add_test(c, boards_that_cannot_come_up_are_refused);
}
