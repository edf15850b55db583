#include "proto/base/clock.h"

#include <time.h>

static uint64_t read_clock(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t pd_now_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

uint64_t pd_cpu_ns(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

int64_t pd_wall_ms(void)
{
	return (int64_t)(read_clock(CLOCK_REALTIME) / 1000000);
}
