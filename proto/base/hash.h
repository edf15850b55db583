/* Hashing: XXH3, inlined from Debian's libxxhash-dev.
 *
 * A 128-bit hash is an identity for tables (F5: never less), with a key where others choose the bytes (identity.h); a
 * 64-bit hash is a checksum or selects a bucket, never an identity. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* 128 bits that identify a position, or a position and a claim, in a table in memory. */
struct pd_id {
	uint64_t lo, hi;
};

static inline struct pd_id pd_id_of(const void *data, size_t size, uint64_t seed)
{
	XXH128_hash_t h = XXH3_128bits_withSeed(data, size, seed);
	return (struct pd_id){h.low64, h.high64};
}

static inline bool pd_id_equal(struct pd_id a, struct pd_id b)
{
	return a.lo == b.lo && a.hi == b.hi;
}

static inline uint64_t pd_hash64(const void *data, size_t size)
{
	return XXH3_64bits(data, size);
}
