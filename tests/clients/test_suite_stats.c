/* Statistics of a suite, compared with values computed by hand and with printed tables. */
#include <math.h>

#include "clients/suite_stats.h"
#include "tests/support/suite.h"

/* 1, 2, ..., count, in another order; count is no multiple of 7. */
static void fill_values(double *values, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		values[i] = 1 + (i * 7) % count;
}

START_TEST(medians)
{
	ck_assert_double_eq(cl_median((double[]){3, 1, 2}, 3), 2);
	ck_assert_double_eq(cl_median((double[]){4, 1, 3, 2}, 4), 2.5);
	ck_assert_double_eq(cl_median((double[]){INFINITY, 1, 3}, 3), 3);
	ck_assert(isinf(cl_median((double[]){INFINITY, 1, INFINITY, 3}, 4)));
}
END_TEST

START_TEST(the_90th_percentile_is_a_value_that_nine_of_ten_do_not_exceed)
{
	static const unsigned wanted[][2] = {{1, 1}, {5, 5}, {10, 9}, {11, 10}, {20, 18}};
	double values[20];
	for (unsigned i = 0; i < sizeof wanted / sizeof *wanted; i++) {
		fill_values(values, wanted[i][0]);
		ck_assert_double_eq(cl_percentile_90(values, wanted[i][0]), wanted[i][1]);
	}
}
END_TEST

/* The ranks are those of the printed tables of the sign test at 5 %. */
START_TEST(intervals_of_the_median_are_those_of_the_sign_test)
{
	static const unsigned ranks[][3] = {{6, 1, 6},   {8, 1, 8},   {9, 2, 8},   {10, 2, 9},   {12, 3, 10},
					    {15, 4, 12}, {20, 6, 15}, {25, 8, 18}, {50, 18, 33}, {100, 40, 61}};
	double values[100];
	for (unsigned i = 0; i < sizeof ranks / sizeof *ranks; i++) {
		fill_values(values, ranks[i][0]);
		struct cl_interval found = cl_median_interval(values, ranks[i][0]);
		ck_assert_double_eq(found.low, ranks[i][1]);
		ck_assert_double_eq(found.high, ranks[i][2]);
	}
	fill_values(values, 5);
	ck_assert_double_eq(cl_median_interval(values, 5).low, 0);
	ck_assert(isinf(cl_median_interval(values, 5).high));
}
END_TEST

START_TEST(geometric_means_and_their_intervals)
{
	struct cl_interval found;
	ck_assert_double_eq_tol(cl_geometric_mean((double[]){1, 100}, 2), 10, 1e-9);
	ck_assert_double_eq_tol(cl_geometric_mean((double[]){2, 8, 4}, 3), 4, 1e-9);
	ck_assert(isnan(cl_geometric_mean(NULL, 0)));
	/* Of the samples of two values a quarter has the mean 1, a quarter 100, the rest 10. */
	found = cl_geometric_interval((double[]){1, 100}, 2);
	ck_assert_double_eq_tol(found.low, 1, 1e-9);
	ck_assert_double_eq_tol(found.high, 100, 1e-9);
	found = cl_geometric_interval((double[]){2, 2, 2}, 3);
	ck_assert_double_eq_tol(found.low, 2, 1e-9);
	ck_assert_double_eq_tol(found.high, 2, 1e-9);
	/* 36 values e and 64 values 1: the mean of the logarithms is 0.36, its deviation 0.048; 1.96 of them: 0.094. */
	double many[100];
	for (unsigned i = 0; i < 100; i++)
		many[i] = i < 36 ? exp(1) : 1;
	found = cl_geometric_interval(many, 100);
	ck_assert_double_eq_tol(log(found.low), 0.36 - 0.094, 0.015);
	ck_assert_double_eq_tol(log(found.high), 0.36 + 0.094, 0.015);
	ck_assert(isinf(cl_geometric_interval(many, 1).high));
}
END_TEST

SUITE(suite_stats)
{
	tcase_add_test(c, medians);
	tcase_add_test(c, the_90th_percentile_is_a_value_that_nine_of_ten_do_not_exceed);
	tcase_add_test(c, intervals_of_the_median_are_those_of_the_sign_test);
	tcase_add_test(c, geometric_means_and_their_intervals);
}
