#include "solver/cache.h"

#include "solver/memory.h"

bool cache_init(struct cache *cache, uint64_t bytes)
{
	*cache = (struct cache){.buckets = bytes / (2 * sizeof(struct cache_entry))};
	if (!cache->buckets)
		return true;
	cache->entries = memory_map(cache->buckets * 2 * sizeof(struct cache_entry));
	return cache->entries != NULL;
}

void cache_fini(struct cache *cache)
{
	memory_unmap(cache->entries, cache->buckets * 2 * sizeof(struct cache_entry));
	*cache = (struct cache){0};
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
