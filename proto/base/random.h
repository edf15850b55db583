/* Random: numbers that no one outside can know, from the kernel. */
#pragma once

#include "proto/base/hash.h"

/* Never 0. */
uint64_t pd_random64(void);

/* Drawn when it is first needed. */
uint64_t pd_bucket_seed(void);

/* For hash tables in memory whose order no one sees: each process has its own, so no one outside can choose bytes that
 * share a bucket. */
static inline uint64_t pd_bucket_hash(const void *data, size_t size)
{
	return XXH3_64bits_withSeed(data, size, pd_bucket_seed());
}
