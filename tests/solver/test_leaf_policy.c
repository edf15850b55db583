/* The leaf policy: nodes of each search, when it ends, which verdict confirms; and both searchers under it. */
#include <string.h>

#include "solver/bounded.h"
#include "tests/support/factbase.h"
#include "tests/support/suite.h"

static struct pd_reason leaf_of(enum pd_side side, int bound, unsigned rank, uint32_t effort)
{
	return (struct pd_reason){.side = (uint8_t)side,
				  .bound = (int16_t)bound,
				  .rank = (uint16_t)rank,
				  .move = PD_NO_MOVE,
				  .effort = effort};
}

START_TEST(budgets_follow_the_effort_between_their_limits)
{
	struct pn_leaf_policy policy = pn_leaf_policy_check();
	struct pd_reason small = leaf_of(PD_LO, 1, 3, 1), large = leaf_of(PD_LO, 1, 3, 1000000);
	ck_assert_uint_eq(pn_leaf_nodes(&policy, &small, 0), 100000);
	ck_assert_uint_eq(pn_leaf_nodes(&policy, &small, 1), 3000000);
	ck_assert_uint_eq(pn_leaf_nodes(&policy, &small, 2), 90000000);
	ck_assert_uint_eq(pn_leaf_nodes(&policy, &small, 3), 0);
	ck_assert_uint_eq(pn_leaf_nodes(&policy, &large, 0), 64000000);
	policy = pn_leaf_policy_query(50000000);
	ck_assert_uint_eq(pn_leaf_nodes(&policy, &small, 0), 100000);
	ck_assert_uint_eq(pn_leaf_nodes(&policy, &large, 0), 50000000);
	ck_assert_uint_eq(pn_leaf_nodes(&policy, &large, 1), 0);
	policy.nodes_max = 7;
	ck_assert_uint_eq(pn_leaf_nodes(&policy, &small, 0), 7);
}
END_TEST

START_TEST(a_search_that_was_cut_short_is_the_last)
{
	struct pn_leaf_policy policy = pn_leaf_policy_check();
	struct pd_reason leaf = leaf_of(PD_LO, 1, 3, 1);
	policy.nodes_max = 100000; /* just enough for the first */
	ck_assert_uint_eq(pn_leaf_nodes(&policy, &leaf, 0), 100000);
	ck_assert_uint_eq(pn_leaf_nodes(&policy, &leaf, 1), 100000);
	ck_assert_uint_eq(pn_leaf_nodes(&policy, &leaf, 2), 0);
	policy.nodes_max = 99999;
	ck_assert_uint_eq(pn_leaf_nodes(&policy, &leaf, 0), 99999);
	ck_assert_uint_eq(pn_leaf_nodes(&policy, &leaf, 1), 0);
}
END_TEST

START_TEST(no_effort_and_no_raise_overflows)
{
	struct pn_leaf_policy policy = pn_leaf_policy_check();
	struct pd_reason leaf = leaf_of(PD_LO, 1, 3, UINT32_MAX);
	ck_assert_uint_eq(pn_leaf_nodes(&policy, &leaf, 0), 64 << 20); /* as for the largest that counts */
	ck_assert_uint_eq(pn_leaf_nodes(&policy, &leaf, 1), UINT64_C(30) * (64 << 20));
	ck_assert_uint_eq(pn_leaf_nodes(&policy, &leaf, 2), UINT64_C(900) * (64 << 20));
	policy.effort_max = UINT32_MAX;
	for (unsigned i = 0; i < policy.searches; i++)
		ck_assert_uint_le(pn_leaf_nodes(&policy, &leaf, i), policy.nodes_max);
	ck_assert_uint_eq(pn_leaf_nodes(&policy, &leaf, 0), UINT64_C(64) * UINT32_MAX);
	ck_assert_uint_eq(pn_leaf_nodes(&policy, &leaf, 1), policy.nodes_max);
	ck_assert_uint_eq(pn_leaf_nodes(&policy, &leaf, 2), 0);
	policy.nodes_max = UINT64_MAX;
	policy.searches = 100;
	for (unsigned i = 0; i < policy.searches; i++)
		ck_assert_uint_ge(pn_leaf_nodes(&policy, &leaf, i), UINT64_C(64) * UINT32_MAX);
}
END_TEST

START_TEST(one_verdict_confirms_and_the_opposite_contradicts)
{
	struct pd_reason lo = leaf_of(PD_LO, 1, 3, 1), hi = leaf_of(PD_HI, 0, 3, 1);
	ck_assert(pn_leaf_confirmed(&lo, PN_PROVED) && pn_leaf_contradicted(&lo, PN_DISPROVED));
	ck_assert(pn_leaf_confirmed(&hi, PN_DISPROVED) && pn_leaf_contradicted(&hi, PN_PROVED));
	ck_assert(!pn_leaf_confirmed(&lo, PN_OPEN) && !pn_leaf_contradicted(&lo, PN_OPEN));
	ck_assert(!pn_leaf_confirmed(&hi, PN_OPEN) && !pn_leaf_contradicted(&hi, PN_OPEN));
}
END_TEST

/* Connect Four on 5x4 after 1 move is no win for First. */
START_TEST(leaves_are_checked_and_regenerated)
{
	struct game *g;
	struct pn_prover *prover;
	struct pn_leaf_verdict result;
	struct pn_leaf_policy policy = pn_leaf_policy_check(), few = pn_leaf_policy_query(10);
	struct pd_reason truth = leaf_of(PD_HI, 0, 20, 1000), lie = leaf_of(PD_LO, 1, 20, 1000);
	enum pn_verdict verdict;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	ck_assert(!game_open("connect4:5x4", NULL, &g, NULL));
	ck_assert(!g->rules->parse(g, "3", state, NULL));
	ck_assert(!pn_prover_new(g, &(struct pn_prover_options){.memory = 1 << 22}, &prover, NULL));
	ck_assert(!pn_leaf_check(prover, state, &truth, &few, &result, NULL));
	ck_assert_int_eq(result.verdict, PN_OPEN);
	ck_assert_uint_le(result.nodes, 10);
	ck_assert(!pn_leaf_check(prover, state, &truth, &policy, &result, NULL));
	ck_assert(pn_leaf_confirmed(&truth, result.verdict) && result.nodes > 0);
	ck_assert(!pn_leaf_check(prover, state, &lie, &policy, &result, NULL));
	ck_assert(pn_leaf_contradicted(&lie, result.verdict));
	struct factbase base;
	factbase_init(&base);
	struct pn_bounded_options options = {.fact = factbase_add, .fact_ctx = &base};
	struct pn_leaf_regeneration what = {g, state, &truth, &few, &options};
	ck_assert(!pn_leaf_regenerate(&what, &verdict, NULL));
	ck_assert(verdict == PN_OPEN && base.count == 0);
	what.policy = &policy;
	ck_assert(!pn_leaf_regenerate(&what, &verdict, NULL));
	ck_assert(pn_leaf_confirmed(&truth, verdict) && base.count > 0);
	factbase_fini(&base);
	pn_prover_free(prover);
	game_close(g);
}
END_TEST

SUITE(leaf_policy)
{
	tcase_set_timeout(c, 110);
	tcase_add_test(c, budgets_follow_the_effort_between_their_limits);
	tcase_add_test(c, a_search_that_was_cut_short_is_the_last);
	tcase_add_test(c, no_effort_and_no_raise_overflows);
	tcase_add_test(c, one_verdict_confirms_and_the_opposite_contradicts);
	tcase_add_test(c, leaves_are_checked_and_regenerated);
}
