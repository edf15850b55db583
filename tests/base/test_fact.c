/* F3, F4: a fact keeps the reasons that others may depend on, and only grows. */
#include "proto/base/fact.h"
#include "tests/support/suite.h"

static struct pd_reason reason(int side, int bound, int rank)
{
	return (struct pd_reason){
		.side = (uint8_t)side, .bound = (int16_t)bound, .rank = (uint16_t)rank, .move = PD_NO_MOVE};
}

START_TEST(a_stronger_bound_with_a_larger_rank_keeps_the_weaker_one)
{
	struct pd_fact f = {0};
	struct pd_reason draw = reason(PD_LO, 0, 5), win = reason(PD_LO, 1, 9);
	ck_assert_int_eq(pd_fact_add(&f, &draw), 1);
	ck_assert_int_eq(pd_fact_add(&f, &win), 1);
	ck_assert_uint_eq(f.count, 2);
	ck_assert_int_eq(pd_fact_best(&f, PD_LO)->bound, 1);
	ck_assert_int_eq(pd_fact_find(&f, PD_LO, 0)->rank, 5);
	ck_assert_int_eq(pd_fact_find(&f, PD_LO, 1)->rank, 9);
	ck_assert_ptr_null(pd_fact_find(&f, PD_HI, 1));
}
END_TEST

START_TEST(a_stronger_bound_with_a_smaller_rank_replaces)
{
	struct pd_fact f = {0};
	struct pd_reason draw = reason(PD_HI, 0, 5), loss = reason(PD_HI, -1, 5);
	ck_assert_int_eq(pd_fact_add(&f, &draw), 1);
	ck_assert_int_eq(pd_fact_add(&f, &loss), 1);
	ck_assert_uint_eq(f.count, 1);
	ck_assert_int_eq(pd_fact_add(&f, &draw), 0);
	ck_assert_int_eq(pd_fact_best(&f, PD_HI)->bound, -1);
}
END_TEST

START_TEST(a_reason_that_can_be_checked_one_ply_down_replaces_a_leaf)
{
	struct pd_fact f = {0};
	struct pd_reason leaf = reason(PD_LO, 1, 7), plain = leaf;
	leaf.effort = 1000;
	ck_assert_int_eq(pd_fact_add(&f, &leaf), 1);
	ck_assert_int_eq(pd_fact_add(&f, &leaf), 0);
	ck_assert_int_eq(pd_fact_add(&f, &plain), 1);
	ck_assert_int_eq(pd_fact_add(&f, &leaf), 0);
	ck_assert_uint_eq(f.count, 1);
	ck_assert_uint_eq(f.few[0].effort, 0);
}
END_TEST

START_TEST(a_contradiction_is_refused_and_changes_nothing)
{
	struct pd_fact f = {0};
	struct pd_reason win = reason(PD_LO, 1, 3), no_win = reason(PD_HI, 0, 4);
	ck_assert_int_eq(pd_fact_add(&f, &win), 1);
	ck_assert_int_eq(pd_fact_add(&f, &no_win), -1);
	ck_assert_uint_eq(f.count, 1);
	struct pd_reason at_most = reason(PD_HI, 1, 4);
	ck_assert_int_eq(pd_fact_add(&f, &at_most), 1);
}
END_TEST

START_TEST(a_fact_keeps_as_many_reasons_as_there_are_bounds)
{
	enum { MANY = 5000 };
	struct pd_fact f = {0}, copy = {0};
	for (int i = 0; i < MANY; i++) { /* in a mixed order */
		int n = i * 1237 % MANY;
		struct pd_reason lo = reason(PD_LO, n - 6000, n + 1), hi = reason(PD_HI, 6000 - n, n + 1);
		ck_assert_int_eq(pd_fact_add(&f, &lo), 1);
		ck_assert_int_eq(pd_fact_add(&f, &hi), 1);
	}
	ck_assert_uint_eq(f.count, 2 * MANY);
	for (int n = 0; n < MANY; n++) {
		ck_assert_int_eq(pd_fact_find(&f, PD_LO, n - 6000)->rank, n + 1);
		ck_assert_int_eq(pd_fact_find(&f, PD_HI, 6000 - n)->rank, n + 1);
		ck_assert_int_eq(pd_fact_reasons(&f)[n].bound, MANY - 1 - n - 6000);
	}
	ck_assert(pd_fact_copy(&copy, &f));
	struct pd_reason all = reason(PD_LO, 0, 1);
	ck_assert_int_eq(pd_fact_add(&f, &all), 1);
	ck_assert_uint_eq(f.count, MANY + 1);
	ck_assert_uint_eq(copy.count, 2 * MANY);
	pd_fact_fini(&f);
	pd_fact_fini(&copy);
}
END_TEST

/* Lower and upper bound with their ranks, and the rank that is reported; a rank of 0 stands for no such bound. */
START_TEST(the_reason_that_decides)
{
	static const struct {
		int lo, lo_rank, hi, hi_rank, rank;
	} cases[] = {{1, 3, 1, 9, 3}, {-1, 9, -1, 3, 3}, {0, 9, 0, 3, 9}, {0, 3, 0, 9, 9},
		     {0, 3, 1, 9, 9}, {-1, 9, 0, 3, 9},  {0, 4, 0, 0, 4}, {0, 0, 0, 5, 5}};
	struct pd_fact none = {0};
	ck_assert_ptr_null(pd_fact_deciding(&none));
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct pd_fact f = {0};
		struct pd_reason lo = reason(PD_LO, cases[i].lo, cases[i].lo_rank),
				 hi = reason(PD_HI, cases[i].hi, cases[i].hi_rank);
		if (lo.rank)
			ck_assert_int_eq(pd_fact_add(&f, &lo), 1);
		if (hi.rank)
			ck_assert_int_eq(pd_fact_add(&f, &hi), 1);
		ck_assert_int_eq(pd_fact_deciding(&f)->rank, cases[i].rank);
	}
}
END_TEST

SUITE(fact)
{
	tcase_add_test(c, a_stronger_bound_with_a_larger_rank_keeps_the_weaker_one);
	tcase_add_test(c, a_stronger_bound_with_a_smaller_rank_replaces);
	tcase_add_test(c, a_reason_that_can_be_checked_one_ply_down_replaces_a_leaf);
	tcase_add_test(c, a_contradiction_is_refused_and_changes_nothing);
	tcase_add_test(c, the_reason_that_decides);
	tcase_add_test(c, a_fact_keeps_as_many_reasons_as_there_are_bounds);
}
