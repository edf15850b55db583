#include "clients/libproofd/deadline.h"

#include "proto/base/clock.h"

uint64_t pc_deadline(double seconds)
{
	return seconds > 0 && seconds < 1e9 ? pd_now_ns() + (uint64_t)(seconds * 1e9) : 0;
}

double pc_left(uint64_t deadline)
{
	uint64_t now = pd_now_ns();
	return !deadline ? -1 : deadline > now ? (double)(deadline - now) / 1e9 : 0;
}

bool pc_is_past(uint64_t deadline)
{
	return deadline && pd_now_ns() >= deadline;
}

uint64_t pc_earlier(uint64_t a, uint64_t b)
{
	return a && (!b || a < b) ? a : b;
}
