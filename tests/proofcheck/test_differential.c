/* Compares the checker's rules with the solver's on random walks (compare.h): a short run of `./dev lab games`. */
#include <stdlib.h>

#include "tests/proofcheck/compare.h"
#include "tests/support/effort.h"
#include "tests/support/gamedata.h"
#include "tests/support/suite.h"
#include "tests/support/walk.h"

enum { CHILDREN = 40 /* compared of a position */ };

static const struct gamedata *rows; /* tests/data/games */

START_TEST(both_sides_play_the_same_game)
{
	const char *name = rows->row[_i].column[0];
	unsigned walks = (unsigned)atoi(rows->row[_i].column[1]), plies = (unsigned)atoi(rows->row[_i].column[2]);
	struct compare c;
	size_t size;
	char *graph = gamedata_graph(name, &size);
	ck_assert(walks > 0 && plies > 0);
	ck_assert_msg(compare_open(&c, name, graph, size, walk_seed(name, 7)), "%s", c.wrong);
	c.children_max = CHILDREN;
	for (unsigned walk = 0; walk < effort_of(walks, 2); walk++) {
		ck_assert_msg(compare_walk(&c, "", plies, COMPARE_ANY), "%s", c.wrong);
		if (walk % 2)
			ck_assert_msg(compare_set_up(&c, plies, COMPARE_ANY), "%s", c.wrong);
	}
	compare_close(&c);
	free(graph);
}
END_TEST

/* Positions and texts that are nearly positions: solver and checker accept the same ones. */
static const struct {
	const char *game, *text;
	bool good;
} texts[] = {
	{"tsume", "8k/9/8P/9/9/9/9/9/9 b G 123456789", true},
	{"tsume", "8k/9/8P/9/9/9/9/9/9 b G 1234567890", false},
	{"tsume", "8k/9/8P/9/9/9/9/9/9 b G 1 ", false},
	{"tsume", "8k/45/8P/9/9/9/9/9/9 b G", true},
	{"tsume", "8k/9/8P/9/9/9/9/9/9 b 01G", false},
	{"checkers:8", "B:W18,24:B1,K12.", true},
	{"checkers:8", "B:W18,24,:B1,K12", false},
	{"checkers:8", "B:W18,24:B1,K12,", false},
	{"checkers:8", "B:W18,24:B,", false},
	{"checkers:8", "B:W18,024:B01,K000012", true},
	{"checkers:8", "B:W18,24:B1,K0000000012", false},
	{"checkers:8", "B:W18,24:B1,K0", false},
	{"chess-mate", "7k/8/5K2/8/8/8/8/R7 w - - 0 1", true},
	{"chess-mate", "7k/8/5K11/8/8/8/8/R61 w - -", true},
	{"chess-mate", "7k/8/5K2/8/8/8/8/R7  w - -", false},
	{"chess-mate", "7k/8/5K2/8/8/8/8/R7 w  -", false},
	{"chess-mate", "7k/8/5K2/8/8/8/8/R7 w -", false},
	{"chess-mate", "7k/8/5K2/8/8/8/8/R7 w - - 0 1 ", false},
	{"chess-mate", "7k/8/5K2/8/8/8/8/R7 w - - 0 1234567890", false},
	{"chess-mate", "7k/8/5K2/8/8/8/8/R7 w Q -", false},
	{"chess-mate", "7k/8/8/8/8/8/8/R3K3 w QQ -", false},
	{"chess-mate", "7k/8/8/8/8/8/8/R3K3 w Q -", true},
	{"antichess", "8/8/7P/8/8/8/4p3/5R2 b - ", false},
	{"chess-variant:crazyhouse", "4k3/8/8/8/8/8/8/4K3[Qp]  w - -", false},
	{"chess-variant:crazyhouse", "4k3/8/8/8/8/8/8/4K3[Qp] w - ", false},
	{"chess-variant:3check", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 +0+1", true},
	{"chess-variant:3check", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - +0+1", true},
	{"chess-variant:3check", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 1 +0+1", false},
	{"chess-variant:3check", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - +0+1 0 1", false},
	{"chess-variant:3check", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1234567890 +0+1", false},
};

START_TEST(both_sides_read_the_same_texts)
{
	struct compare c;
	ck_assert_msg(compare_open(&c, texts[_i].game, NULL, 0, 1), "%s", c.wrong);
	ck_assert_msg(compare_walk(&c, texts[_i].text, 1, COMPARE_ANY), "%s", c.wrong);
	ck_assert_msg((c.positions > 0) == texts[_i].good, "%s: %s", texts[_i].game, texts[_i].text);
	compare_close(&c);
}
END_TEST

/* A pawn that can be captured en passant has the number of its first row, where another man may stand. */
START_TEST(a_man_stands_behind_a_pawn_that_has_passed)
{
	static const char *const at[][2] = {{"antichess", "B7/8/8/pP6/8/8/8/8 w - a6"},
					    {"antichess", "8/8/8/8/Pp6/8/8/b7 b - a3"},
					    {"antichess", "7n/8/8/6Pp/8/8/8/8 w - h6"},
					    {"chess-mate", "N3k3/8/8/pP6/8/8/8/4K3 w - a6"},
					    {"chess-mate", "4k3/8/8/8/6pP/8/8/4K2n b - h3"}};
	struct game *game;
	struct ck_game checker;
	struct walk_state s;
	struct ck_position p, again;
	struct pd_fail fail;
	char name[CK_CLASS_NAME];
	uint8_t key[GAME_KEY_MAX], other[CK_KEY_MAX];
	uint64_t number;
	struct game_class c;
	ck_assert(!game_open(at[_i][0], NULL, &game, &fail) && !ck_open(&checker, at[_i][0], "", 0, &fail));
	ck_assert_msg(!game->rules->parse(game, at[_i][1], &s, &fail), "%s", fail.text);
	size_t size = game->rules->key(game, &s, key);
	ck_assert(ck_decode(&checker, key, size, &p) && p.passant);
	ck_assert(checker.rules->class_index(&checker, &p, name, &number));
	ck_assert(!game->rules->classes->open(game, name, &c, &fail));
	ck_assert_uint_eq(number, game->rules->classes->index(game, &c, &s));
	ck_assert(game->rules->classes->position(game, &c, number, &s));
	ck_assert(checker.rules->class_position(&checker, name, number, &again));
	size = game->rules->key(game, &s, key);
	ck_assert(checker.rules->encode(&checker, &again, other) == size && !memcmp(key, other, size));
	ck_close(&checker);
	game_close(game);
}
END_TEST

SUITE(differential)
{
	rows = gamedata_read("walk");
	tcase_set_timeout(c, 300);
	tcase_add_loop_test(c, both_sides_play_the_same_game, 0, (int)rows->count);
	tcase_add_loop_test(c, both_sides_read_the_same_texts, 0, (int)(sizeof texts / sizeof *texts));
	tcase_add_loop_test(c, a_man_stands_behind_a_pawn_that_has_passed, 0, 5);
}
