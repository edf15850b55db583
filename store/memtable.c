#include "store/memtable.h"

#include "proto/base/assert.h"
#include "store/pack.h"

struct st_chunk {
	struct st_chunk *next;
	size_t size, used; /* bytes of data */
	uint8_t data[];
};

enum { CHUNK_MIN = 1 << 14, CHUNK_MAX = 1 << 22, SLOTS_MIN = 16 };

/* --- arena -------------------------------------------------------------------------------- */

static size_t record_bytes(size_t key_size, size_t fact_size)
{
	size_t size = offsetof(struct st_record, bytes) + key_size + fact_size;
	return (size + _Alignof(struct st_record) - 1) & ~(_Alignof(struct st_record) - 1);
}

/* Makes sure that the head chunk has `size` bytes free. */
static bool arena_reserve(struct st_arena *arena, size_t size)
{
	if (arena->head && arena->head->size - arena->head->used >= size)
		return true;
	/* Chunks grow with the arena: small memtables stay small, large ones allocate rarely. */
	size_t want = arena->bytes < CHUNK_MIN ? CHUNK_MIN : arena->bytes > CHUNK_MAX ? CHUNK_MAX : arena->bytes;
	if (want < size)
		want = size;
	struct st_chunk *chunk = malloc(sizeof *chunk + want);
	if (!chunk)
		return false;
	chunk->next = arena->head;
	chunk->size = want;
	chunk->used = 0;
	arena->head = chunk;
	arena->bytes += want;
	return true;
}

static void *arena_take(struct st_arena *arena, size_t size)
{
	PD_ASSERT(arena->head && arena->head->size - arena->head->used >= size);
	void *p = arena->head->data + arena->head->used;
	arena->head->used += size;
	return p;
}

static void arena_fini(struct st_arena *arena)
{
	for (struct st_chunk *c = arena->head, *next; c; c = next) {
		next = c->next;
		free(c);
	}
	*arena = (struct st_arena){0};
}

static void arena_reset(struct st_arena *arena)
{
	struct st_chunk *keep = arena->head;
	if (!keep)
		return;
	struct st_arena rest = {.head = keep->next};
	arena_fini(&rest);
	keep->next = NULL;
	keep->used = 0;
	arena->bytes = keep->size;
}

/* --- slots -------------------------------------------------------------------------------- */

/* Made of bits that choose neither shard nor slot. */
static uint8_t tag_of(uint64_t hash)
{
	uint8_t tag = (uint8_t)(hash >> (64 - ST_SHARD_BITS - 8));
	return tag ? tag : 1;
}

static bool slots_make(struct st_slots *slots, uint64_t capacity)
{
	*slots = (struct st_slots){.slot = calloc(capacity, sizeof *slots->slot + sizeof *slots->tag)};
	if (!slots->slot)
		return false;
	slots->tag = (uint8_t *)(slots->slot + capacity);
	slots->capacity = capacity;
	return true;
}

/* The place of the key, or the free one where it belongs. The capacity is not 0. */
static uint64_t place_of(const struct st_slots *slots, uint64_t hash, const uint8_t *key, size_t size)
{
	const uint8_t tag = tag_of(hash);
	PD_DEBUG_ASSERT(slots->count < slots->capacity /* a free slot ends the probe */);
	for (uint64_t i = hash;; i++) {
		uint64_t at = i & (slots->capacity - 1);
		if (!slots->tag[at])
			return at;
		const struct st_slot *s = &slots->slot[at];
		if (slots->tag[at] == tag && s->hash == hash && s->record->key_size == size &&
		    !memcmp(s->record->bytes, key, size))
			return at;
	}
}

static const struct st_record *slots_get(const struct st_slots *slots, uint64_t hash, const uint8_t *key, size_t size)
{
	if (!slots->capacity)
		return NULL;
	uint64_t at = place_of(slots, hash, key, size);
	return slots->tag[at] ? slots->slot[at].record : NULL;
}

