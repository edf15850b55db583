#include "solver/cache.h"

#include "proto/base/assert.h"
#include "solver/dominance.h"
#include "solver/huge_memory.h"

enum { BUCKETS_FIRST = 1 << 13 };

static size_t bytes_of(uint64_t buckets)
{
	return (size_t)buckets * 2 * sizeof(struct cache_slot);
}

static bool map_slots(struct cache *cache)
{
	if (!cache->buckets)
		return true;
	cache->slots = pn_memory_map(bytes_of(cache->buckets));
	return cache->slots != NULL;
}

bool cache_init(struct cache *cache, uint64_t bytes)
{
	*cache = (struct cache){.buckets_max = bytes / bytes_of(1)};
	cache->buckets = cache->buckets_max < BUCKETS_FIRST ? cache->buckets_max : BUCKETS_FIRST;
	return map_slots(cache);
}

bool cache_init_shared(struct cache *cache, uint64_t bytes)
{
	*cache = (struct cache){.buckets_max = bytes / bytes_of(1), .shared = true};
	cache->buckets = cache->buckets_max;
	return map_slots(cache);
}

void cache_fini(struct cache *cache)
{
	dominance_free(cache->dominance);
	pn_memory_unmap(cache->slots, bytes_of(cache->buckets));
	*cache = (struct cache){0};
}

/* The number of buckets after the next growth: twice as many, or the maximum. */
static uint64_t next_buckets(const struct cache *cache)
{
	return cache->buckets_max / 4 < cache->buckets ? cache->buckets_max : 2 * cache->buckets;
}

/* Grows to the next size. If memory runs out, the cache keeps its size. */
static void grow_cache(struct cache *cache)
{
	struct cache old = *cache;
	atomic_store_explicit(&cache->fresh, 0, memory_order_relaxed);
	cache->buckets = next_buckets(&old);
	PD_ASSERT(cache->buckets > old.buckets && cache->buckets <= cache->buckets_max);
	cache->slots = pn_memory_map(bytes_of(cache->buckets));
	if (!cache->slots) {
		*cache = old;
		cache->buckets_max = old.buckets;
		return;
	}
	for (uint64_t i = 0; i < 2 * old.buckets; i++) {
		const struct cache_slot *e = &old.slots[i];
		struct pd_id id = cache_slot_id(e);
		struct cache_slot *to = cache_bucket(cache, id);
		if (!id.lo && !id.hi)
			continue;
		if (to->id_lo || to->id_hi)
			to++;
		*to = *e;
	}
	pn_memory_unmap(old.slots, bytes_of(old.buckets));
}

/* --- entries of a locked bucket ----------------------------------------------------------- */

static uint32_t mark_of(const struct cache_slot *e)
{
	return atomic_load_explicit(&e->mark, memory_order_relaxed);
}

/* Waiting threads set the lock's bit again and again; it is already set, so the mark does not change. */
static void set_effort(struct cache_slot *e, uint32_t effort)
{
	atomic_store_explicit(&e->mark, (mark_of(e) & ~(uint32_t)CACHE_EFFORT_MAX) | effort, memory_order_relaxed);
}

/* Overwrites a slot with an entry; the bucket's lock does not change. */
static void replace_slot(struct cache_slot *e, const struct cache_slot *with)
{
	struct pd_id id = cache_slot_id(with);
	atomic_store_explicit(&e->id_lo, id.lo, memory_order_relaxed);
	atomic_store_explicit(&e->id_hi, id.hi, memory_order_relaxed);
	e->bounds = with->bounds;
	atomic_store_explicit(&e->mark, (mark_of(e) & CACHE_LOCK) | (mark_of(with) & ~CACHE_LOCK),
			      memory_order_relaxed);
}

/* Keeps the stronger bound, at equal bounds the smaller rank, at equal ranks the fact. */
static void put_bound(struct cache_slot *e, const struct pd_reason *reason, bool fact)
{
	unsigned side = reason->side;
	int stronger = reason->bound - e->bounds.bound[side];
	uint32_t bit = (uint32_t)CACHE_FACT << side, mark = mark_of(e);
	stronger = side == PD_LO ? stronger : -stronger;
	if (stronger < 0 || (!stronger && reason->rank > e->bounds.rank[side]))
		return;
	bool keep = fact || (!stronger && reason->rank == e->bounds.rank[side] && (mark & bit));
	atomic_store_explicit(&e->mark, keep ? mark | bit : mark & ~bit, memory_order_relaxed);
	e->bounds.bound[side] = reason->bound;
	e->bounds.rank[side] = reason->rank;
	e->bounds.move[side] = reason->move;
}

static void count_fresh(struct cache *cache)
{
	uint64_t fresh = atomic_load_explicit(&cache->fresh, memory_order_relaxed) + 1;
	if (cache->shared)
		fresh = atomic_fetch_add_explicit(&cache->fresh, 1, memory_order_relaxed) + 1;
	else
		atomic_store_explicit(&cache->fresh, fresh, memory_order_relaxed);
	if (fresh > 2 * cache->buckets && cache->buckets < cache->buckets_max && !cache->fixed)
		atomic_store_explicit(&cache->grow_wanted, true, memory_order_relaxed);
}

/* The slot of a position in its locked bucket, or the slot to use for it. */
static struct cache_slot *entry_for(struct cache *cache, struct cache_slot *bucket, struct pd_id id, uint32_t effort)
{
	const struct cache_slot none = {.id_lo = id.lo, .id_hi = id.hi, .bounds = {.bound = {INT16_MIN, INT16_MAX}}};
	for (unsigned i = 0; i < 2; i++)
		if (pd_id_equal(cache_slot_id(&bucket[i]), id))
			return &bucket[i];
	count_fresh(cache);
	struct cache_slot *e = &bucket[1];
	if (effort >= (mark_of(&bucket[0]) & CACHE_EFFORT_MAX)) {
		replace_slot(&bucket[1], &bucket[0]);
		e = &bucket[0];
	}
	replace_slot(e, &none);
	return e;
}

void cache_put(struct cache *cache, struct pd_id id, const struct pd_reason *bound, uint64_t nodes, bool fact)
{
	if (!cache->buckets)
		return;
	uint32_t effort = nodes < CACHE_EFFORT_MAX ? (uint32_t)nodes : CACHE_EFFORT_MAX;
	if (!cache->shared && cache_wants_host(cache))
		cache_settle(cache);
	struct cache_slot *bucket = cache_bucket(cache, id);
	PD_DEBUG_ASSERT(id.lo || id.hi);
	cache_lock(cache, bucket);
	struct cache_slot *e = entry_for(cache, bucket, id, effort);
	put_bound(e, bound, fact);
	if (effort > (mark_of(e) & CACHE_EFFORT_MAX))
		set_effort(e, effort);
	cache_unlock(cache, bucket);
}

void cache_settle(struct cache *cache)
{
	if (cache_wants_host(cache) && !cache->fixed)
		grow_cache(cache);
	atomic_store_explicit(&cache->grow_wanted, false, memory_order_relaxed);
}

uint64_t cache_growth(const struct cache *cache)
{
	return cache->buckets < cache->buckets_max ? bytes_of(next_buckets(cache)) : 0;
}
