/* P1, P2: pairs of proof and disproof numbers. */
#include "solver/ghi.h"
#include "tests/support/suite.h"

static const bool both[2] = {true, true}; /* outcomes are counted */

START_TEST(a_node_is_won_by_the_child_of_least_rank)
{
	for (unsigned k = 0; k < 2; k++) {
		struct num_sum s;
		uint32_t slow[2], quick[2], open[2] = {3, 4}, out[2];
		num_set_solved(slow, k == 0, 9);
		num_set_solved(quick, k == 0, 4);
		num_sum_init(&s);
		num_sum_add(&s, k, open, 0);
		num_sum_add(&s, k, slow, 1);
		num_sum_add(&s, k, quick, 2);
		num_sum_backup(&s, k, both, out);
		ck_assert_uint_eq(s.best, 2);
		ck_assert_uint_eq(out[k], 0);
		ck_assert_uint_eq(num_rank(out), 5);
	}
}
END_TEST

START_TEST(a_node_is_lost_after_the_longest_defence)
{
	for (unsigned k = 0; k < 2; k++) {
		struct num_sum s;
		uint32_t a[2], b[2], out[2];
		num_set_solved(a, k == 1, 2);
		num_set_solved(b, k == 1, 6);
		num_sum_init(&s);
		num_sum_add(&s, k, b, 0);
		num_sum_add(&s, k, a, 1);
		num_sum_backup(&s, k, both, out);
		ck_assert_uint_eq(out[1 - k], 0);
		ck_assert(out[k] >= PN_INF);
		ck_assert_uint_eq(num_rank(out), 7);
	}
}
END_TEST

START_TEST(open_children_give_minimum_and_sum_and_lost_ones_nothing)
{
	struct num_sum s;
	uint32_t a[2] = {3, 4}, b[2] = {2, 9}, lost[2], out[2];
	num_set_solved(lost, false, 3);
	num_sum_init(&s);
	num_sum_add(&s, 0, a, 0);
	num_sum_add(&s, 0, lost, 1);
	num_sum_add(&s, 0, b, 2);
	num_sum_backup(&s, 0, both, out);
	ck_assert_uint_eq(out[0], 2);
	ck_assert_uint_eq(out[1], 13);
	ck_assert_uint_eq(s.best, 2);
}
END_TEST

/* dn of an OR node whose children have these, after that many nodes of a game with cycles or without. */
static uint32_t summed(bool acyclic, bool weak, uint64_t nodes, uint32_t a, uint32_t b)
{
	const struct game g = {.value_min = -1, .value_max = 1, .value_step = 1, .acyclic = acyclic};
	struct question q = question_of(&g, 1);
	uint32_t first[2] = {1, a}, second[2] = {1, b}, out[2];
	struct num_sum s;
	q.weak = weak;
	question_limit_sums(&q, nodes);
	num_sum_init(&s);
	num_sum_add(&s, 0, first, 0);
	num_sum_add(&s, 0, second, 1);
	ghi_backup(&q, &s, 0, 0, out);
	return out[1];
}

START_TEST(with_cycles_a_sum_is_believed_up_to_the_nodes_made)
{
	const uint32_t least = QUESTION_SUM_LIMIT_MIN;
	ck_assert_uint_eq(summed(false, false, 0, least / 2, least / 2), least);
	ck_assert_uint_eq(summed(false, false, 0, 800, 900), least);                 /* not more than the bound */
	ck_assert_uint_eq(summed(false, false, 0, 3 * least, least), 3 * least + 1); /* the weak sum is more */
	ck_assert_uint_eq(summed(false, false, 5000, 3 * least, least), 4 * least);
	ck_assert_uint_eq(summed(true, false, 0, 3 * least, least), 4 * least);
	ck_assert_uint_eq(summed(true, true, 0, 30, 20), 31);
	ck_assert_uint_eq(summed(false, true, 5000, 30, 20), 31);
}
END_TEST

START_TEST(sums_saturate_below_infinity)
{
	struct num_sum s;
	uint32_t big[2] = {PN_INF - 1, PN_INF - 1}, out[2];
	num_sum_init(&s);
	for (unsigned i = 0; i < 1000; i++)
		num_sum_add(&s, 1, big, i);
	num_sum_backup(&s, 1, both, out);
	ck_assert_uint_eq(out[0], PN_INF - 1);
	ck_assert_uint_eq(out[1], PN_INF - 1);
	ck_assert(!num_solved(out));
}
END_TEST

SUITE(numbers)
{
	tcase_add_test(c, a_node_is_won_by_the_child_of_least_rank);
	tcase_add_test(c, a_node_is_lost_after_the_longest_defence);
	tcase_add_test(c, open_children_give_minimum_and_sum_and_lost_ones_nothing);
	tcase_add_test(c, with_cycles_a_sum_is_believed_up_to_the_nodes_made);
	tcase_add_test(c, sums_saturate_below_infinity);
}
