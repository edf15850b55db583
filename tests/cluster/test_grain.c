/* Grain: it goes where the rule says, within its bounds, and comes to rest at the aim. */
#include <math.h>

#include "server/cluster/grain.h"
#include "tests/support/suite.h"

START_TEST(each_reason_moves_it_by_a_quarter)
{
	static const struct {
		struct sc_grain_look look;
		double factor;
	} rows[] = {
		{{.load = 0.6, .threads = 16, .tasks = 50, .task_ns = 2e6, .trip_ns = 2.5e6}, 1.25},
		{{.load = 0.6, .idle = 0.9, .threads = 16, .tasks = 50, .task_ns = 2e6, .trip_ns = 2.5e6}, 1.25},
		{{.load = 0.1, .threads = 16, .tasks = 50, .task_ns = 1e6, .trip_ns = 2.5e6}, 1.25},
		{{.load = 0.1, .threads = 16, .tasks = 50, .task_ns = 4e6, .trip_ns = 40e6}, 1.25}, /* a long way */
		{{.load = 0.1, .threads = 16, .tasks = 50, .task_ns = 5e6, .trip_ns = 70e6}, 0.8}, /* busy processors */
		{{.load = 0.1, .idle = 0.4, .threads = 16, .tasks = 50, .task_ns = 2e6, .trip_ns = 2.5e6}, 0.8},
		{{.idle = 0.4, .threads = 16, .tasks = 50, .task_ns = 2e6, .trip_ns = 2.5e6, .take_ns = 1.2e6}, 1.25},
		{{.idle = 0.4, .threads = 16, .tasks = 50, .task_ns = 2e6, .trip_ns = 2.5e6, .take_ns = 0.8e6}, 0.8},
		{{.idle = 0.1, .threads = 16, .tasks = 50, .task_ns = 2e6, .trip_ns = 2.5e6, .take_ns = 1.2e6}, 1},
		{{.load = 0.1, .threads = 2, .tasks = 50, .task_ns = 2e6, .trip_ns = 2.5e6}, 0.8},
		{{.load = 0.1, .idle = 0.4, .threads = 16}, 0.8},
		{{.load = 0.1, .idle = 0.2, .threads = 16}, 1},
		{{.load = 0.1, .idle = 1}, 1}, /* no thread is there */
		{{.load = 0.1, .threads = 16, .tasks = 50, .task_ns = 0.7e6, .trip_ns = 0.8e6}, 1.25},
		{{.load = 0.1, .threads = 16, .tasks = 50, .task_ns = 3.5e6, .trip_ns = 4e6}, 0.8},
		{{.load = 0.1, .threads = 64, .tasks = 50, .task_ns = 3.5e6, .trip_ns = 4e6}, 1},
		{{.load = 0.1, .threads = 64, .tasks = 50, .task_ns = 3e6, .trip_ns = 3.5e6}, 1.25},
	};
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
		ck_assert_msg(fabs((double)sc_grain_next(100000, &rows[i].look) - rows[i].factor * 100000) < 2,
			      "row %u", i);
}
END_TEST

START_TEST(it_stays_within_its_bounds)
{
	struct sc_grain_look up = {.load = 1, .threads = 1000}, down = {.idle = 1, .threads = 4};
	uint64_t grain = sc_grain_next(0, &up);
	ck_assert_uint_eq(grain, 3 * SC_GRAIN_MIN); /* the least for many threads */
	for (unsigned i = 0; i < 50; i++)
		grain = sc_grain_next(grain, &up);
	ck_assert_uint_eq(grain, SC_GRAIN_MAX);
	for (unsigned i = 0; i < 50; i++)
		grain = sc_grain_next(grain, &down);
	ck_assert_uint_eq(grain, SC_GRAIN_MIN);
}
END_TEST

/* A cluster of `threads` whose nodes take node_ns: tasks end up between half the aim and twice the aim. */
START_TEST(tasks_come_to_take_what_they_should)
{
	static const double node_ns[] = {30, 80, 800};
	static const unsigned threads[] = {1, 16, 64, 256};
	for (unsigned n = 0; n < 3; n++) {
		for (unsigned t = 0; t < 4; t++) {
			uint64_t grain = 0;
			double aim = sc_grain_aim(threads[t]), task = 0;
			for (unsigned i = 0; i < 60; i++) {
				task = (double)grain * node_ns[n];
				struct sc_grain_look look = {.load = 0.2,
							     .threads = threads[t],
							     .tasks = 100,
							     .task_ns = task,
							     .trip_ns = task * 1.25 + 2e5};
				grain = sc_grain_next(grain, &look);
			}
			ck_assert(grain >= SC_GRAIN_MIN && grain <= SC_GRAIN_MAX);
			ck_assert_msg(task >= aim / 2.5 || grain == SC_GRAIN_MAX, "%f of %f", task, aim);
			ck_assert_msg(task <= aim * 2.5 || grain <= 3 * SC_GRAIN_MIN, "%f of %f", task, aim);
		}
	}
	ck_assert(sc_grain_aim(2) < sc_grain_aim(16) && sc_grain_aim(16) < sc_grain_aim(64));
}
END_TEST

SUITE(grain)
{
	tcase_add_test(c, each_reason_moves_it_by_a_quarter);
	tcase_add_test(c, it_stays_within_its_bounds);
	tcase_add_test(c, tasks_come_to_take_what_they_should);
}