/* A larger copy with room for `count` records at most three quarters full; false when memory runs out. */
static bool slots_grown(const struct st_slots *slots, uint64_t count, struct st_slots *out)
{
	uint64_t capacity = slots->capacity ? slots->capacity : SLOTS_MIN;
	while (capacity - capacity / 4 < count)
		capacity *= 2;
	if (!slots_make(out, capacity))
		return false;
	for (uint64_t i = 0; i < slots->capacity; i++) {
		if (!slots->tag[i])
			continue;
		uint64_t j = slots->slot[i].hash;
		while (out->tag[j & (capacity - 1)])
			j++;
		out->tag[j & (capacity - 1)] = slots->tag[i];
		out->slot[j & (capacity - 1)] = slots->slot[i];
	}
	out->count = slots->count;
	return true;
}

static bool slots_full(const struct st_slots *slots, uint64_t count)
{
	return count > slots->capacity - slots->capacity / 4;
}

static void slots_put(struct st_slots *slots, uint64_t hash, const struct st_record *record)
{
	PD_ASSERT(slots->count < slots->capacity /* room was reserved */);
	uint64_t at = place_of(slots, hash, record->bytes, record->key_size);
	slots->count += !slots->tag[at];
	slots->tag[at] = tag_of(hash);
	slots->slot[at] = (struct st_slot){.hash = hash, .record = record};
}

static void slots_clear(struct st_slots *slots)
{
	memset(slots->slot, 0, slots->capacity * (sizeof *slots->slot + sizeof *slots->tag));
	slots->count = 0;
}

static void slots_fini(struct st_slots *slots)
{
	free(slots->slot);
	*slots = (struct st_slots){0};
}

/* Room must have been reserved. */
static struct st_record *record_new(struct st_arena *arena, const uint8_t *key, size_t size, const uint8_t *fact,
				    size_t fact_size, bool complete)
{
	PD_ASSERT(size <= ST_DB_KEY_MAX && fact_size);
	struct st_record *r = arena_take(arena, record_bytes(size, fact_size));
	r->key_size = (uint16_t)size;
	r->fact_size = (uint32_t)fact_size;
	r->complete = complete;
	memcpy(r->bytes, key, size);
	memcpy(r->bytes + size, fact, fact_size);
	return r;
}

/* Packs the fact into its place; NULL when memory runs out. */
static struct st_record *record_pack(struct st_arena *arena, const struct st_fact_key *key, const struct pd_fact *fact,
				     bool complete)
{
	if (!arena_reserve(arena, record_bytes(key->size, st_fact_packed_most(fact))))
		return NULL;
	struct st_record *r = (struct st_record *)(void *)(arena->head->data + arena->head->used);
	size_t fact_size = st_fact_pack(r->bytes + key->size, fact);
	r->key_size = (uint16_t)key->size;
	r->fact_size = (uint32_t)fact_size;
	r->complete = complete;
	memcpy(r->bytes, key->bytes, key->size);
	return arena_take(arena, record_bytes(key->size, fact_size));
}

/* 1, or -1 when there is no memory for the fact. */
static int record_read(const struct st_record *r, struct pd_fact *out, struct pd_fail *fail)
{
	int rc = st_fact_decode(st_record_fact(r), r->fact_size, out);
	if (!rc)
		return 1;
	st_fact_fail(rc == PD_E_NO_MEMORY ? rc : PD_E_INTERNAL, "", fail);
	return -1;
}

/* --- memtable ----------------------------------------------------------------------------- */

/* The low bits choose the slot, the high bits the shard. */
static struct st_shard *shard_of(const struct st_memtable *memtable, uint64_t hash)
{
	return &memtable->shard[hash >> (64 - ST_SHARD_BITS)];
}

