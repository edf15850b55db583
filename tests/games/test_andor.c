/* andor: explicit graphs, their shape, their names and their refusals. */
#include <string.h>

#include "solver/games/board_picture.h"
#include "solver/games/game.h"
#include "tests/games/graphs.h"
#include "tests/support/oracle.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

static struct game *game;
static struct pd_fail fail;

static int open_lines(const char *const *lines)
{
	memset(&fail, 0, sizeof fail);
	game = NULL;
	return graphs_open("andor:test", graphs_make(lines), &game, &fail);
}

static struct walk_state position(const char *text)
{
	struct walk_state s = {0};
	ck_assert_msg(game->rules->parse(game, text, &s, &fail) == PD_OK, "%s: %s", text, fail.text);
	return s;
}

static int value_of(const char *text)
{
	struct oracle *oracle = oracle_new(game);
	struct walk_state s = position(text);
	int value = oracle_value(oracle, &s);
	oracle_free(oracle);
	return value;
}

static const char *const draw[] = {
	"start or bold careful",
	"bold and won lost",
	"careful and hold press",
	"hold or drawn lost",
	"press or won drawn",
	"won = 1",
	"drawn = 0",
	"lost = -1",
	NULL,
};

START_TEST(a_graph_is_played_by_its_lists)
{
	ck_assert_int_eq(open_lines(draw), PD_OK);
	ck_assert(game->acyclic);
	ck_assert_uint_eq(game->plies_max, 3);
	ck_assert_uint_eq(game->moves_max, 2);
	ck_assert_uint_eq(game->key_size_max, 7);
	ck_assert_uint_eq(game->rules_version, 17);
	ck_assert_int_eq(value_of(""), 0);
	ck_assert_int_eq(value_of("bold"), -1);
	ck_assert_int_eq(value_of("start/careful/press"), 1);
	ck_assert_int_eq(value_of("careful/press"), 1);
	struct walk_state s = position("careful");
	ck_assert(!game->rules->first_to_move(game, &s));
	s = position("press");
	ck_assert(game->rules->first_to_move(game, &s));
	game_close(game);
}
END_TEST

START_TEST(the_oracle_knows_how_long_an_argument_is)
{
	unsigned rank;
	ck_assert_int_eq(open_lines(draw), PD_OK);
	struct oracle *oracle = oracle_new(game);
	struct walk_state s = position("");
	ck_assert(oracle_claim(oracle, &s, 0, &rank));
	ck_assert_uint_eq(rank, 3);
	ck_assert(!oracle_claim(oracle, &s, 1, &rank));
	ck_assert_uint_eq(rank, 3);
	s = position("bold");
	ck_assert(!oracle_claim(oracle, &s, 0, &rank));
	ck_assert_uint_eq(rank, 1);
	s = position("won");
	ck_assert(oracle_claim(oracle, &s, 1, &rank));
	ck_assert_uint_eq(rank, 0);
	oracle_free(oracle);
	game_close(game);
}
END_TEST

START_TEST(a_child_that_stands_twice_is_two_moves_and_one_distinct_move)
{
	static const char *const lines[] = {"a or b c b", "b and d d", "c = 0", "d = -1", NULL};
	game_move moves[3];
	char text[8];
	ck_assert_int_eq(open_lines(lines), PD_OK);
	struct walk_state s = position("");
	ck_assert_uint_eq(game->rules->moves(game, &s, moves), 3);
	ck_assert_uint_eq(game->rules->unique_moves(game, &s, moves), 2);
	ck_assert_uint_eq(moves[0], 0);
	ck_assert_uint_eq(moves[1], 1);
	game->rules->move_print(game, &s, 2, text, sizeof text);
	ck_assert_str_eq(text, "b");
	ck_assert_int_eq(game->rules->move_parse(game, &s, "b", moves, &fail), PD_OK);
	ck_assert_uint_eq(moves[0], 0);
	ck_assert_int_eq(game->rules->move_parse(game, &s, "d", moves, &fail), PD_E_MOVE);
	game_close(game);
}
END_TEST

