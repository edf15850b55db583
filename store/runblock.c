#include "store/runblock.h"

#include <stdlib.h>

#include "proto/base/assert.h"

enum {
	TYPE = 'R',
	REST_MASK = 15,
	VALUE_SHIFT = 4,
	VALUE_MASK = 7,
	VALUE_LESS = 2,
	SHARED_FOLLOWS = 128,
	RECORD_EXTRA = 1 + 3 * 5 /* bytes of a record besides key and fact, at most */
};

const uint8_t st_run_end[4] = {0xff, 0xff, 0xff, 0xff};

static uint64_t block_checksum(const uint8_t *data, size_t size, uint64_t run, const uint8_t *upper, size_t upper_size)
{
	return XXH3_64bits(data + 8, size - 8) ^ XXH3_64bits_withSeed(upper, upper_size, run);
}

void st_run_block_fini(struct st_run_block *block)
{
	free(block->data);
	*block = (struct st_run_block){.data = NULL};
}

static bool reserve_bytes(struct st_run_block *block, size_t more)
{
	if (block->size + more <= block->capacity)
		return true;
	size_t capacity = block->size + more < 2 * ST_RUN_NODE ? 2 * ST_RUN_NODE : (block->size + more) * 3 / 2;
	uint8_t *grown = realloc(block->data, capacity);
	if (!grown)
		return false;
	block->data = grown;
	block->capacity = capacity;
	return true;
}

bool st_run_block_start(struct st_run_block *block, const uint8_t *fence, size_t size)
{
	PD_ASSERT(size <= ST_DB_KEY_MAX);
	block->size = 0;
	if (!reserve_bytes(block, ST_RUN_HEAD + 2 + size))
		return false;
	uint8_t *p = pd_put_varint(block->data + ST_RUN_HEAD, size);
	if (size)
		memcpy(p, fence, size);
	block->size = (size_t)(p - block->data) + size;
	block->count = 0;
	if (size)
		memcpy(block->last, fence, size);
	block->last_size = size;
	return true;
}

static size_t common_prefix(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size)
{
	size_t least = a_size < b_size ? a_size : b_size, n = 0;
	while (n < least && a[n] == b[n])
		n++;
	return n;
}

bool st_run_block_fits(const struct st_run_block *block, size_t key_size, size_t value_size)
{
	/* The next fence is about as long as the common prefix of keys; a byte or two more only waste space. */
	size_t fence = block->data[ST_RUN_HEAD] & 0x7f;
	return !block->count || (block->size + RECORD_EXTRA / 4 + key_size + value_size + fence + 1 <= ST_RUN_NODE &&
				 block->count < UINT16_MAX);
}

bool st_run_block_add(struct st_run_block *block, const uint8_t *key, size_t size, const void *value, size_t value_size)
{
	PD_ASSERT(st_key_compare(block->last, block->last_size, key, size) < (block->count ? 0 : 1));
	if (!reserve_bytes(block, RECORD_EXTRA + size + value_size))
		return false;
	size_t shared = common_prefix(block->last, block->last_size, key, size);
	shared -= shared == size; /* a first key that equals the fence: at least one byte is stored */
	size_t rest = size - shared;
	bool rest_short = rest <= REST_MASK, same = size == block->last_size;
	bool value_short = value_size > VALUE_LESS && value_size <= VALUE_MASK + VALUE_LESS;
	uint8_t *p = block->data + block->size;
	*p++ = (uint8_t)((rest_short ? rest : 0) | (value_short ? value_size - VALUE_LESS : 0) << VALUE_SHIFT |
			 (same ? 0 : SHARED_FOLLOWS));
	if (!rest_short)
		p = pd_put_varint(p, rest);
	if (!value_short)
		p = pd_put_varint(p, value_size);
	if (!same)
		p = pd_put_varint(p, shared);
	memcpy(p, key + shared, rest);
	memcpy(p + rest, value, value_size);
	block->size = (size_t)(p - block->data) + rest + value_size;
	block->count++;
	memcpy(block->last + shared, key + shared, rest);
	block->last_size = size;
	return true;
}

size_t st_run_block_fence(const struct st_run_block *block, const uint8_t *next, size_t size, uint8_t *fence)
{
	size_t n = common_prefix(block->last, block->last_size, next, size) + 1;
	PD_ASSERT(n <= size && n <= ST_DB_KEY_MAX /* next is larger than the last key */);
	memcpy(fence, next, n);
	return n;
}

void st_run_block_seal(struct st_run_block *block, uint64_t run, const uint8_t *upper, size_t size)
{
	PD_ASSERT(block->count && block->count <= UINT16_MAX);
	block->data[8] = TYPE;
	block->data[9] = 0;
	pd_put_le16(block->data + 10, (uint16_t)block->count);
	pd_put_le64(block->data, block_checksum(block->data, block->size, run, upper, size));
}

bool st_run_view_open(struct st_run_view *view, const void *data, size_t size, uint64_t run, const uint8_t *upper,
		      size_t upper_size)
{
	const uint8_t *p = data, *end = p + size;
	uint64_t fence;
	if (size <= ST_RUN_HEAD || pd_get_le64(p) != block_checksum(p, size, run, upper, upper_size) || p[8] != TYPE ||
	    p[9])
		return false;
	view->data = p;
	view->left = pd_get_le16(p + 10);
	p = pd_get_varint(p + ST_RUN_HEAD, end, &fence);
	if (!p || fence > ST_DB_KEY_MAX || fence > (uint64_t)(end - p))
		return false;
	view->lower = p;
	view->lower_size = (size_t)fence;
	memcpy(view->key, p, (size_t)fence);
	view->key_size = (size_t)fence;
	view->p = p + fence;
	view->end = end;
	return true;
}

