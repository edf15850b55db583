/* Positions made, the unit of work that is the same for all algorithms: compared with the moves that the rules were
 * asked to play. */
#include "solver/algorithms.h"
#include "solver/solver.h"
#include "tests/support/suite.h"

static const struct game_rules *real;
static uint64_t played;

static void play_counted(const struct game *game, void *state, game_move move)
{
	played++;
	real->play(game, state, move);
}

static void drop_fact(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *reason)
{
	(void)ctx;
	(void)key;
	(void)size;
	(void)reason;
}

struct run {
	struct pn_progress progress;
	uint64_t played;
};

/* Asks whether First wins mnk:3,3,3; the rules know nothing but moves and ends. */
static struct run count_plays(enum pn_algorithm algorithm, uint64_t step)
{
	struct game *game;
	struct pd_fail fail;
	struct pn_options options;
	struct pd_claim claim;
	struct pn_solver *solver;
	struct run run = {0};
	enum pn_state state;
	_Alignas(16) uint8_t root[GAME_STATE_MAX];
	ck_assert_int_eq(game_open("mnk:3,3,3", NULL, &game, &fail), PD_OK);
	real = game->rules;
	struct game_rules counted = *real;
	counted.play = play_counted;
	counted.immediate_win = NULL;
	counted.replies = NULL;
	counted.initial_numbers = NULL;
	game->rules = &counted;
	pn_options_init(&options);
	options.algorithm = algorithm;
	options.memory = 1 << 22;
	ck_assert_int_eq(pd_claim_parse("first-wins", &claim, &fail), PD_OK);
	game->rules->start(game, root);
	const struct pn_solver_setup setup = {.game = game, .root = root, .claim = &claim, .options = &options};
	ck_assert_int_eq(pn_solver_new(&setup, &solver, &fail), PD_OK);
	played = 0;
	while ((state = pn_solver_step(solver, step)) == PN_RUNNING || state == PN_COLLECT) {
		struct pn_entry entries[64];
		while (pn_solver_take_entries(solver, entries, 64))
			;
		pn_solver_take_facts(solver, drop_fact, NULL);
	}
	ck_assert_int_eq(state, PN_ANSWERED);
	run.played = played;
	pn_solver_progress(solver, &run.progress);
	pn_solver_free(solver);
	game->rules = real;
	game_close(game);
	return run;
}

/* With one level each position that is entered is played once more, except the root. */
START_TEST(a_search_of_one_level_plays_each_child_once_and_each_step)
{
	static const enum pn_algorithm one_level[] = {PN_PDS, PN_DFPN, PN_STAR, PN_C_STAR, PN_DEEP_DFPN};
	for (unsigned i = 0; i < sizeof one_level / sizeof *one_level; i++) {
		struct run r = count_plays(one_level[i], 1000000);
		ck_assert_uint_gt(r.progress.level1, 50);
		ck_assert_uint_eq(r.played, r.progress.positions + r.progress.level1 - 1);
	}
}
END_TEST

START_TEST(every_algorithm_counts_no_more_than_is_played_and_no_less_than_its_trees)
{
	for (int a = 0; a < PN_ALGORITHM_END; a++) {
		struct run r = count_plays((enum pn_algorithm)a, 1000000), again = count_plays((enum pn_algorithm)a, 7);
		ck_assert_uint_ge(r.played, r.progress.positions);
		ck_assert_uint_ge(r.progress.positions, r.progress.level2);
		ck_assert_uint_gt(r.progress.positions, r.progress.level1);
		ck_assert_uint_eq(r.progress.positions, again.progress.positions);
		ck_assert_uint_eq(r.progress.level1, again.progress.level1);
	}
}
END_TEST

SUITE(positions)
{
	tcase_add_test(c, a_search_of_one_level_plays_each_child_once_and_each_step);
	tcase_add_test(c, every_algorithm_counts_no_more_than_is_played_and_no_less_than_its_trees);
}
