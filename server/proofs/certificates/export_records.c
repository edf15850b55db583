#define _GNU_SOURCE /* qsort_r */
#include "server/proofs/certificates/export_records.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/bytes.h"
#include "proto/base/random.h"

enum {
	SHARDS = 1024,
	BLOCK_BITS = 15, /* of an offset in a block */
	BLOCK_BYTES = 1 << BLOCK_BITS,
	PLACE_BITS = 24, /* block of the shard and offset in it */
	BLOCKS_MAX = 1 << (PLACE_BITS - BLOCK_BITS),
	BLOCKS_STEP = 8,
	ROOM_FIRST = 16,
	SORTERS_MAX = 64,   /* threads */
	TELL_EVERY = 100000 /* records */
};

struct sv_export_shard {
	uint8_t **blocks;           /* owned; a record is size of the key, key, count of reasons, reasons */
	uint32_t *slots;            /* owned; tag << PLACE_BITS | place; 0: empty. No record has the place 0 */
	uint32_t block_count, used; /* blocks; bytes of the last one */
	uint32_t room, count;       /* slots; records */
};

void sv_export_records_init(struct sv_export_records *records)
{
	*records = (struct sv_export_records){0};
	pd_buf_init(&records->cards, UINT32_MAX); /* places have 32 bits */
	pd_buf_init(&records->scratch, SIZE_MAX / 2);
}

void sv_export_records_fini(struct sv_export_records *records)
{
	for (unsigned i = 0; records->shards && i < SHARDS; i++) {
		struct sv_export_shard *s = &records->shards[i];
		for (uint32_t k = 0; k < s->block_count; k++)
			free(s->blocks[k]);
		free(s->blocks);
		free(s->slots);
	}
	free(records->shards);
	records->shards = NULL;
	pd_buf_fini(&records->cards);
	pd_buf_fini(&records->scratch);
}

/* --- records as bytes --------------------------------------------------------------------- */

enum { FLAG_HI = 1, FLAG_RANK = 2, FLAG_MOVE = 4, FLAG_EFFORT = 8, FLAG_CARD = 16 };

uint8_t *sv_export_reason_put(uint8_t *p, const struct pd_reason *r)
{
	bool ranked = r->rank != PD_RANK_NONE, moved = r->move != PD_NO_MOVE;
	*p++ = (uint8_t)((r->side == PD_HI ? FLAG_HI : 0) | (ranked ? FLAG_RANK : 0) | (moved ? FLAG_MOVE : 0) |
			 (r->effort ? FLAG_EFFORT : 0) | (r->job ? FLAG_CARD : 0));
	p = pd_put_varint(p, pd_zigzag(r->bound));
	if (ranked)
		p = pd_put_varint(p, r->rank);
	if (moved)
		p = pd_put_varint(p, r->move);
	if (r->effort)
		p = pd_put_varint(p, r->effort);
	return r->job ? pd_put_varint(p, r->job) : p;
}

const uint8_t *sv_export_reason_get(const uint8_t *p, const uint8_t *end, struct pd_reason *r)
{
	uint64_t bound = 0, rank = PD_RANK_NONE, move = PD_NO_MOVE, effort = 0, card = 0;
	if (p >= end)
		return NULL;
	unsigned flags = *p++;
	p = pd_get_varint(p, end, &bound);
	if (flags & FLAG_RANK)
		p = pd_get_varint(p, end, &rank);
	if (flags & FLAG_MOVE)
		p = pd_get_varint(p, end, &move);
	if (flags & FLAG_EFFORT)
		p = pd_get_varint(p, end, &effort);
	if (flags & FLAG_CARD)
		p = pd_get_varint(p, end, &card);
	*r = (struct pd_reason){(int16_t)pd_unzigzag(bound),
				flags & FLAG_HI ? PD_HI : PD_LO,
				(uint16_t)rank,
				(uint16_t)move,
				(uint32_t)effort,
				(uint32_t)card};
	return p;
}

