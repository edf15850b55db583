#include "proto/base/random.h"

#include <stdatomic.h>
#include <sys/random.h>
#include <unistd.h>

#include "proto/base/clock.h"

uint64_t pd_bucket_seed(void)
{
	static _Atomic uint64_t seed;
	uint64_t now = atomic_load_explicit(&seed, memory_order_relaxed), drawn;
	if (now)
		return now;
	drawn = pd_random64(); /* of several threads, the first one sets the seed */
	return atomic_compare_exchange_strong_explicit(&seed, &now, drawn, memory_order_relaxed, memory_order_relaxed)
		       ? drawn
		       : now;
}

uint64_t pd_random64(void)
{
	uint64_t n = 0;
	if (getrandom(&n, sizeof n, 0) == (ssize_t)sizeof n && n)
		return n;
	/* Without getrandom, the number is only hard to guess. */
	struct {
		uint64_t now, wall;
		const void *stack, *code;
		long pid;
	} here = {pd_now_ns(), (uint64_t)pd_wall_ms(), &n, (const void *)(uintptr_t)pd_random64, (long)getpid()};
	n = pd_hash64(&here, sizeof here);
	return n ? n : 1;
}
