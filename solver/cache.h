/* Solved-position cache: proved bounds in memory; any of them may be dropped at any time.
 *
 * Level 2 looks up a position when it expands a node, so that what one evaluation solved is not solved again by the
 * next. The key is the position alone, without the claim: a position known as a win answers "at least a draw" too. Two
 * entries of 32 bytes share a bucket (TwoBig, tt.h): the first keeps the position with more effort, the second the
 * newest. Identities have 128 bits (F5).
 *
 * It starts small and doubles while many positions are added, so that a short search stays in the processor's caches.
 * Search threads of one search may share it: a bucket is locked by a bit of its first entry. */
#pragma once

#include <stdatomic.h>

#include "proto/base/fact.h"
#include "proto/base/hash.h"
#include "solver/spin.h"

struct dominance;

/* Proved bounds, by enum pd_side. */
struct cache_bounds {
	int16_t bound[2]; /* INT16_MIN and INT16_MAX: none */
	uint16_t rank[2];
	uint16_t move[2]; /* in the key's frame, or PD_NO_MOVE */
};

/* What the cache knows of a position. */
struct cache_entry {
	struct pd_id id;
	struct cache_bounds bounds;
	uint32_t mark; /* effort and the bits below */
};

/* A cache_entry as the table stores it. Identity and mark are also read without the lock. */
struct cache_slot {
	_Atomic uint64_t id_lo, id_hi;
	struct cache_bounds bounds;
	_Atomic uint32_t mark;
};

enum {
	/* Nodes of the larger of the two searches, saturating: the low bits of the mark. */
	CACHE_EFFORT_MAX = (1 << 29) - 1,
	CACHE_FACT = 1 << 29 /* shifted by the side: the bound is a fact already, not only solved here */
};
/* A bit of the mark of a bucket's first entry, in a shared cache only: a thread is reading or writing the bucket. */
#define CACHE_LOCK (1u << 31)

struct cache {
	struct cache_slot *slots; /* owned; 2 a bucket */
	uint64_t buckets;         /* 0: there is no cache */
	uint64_t buckets_max;
	_Atomic uint64_t fresh; /* positions added since it last grew */
	bool shared; /* several threads get and put; changed only while none does. It then grows only in cache_settle */
	atomic_bool grow_wanted;     /* a shared cache has to grow */
	bool fixed;                  /* growing is suspended; changed only while no thread uses it */
	struct dominance *dominance; /* owned; the same positions by board part; NULL: the game has no dominance */
};

/* False when memory runs out. bytes < 64: a cache that holds nothing. */
bool cache_init(struct cache *cache, uint64_t bytes);
/* Likewise, shared, and of its full size from the start. */
bool cache_init_shared(struct cache *cache, uint64_t bytes);
void cache_fini(struct cache *cache);

static inline struct cache_slot *cache_bucket(const struct cache *cache, struct pd_id id)
{
	return cache->slots + 2 * (uint64_t)(((__uint128_t)id.lo * cache->buckets) >> 64);
}

static inline uint32_t cache_effort(const struct cache_entry *e)
{
	return e->mark & CACHE_EFFORT_MAX;
}

static inline void cache_lock(const struct cache *cache, struct cache_slot *bucket)
{
	if (cache->shared)
		while (atomic_fetch_or_explicit(&bucket->mark, CACHE_LOCK, memory_order_acquire) & CACHE_LOCK)
			spin_pause();
}

static inline void cache_unlock(const struct cache *cache, struct cache_slot *bucket)
{
	if (cache->shared)
		atomic_fetch_and_explicit(&bucket->mark, ~CACHE_LOCK, memory_order_release);
}

/* The identity in a slot; without the lock it is a hint. */
static inline struct pd_id cache_slot_id(const struct cache_slot *s)
{
	return (struct pd_id){atomic_load_explicit(&s->id_lo, memory_order_relaxed),
			      atomic_load_explicit(&s->id_hi, memory_order_relaxed)};
}

/* The side of the bound that answers "at least threshold": PD_LO proves it, PD_HI refutes it; -1: neither does. */
static inline int cache_answer(const struct cache_entry *e, int threshold)
{
	const int16_t *bound = e->bounds.bound;
	return bound[PD_LO] >= threshold && bound[PD_LO] != INT16_MIN ? PD_LO : bound[PD_HI] < threshold ? PD_HI : -1;
}

/* Copies the entry of a position; false when it is not there. */
static inline bool cache_get(const struct cache *cache, struct pd_id id, struct cache_entry *out)
{
	struct cache_slot *bucket = cache_bucket(cache, id);
	const struct cache_slot *s = pd_id_equal(cache_slot_id(bucket), id) ? bucket : bucket + 1;
	if (!pd_id_equal(cache_slot_id(s), id))
		return false;
	cache_lock(cache, bucket);
	out->id = cache_slot_id(s);
	out->bounds = s->bounds;
	out->mark = atomic_load_explicit(&s->mark, memory_order_relaxed);
	cache_unlock(cache, bucket);
	return pd_id_equal(out->id, id);
}

/* Adds a proved bound, with its move in the key's frame. `effort`: nodes that it took; `fact`: whether it is a fact.
 * Keeps the stronger of the bounds known, at equal bounds the smaller rank, at equal ranks the fact. */
void cache_put(struct cache *cache, struct pd_id id, const struct pd_reason *bound, uint64_t effort, bool fact);

/* Whether a shared cache has to grow. cache_settle grows it, while no thread is using it. */
static inline bool cache_wants_host(const struct cache *cache)
{
	return atomic_load_explicit(&cache->grow_wanted, memory_order_relaxed);
}

void cache_settle(struct cache *cache);
/* Bytes that the next growth takes; 0: the cache has its full size. */
uint64_t cache_growth(const struct cache *cache);
