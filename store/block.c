#include "store/block.h"

#include "proto/base/assert.h"
#include "proto/base/bytes.h"
#include "proto/base/hash.h"
#include "store/pack.h"
#include "store/store_types.h"

static uint64_t block_checksum(const uint8_t *data, size_t size, const void *key, size_t key_size)
{
	return XXH3_64bits_withSeed(data + 8, size - 8, pd_hash64(key, key_size));
}

void st_block_reset(struct st_block *block)
{
	block->size = ST_BLOCK_HEAD;
	block->count = 0;
}

void st_block_seal(struct st_block *block, enum st_block_type type, const void *key, size_t key_size)
{
	PD_ASSERT(block->size >= ST_BLOCK_HEAD && block->size <= ST_BLOCK_MAX && block->count <= UINT16_MAX);
	block->data[8] = (uint8_t)type;
	block->data[9] = 0;
	pd_put_le16(block->data + 10, (uint16_t)block->count);
	pd_put_le64(block->data, block_checksum(block->data, block->size, key, key_size));
}

bool st_block_open(const void *data, size_t size, enum st_block_type type, const void *key, size_t key_size,
		   struct st_block_view *out)
{
	PD_ASSERT(key_size && key_size <= ST_BLOCK_MAX);
	const uint8_t *p = data;
	if (size < ST_BLOCK_HEAD || size > ST_BLOCK_MAX || p[8] != (uint8_t)type || p[9] ||
	    pd_get_le64(p) != block_checksum(p, size, key, key_size))
		return false;
	*out = (struct st_block_view){.p = p + ST_BLOCK_HEAD, .end = p + size, .count = pd_get_le16(p + 10)};
	return true;
}

_Static_assert(sizeof(struct st_tt_entry) == ST_ENTRY, "pack.h and store_types.h mean the same entries");
_Static_assert(ST_BLOCK_ENTRIES == ST_BLOCK_MAX / (ST_ENTRY_ID + 2), "an entry has at least an identity and a mask");

bool st_block_entries(const struct st_block_view *view, struct st_tt_entry *out)
{
	const uint8_t *p = view->p;
	if (view->count > ST_BLOCK_ENTRIES)
		return false;
	for (uint32_t i = 0; p && i < view->count; i++)
		p = st_entry_unpack(p, view->end, out[i].bytes);
	return p == view->end;
}
