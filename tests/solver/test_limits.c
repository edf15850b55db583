/* Limits of what the solver can encode: games that exceed them are refused when they are opened. */
#include <string.h>

#include "solver/ghi.h"
#include "solver/pds.h"
#include "solver/pds_hands.h"
#include "solver/pds_snda.h"
#include "solver/solver.h"
#include "solver/solver_state.h"
#include "tests/support/interleave.h"
#include "tests/support/suite.h"

static uint32_t plies_max;

/* mnk, said to have cycles and games of up to plies_max plies. */
static int open_cyclic(const struct game_rules *rules, const char *params, const struct game_host *host,
		       struct game **out, struct pd_fail *fail)
{
	int rc = game_builtin(1)->open(rules, params, host, out, fail);
	if (rc)
		return rc;
	(*out)->acyclic = false;
	(*out)->plies_max = plies_max;
	return PD_OK;
}

static int open_with(uint32_t plies, struct game **out, struct pd_fail *fail)
{
	static struct game_rules rules;
	rules = *game_builtin(1);
	ck_assert_str_eq(rules.name, "mnk");
	rules.open = open_cyclic;
	plies_max = plies;
	return game_open_rules(&rules, "3,3,3", NULL, out, fail);
}

START_TEST(a_cyclic_game_of_too_many_plies_is_refused)
{
	static const uint32_t beyond[] = {GAME_CYCLIC_PLIES_MAX + 1, 65518, 65519, 65520, 65535, 65536, UINT32_MAX};
	for (unsigned i = 0; i < sizeof beyond / sizeof beyond[0]; i++) {
		struct game *game = NULL;
		struct pd_fail fail;
		ck_assert_int_eq(open_with(beyond[i], &game, &fail), PD_E_UNSUPPORTED);
		ck_assert_str_eq(fail.field, "game");
		ck_assert_ptr_nonnull(strstr(fail.text, "cycles"));
		ck_assert_ptr_null(game);
	}
}
END_TEST

START_TEST(a_cyclic_game_at_the_limit_is_solved)
{
	for (unsigned a = 0; a <= PN_ALGORITHM_LAST; a++) {
		struct game *game;
		struct pn_solver *solver;
		struct pn_answer answer;
		struct pn_options options;
		struct pd_claim claim = {.threshold = 1};
		_Alignas(16) uint8_t start[GAME_STATE_MAX];
		ck_assert(!open_with(GAME_CYCLIC_PLIES_MAX, &game, NULL));
		game->rules->start(game, start);
		pn_options_init(&options);
		options.algorithm = (enum pn_algorithm)a;
		options.memory = 16 << 20;
		ck_assert(!pn_solver_new(&(struct pn_solver_setup){game, start, &claim, &options, NULL, NULL}, &solver,
					 NULL));
		while (pn_solver_step(solver, 100000) == PN_RUNNING)
			;
		pn_solver_answer(solver, &answer);
		ck_assert(answer.answered && !answer.yes);
		pn_solver_free(solver);
		game_close(game);
	}
}
END_TEST

/* The deepest ancestor that a path of that length can depend on is told from a rank. */
START_TEST(depths_at_the_limit_are_path_dependent)
{
	const unsigned depths[] = {0, 1, GAME_CYCLIC_PLIES_MAX - 1, GAME_CYCLIC_PLIES_MAX};
	for (unsigned i = 0; i < sizeof depths / sizeof depths[0]; i++) {
		uint32_t num[2];
		num_set_solved(num, true, NUM_PATH_DEPENDENT - depths[i]);
		ck_assert(ghi_num_path_dependent(num, false));
		if (depths[i] < GAME_CYCLIC_PLIES_MAX) {
			ghi_num_close(num, depths[i] + 1);
			ck_assert(ghi_num_path_dependent(num, false));
		}
		ghi_num_close(num, depths[i]);
		ck_assert(!ghi_num_path_dependent(num, false));
	}
}
END_TEST

