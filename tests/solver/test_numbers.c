/* P1, P2: pairs of proof and disproof numbers. */
#include "solver/numbers.h"
#include "tests/support/check_main.h"

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
		num_sum_close(&s, k, both, out);
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
		num_sum_close(&s, k, both, out);
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
	num_sum_close(&s, 0, both, out);
	ck_assert_uint_eq(out[0], 2);
	ck_assert_uint_eq(out[1], 13);
	ck_assert_uint_eq(s.best, 2);
}
END_TEST

START_TEST(sums_saturate_below_infinity)
{
	struct num_sum s;
	uint32_t big[2] = {PN_INF - 1, PN_INF - 1}, out[2];
	num_sum_init(&s);
	for (unsigned i = 0; i < 1000; i++)
		num_sum_add(&s, 1, big, i);
	num_sum_close(&s, 1, both, out);
	ck_assert_uint_eq(out[0], PN_INF - 1);
	ck_assert_uint_eq(out[1], PN_INF - 1);
	ck_assert(!num_solved(out));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("numbers");
	TCase *c = tcase_create("numbers");
	tcase_add_test(c, a_node_is_won_by_the_child_of_least_rank);
	tcase_add_test(c, a_node_is_lost_after_the_longest_defence);
	tcase_add_test(c, open_children_give_minimum_and_sum_and_lost_ones_nothing);
	tcase_add_test(c, sums_saturate_below_infinity);
	suite_add_tcase(s, c);
	return check_main(s);
}