bool st_memtable_init(struct st_memtable *memtable)
{
	pthread_rwlockattr_t attr;
	*memtable = (struct st_memtable){.shard = calloc(ST_SHARDS, sizeof *memtable->shard)};
	if (!memtable->shard)
		return false;
	pthread_rwlockattr_init(&attr);
	/* A continuous stream of readers must not lock the writer out. No thread takes a shard's lock twice. */
	pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	for (unsigned i = 0; i < ST_SHARDS; i++)
		pthread_rwlock_init(&memtable->shard[i].lock, &attr);
	pthread_rwlockattr_destroy(&attr);
	pd_mutex_init(&memtable->applying, PD_LOCK_APPLYING);
	return true;
}

void st_memtable_fini(struct st_memtable *memtable)
{
	PD_ASSERT(memtable->shard || !memtable->is_frozen);
	if (!memtable->shard)
		return;
	for (unsigned i = 0; i < ST_SHARDS; i++) {
		pthread_rwlock_destroy(&memtable->shard[i].lock);
		slots_fini(&memtable->shard[i].active);
		slots_fini(&memtable->shard[i].frozen);
	}
	pd_mutex_fini(&memtable->applying);
	arena_fini(&memtable->active);
	arena_fini(&memtable->frozen);
	free(memtable->shard);
	*memtable = (struct st_memtable){0};
}

static inline void lock_shard(struct st_shard *shard, bool to_write)
{
	pd_lock_taken(PD_LOCK_SHARD);
	if (to_write)
		pthread_rwlock_wrlock(&shard->lock);
	else
		pthread_rwlock_rdlock(&shard->lock);
}

static inline void unlock_shard(struct st_shard *shard)
{
	pthread_rwlock_unlock(&shard->lock);
	pd_lock_released(PD_LOCK_SHARD);
}

int st_memtable_get(struct st_memtable *memtable, const struct st_fact_key *key, struct pd_fact *out, bool *complete,
		    struct pd_fail *fail)
{
	struct st_shard *shard = shard_of(memtable, key->hash);
	lock_shard(shard, false);
	const struct st_record *r = slots_get(&shard->active, key->hash, key->bytes, key->size);
	if (!r)
		r = slots_get(&shard->frozen, key->hash, key->bytes, key->size);
	int found = r ? record_read(r, out, fail) : 0;
	if (found > 0)
		*complete = r->complete;
	unlock_shard(shard);
	return found;
}

static void slots_prefetch(const struct st_slots *slots, uint64_t hash)
{
	if (slots->capacity)
		__builtin_prefetch(&slots->tag[hash & (slots->capacity - 1)]);
}

void st_memtable_prefetch(struct st_memtable *memtable, uint64_t hash)
{
	struct st_shard *shard = shard_of(memtable, hash);
	lock_shard(shard, false);
	slots_prefetch(&shard->active, hash);
	slots_prefetch(&shard->frozen, hash);
	unlock_shard(shard);
}

/* Only the writer changes the slots, so it copies them without the lock and exchanges them under it. */
static bool shard_reserve(struct st_shard *shard, uint64_t more)
{
	struct st_slots grown, old = shard->active;
	if (!slots_full(&old, old.count + more))
		return true;
	if (!slots_grown(&old, old.count + more, &grown))
		return false;
	lock_shard(shard, true);
	shard->active = grown;
	unlock_shard(shard);
	slots_fini(&old);
	return true;
}

static void shard_put(struct st_memtable *memtable, struct st_shard *shard, uint64_t hash,
		      const struct st_record *record)
{
	uint64_t before = shard->active.count;
	lock_shard(shard, true);
	slots_put(&shard->active, hash, record);
	unlock_shard(shard);
	memtable->active_count += shard->active.count - before;
}

