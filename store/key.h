/* Keys of records: sizes, order, hash (private to store/).
 *
 * A key is at most ST_DB_KEY_MAX bytes. Numbers in keys are big-endian, so the byte order of keys, which is LMDB's
 * order, is their numeric order. A fact's key is be32 game, then the exact key of the position. */
#pragma once

#include "proto/base/bytes.h"
#include "proto/base/random.h"

enum {
	ST_DB_KEY_MAX = 511,    /* bytes of a key: LMDB's limit */
	ST_VALUE_MAX = 1 << 22, /* bytes of the longest value that is ever written */
};

/* Bytes of keys that consist of numbers of these sizes. */
enum { ST_KEY_32 = 4, ST_KEY_64 = 8, ST_KEY_32_64 = 12, ST_KEY_32_32_32 = 12 };

static inline void st_put_be64(uint8_t *p, uint64_t v)
{
	pd_put_be32(p, (uint32_t)(v >> 32));
	pd_put_be32(p + 4, (uint32_t)v);
}

static inline uint64_t st_get_be64(const uint8_t *p)
{
	return (uint64_t)pd_get_be32(p) << 32 | pd_get_be32(p + 4);
}

/* A fact's key with its hash, which is computed once for the stage, the memtable and the runs. */
struct st_fact_key {
	const uint8_t *bytes;
	size_t size;
	uint64_t hash;
};
static inline struct st_fact_key st_fact_key_of(const uint8_t *bytes, size_t size)
{
	return (struct st_fact_key){bytes, size, pd_bucket_hash(bytes, size)};
}

/* Negative, 0 or positive: LMDB's order (bytes, then length). */
static inline int st_key_compare(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size)
{
	int c = memcmp(a, b, a_size < b_size ? a_size : b_size);
	return c ? c : (a_size > b_size) - (a_size < b_size);
}