/* The parts of the record at p. */
struct parts {
	size_t shared, rest, value;
	const uint8_t *p; /* where the rest of the key begins; NULL: it does not decode */
};

static inline struct parts parts_of(const uint8_t *p, const uint8_t *end, size_t last_size)
{
	struct parts r = {.p = NULL};
	if (p == end)
		return r;
	unsigned head = *p++;
	uint64_t rest = head & REST_MASK, value = (head >> VALUE_SHIFT & VALUE_MASK) + VALUE_LESS, shared;
	if (!rest)
		p = pd_get_varint(p, end, &rest);
	if (value == VALUE_LESS)
		p = pd_get_varint(p, end, &value);
	shared = last_size - rest;
	if (head & SHARED_FOLLOWS)
		p = pd_get_varint(p, end, &shared);
	if (!p || !rest || shared > last_size || rest > ST_DB_KEY_MAX || shared + rest > ST_DB_KEY_MAX ||
	    value > ST_VALUE_MAX || rest + value > (uint64_t)(end - p))
		return r;
	return (struct parts){(size_t)shared, (size_t)rest, (size_t)value, p};
}

int st_run_view_next(struct st_run_view *view)
{
	if (!view->left)
		return view->p == view->end ? 0 : -1;
	struct parts r = parts_of(view->p, view->end, view->key_size);
	if (!r.p)
		return -1;
	memcpy(view->key + r.shared, r.p, r.rest);
	view->key_size = r.shared + r.rest;
	view->value = r.p + r.rest;
	view->value_size = r.value;
	view->p = view->value + r.value;
	view->left--;
	return 1;
}

/* One row per head byte. For a plain record, whose head has all of its sizes, bits 16 and up are the size of the rest
 * of the key and bits 0 to 7 the size of the record. For other heads: more than any key. */
enum { PLAIN_MAX = 1 + REST_MASK + VALUE_MASK + VALUE_LESS, NOT_PLAIN = 0x7fff0000 };
#define PLAIN(head)                                                                                                    \
	((head) < SHARED_FOLLOWS && ((head)&REST_MASK) && (head) >> VALUE_SHIFT                                        \
		 ? ((head)&REST_MASK) << 16 | (1 + VALUE_LESS + ((head)&REST_MASK) + ((head) >> VALUE_SHIFT))          \
		 : NOT_PLAIN)
#define PLAIN_4(head)  PLAIN(head), PLAIN((head) + 1), PLAIN((head) + 2), PLAIN((head) + 3)
#define PLAIN_16(head) PLAIN_4(head), PLAIN_4((head) + 4), PLAIN_4((head) + 8), PLAIN_4((head) + 12)
#define PLAIN_64(head) PLAIN_16(head), PLAIN_16((head) + 16), PLAIN_16((head) + 32), PLAIN_16((head) + 48)
static const uint32_t plain[256] = {PLAIN_64(0), PLAIN_64(64), PLAIN_64(128), PLAIN_64(192)};

/* Skips most records of most look-ups: plain ones whose first own byte, or the byte count before it, shows that they
 * are below the key. `next` is the first byte of the key that the record before does not share. The last record is left
 * to the caller: a plain one begins at most PLAIN_MAX bytes before the end. NULL: there are more records than *left. */
static const uint8_t *skip_plain(const uint8_t *p, const uint8_t *end, size_t last_size, size_t same, unsigned next,
				 uint32_t *left)
{
	PD_ASSERT(same <= last_size && last_size <= ST_DB_KEY_MAX);
	/* A record is below the key when it shares more with the record before it (a smaller rest), or as much and its
	 * next byte is smaller. One number compares both: the rest, then the byte after the head. */
	uint32_t bound = (uint32_t)(last_size - same) << 16 | next << 8, skipped = 0;
	const uint8_t *stop = end - p > PLAIN_MAX ? end - PLAIN_MAX : p;
	while (p < stop) {
		uint32_t of_head = plain[*p];
		if ((of_head | (uint32_t)p[1] << 8) >= bound)
			break;
		p += of_head & 0xff;
		skipped++;
	}
	if (skipped >= *left)
		return NULL;
	*left -= skipped;
	return p;
}

int st_run_view_find(struct st_run_view *view, const uint8_t *upper, size_t upper_size, const uint8_t *key, size_t size)
{
	if (st_key_compare(view->lower, view->lower_size, key, size) > 0 ||
	    st_key_compare(key, size, upper, upper_size) >= 0)
		return -1;
	/* The keys increase. The one read last is not above `key` and has its first `same` bytes. So the next key is
	 * also below `key` when it shares more with this one, and above when it shares less. */
	size_t same = common_prefix(view->lower, view->lower_size, key, size), last_size = view->lower_size;
	const uint8_t *p = view->p;
	for (uint32_t n = view->left; n; n--) {
		if (same < size && !(p = skip_plain(p, view->end, last_size, same, key[same], &n)))
			return -1;
		struct parts r = parts_of(p, view->end, last_size);
		if (!r.p)
			return -1;
		last_size = r.shared + r.rest;
		p = r.p + r.rest + r.value;
		if (r.shared > same)
			continue;
		if (r.shared < same && n != view->left)
			return 0;
		size_t more = common_prefix(r.p, r.rest, key + r.shared, size - r.shared);
		same = r.shared + more;
		if (more == r.rest) {
			if (same == size) {
				view->value = r.p + r.rest;
				view->value_size = r.value;
				return 1;
			}
		} else if (same == size || r.p[more] > key[same]) {
			return 0;
		}
	}
	return 0;
}