START_TEST(a_key_is_all_bytes_of_a_name)
{
	struct walk_state s;
	ck_assert_int_eq(open_lines(draw), PD_OK);
	ck_assert_int_eq(game->rules->unkey(game, (const uint8_t *)"bold", 4, &s), PD_OK);
	ck_assert_int_eq(game->rules->unkey(game, (const uint8_t *)"bold", 3, &s), PD_E_CORRUPT);
	ck_assert_int_eq(game->rules->unkey(game, (const uint8_t *)"bold", 5, &s), PD_E_CORRUPT);
	game_close(game);
}
END_TEST

START_TEST(cycles_are_found_wherever_they_are)
{
	static const char *const near_root[] = {"a or b", "b and a w", "w = 1", NULL};
	static const char *const loop[] = {"a or a w", "w = 1", NULL};
	static const char *const far[] = {"a or w", "w = 1", "x or y", "y and z", "z or w x", NULL};
	static const char *const none[] = {"a or b c", "b or c d", "c or d", "d or w", "w = 1", "x or a", NULL};
	ck_assert_int_eq(open_lines(near_root), PD_OK);
	ck_assert(!game->acyclic);
	ck_assert_uint_eq(game->plies_max, 0);
	game_close(game);
	ck_assert_int_eq(open_lines(loop), PD_OK);
	ck_assert(!game->acyclic);
	game_close(game);
	ck_assert_int_eq(open_lines(far), PD_OK);
	ck_assert(!game->acyclic);
	game_close(game);
	ck_assert_int_eq(open_lines(none), PD_OK);
	ck_assert(game->acyclic);
	ck_assert_uint_eq(game->plies_max, 5);
	game_close(game);
}
END_TEST

START_TEST(a_node_that_the_root_does_not_reach_is_a_position)
{
	static const char *const lines[] = {"here or end", "end = -1", "there and won end", "won = 1", NULL};
	ck_assert_int_eq(open_lines(lines), PD_OK);
	ck_assert_int_eq(value_of("there"), -1);
	ck_assert_int_eq(value_of("won"), 1);
	game_close(game);
}
END_TEST

START_TEST(a_graph_of_one_node_is_a_game_that_is_over)
{
	static const char *const lines[] = {"end = 1", NULL};
	int value;
	ck_assert_int_eq(open_lines(lines), PD_OK);
	struct walk_state s = position("");
	ck_assert(game->rules->terminal(game, &s, &value));
	ck_assert_int_eq(value, 1);
	game_close(game);
}
END_TEST

START_TEST(a_bad_position_is_refused_with_the_place)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
		{"nowhere", "no node 'nowhere'"},
		{"start/nowhere", "index 6 (counted from 0): there is no node 'nowhere'"},
		{"start/hold", "index 6 (counted from 0): 'hold' is not a child of 'start'"},
		{"hold/drawn", "index 0 (counted from 0): 'hold' is not a child of 'start'"},
		{"start/start", "'start' is not a child of 'start'"},
		{"/bold", "index 0"},
		{"start/", "index 6"},
		{"start//bold", "index 6"},
		{"won/lost", "'won' is not a child of 'start'"},
	};
	ck_assert_int_eq(open_lines(draw), PD_OK);
	for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct walk_state s;
		ck_assert_int_eq(game->rules->parse(game, bad[i].text, &s, &fail), PD_E_POSITION);
		ck_assert_str_eq(fail.field, "position");
		ck_assert_msg(strstr(fail.text, bad[i].says) != NULL, "%s", fail.text);
	}
	game_close(game);
}
END_TEST

