/* Keys of records: sizes, order, hash (private to store/).
 *
 * A key is at most ST_DB_KEY_MAX bytes. Numbers in keys are big-endian, so the byte order of keys, which is LMDB's
 * order, is their numeric order. A fact's key is be32 game, then the exact key of the position. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
	ST_DB_KEY_MAX = 511,    /* bytes of a key: LMDB's limit */
	ST_VALUE_MAX = 1 << 22, /* bytes of the longest value that is ever written */
};

/* Bytes of a key, by the numbers that it is made of. */
enum { ST_KEY_32 = 4, ST_KEY_64 = 8, ST_KEY_32_64 = 12, ST_KEY_32_32_32 = 12 };

void st_put_be64(uint8_t *p, uint64_t v);
uint64_t st_get_be64(const uint8_t *p);

uint64_t st_key_hash(const uint8_t *key, size_t size);

/* A fact's key with its hash, which is computed once for the stage, the memtable and the runs. */
struct st_fact_key {
	const uint8_t *bytes;
	size_t size;
	uint64_t hash;
};
static inline struct st_fact_key st_fact_key_of(const uint8_t *bytes, size_t size)
{
	return (struct st_fact_key){bytes, size, st_key_hash(bytes, size)};
}

/* Negative, 0 or positive: LMDB's order (bytes, then length). */
int st_key_compare(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size);
