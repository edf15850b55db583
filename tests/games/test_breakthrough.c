/* Breakthrough: what the general laws do not see. */
#include <string.h>

#include "solver/games/game.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

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

/* What the game knows of a position by its theorem: value and plies, 0 when it knows nothing. */
static int read_theorem(const char *position, unsigned plies)
{
	struct game_theorem t;
	ck_assert_msg(!try_position(position), "%s", position);
	ck_assert(!game->rules->terminal(game, &state, &(int){0}));
	ck_assert(!game->rules->immediate_win(game, &state, &(int){0}));
	if (!game->rules->theorem(game, &state, 1, &t, NULL))
		return 0;
	ck_assert_msg(t.plies == plies && t.number == 10, "%s: %u plies", position, t.plies);
	return t.proved ? 1 : -1;
}

START_TEST(moves_are_read_as_people_write_them)
{
	static const char *const same[] = {"a2a3 d7c6 b2b3", "a2-a3 d7-c6 b2-b3", "a2a3,d7c6,\tb2b3 "};
	static const char *const bad[] = {"a2",      "a2a4", "a2xa3", "a3a4", "a2a3 a2b3",
					  "a2a3xb4", "b1b2", "a2b1",  "a2i3"};
	char text[GAME_TEXT_MAX];
	open_game("breakthrough:8x8");
	for (unsigned i = 0; i < sizeof same / sizeof *same; i++) {
		ck_assert_msg(!try_position(same[i]), "%s", same[i]);
		game->rules->print(game, &state, text, sizeof text);
		ck_assert_str_eq(text, "pppppppp/ppp1pppp/2p5/8/8/PP6/2PPPPPP/PPPPPPPP b");
	}
	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
		ck_assert_msg(try_position(bad[i]) == PD_E_POSITION, "%s", bad[i]);
	ck_assert(!try_position("8/8/8/2p5/1P6/8/8/8 w"));
	game_move plain, other;
	ck_assert(!game->rules->move_parse(game, &state, "b4c5", &plain, NULL));
	ck_assert(!game->rules->move_parse(game, &state, "b4xc5", &other, NULL));
	ck_assert_uint_eq(plain, other);
	ck_assert(game->rules->move_parse(game, &state, "b4-c5", &other, NULL) == PD_E_MOVE);
	ck_assert(game->rules->move_parse(game, &state, "b4xb5", &other, NULL) == PD_E_MOVE);
}
END_TEST

START_TEST(boards_that_cannot_come_up_are_refused)
{
	static const char *const bad[] = {"P4/5/5/5/p4 w",         /* both have arrived */
					  "P4/5/5/5/5 w",          /* White has won, and is to move */
					  "PP3/5/5/5/2p2 b",       /* two have arrived */
					  "5/5/5/5/p4 b",          /* Black has arrived, and is to move */
					  "5/5/2P2/5/5 w",         /* no man that could have moved */
					  "5/PPPPP/PPPPP/P4/p4 w", /* more men than two rows */
					  "5/5/2P2/5/3p1",         /* the side to move is missing */
					  "5/5/2P2/5/3p1 x",       "5/5/2P2/5/3p2 w",   "5/5/2P2/5/3p w",
					  "5/5/2P2/3p1 w",         "5/5/2P2/5/3p1/5 w", "5/5/2P2/5/3p1 w "};
	open_game("breakthrough:5x5");
	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
		ck_assert_msg(try_position(bad[i]) == PD_E_POSITION, "%s", bad[i]);
	int value = 0;
	ck_assert(!try_position("P4/5/5/5/5 b"));
	ck_assert(game->rules->terminal(game, &state, &value));
	ck_assert_int_eq(value, 1);
	ck_assert(!try_position("5/5/2p2/5/5 w"));
	ck_assert(game->rules->terminal(game, &state, &value));
	ck_assert_int_eq(value, -1);
}
END_TEST

/* On 7 columns and 8 rows; White runs upwards. The law in test_laws.c proves what is claimed; here is what must be
 * seen, and what may not be. */
START_TEST(runners_are_seen_where_they_cannot_be_stopped)
{
	open_game("breakthrough:7x8");
	/* Three steps to go, the enemy far to the side and slower. */
	ck_assert_int_eq(read_theorem("6p/7/7/P6/7/7/7/7 w", 5), 1);
	ck_assert_int_eq(read_theorem("6p/7/P6/7/7/7/7/7 b", 4), 1);
	ck_assert_int_eq(read_theorem("7/7/7/7/7/P6/6p/7 w", 2), -1);
	/* A race of two: the side to move wins it. */
	ck_assert_int_eq(read_theorem("7/7/P6/7/7/6p/7/7 w", 3), 1);
	ck_assert_int_eq(read_theorem("7/7/P6/7/7/6p/7/7 b", 3), -1);
	/* A defender that comes too late, and two that do not. */
	ck_assert_int_eq(read_theorem("7/2p4/7/P6/7/7/7/7 b", 6), 1);
	ck_assert_int_eq(read_theorem("7/1p5/7/P6/7/7/7/7 b", 0), 0);
	ck_assert_int_eq(read_theorem("2p4/7/7/P6/7/7/7/7 b", 0), 0);
	/* Two men on the last row but one, both attacked: only one of them can be taken. */
	ck_assert_int_eq(read_theorem("1p1p3/P1P4/7/7/7/7/7/7 b", 2), 1);
	ck_assert_int_eq(read_theorem("1p5/P6/7/7/7/7/7/6P b", 0), 0);
	ck_assert_int_eq(read_theorem("p6/P6/7/7/7/7/7/7 b", 2), 1);
}
END_TEST

START_TEST(what_a_diagram_shows_can_be_set_up)
{
	static struct game_diagram diagram;
	uint64_t seed = 9;
	struct pd_fail fail;
	open_game("breakthrough:5x6");
	for (unsigned i = 0; i < 300; i++) {
		struct walk_state s, back = {0};
		walk_from_start(game, &s, game->plies_max, &seed);
		memset(&diagram, 0, sizeof diagram);
		game->rules->diagram(game, &s, &diagram);
		ck_assert(!game->rules->set_up(game, &diagram, &back, &fail));
		ck_assert_mem_eq(&s, &back, game->state_size);
	}
	memset(&diagram, 0, sizeof diagram);
	ck_assert(game->rules->set_up(game, &diagram, &state, &fail) == PD_E_POSITION);
	diagram.on[12] = 3;
	ck_assert(game->rules->set_up(game, &diagram, &state, &fail) == PD_E_POSITION);
}
END_TEST

SUITE(breakthrough)
{
	tcase_add_test(c, moves_are_read_as_people_write_them);
	tcase_add_test(c, boards_that_cannot_come_up_are_refused);
	tcase_add_test(c, runners_are_seen_where_they_cannot_be_stopped);
	tcase_add_test(c, what_a_diagram_shows_can_be_set_up);
}