static const uint8_t *end_of_memory(const uint8_t *p)
{
	return p + (1 << 24); /* records in memory are whole: this end is never reached */
}

static const uint8_t *read_number(const uint8_t *p, uint64_t *out)
{
	p = pd_get_varint(p, end_of_memory(p), out);
	PD_ASSERT(p);
	return p;
}

static const uint8_t *read_reason(const uint8_t *p, struct pd_reason *out)
{
	p = sv_export_reason_get(p, end_of_memory(p), out);
	PD_ASSERT(p);
	return p;
}

/* Reads a record up to its reasons, which follow. */
struct head {
	const uint8_t *key, *reasons;
	uint64_t size, count;
};

static struct head read_head(const struct sv_export_shard *s, uint32_t place)
{
	struct head h;
	uint32_t block = (place & ((1 << PLACE_BITS) - 1)) >> BLOCK_BITS;
	PD_DEBUG_ASSERT(block < s->block_count);
	h.key = read_number(s->blocks[block] + (place & (BLOCK_BYTES - 1)), &h.size);
	h.reasons = read_number(h.key + h.size, &h.count);
	return h;
}

/* --- finding ------------------------------------------------------------------------------ */

static struct sv_export_shard *shard_of(const struct sv_export_records *records, uint64_t hash)
{
	return &records->shards[(hash >> 32) % SHARDS];
}

static uint32_t tag_of(uint64_t hash)
{
	return (uint32_t)(hash >> 56) << PLACE_BITS;
}

/* The slot of a key, or the free slot where it belongs. */
static uint32_t *slot_of(const struct sv_export_shard *s, uint64_t hash, const uint8_t *key, size_t size)
{
	uint32_t i = (uint32_t)(((hash & UINT32_MAX) * s->room) >> 32), tag = tag_of(hash);
	for (; s->slots[i]; i = i + 1 < s->room ? i + 1 : 0) {
		if ((s->slots[i] ^ tag) >> PLACE_BITS)
			continue;
		struct head h = read_head(s, s->slots[i]);
		if (h.size == size && !memcmp(h.key, key, size))
			break;
	}
	return &s->slots[i];
}

static bool grow_slots(struct sv_export_shard *s)
{
	uint32_t room = s->room ? s->room + s->room / 2 : ROOM_FIRST, old = s->room;
	uint32_t *slots = calloc(room, sizeof *slots), *from = s->slots;
	if (!slots)
		return false;
	s->slots = slots;
	s->room = room;
	for (uint32_t i = 0; i < old; i++)
		if (from[i]) {
			struct head h = read_head(s, from[i]);
			*slot_of(s, pd_bucket_hash(h.key, h.size), h.key, h.size) = from[i];
		}
	free(from);
	return true;
}

bool sv_export_records_meet(const struct sv_export_records *records, const uint8_t *key, const struct sv_need *need)
{
	uint64_t hash = pd_bucket_hash(key, need->size);
	const struct sv_export_shard *s = records->shards ? shard_of(records, hash) : NULL;
	uint32_t place = s && s->room ? *slot_of(s, hash, key, need->size) : 0;
	if (!place)
		return false;
	struct head h = read_head(s, place);
	for (const uint8_t *p = h.reasons; h.count; h.count--) {
		struct pd_reason r;
		p = read_reason(p, &r);
		if (r.side == need->side && (need->side == PD_LO ? r.bound >= need->bound : r.bound <= need->bound) &&
		    (need->below == PD_RANK_NONE || r.rank < need->below))
			return true;
	}
	return false;
}

/* --- adding ------------------------------------------------------------------------------- */

static int no_memory(const struct sv_export_records *records, struct pd_fail *fail)
{
	return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a certificate of %llu positions",
			   (unsigned long long)records->count);
}

