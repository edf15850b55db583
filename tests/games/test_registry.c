/* The registry and the opening of games: names, parameters, refusals. */
#include <string.h>

#include "solver/game.h"
#include "tests/games/graphs.h"
#include "tests/support/check_main.h"

static const char *const or_and[] = {"a or b", "b = 1", NULL};

START_TEST(every_builtin_game_is_complete_and_opens_its_example)
{
	unsigned count = 0;
	for (; game_builtin(count); count++) {
		const struct game_rules *r = game_builtin(count);
		struct pd_graph *graph = graphs_make(or_and);
		struct game_host host = {.ctx = &graph, .graph = graphs_give};
		struct game *game;
		struct pd_fail fail;
		ck_assert(r->name && r->title && r->params && r->notation && r->example);
		ck_assert(r->open && r->close && r->start && r->parse && r->print && r->picture && r->move_parse &&
			  r->move_print);
		ck_assert(r->first_to_move && r->terminal && r->moves && r->play && r->key && r->unkey);
		ck_assert_msg(game_open(r->example, &host, &game, &fail) == PD_OK, "%s: %s", r->example, fail.text);
		ck_assert_ptr_eq(game->rules, r);
		ck_assert_str_eq(game->name, r->example);
		game_close(game);
		pd_graph_free(graph);
	}
	ck_assert_uint_ge(count, 4);
	ck_assert_ptr_null(game_builtin(UINT32_MAX));
	game_close(NULL);
}
END_TEST

START_TEST(an_unknown_game_is_refused_with_the_list)
{
	static const char *const unknown[] = {
		"", ":", "chess", "connect", "connect44:7x6", "Connect4:7x6", ":7x6", " connect4:7x6"};
	for (unsigned i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
		struct game *game = NULL;
		struct pd_fail fail = {0};
		ck_assert_int_eq(game_open(unknown[i], NULL, &game, &fail), PD_E_GAME);
		ck_assert_str_eq(fail.field, "game");
		for (unsigned j = 0; game_builtin(j); j++)
			ck_assert_ptr_nonnull(strstr(fail.text, game_builtin(j)->name));
		ck_assert_ptr_null(game);
	}
}
END_TEST

START_TEST(bad_parameters_are_refused)
{
	static const char *const bad[] = {
		"connect4",
		"connect4:",
		"connect4:7",
		"connect4:7x",
		"connect4:x6",
		"connect4:7x6x",
		"connect4:7x6 ",
		"connect4: 7x6",
		"connect4:-7x6",
		"connect4:0x6",
		"connect4:7x0",
		"connect4:8x8",
		"connect4:33x1",
		"connect4:1x64",
		"connect4:65536x65536",
		"connect4:4294967297x1",
		"connect4:99999999999999x1",
		"connect4:7X6",
		"mnk",
		"mnk:",
		"mnk:3,3",
		"mnk:3,3,",
		"mnk:3,3,0",
		"mnk:0,3,3",
		"mnk:3,0,3",
		"mnk:9,8,3",
		"mnk:65,1,3",
		"mnk:3,3,65",
		"mnk:3,3,3,",
		"mnk:3x3x3",
		"mnk:3,3,-1",
		"mnk:16777216,256,3",
		"mnk:3,3,3 ",
		"loa",
		"loa:",
		"loa:3",
		"loa:9",
		"loa:0",
		"loa:-8",
		"loa:8x8",
		"loa:8 ",
		"loa:8,",
		"loa:8,,",
		"loa:8,nomove",
		"loa:8,nomove=",
		"loa:8,nomove=win",
		"loa:8,nomove=lossy",
		"loa:8,simultaneous=loss",
		"loa:8,simultaneous=drawn",
		"loa:8,simultaneous=draw,simultaneous=draw",
		"loa:8,simultaneous=draw,simultaneous=mover",
		"loa:8,nomove=loss,simultaneous=mover,nomove=loss",
		"loa:8,nomove=pass,nomove=loss",
		"loa:8,nomove=loss,",
		"antichess:8",
		"antichess:fewer",
		"antichess:stalemate",
		"antichess:stalemate=",
		"antichess:stalemate=draw",
		"antichess:stalemate=fewer ",
		"antichess:stalemate=fewer,stalemate=fewer",
		"chess-mate:8",
		"chess-mate:first=w",
		"uttt:3",
		"uttt: ",
		"andor",
		"andor:",
		"andor:fig",
	};
	for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct game *game = NULL;
		struct pd_fail fail = {0};
		ck_assert_msg(game_open(bad[i], NULL, &game, &fail) == PD_E_GAME, "%s", bad[i]);
		ck_assert_str_eq(fail.field, "game");
		ck_assert_uint_gt(strlen(fail.text), 0);
		ck_assert_ptr_null(game);
	}
}
END_TEST