START_TEST(an_answer_does_not_stand_on_lost_facts)
{
	struct game *game;
	struct pn_solver *solver;
	struct pn_options options;
	struct pd_claim claim = {.threshold = 1};
	_Alignas(16) uint8_t start[GAME_STATE_MAX];
	for (unsigned answered = 0; answered < 2; answered++) {
		ck_assert(!game_open("connect4:4x4", NULL, &game, NULL));
		game->rules->start(game, start);
		pn_options_init(&options);
		options.memory = 16 << 20;
		options.knowledge = false; /* the answer takes more than the first step */
		ck_assert(!pn_solver_new(&(struct pn_solver_setup){game, start, &claim, &options, NULL, NULL}, &solver,
					 NULL));
		ck_assert_int_eq(pn_solver_step(solver, answered ? UINT64_MAX : 1000),
				 answered ? PN_ANSWERED : PN_RUNNING);
		ck_assert(!pn_solver_lost_facts(solver));
		solver->threads[0].facts.failed = true; /* as where there was no memory for one */
		ck_assert_int_eq(answered ? pn_solver_gather(solver) : pn_solver_step(solver, UINT64_MAX), PN_STUCK);
		ck_assert(pn_solver_lost_facts(solver));
		ck_assert_ptr_nonnull(strstr(pn_solver_why(solver), "memory"));
		pn_solver_free(solver);
		game_close(game);
	}
}
END_TEST

/* Path-dependent results, links and bounds by hands have a sixteenth of the memory each, however many search. */
START_TEST(what_is_beside_the_table_does_not_grow_with_threads)
{
	static const struct {
		const char *game;
		enum pn_algorithm algorithm;
	} searches[] = {{"tsume", PN_DFPN_PLUS}, {"mnk:4,4,3", PN_SNDA}, {"loa:6", PN_DFPN}};
	for (unsigned n = 0; n < 9; n++) {
		struct game *game;
		struct pn_solver *solver;
		struct pn_options options;
		struct pd_claim claim = {.threshold = 1};
		uint64_t results = 0, links = 0, hands = 0;
		unsigned threads = 1 + n / 3 * 4;
		_Alignas(16) uint8_t start[GAME_STATE_MAX];
		ck_assert(!game_open(searches[n % 3].game, NULL, &game, NULL));
		game->rules->start(game, start);
		pn_options_init(&options);
		options.algorithm = searches[n % 3].algorithm;
		options.memory = 64 << 20;
		options.threads = threads;
		ck_assert(!pn_solver_new(&(struct pn_solver_setup){game, start, &claim, &options, NULL, NULL}, &solver,
					 NULL));
		ck_assert_uint_eq(interleave_join(solver, threads, NULL), threads);
		for (unsigned i = 0; i < threads; i++) {
			const struct pds *pds = (const void *)solver->threads[i].engine;
			results += pds->ghi.results.bytes_max;
			links += pds->links ? (pds->links->mask + 1) * sizeof *pds->links->slots : 0;
			hands += pds->hands ? (pds->hands->mask + 1) * PDS_HANDS * sizeof *pds->hands->slots : 0;
		}
		ck_assert_uint_le(results, options.memory / 16);
		ck_assert_uint_le(links, options.memory / 16);
		ck_assert_uint_le(hands, options.memory / 16);
		ck_assert_uint_ge(results + links + hands, options.memory / 32);
		pn_solver_free(solver);
		game_close(game);
	}
}
END_TEST

SUITE(limits)
{
	tcase_set_timeout(c, 110);
	tcase_add_test(c, a_cyclic_game_of_too_many_plies_is_refused);
	tcase_add_test(c, a_cyclic_game_at_the_limit_is_solved);
	tcase_add_test(c, depths_at_the_limit_are_path_dependent);
	tcase_add_test(c, an_answer_does_not_stand_on_lost_facts);
	tcase_add_test(c, what_is_beside_the_table_does_not_grow_with_threads);
}