/* Appends a block; false without memory, and when the places are used up. */
static bool add_block(struct sv_export_shard *s)
{
	if (s->block_count == BLOCKS_MAX)
		return false;
	if (s->block_count % BLOCKS_STEP == 0) {
		uint8_t **blocks = realloc(s->blocks, (s->block_count + BLOCKS_STEP) * sizeof *blocks);
		if (!blocks)
			return false;
		s->blocks = blocks;
	}
	uint8_t *block = malloc(BLOCK_BYTES);
	if (!block)
		return false;
	s->used = s->block_count == 0; /* no record has the place 0 */
	s->blocks[s->block_count++] = block;
	return true;
}

/* Keeps the bytes of a record; 0 without memory, and for a record of more than a thousand reasons; else its place. */
static uint32_t keep_bytes(struct sv_export_shard *s, const void *bytes, size_t size)
{
	if (size >= BLOCK_BYTES || ((!s->block_count || s->used + size > BLOCK_BYTES) && !add_block(s)))
		return 0;
	uint32_t at = s->used;
	memcpy(s->blocks[s->block_count - 1] + at, bytes, size);
	s->used += (uint32_t)size;
	return (s->block_count - 1) << BLOCK_BITS | at;
}

static bool stands_before(const struct pd_reason *a, const struct pd_reason *b)
{
	return a->side != b->side ? a->side < b->side : a->bound < b->bound;
}

static void put_number(struct pd_buf *out, uint64_t number)
{
	uint8_t bytes[PD_VARINT_MAX];
	pd_buf_put(out, bytes, (size_t)(pd_put_varint(bytes, number) - bytes));
}

static void put_reason(struct pd_buf *out, const struct pd_reason *r)
{
	uint8_t bytes[SV_EXPORT_REASON_MAX];
	pd_buf_put(out, bytes, (size_t)(sv_export_reason_put(bytes, r) - bytes));
}

static void count_reason(struct sv_export_records *records, const struct pd_reason *r, int sign)
{
	records->reasons += (uint64_t)sign;
	records->leaves += (uint64_t)(sign * (r->effort > 0));
	records->effort += (uint64_t)(sign * (int64_t)r->effort);
	records->with_card += (uint64_t)(sign * (r->job > 0));
}

/* Writes the record of a key with one more reason to the scratch buffer. `old`: the record so far. */
static void make_record(struct sv_export_records *records, const struct head *old, const uint8_t *key, size_t size,
			const struct pd_reason *reason)
{
	struct pd_buf *out = &records->scratch;
	struct pd_reason r;
	uint64_t same = 0, placed = 0;
	const uint8_t *p = old->reasons;
	for (uint64_t i = 0; i < old->count; i++) {
		p = read_reason(p, &r);
		same |= r.side == reason->side && r.bound == reason->bound;
	}
	pd_buf_reset(out);
	put_number(out, size);
	pd_buf_put(out, key, size);
	put_number(out, old->count + !same);
	p = old->reasons;
	for (uint64_t i = 0; i < old->count; i++) {
		p = read_reason(p, &r);
		bool replaced = r.side == reason->side && r.bound == reason->bound;
		if (!placed && !stands_before(&r, reason)) {
			put_reason(out, reason);
			placed = 1;
		}
		if (replaced)
			count_reason(records, &r, -1);
		else
			put_reason(out, &r);
	}
	if (!placed)
		put_reason(out, reason);
	count_reason(records, reason, 1);
}

int sv_export_records_put(struct sv_export_records *records, const uint8_t *key, size_t size,
			  const struct pd_reason *reason, struct pd_fail *fail)
{
	uint64_t hash = pd_bucket_hash(key, size);
	if (!records->shards)
		records->shards = calloc(SHARDS, sizeof *records->shards);
	struct sv_export_shard *s = records->shards ? shard_of(records, hash) : NULL;
	if (!s || ((uint64_t)s->count * 5 >= (uint64_t)s->room * 4 && !grow_slots(s)))
		return no_memory(records, fail);
	uint32_t *slot = slot_of(s, hash, key, size);
	struct head old = {0};
	bool known = *slot != 0;
	if (known)
		old = read_head(s, *slot);
	make_record(records, &old, key, size, reason);
	uint32_t place = records->scratch.failed ? 0 : keep_bytes(s, records->scratch.data, records->scratch.size);
	if (!place)
		return no_memory(records, fail);
	*slot = tag_of(hash) | place;
	s->count += !known;
	records->count += !known;
	PD_ASSERT(s->count < s->room && records->reasons >= records->count);
	return PD_OK;
}