START_TEST(a_name_is_canonical)
{
	struct game *game;
	struct pd_fail fail;
	ck_assert_int_eq(game_open("connect4:07x06", NULL, &game, &fail), PD_OK);
	ck_assert_str_eq(game->name, "connect4:7x6");
	game_close(game);
	ck_assert_int_eq(game_open("mnk:3,03,3", NULL, &game, &fail), PD_OK);
	ck_assert_str_eq(game->name, "mnk:3,3,3");
	game_close(game);
	static const char *const names[][2] = {
		{"antichess:", "antichess"},
		{"antichess:stalemate=wins", "antichess"},
		{"antichess:stalemate=fewer", "antichess:stalemate=fewer"},
		{"chess-mate:", "chess-mate"},
		{"uttt:", "uttt"},
		{"loa:08", "loa:8"},
		{"hex:05", "hex:5"},
		{"hex:6x6", "hex:6"},
		{"hex:06x5", "hex:6x5"},
		{"hex:11x11", "hex:11"},
		{"loa:6,nomove=pass,simultaneous=draw", "loa:6"},
		{"loa:6,simultaneous=draw,nomove=loss", "loa:6,nomove=loss"},
		{"loa:6,nomove=pass,simultaneous=mover", "loa:6,simultaneous=mover"},
		{"loa:6,nomove=loss,simultaneous=mover", "loa:6,simultaneous=mover,nomove=loss"},
	};
	for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
		ck_assert_int_eq(game_open(names[i][0], NULL, &game, &fail), PD_OK);
		ck_assert_str_eq(game->name, names[i][1]);
		game_close(game);
	}
}
END_TEST

START_TEST(a_name_that_is_too_long_is_refused)
{
	char name[3 * GAME_NAME_MAX] = "andor:";
	struct game *game = NULL;
	struct pd_fail fail;
	memset(name + 6, 'g', GAME_NAME_MAX - 7);
	ck_assert_uint_eq(strlen(name), GAME_NAME_MAX - 1);
	ck_assert_int_eq(graphs_open(name, graphs_make(or_and), &game, &fail), PD_OK);
	ck_assert_str_eq(game->name, name);
	game_close(game);
	name[GAME_NAME_MAX - 1] = 'g';
	ck_assert_int_eq(graphs_open(name, graphs_make(or_and), &game, &fail), PD_E_GAME);
	memset(name, 'g', sizeof name - 1);
	ck_assert_int_eq(game_open(name, NULL, &game, &fail), PD_E_GAME);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("registry");
	TCase *c = tcase_create("registry");
	tcase_add_test(c, every_builtin_game_is_complete_and_opens_its_example);
	tcase_add_test(c, an_unknown_game_is_refused_with_the_list);
	tcase_add_test(c, bad_parameters_are_refused);
	tcase_add_test(c, a_name_is_canonical);
	tcase_add_test(c, a_name_that_is_too_long_is_refused);
	suite_add_tcase(s, c);
	return check_main(s);
}
