/* Random: unpredictable numbers from the kernel. */
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