bool st_memtable_put(struct st_memtable *memtable, const struct st_fact_key *key, const struct pd_fact *fact,
		     bool complete)
{
	PD_ASSERT(key->size > 4 && key->size <= ST_DB_KEY_MAX && fact->count);
	struct st_shard *shard = shard_of(memtable, key->hash);
	const struct st_record *r =
		shard_reserve(shard, 1) ? record_pack(&memtable->active, key, fact, complete) : NULL;
	if (!r)
		return false;
	shard_put(memtable, shard, key->hash, r);
	return true;
}

bool st_memtable_reserve(struct st_memtable *memtable, const struct st_stage *stage)
{
	for (unsigned i = 0; i < ST_SHARDS; i++)
		if (stage->in_shard[i] && !shard_reserve(&memtable->shard[i], stage->in_shard[i]))
			return false;
	return !stage->bytes || arena_reserve(&memtable->active, stage->bytes);
}

void st_memtable_settle(struct st_memtable *memtable)
{
	pd_mutex_lock(&memtable->applying);
	pd_mutex_unlock(&memtable->applying);
}

void st_memtable_apply(struct st_memtable *memtable, const struct st_stage *stage)
{
	pd_mutex_lock(&memtable->applying);
	for (uint64_t i = 0; i < stage->slots.capacity; i++) {
		const struct st_slot *s = &stage->slots.slot[i];
		if (!s->record)
			continue;
		const struct st_record *r = s->record;
		shard_put(memtable, shard_of(memtable, s->hash), s->hash,
			  record_new(&memtable->active, r->bytes, r->key_size, st_record_fact(r), r->fact_size,
				     r->complete));
	}
	pd_mutex_unlock(&memtable->applying);
}

void st_memtable_freeze(struct st_memtable *memtable)
{
	PD_ASSERT(!memtable->is_frozen);
	for (unsigned i = 0; i < ST_SHARDS; i++) {
		struct st_shard *shard = &memtable->shard[i];
		lock_shard(shard, true);
		shard->frozen = shard->active;
		shard->active = (struct st_slots){0};
		unlock_shard(shard);
	}
	memtable->frozen = memtable->active;
	memtable->frozen_count = memtable->active_count;
	memtable->active = (struct st_arena){0};
	memtable->active_count = 0;
	memtable->is_frozen = true;
}

void st_memtable_drop_frozen(struct st_memtable *memtable)
{
	PD_ASSERT(memtable->is_frozen);
	for (unsigned i = 0; i < ST_SHARDS; i++) {
		struct st_shard *shard = &memtable->shard[i];
		struct st_slots old = shard->frozen;
		lock_shard(shard, true);
		shard->frozen = (struct st_slots){0};
		unlock_shard(shard);
		slots_fini(&old);
	}
	arena_fini(&memtable->frozen);
	memtable->frozen_count = 0;
	memtable->is_frozen = false;
}

void st_memtable_clear(struct st_memtable *memtable)
{
	if (memtable->is_frozen)
		st_memtable_drop_frozen(memtable);
	st_memtable_freeze(memtable);
	st_memtable_drop_frozen(memtable);
}

/* --- in order ----------------------------------------------------------------------------- */

static int compare_records(const void *a, const void *b)
{
	const struct st_record *x = *(const struct st_record *const *)a, *y = *(const struct st_record *const *)b;
	return st_key_compare(x->bytes, x->key_size, y->bytes, y->key_size);
}

/* Copies the records of a table, except those whose key `newer` has. */
static bool copy_slots(const struct st_slots *slots, const struct st_slots *newer, struct st_memtable_copy *out)
{
	for (uint64_t i = 0; i < slots->capacity; i++) {
		const struct st_slot *s = &slots->slot[i];
		const struct st_record *r = s->record;
		if (!r || (newer && slots_get(newer, s->hash, r->bytes, r->key_size)))
			continue;
		if (!arena_reserve(&out->arena, record_bytes(r->key_size, r->fact_size)))
			return false;
		out->record[out->count++] =
			record_new(&out->arena, r->bytes, r->key_size, st_record_fact(r), r->fact_size, r->complete);
	}
	return true;
}

