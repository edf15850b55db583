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

SUITE(differential)
{
	rows = gamedata_read("walk");
	tcase_set_timeout(c, 300);
	tcase_add_loop_test(c, both_sides_play_the_same_game, 0, (int)rows->count);
}
