#include "solver/cache.h"

#include "proto/base/assert.h"
#include "solver/huge_memory.h"

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
	cache->entries = pn_memory_map(bytes_of(cache->buckets));
	return cache->entries != NULL;
}

void cache_fini(struct cache *cache)
{
	pn_memory_unmap(cache->entries, bytes_of(cache->buckets));
	*cache = (struct cache){0};
}

/* The buckets of the next size: twice as many, or all. */
static uint64_t next_buckets(const struct cache *cache)
{
	return cache->buckets_max / 4 < cache->buckets ? cache->buckets_max : 2 * cache->buckets;
}

/* Grows to the next size. When memory cannot be had the cache keeps its size. */
static void grow(struct cache *cache)
{
	struct cache old = *cache;
	cache->fresh = 0;
	cache->buckets = next_buckets(&old);
	PD_ASSERT(cache->buckets > old.buckets && cache->buckets <= cache->buckets_max);
	cache->entries = pn_memory_map(bytes_of(cache->buckets));
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
	pn_memory_unmap(old.entries, bytes_of(old.buckets));
}

/* --- entries of a locked bucket ----------------------------------------------------------- */

static uint32_t mark_of(const struct cache_entry *e)
{
	return __atomic_load_n(&e->mark, __ATOMIC_RELAXED);
}

/* Threads that wait for the lock set its bit again and again meanwhile; it is set already. */
static void set_mark(struct cache_entry *e, uint32_t bit, bool on)
{
	uint32_t mark = mark_of(e);
	__atomic_store_n(&e->mark, on ? mark | bit : mark & ~bit, __ATOMIC_RELAXED);
}

static void set_effort(struct cache_entry *e, uint32_t effort)
{
	__atomic_store_n(&e->mark, (mark_of(e) & ~(uint32_t)CACHE_EFFORT_MAX) | effort, __ATOMIC_RELAXED);
}

/* Writes an entry in the place of another; a bucket's lock stays as it is. */
static void replace(struct cache_entry *e, const struct cache_entry *with)
{
	__atomic_store_n(&e->id.lo, with->id.lo, __ATOMIC_RELAXED);
	__atomic_store_n(&e->id.hi, with->id.hi, __ATOMIC_RELAXED);
	e->lo = with->lo;
	e->hi = with->hi;
	e->lo_rank = with->lo_rank;
	e->hi_rank = with->hi_rank;
	e->lo_move = with->lo_move;
	e->hi_move = with->hi_move;
	__atomic_store_n(&e->mark, (mark_of(e) & CACHE_LOCK) | (mark_of(with) & ~CACHE_LOCK), __ATOMIC_RELAXED);
}

static void put_lower(struct cache_entry *e, const struct pd_reason *bound, bool fact)
{
	if (bound->bound < e->lo || (bound->bound == e->lo && bound->rank > e->lo_rank))
		return;
	bool same = bound->bound == e->lo && bound->rank == e->lo_rank;
	set_mark(e, CACHE_LO_FACT, fact || (same && (mark_of(e) & CACHE_LO_FACT)));
	e->lo = bound->bound;
	e->lo_rank = bound->rank;
	e->lo_move = bound->move;
}

static void put_upper(struct cache_entry *e, const struct pd_reason *bound, bool fact)
{
	if (bound->bound > e->hi || (bound->bound == e->hi && bound->rank > e->hi_rank))
		return;
	bool same = bound->bound == e->hi && bound->rank == e->hi_rank;
	set_mark(e, CACHE_HI_FACT, fact || (same && (mark_of(e) & CACHE_HI_FACT)));
	e->hi = bound->bound;
	e->hi_rank = bound->rank;
	e->hi_move = bound->move;
}

static void count_fresh(struct cache *cache)
{
	uint64_t fresh = cache->shared ? __atomic_add_fetch(&cache->fresh, 1, __ATOMIC_RELAXED) : ++cache->fresh;
	if (fresh > 2 * cache->buckets && cache->buckets < cache->buckets_max && !cache->fixed)
		__atomic_store_n(&cache->grow_wanted, true, __ATOMIC_RELAXED);
}

/* The entry of a position in its locked bucket, a new one where there is none. */
static struct cache_entry *entry_for(struct cache *cache, struct cache_entry *bucket, struct pd_id id, uint32_t effort)
{
	const struct cache_entry none = {.id = id, .lo = INT16_MIN, .hi = INT16_MAX};
	for (unsigned i = 0; i < 2; i++)
		if (pd_id_equal(bucket[i].id, id))
			return &bucket[i];
	count_fresh(cache);
	struct cache_entry *e = &bucket[1];
	if (effort >= (mark_of(&bucket[0]) & CACHE_EFFORT_MAX)) {
		replace(&bucket[1], &bucket[0]);
		e = &bucket[0];
	}
	replace(e, &none);
	return e;
}

void cache_put(struct cache *cache, struct pd_id id, const struct pd_reason *bound, uint64_t nodes, bool fact)
{
	if (!cache->buckets)
		return;
	uint32_t effort = nodes < CACHE_EFFORT_MAX ? (uint32_t)nodes : CACHE_EFFORT_MAX;
	if (!cache->shared && cache->grow_wanted)
		cache_settle(cache);
	struct cache_entry *bucket = cache_bucket(cache, id);
	PD_DEBUG_ASSERT(id.lo || id.hi);
	cache_lock(cache, bucket);
	struct cache_entry *e = entry_for(cache, bucket, id, effort);
	if (bound->side == PD_LO)
		put_lower(e, bound, fact);
	else
		put_upper(e, bound, fact);
	if (effort > (mark_of(e) & CACHE_EFFORT_MAX))
		set_effort(e, effort);
	cache_unlock(cache, bucket);
}

void cache_settle(struct cache *cache)
{
	if (cache->grow_wanted && !cache->fixed)
		grow(cache);
	cache->grow_wanted = false;
}

uint64_t cache_growth(const struct cache *cache)
{
	return cache->buckets < cache->buckets_max ? bytes_of(next_buckets(cache)) : 0;
}