START_TEST(a_broken_graph_is_refused)
{
	static const char *const unknown_child[] = {"a or b", NULL};
	static const char *const no_children[] = {"a or", NULL};
	static const char *const off_scale[] = {"a or b", "b = 2", NULL};
	static const char *const same_name[] = {"a or b", "b = 1", "b = 0", NULL};
	static const char *const *const broken[] = {unknown_child, no_children, off_scale, same_name};
	for (unsigned i = 0; i < sizeof broken / sizeof broken[0]; i++) {
		ck_assert_int_eq(open_lines(broken[i]), PD_E_GAME);
		ck_assert_str_eq(fail.field, "game");
		ck_assert_ptr_null(game);
	}
	struct pd_graph *g = graphs_make(draw);
	g->root = 100;
	ck_assert_int_eq(graphs_open("andor:test", g, &game, &fail), PD_E_GAME);
	g = graphs_make(draw);
	g->value_max = -1;
	ck_assert_int_eq(graphs_open("andor:test", g, &game, &fail), PD_E_GAME);
	g = graphs_make(draw);
	strcpy(g->names + g->nodes[1].name, "/");
	ck_assert_int_eq(graphs_open("andor:test", g, &game, &fail), PD_E_GAME);
	g = graphs_make(draw);
	g->nodes[0].count = 5000;
	ck_assert_int_eq(graphs_open("andor:test", g, &game, &fail), PD_E_GAME);
	g = graphs_make(draw);
	g->nodes[0].child = UINT32_MAX;
	ck_assert_int_eq(graphs_open("andor:test", g, &game, &fail), PD_E_GAME);
}
END_TEST

START_TEST(a_refusal_of_the_host_is_passed_on)
{
	game = NULL;
	ck_assert_int_eq(graphs_open("andor:gone", NULL, &game, &fail), PD_E_GAME);
	ck_assert_str_eq(fail.text, "there is no graph 'gone'");
	ck_assert_ptr_null(game);
}
END_TEST

START_TEST(a_long_path_needs_no_deep_stack)
{
	enum { LENGTH = 200000 };
	struct pd_graph *g = calloc(1, sizeof *g);
	g->children = calloc(LENGTH, sizeof *g->children);
	g->value_min = -1;
	g->value_max = 1;
	for (uint32_t i = 0; i < LENGTH; i++) {
		char name[16];
		snprintf(name, sizeof name, "n%u", i);
		graphs_append(g, name);
		g->nodes[i].child = g->child_count;
		g->nodes[i].terminal = i + 1 == LENGTH;
		if (i + 1 == LENGTH)
			break;
		g->nodes[i].count = 1;
		g->children[g->child_count++] = i + 1;
	}
	ck_assert_int_eq(graphs_open("andor:long", g, &game, &fail), PD_OK);
	ck_assert(game->acyclic);
	ck_assert_uint_eq(game->plies_max, LENGTH - 1);
	game_close(game);
}
END_TEST

START_TEST(a_long_list_of_children_has_a_short_picture)
{
	enum { CHILDREN = GAME_MOVES_MAX };
	struct pd_graph *g = graphs_make(draw);
	g->children = realloc(g->children, (g->child_count + CHILDREN) * sizeof *g->children);
	g->nodes[0].child = g->child_count;
	g->nodes[0].count = CHILDREN;
	for (unsigned i = 0; i < CHILDREN; i++)
		g->children[g->child_count++] = 1 + i % 2;
	ck_assert_int_eq(graphs_open("andor:wide", g, &game, &fail), PD_OK);
	ck_assert_uint_eq(game->moves_max, CHILDREN);
	char text[GAME_TEXT_MAX];
	struct walk_state s = position("");
	ck_assert_uint_lt(game_picture(game, &s, text, sizeof text), sizeof text);
	ck_assert_ptr_nonnull(strstr(text, "and 3980 more\n"));
	game_move moves[CHILDREN];
	ck_assert_uint_eq(game->rules->unique_moves(game, &s, moves), 2);
	game_close(game);
}
END_TEST

SUITE(andor)
{
	tcase_add_test(c, a_graph_is_played_by_its_lists);
	tcase_add_test(c, the_oracle_knows_how_long_an_argument_is);
	tcase_add_test(c, a_child_that_stands_twice_is_two_moves_and_one_distinct_move);
	tcase_add_test(c, a_key_is_all_bytes_of_a_name);
	tcase_add_test(c, cycles_are_found_wherever_they_are);
	tcase_add_test(c, a_node_that_the_root_does_not_reach_is_a_position);
	tcase_add_test(c, a_graph_of_one_node_is_a_game_that_is_over);
	tcase_add_test(c, a_bad_position_is_refused_with_the_place);
	tcase_add_test(c, a_broken_graph_is_refused);
	tcase_add_test(c, a_refusal_of_the_host_is_passed_on);
	tcase_add_test(c, a_long_path_needs_no_deep_stack);
	tcase_add_test(c, a_long_list_of_children_has_a_short_picture);
}
