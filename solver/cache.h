/* Cache: solved positions in RAM, to be lost at any time.
 *
 * Level 2 asks it when it expands a node, so that what one evaluation solved is not solved again by the next. It is keyed by position, not by
 * claim: "at least a draw" is known where a win is. Two entries of 32 bytes share a bucket: one keeps the position that took more effort,
 * the other takes whatever comes. Identity is 128 bits (F5). It starts small and doubles while there is news, so that a short search stays in
 * the processor's own caches. */
#ifndef PN_CACHE_H
#define PN_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/hash.h"

struct cache_entry {
	struct pd_id id;
	int16_t lo, hi;             /* proved bounds; INT16_MIN and INT16_MAX: none */
	uint16_t lo_rank, hi_rank;
	uint16_t lo_move, hi_move;  /* in the key's frame, or PD_NO_MOVE */
	uint32_t effort : 30;       /* nodes of the larger of the two searches, saturating */
	uint32_t lo_fact : 1;       /* the bound is a fact already, not only solved here */
	uint32_t hi_fact : 1;
};

enum { CACHE_EFFORT_MAX = (1 << 30) - 1 };

struct cache {
	struct cache_entry *entries; /* owned; 2 a bucket */
	uint64_t buckets;            /* 0: there is no cache */
	uint64_t buckets_max;
	uint64_t fresh;              /* positions put in since it last grew */
	uint64_t asks, hits;
};

/* False when memory cannot be had. bytes < 64: a cache that holds nothing. */
bool cache_init(struct cache *cache, uint64_t bytes);
void cache_fini(struct cache *cache);

static inline struct cache_entry *cache_bucket(const struct cache *cache, struct pd_id id)
{
	return cache->entries + 2 * (uint64_t)(((__uint128_t)id.lo * cache->buckets) >> 64);
}

/* The entry of a position, NULL when it is not there. Borrowed until the next put. */
static inline const struct cache_entry *cache_get(const struct cache *cache, struct pd_id id)
{
	const struct cache_entry *e = cache_bucket(cache, id);
	if (pd_id_equal(e[0].id, id))
		return &e[0];
	return pd_id_equal(e[1].id, id) ? &e[1] : NULL;
}

/* What is put in: one proved bound. */
struct cache_news {
	bool lower;       /* value >= bound; else value <= bound */
	bool fact;        /* it is a fact */
	int bound;
	unsigned rank;
	unsigned move;    /* in the key's frame, or PD_NO_MOVE */
	uint64_t effort;  /* nodes */
};

/* Adds a bound. Keeps the stronger of those known, at equal bounds the smaller rank, at equal ranks the fact. */
void cache_put(struct cache *cache, struct pd_id id, const struct cache_news *news);

#endif
