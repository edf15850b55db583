/* Features of this processor that the build does not require. */
#pragma once

#include <stdbool.h>

/* Vectors of 256 bits, and the bit instructions of the processors that have them. */
static inline bool processor_has_avx2(void)
{
#ifdef __x86_64__
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
	       __builtin_cpu_supports("popcnt");
#else
	return false;
#endif
}
