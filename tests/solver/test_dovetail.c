/* Dovetailing: independent searches in turns on one thread, and on several. With one search it is the base algorithm;
 * the work is bounded by that of the quickest search alone; answers are those of backward induction. */
#include <stdio.h>
#include <string.h>

#include "solver/algorithms.h"
#include "solver/pds_walkers.h"
#include "solver/solver.h"
#include "tests/support/effort.h"
#include "tests/support/factbase.h"
#include "tests/support/interleave.h"
#include "tests/support/suite.h"
#include "tests/support/trees.h"

struct outcome {
	bool yes;
	uint64_t nodes;
};

static struct outcome outcome_of(const struct pn_solver *solver)
{
	struct pn_answer answer;
	struct pn_progress p;
	pn_solver_answer(solver, &answer);
	pn_solver_progress(solver, &p);
	ck_assert(answer.answered);
	return (struct outcome){answer.yes, p.level1 + p.level2};
}

/* Asks whether First wins, in steps of so many nodes. Facts are justified at the end. */
static struct outcome run_solver(const struct game *game, const struct pn_options *options, uint64_t step)
{
	_Alignas(16) uint8_t root[GAME_STATE_MAX];
	const struct pd_claim claim = {.threshold = 1};
	struct pn_solver *solver;
	struct factbase base;
	unsigned leaves;
	uint64_t random = 5;
	game->rules->start(game, root);
	ck_assert(!pn_solver_new(
		&(struct pn_solver_setup){.game = game, .root = root, .claim = &claim, .options = options}, &solver,
		NULL));
	factbase_init(&base);
	unsigned threads = interleave_join(solver, options->threads, NULL);
	ck_assert_uint_eq(threads, options->threads);
	enum pn_state state = PN_RUNNING;
	while (state == PN_RUNNING || state == PN_COLLECT) {
		struct pn_entry entries[256];
		state = threads > 1 ? interleave_round(solver, threads, 50, step, &random)
				    : pn_solver_step(solver, step);
		while (pn_solver_take_entries(solver, entries, 256) > 0)
			;
		pn_solver_take_facts(solver, factbase_add, &base);
	}
	ck_assert_int_eq(state, PN_ANSWERED);
	ck_assert_uint_eq(factbase_check(&base, game, &leaves) + base.conflicts, 0);
	struct outcome out = outcome_of(solver);
	factbase_fini(&base);
	pn_solver_free(solver);
	return out;
}

static struct pn_options options_of(enum pn_algorithm algorithm, unsigned walkers, unsigned dovetail)
{
	struct pn_options o;
	pn_options_init(&o);
	o.algorithm = algorithm;
	o.memory = 1 << 21;
	o.walkers = walkers;
	o.dovetail = dovetail;
	return o;
}

static const char *const games[] = {"mnk:3,3,3", "connect4:4x4", "hex:3", "breakthrough:3x4", "loa:4"};
enum { GAMES = sizeof games / sizeof *games };

START_TEST(one_search_is_the_base_algorithm)
{
	static const enum pn_algorithm algorithms[] = {PN_PDS_PN, PN_DFPN_PN, PN_PDS, PN_DFPN};
	struct game *game;
	ck_assert(!game_open(games[_i], NULL, &game, NULL));
	for (unsigned a = 0; a < sizeof algorithms / sizeof *algorithms; a++) {
		struct pn_options o = options_of(algorithms[a], 1, 0);
		struct outcome base = run_solver(game, &o, 100000);
		o.dovetail = 100;
		struct outcome one = run_solver(game, &o, 100000);
		ck_assert_uint_eq(one.nodes, base.nodes);
		ck_assert(one.yes == base.yes);
	}
	game_close(game);
}
END_TEST

/* Searches that share nothing make at most k least + k quantum nodes. */
static void check_bound(const struct game *game, enum pn_algorithm algorithm, unsigned walkers, unsigned quantum,
			bool yes)
{
	struct pn_options o = options_of(algorithm, walkers, quantum);
	o.cache = false;
	uint64_t least = UINT64_MAX;
	for (unsigned i = 0; i < walkers; i++) {
		struct pn_options alone;
		pds_personality(&o, i, &alone);
		alone.walkers = 1;
		alone.dovetail = 0;
		struct outcome one = run_solver(game, &alone, 100000);
		ck_assert(one.yes == yes);
		least = one.nodes < least ? one.nodes : least;
	}
	struct outcome all = run_solver(game, &o, 100000);
	ck_assert(all.yes == yes);
	ck_assert_uint_ge(all.nodes, least);
	ck_assert_uint_le(all.nodes, walkers * least + walkers * quantum);
}

START_TEST(the_quickest_search_bounds_the_work_on_random_trees)
{
	uint64_t random = 201;
	struct trees_shape shape;
	for (unsigned i = 0; i < effort_of(400, 20); i++) {
		struct game *game = trees_random(&random);
		trees_shape(game, &shape);
		bool yes = trees_value(&shape, 0) == 1;
		for (unsigned walkers = 2; walkers <= 5; walkers++)
			check_bound(game, walkers % 2 ? PN_PDS : PN_DFPN, walkers, 1 + i % 20, yes);
		game_close(game);
	}
}
END_TEST

START_TEST(the_quickest_search_bounds_the_work_in_small_games)
{
	struct game *game;
	ck_assert(!game_open(games[_i], NULL, &game, NULL));
	struct pn_options o = options_of(PN_PN2, 1, 0);
	bool yes = run_solver(game, &o, 100000).yes;
	for (unsigned quantum = 10; quantum <= 1000; quantum *= 10) {
		check_bound(game, PN_DFPN, 4, quantum, yes);
		check_bound(game, PN_PDS, 3, quantum, yes);
	}
	game_close(game);
}
END_TEST

/* With shared positions, with level 2, however it is cut into steps (P4); and on threads. */
START_TEST(searches_that_share_answer_and_repeat)
{
	static const enum pn_algorithm algorithms[] = {PN_PDS_PN, PN_DFPN_PN, PN_PDS, PN_DFPN, PN_TCA};
	struct game *game;
	ck_assert(!game_open(games[_i], NULL, &game, NULL));
	for (unsigned a = 0; a < sizeof algorithms / sizeof *algorithms; a++) {
		struct pn_options o = options_of(algorithms[a], 1, 0);
		bool yes = run_solver(game, &o, 100000).yes;
		o = options_of(algorithms[a], 4, 50);
		struct outcome once = run_solver(game, &o, 100000), cut = run_solver(game, &o, 37);
		ck_assert(once.yes == yes && cut.yes == yes);
		ck_assert_uint_eq(once.nodes, cut.nodes);
		o.detail = PN_FULL;
		ck_assert(run_solver(game, &o, 1000).yes == yes);
		o.threads = 3;
		ck_assert(run_solver(game, &o, 1000).yes == yes);
		o.walkers = 1;
		o.cache = false;
		ck_assert(run_solver(game, &o, 1000).yes == yes);
	}
	game_close(game);
}
END_TEST

SUITE(dovetail)
{
	tcase_set_timeout(c, 300);
	tcase_add_loop_test(c, one_search_is_the_base_algorithm, 0, GAMES);
	tcase_add_test(c, the_quickest_search_bounds_the_work_on_random_trees);
	tcase_add_loop_test(c, the_quickest_search_bounds_the_work_in_small_games, 0, GAMES);
	tcase_add_loop_test(c, searches_that_share_answer_and_repeat, 0, GAMES);
}