/* --- writing ------------------------------------------------------------------------------ */

/* The first eight bytes of a key as a number, so that most comparisons look at nothing else. */
static uint64_t prefix_of(const uint8_t *key, size_t size)
{
	uint64_t prefix = 0;
	for (size_t i = 0; i < 8; i++)
		prefix = prefix << 8 | (i < size ? key[i] : 0);
	return prefix;
}

static int compare_keys(const struct head *a, const struct head *b)
{
	int order = memcmp(a->key, b->key, a->size < b->size ? a->size : b->size);
	return order ? order : a->size < b->size ? -1 : a->size > b->size;
}

/* A record of a shard that is sorted. */
struct item {
	uint64_t prefix;
	uint32_t place;
};

static int by_key(const void *a, const void *b, void *ctx)
{
	const struct item *x = a, *y = b;
	if (x->prefix != y->prefix)
		return x->prefix < y->prefix ? -1 : 1;
	struct head p = read_head(ctx, x->place), q = read_head(ctx, y->place);
	return compare_keys(&p, &q);
}

/* Sorts the slots of a shard: the first `count` are then its records in order. False without memory. */
static bool sort_shard(struct sv_export_shard *s)
{
	struct item *items = malloc((s->count ? s->count : 1) * sizeof *items);
	uint32_t n = 0;
	if (!items)
		return false;
	for (uint32_t i = 0; i < s->room; i++)
		if (s->slots[i]) {
			struct head h = read_head(s, s->slots[i]);
			items[n++] = (struct item){prefix_of(h.key, h.size), s->slots[i]};
		}
	PD_ASSERT(n == s->count);
	if (n)
		qsort_r(items, n, sizeof *items, by_key, s);
	for (uint32_t i = 0; i < n; i++)
		s->slots[i] = items[i].place;
	free(items);
	return true;
}

/* One thread that sorts shards: every `step`th from `first` on. */
struct sorter {
	struct sv_export_shard *shards;
	unsigned first, step;
	bool failed;
	pthread_t thread;
};

static void *sorter_main(void *ctx)
{
	struct sorter *sorter = ctx;
	for (unsigned i = sorter->first; i < SHARDS && !sorter->failed; i += sorter->step)
		sorter->failed = !sort_shard(&sorter->shards[i]);
	return NULL;
}

/* False without memory. A thread that cannot be started has its part done by this one. */
static bool sort_shards(struct sv_export_shard *shards, unsigned threads)
{
	struct sorter sorters[SORTERS_MAX];
	unsigned count = threads < SORTERS_MAX ? threads : SORTERS_MAX, started = 1;
	bool good = true;
	PD_ASSERT(threads >= 1);
	for (unsigned i = 0; i < count; i++)
		sorters[i] = (struct sorter){.shards = shards, .first = i, .step = count};
	while (started < count && !pthread_create(&sorters[started].thread, NULL, sorter_main, &sorters[started]))
		started++;
	sorter_main(&sorters[0]);
	for (unsigned i = started; i < count; i++)
		sorter_main(&sorters[i]);
	for (unsigned i = 0; i < count; i++) {
		if (i && i < started)
			pthread_join(sorters[i].thread, NULL);
		good &= !sorters[i].failed;
	}
	return good;
}

/* The least record of a shard that is not written yet. */
struct source {
	uint64_t prefix;
	uint32_t next; /* its slot */
	uint16_t shard;
};

/* A heap of the shards that have records left. */
struct merge {
	const struct sv_export_shard *shards;
	struct source heap[SHARDS];
	unsigned count;
};

