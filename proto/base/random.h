/* Random: unpredictable numbers from the kernel, and repeatable ones from a seed. */
#pragma once

#include "proto/base/hash.h"

/* Never 0. */
uint64_t pd_random64(void);

/* The seed of pd_bucket_hash, drawn on first use. */
uint64_t pd_bucket_seed(void);

/* For hash tables in memory: each process has its own seed, so that others cannot choose bytes that share a bucket. */
static inline uint64_t pd_bucket_hash(const void *data, size_t size)
{
	return XXH3_64bits_withSeed(data, size, pd_bucket_seed());
}

/* The next number of splitmix64, for draws that a seed repeats. */
static inline uint64_t pd_random_next(uint64_t *seed)
{
	uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}
