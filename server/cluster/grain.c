#include "server/cluster/grain.h"

#include <stdbool.h>

#include "proto/base/assert.h"

static const double load_most = 0.5, idle_most = 0.25, step = 1.25, aim_least = 0.75e6, aim_most = 100e6;
static const double aim_a_thread = 0.1e6, far = 3, nodes_a_thread = 10000.0 / 16, least_most = 30000;

static double aim_of(double ns)
{
	return ns < aim_least ? aim_least : ns > aim_most ? aim_most : ns;
}

double sc_grain_aim(unsigned threads)
{
	return aim_of(aim_a_thread * threads);
}

/* The minimum that the grain is lowered to. */
static double min_grain(unsigned threads)
{
	double nodes = nodes_a_thread * threads;
	return nodes < SC_GRAIN_MIN ? SC_GRAIN_MIN : nodes > least_most ? least_most : nodes;
}

/* 1: larger, -1: smaller, 0: unchanged. */
static int grain_direction(const struct sc_grain_look *look)
{
	double aim = sc_grain_aim(look->threads);
	bool idle = look->threads && look->idle > idle_most;
	if (look->load > load_most || (idle && look->tasks && look->take_ns > look->task_ns / 2))
		return 1;
	if (look->tasks && look->trip_ns > 2 * look->task_ns &&
	    look->task_ns < aim_of(far * aim_a_thread * look->threads))
		return 1;
	if (idle)
		return -1;
	if (!look->tasks)
		return 0;
	return look->task_ns < aim / 2 ? 1 : look->task_ns > 2 * aim ? -1 : 0;
}

uint64_t sc_grain_next(uint64_t grain, const struct sc_grain_look *look)
{
	PD_ASSERT(grain <= SC_GRAIN_MAX);
	int to = grain ? grain_direction(look) : 0;
	double next = to > 0 ? (double)grain * step : to < 0 ? (double)grain / step : (double)grain;
	return next < min_grain(look->threads) ? (uint64_t)min_grain(look->threads)
	       : next > SC_GRAIN_MAX           ? SC_GRAIN_MAX
					       : (uint64_t)next;
}
