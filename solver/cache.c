#include "solver/cache.h"

#include "solver/memory.h"

enum { BUCKETS_FIRST = 1 << 13 };

static size_t bytes_of(uint64_t buckets)
{
	return (size_t)buckets * 2 * sizeof(struct cache_entry);
}

bool cache_init(struct cache *cache, uint64_t bytes)
{
	*cache = (struct cache){.buckets_max = bytes / bytes_of(1)};
	cache->buckets = cache->buckets_max < BUCKETS_FIRST ? cache->buckets_max : BUCKETS_FIRST;
	if (!cache->buckets)
		return true;
	cache->entries = memory_map(bytes_of(cache->buckets));
	return cache->entries != NULL;
}

void cache_fini(struct cache *cache)
{
	memory_unmap(cache->entries, bytes_of(cache->buckets));
	*cache = (struct cache){0};
}

/* Doubles the buckets, or goes to the end when that is nearer. Where memory cannot be had the cache stays as it is. */
static void grow(struct cache *cache)
{
	struct cache old = *cache;
	cache->fresh = 0;
	cache->buckets = old.buckets_max / 4 < old.buckets ? old.buckets_max : 2 * old.buckets;
	cache->entries = memory_map(bytes_of(cache->buckets));
	if (!cache->entries) {
		*cache = old;
		cache->buckets_max = old.buckets;
		return;
	}
	for (uint64_t i = 0; i < 2 * old.buckets; i++) {
		const struct cache_entry *e = &old.entries[i];
		struct cache_entry *to = cache_bucket(cache, e->id);
		if (!e->id.lo && !e->id.hi)
			continue;
		if (to->id.lo || to->id.hi)
			to++;
		*to = *e;
	}
	memory_unmap(old.entries, bytes_of(old.buckets));
}

static void put_lower(struct cache_entry *e, const struct cache_news *news)
{
	if (news->bound < e->lo || (news->bound == e->lo && news->rank > e->lo_rank))
		return;
	bool same = news->bound == e->lo && news->rank == e->lo_rank;
	e->lo_fact = news->fact || (same && e->lo_fact);
	e->lo = (int16_t)news->bound;
	e->lo_rank = (uint16_t)news->rank;
	e->lo_move = (uint16_t)news->move;
}

static void put_upper(struct cache_entry *e, const struct cache_news *news)
{
	if (news->bound > e->hi || (news->bound == e->hi && news->rank > e->hi_rank))
		return;
	bool same = news->bound == e->hi && news->rank == e->hi_rank;
	e->hi_fact = news->fact || (same && e->hi_fact);
	e->hi = (int16_t)news->bound;
	e->hi_rank = (uint16_t)news->rank;
	e->hi_move = (uint16_t)news->move;
}

void cache_put(struct cache *cache, struct pd_id id, const struct cache_news *news)
{
	if (!cache->buckets)
		return;
	uint32_t effort = news->effort < CACHE_EFFORT_MAX ? (uint32_t)news->effort : CACHE_EFFORT_MAX;
	struct cache_entry *bucket = cache_bucket(cache, id), *e = NULL;
	for (unsigned i = 0; i < 2 && !e; i++)
		if (pd_id_equal(bucket[i].id, id))
			e = &bucket[i];
	if (!e) {
		if (++cache->fresh > 2 * cache->buckets && cache->buckets < cache->buckets_max) {
			grow(cache);
			bucket = cache_bucket(cache, id);
		}
		e = &bucket[1];
		if (effort >= bucket[0].effort) {
			bucket[1] = bucket[0];
			e = &bucket[0];
		}
		*e = (struct cache_entry){.id = id, .lo = INT16_MIN, .hi = INT16_MAX};
	}
	if (news->lower)
		put_lower(e, news);
	else
		put_upper(e, news);
	if (effort > e->effort)
		e->effort = effort & CACHE_EFFORT_MAX;
}
