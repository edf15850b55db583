/* What results are called: the usual words, and the games that have others. */
#include <stdio.h>
#include <string.h>

#include "clients/proofcheck/rules.h"
#include "solver/games/game.h"
#include "tests/support/suite.h"

static const struct {
	const char *game;
	int min, max, lo, hi;
	const char *text;
} cases[] = {
	{"connect4:7x6", -1, 1, 1, 1, "first wins"},
	{"connect4:7x6", -1, 1, 0, 0, "draw"},
	{"connect4:7x6", -1, 1, -1, -1, "second wins"},
	{"dots:2x2", -4, 4, 0, 0, "draw"},
	{"dots:2x2", -4, 4, -3, -3, "second wins by 3"},
	{"connect4:7x6", -1, 1, 0, 1, "first wins or draw"},
	{"connect4:7x6", -1, 1, -1, 0, "second wins or draw"},
	{"connect4:7x6", -1, 1, -1, 1, "unknown"},
	{"antichess", -1, 1, 0, 0, "draw"},
	{"loa:8", -1, 1, 0, 0, "draw"},
	{"uttt", -1, 1, 0, 0, "draw"},
	{"hex:5", -1, 1, 1, 1, "first wins"},
	{"hex:5", -1, 1, -1, -1, "second wins"},
	{"hex:5", -1, 1, -1, 1, "unknown"},
	{"chess-mate", 0, 1, 1, 1, "first mates"},
	{"chess-mate", 0, 1, 0, 0, "no mate"},
	{"chess-mate", 0, 1, 0, 1, "unknown"},
	{"andor:scores", -5, 5, 3, 3, "first wins by 3"},
	{"andor:scores", -5, 5, -2, -2, "second wins by 2"},
	{"andor:scores", -5, 5, -2, 4, "between -2 and 4"},
	{"andor:scores", -5, 5, -5, 5, "unknown"},
	{"andor:scores", 0, 1, 0, 1, "unknown"},
	{"no such game", -1, 1, 0, 0, "draw"},
};

START_TEST(a_value_has_a_name)
{
	char text[64];
	game_value_text(game_words_named(cases[_i].game), (struct game_interval){cases[_i].min, cases[_i].max},
			(struct game_interval){cases[_i].lo, cases[_i].hi}, text, sizeof text);
	ck_assert_str_eq(text, cases[_i].text);
}
END_TEST

/* Every value of every built-in game, but those of graphs, which have scales of their own. */
START_TEST(the_checker_calls_it_the_same)
{
	const struct game_rules *rules;
	for (unsigned i = 0; (rules = game_builtin(i)) != NULL; i++) {
		struct game *g;
		struct ck_game mine;
		char text[64];
		if (!strcmp(rules->name, "andor"))
			continue;
		ck_assert(!game_open(rules->example, NULL, &g, NULL));
		ck_assert(!ck_open(&mine, g->name, "", 0, NULL));
		ck_assert_ptr_eq(game_words(g), game_words_named(g->name));
		for (int value = g->value_min; value <= g->value_max; value += g->value_step) {
			game_value_text(game_words(g), game_scale(g), (struct game_interval){value, value}, text,
					sizeof text);
			const char *its = ck_outcome(&mine, value);
			if (its)
				ck_assert_str_eq(text, its);
			else /* larger scales have no words there */
				ck_assert(g->value_min < -1 || g->value_max > 1);
		}
		ck_close(&mine);
		game_close(g);
	}
}
END_TEST

SUITE(words)
{
	tcase_add_loop_test(c, a_value_has_a_name, 0, sizeof cases / sizeof *cases);
	tcase_add_test(c, the_checker_calls_it_the_same);
}
