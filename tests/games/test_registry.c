/* The registry and the opening of games: names, parameters, refusals. */
#include <string.h>

#include "solver/games/game.h"
#include "tests/games/graphs.h"
#include "tests/support/gamedata.h"
#include "tests/support/suite.h"

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
		ck_assert(r->open && r->close && r->start && r->parse && r->print && r->move_parse && r->move_print);
		ck_assert(r->picture || (r->board && r->diagram));
		ck_assert(r->first_to_move && r->terminal && r->moves && r->play && r->key && r->unkey);
		ck_assert_msg(game_open(r->example, &host, &game, &fail) == PD_OK, "%s: %s", r->example, fail.text);
		ck_assert_str_eq(game->rules->name, r->name); /* it may be another instance of the same rules */
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
		"", ":", "no-such-game", "connect", "connect44:7x6", "Connect4:7x6", ":7x6", " connect4:7x6"};
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
	const struct gamedata *bad = gamedata_read("refuse");
	for (unsigned i = 0; i < bad->count; i++) {
		const char *typed = bad->row[i].column[0];
		struct game *game = NULL;
		struct pd_fail fail = {0};
		ck_assert_msg(game_open(typed, NULL, &game, &fail) == PD_E_GAME, "%s", typed);
		ck_assert_str_eq(fail.field, "game");
		ck_assert_uint_gt(strlen(fail.text), 0);
		ck_assert_ptr_null(game);
	}
}
END_TEST

START_TEST(a_name_is_canonical)
{
	const struct gamedata *names = gamedata_read("name");
	for (unsigned i = 0; i < names->count; i++) {
		struct game *game = gamedata_open(names->row[i].column[0]);
		ck_assert_str_eq(game->name, names->row[i].column[1]);
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

SUITE(registry)
{
	tcase_add_test(c, every_builtin_game_is_complete_and_opens_its_example);
	tcase_add_test(c, an_unknown_game_is_refused_with_the_list);
	tcase_add_test(c, bad_parameters_are_refused);
	tcase_add_test(c, a_name_is_canonical);
	tcase_add_test(c, a_name_that_is_too_long_is_refused);
}
