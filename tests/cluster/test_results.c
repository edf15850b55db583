/* Results that no sound worker sends. */
#include "server/cluster/trust.h"
#include "tests/support/suite.h"

/* What the search of a job would refuse is refused before: its giver is banned, and the leaf goes to another. */
START_TEST(ranks_that_the_search_refuses_are_wrong)
{
	static const struct {
		const char *game;
		uint16_t rank;
		bool proved, sound;
	} cases[] = {
		{"connect4:4x4", 1, true, true},
		{"connect4:4x4", PD_RANK_MAX - 16, true, true},
		{"connect4:4x4", PD_RANK_MAX - 15, true, false},
		{"connect4:4x4", PD_RANK_NONE, true, false},
		{"antichess", PD_RANK_MAX / 2, true, true},
		{"antichess", PD_RANK_MAX / 2 + 1, true, false},
		{"antichess", PD_RANK_NONE, false, true},
		{"antichess", 7, false, false},
	};
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct game *game;
		ck_assert(!game_open(cases[i].game, NULL, &game, NULL));
		const struct pn_leaf_task leaf = {.threshold = 1};
		const struct cw_result r = {.solved = true,
					    .proved = cases[i].proved,
					    .rank = cases[i].rank,
					    .effort = 1,
					    .move = PD_NO_MOVE};
		const char *wrong = sc_trust_wrong(game, &leaf, &r);
		ck_assert_msg(!wrong == cases[i].sound, "%s, rank %u: %s", cases[i].game, cases[i].rank,
			      wrong ? wrong : "sound");
		game_close(game);
	}
}
END_TEST

SUITE(results)
{
	tcase_add_test(c, ranks_that_the_search_refuses_are_wrong);
}