bool st_memtable_copy(struct st_memtable *memtable, struct st_memtable_copy *out)
{
	size_t capacity = 0;
	bool good = true;
	*out = (struct st_memtable_copy){0};
	for (unsigned i = 0; good && i < ST_SHARDS; i++) {
		struct st_shard *shard = &memtable->shard[i];
		lock_shard(shard, false);
		size_t need = out->count + shard->active.count + shard->frozen.count;
		if (need > capacity) {
			capacity = need > 2 * capacity ? need : 2 * capacity;
			const struct st_record **grown = realloc(out->record, capacity * sizeof *grown);
			good = grown != NULL;
			if (good)
				out->record = grown;
		}
		good = good && copy_slots(&shard->active, NULL, out) && copy_slots(&shard->frozen, &shard->active, out);
		unlock_shard(shard);
	}
	if (!good)
		st_memtable_copy_fini(out);
	else if (out->count)
		qsort(out->record, out->count, sizeof *out->record, compare_records);
	return good;
}

void st_memtable_copy_fini(struct st_memtable_copy *copy)
{
	free(copy->record);
	arena_fini(&copy->arena);
	*copy = (struct st_memtable_copy){0};
}

const struct st_record **st_memtable_frozen(const struct st_memtable *memtable, unsigned shard, uint32_t *count)
{
	PD_ASSERT(memtable->is_frozen && shard < ST_SHARDS);
	const struct st_slots *slots = &memtable->shard[shard].frozen;
	const struct st_record **out = malloc((slots->count + 1) * sizeof *out);
	if (!out)
		return NULL;
	*count = 0;
	for (uint64_t i = 0; i < slots->capacity; i++)
		if (slots->slot[i].record)
			out[(*count)++] = slots->slot[i].record;
	qsort(out, *count, sizeof *out, compare_records);
	return out;
}

/* --- stage -------------------------------------------------------------------------------- */

void st_stage_fini(struct st_stage *stage)
{
	slots_fini(&stage->slots);
	arena_fini(&stage->arena);
}

void st_stage_reset(struct st_stage *stage)
{
	/* After an unusually large batch the memory is freed; otherwise it is only cleared. */
	if (stage->slots.capacity > 4 * stage->slots.count + 1024)
		slots_fini(&stage->slots);
	else if (stage->slots.count)
		slots_clear(&stage->slots);
	stage->slots.count = 0;
	arena_reset(&stage->arena);
	stage->bytes = 0;
	memset(stage->in_shard, 0, sizeof stage->in_shard);
}

int st_stage_get(const struct st_stage *stage, const struct st_fact_key *key, struct pd_fact *out, struct pd_fail *fail)
{
	const struct st_record *r = slots_get(&stage->slots, key->hash, key->bytes, key->size);
	return r ? record_read(r, out, fail) : 0;
}

bool st_stage_put(struct st_stage *stage, const struct st_fact_key *key, const struct pd_fact *fact)
{
	PD_ASSERT(key->size > 4 && key->size <= ST_DB_KEY_MAX && fact->count);
	if (slots_full(&stage->slots, stage->slots.count + 1)) {
		struct st_slots grown, old = stage->slots;
		if (!slots_grown(&old, 2 * old.count + 1, &grown))
			return false;
		stage->slots = grown;
		slots_fini(&old);
	}
	const struct st_record *r = record_pack(&stage->arena, key, fact, true);
	if (!r)
		return false;
	const struct st_record *before = slots_get(&stage->slots, key->hash, key->bytes, key->size);
	if (before)
		stage->bytes -= record_bytes(before->key_size, before->fact_size);
	else
		stage->in_shard[key->hash >> (64 - ST_SHARD_BITS)]++;
	slots_put(&stage->slots, key->hash, r);
	stage->bytes += record_bytes(key->size, r->fact_size);
	return true;
}
