/* Series: bounded memory, and sparklines. */

#include <math.h>
#include <string.h>

#include "clients/series.h"
#include "tests/support/suite.h"

static struct cl_series series;

static void reset(void)
{
	memset(&series, 0, sizeof series);
}

static const char *draw_row(unsigned columns, int64_t from, int64_t to, bool log)
{
	static char out[CL_SPARK_BYTES];
	struct cl_spark how = {.from_ms = from, .to_ms = to, .low = INFINITY, .columns = columns, .log = log};
	cl_series_range(&series, from, log, &how.low, &how.high);
	cl_series_draw(&series, &how, out);
	return out;
}

START_TEST(a_column_shows_the_last_value_until_its_end)
{
	for (int i = 0; i < 8; i++)
		cl_series_add(&series, i * 100, i);
	ck_assert_str_eq(draw_row(8, 0, 800, false), ".:-=+*##");
	ck_assert_str_eq(draw_row(7, 0, 700, false), ".:-=+*#");
	ck_assert_str_eq(draw_row(4, 0, 800, false), ":=*#");
}
END_TEST

START_TEST(before_the_first_sample_it_is_blank)
{
	cl_series_add(&series, 500, 1);
	ck_assert_str_eq(draw_row(4, 0, 1000, false), " ___");
	ck_assert_double_eq(series.value[series.count - 1], 1);
}
END_TEST

START_TEST(infinity_is_the_highest_block)
{
	cl_series_add(&series, 0, 1);
	cl_series_add(&series, 100, 1e6);
	cl_series_add(&series, 200, INFINITY);
	ck_assert_str_eq(draw_row(3, -1, 200, true), "_##");
}
END_TEST

START_TEST(a_logarithmic_scale_shows_small_numbers)
{
	cl_series_add(&series, 1, 1);
	cl_series_add(&series, 2, 1000);
	cl_series_add(&series, 3, 1000000);
	ck_assert_str_eq(draw_row(3, 0, 3, true), "_-#");
	ck_assert_str_eq(draw_row(3, 0, 3, false), "__#");
}
END_TEST

START_TEST(utf8_blocks)
{
	char out[CL_SPARK_BYTES];
	struct cl_spark how = {.from_ms = 0, .to_ms = 2, .high = 1, .columns = 2, .utf8 = true};
	cl_series_add(&series, 1, 0);
	cl_series_add(&series, 2, 1);
	cl_series_draw(&series, &how, out);
	ck_assert_str_eq(out, "\u2581\u2588");
}
END_TEST

/* A month of samples, four a second at the end: each part of the time keeps its share. */
START_TEST(memory_is_bounded_and_shared_by_time)
{
	for (int64_t i = 0; i < 200000; i++)
		cl_series_add(&series, i * 1000, (double)i);
	ck_assert_uint_le(series.count, CL_SERIES_MAX);
	ck_assert_uint_ge(series.count, CL_SERIES_MAX / 2);
	ck_assert_double_eq(series.value[series.count - 1], 199999);
	for (unsigned i = 1; i < series.count; i++) {
		ck_assert_int_le(series.at_ms[i] - series.at_ms[i - 1], 200000000 / 100);
		ck_assert_double_eq(series.value[i], (double)series.at_ms[i] / 1000);
	}
	const char *drawing = draw_row(80, 0, 200000000, false);
	for (unsigned i = 1; i < 80; i++)
		ck_assert(strchr("_.:-=+*#", drawing[i]) >= strchr("_.:-=+*#", drawing[i - 1]));
}
END_TEST

START_TEST(a_clock_that_goes_back_is_none)
{
	cl_series_add(&series, 1000, 1);
	cl_series_add(&series, 500, 2);
	ck_assert_int_eq(series.at_ms[1], 1000);
}
END_TEST

SUITE(series)
{
	tcase_add_checked_fixture(c, reset, NULL);
	tcase_add_test(c, a_column_shows_the_last_value_until_its_end);
	tcase_add_test(c, before_the_first_sample_it_is_blank);
	tcase_add_test(c, infinity_is_the_highest_block);
	tcase_add_test(c, a_logarithmic_scale_shows_small_numbers);
	tcase_add_test(c, utf8_blocks);
	tcase_add_test(c, memory_is_bounded_and_shared_by_time);
	tcase_add_test(c, a_clock_that_goes_back_is_none);
}