static struct head head_of(const struct merge *m, const struct source *source)
{
	const struct sv_export_shard *s = &m->shards[source->shard];
	return read_head(s, s->slots[source->next]);
}

static bool is_less(const struct merge *m, const struct source *a, const struct source *b)
{
	if (a->prefix != b->prefix)
		return a->prefix < b->prefix;
	struct head x = head_of(m, a), y = head_of(m, b);
	return compare_keys(&x, &y) < 0;
}

static void sift_down(struct merge *m, unsigned at)
{
	struct source moving = m->heap[at];
	for (;;) {
		unsigned child = 2 * at + 1;
		if (child + 1 < m->count && is_less(m, &m->heap[child + 1], &m->heap[child]))
			child++;
		if (child >= m->count || !is_less(m, &m->heap[child], &moving))
			break;
		m->heap[at] = m->heap[child];
		at = child;
	}
	m->heap[at] = moving;
}

static void set_prefix(const struct merge *m, struct source *source)
{
	struct head h = head_of(m, source);
	source->prefix = prefix_of(h.key, h.size);
}

static void begin_merge(struct merge *m, const struct sv_export_shard *shards)
{
	m->shards = shards;
	m->count = 0;
	for (unsigned i = 0; shards && i < SHARDS; i++)
		if (shards[i].count) {
			m->heap[m->count] = (struct source){.shard = (uint16_t)i};
			set_prefix(m, &m->heap[m->count++]);
		}
	for (unsigned i = m->count / 2; i-- > 0;)
		sift_down(m, i);
}

static void take_least(struct merge *m)
{
	struct source *least = &m->heap[0];
	if (++least->next < m->shards[least->shard].count)
		set_prefix(m, least);
	else
		m->heap[0] = m->heap[--m->count];
	if (m->count)
		sift_down(m, 0);
}

static int put_record(struct sv_certificate *file, const struct head *h, struct pd_buf *scratch, struct pd_fail *fail)
{
	const uint8_t *p = h->reasons;
	pd_buf_reset(scratch);
	for (uint64_t i = 0; i < h->count; i++) {
		struct pd_reason r;
		p = read_reason(p, &r);
		pd_buf_put(scratch, &r, sizeof r);
	}
	if (scratch->failed)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a certificate");
	return sv_certificate_put(file, h->key, h->size, (const struct pd_reason *)(const void *)scratch->data,
				  (unsigned)h->count, fail);
}

/* Writes all records to a certificate that was begun. */
static int write_merged(struct sv_export_records *records, struct merge *m, const struct sv_export_writing *how,
			struct sv_certificate *file, struct pd_fail *fail)
{
	uint64_t written = 0;
	int rc = PD_OK;
	for (begin_merge(m, records->shards); m->count && !rc; take_least(m)) {
		struct head h = head_of(m, &m->heap[0]);
		rc = put_record(file, &h, &records->scratch, fail);
		if (!rc && ++written % TELL_EVERY == 0 && how->go_on && !how->go_on(how->ctx, written))
			rc = pd_fail_set(fail, PD_E_STATE, "", "the export was stopped");
	}
	return rc;
}

int sv_export_records_write(struct sv_export_records *records, const struct sv_export_writing *how,
			    const struct sv_certificate_head *head, uint64_t *bytes, struct pd_fail *fail)
{
	struct sv_certificate file;
	struct pd_fail late;
	PD_ASSERT(records->count == head->positions);
	struct merge *merge = malloc(sizeof *merge);
	int rc = !merge || (records->shards && !sort_shards(records->shards, how->threads))
			 ? no_memory(records, fail)
			 : sv_certificate_begin(&file, how->path, head, fail);
	if (!rc) {
		rc = write_merged(records, merge, how, &file, fail);
		int end = sv_certificate_end(&file, !rc, bytes, rc ? &late : fail);
		rc = rc ? rc : end;
	}
	free(merge);
	return rc;
}
