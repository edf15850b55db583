/* Block: many packed records in one value (private to store/).
 *
 * A block has at most 4080 bytes: exactly one overflow page of LMDB. Its checksum covers the key under which it is
 * stored, so a block in a wrong place is as wrong as a damaged one. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct st_tt_entry;

enum {
	ST_BLOCK_MAX = 4080,
	ST_BLOCK_HEAD = 12 /* le64 checksum, type, 0, le16 count */
};

enum st_block_type { ST_BLOCK_JOURNAL = 'J', ST_BLOCK_SNAPSHOT = 'S', ST_BLOCK_FACTS = 'F' };

/* A block being filled. */
struct st_block {
	uint8_t data[ST_BLOCK_MAX];
	uint32_t size;  /* bytes in use, head included */
	uint32_t count; /* records in it */
};

/* A block being read; valid as long as the value it was opened from. */
struct st_block_view {
	const uint8_t *p, *end; /* the records */
	uint32_t count;
};

void st_block_reset(struct st_block *block);
/* Whether `size` more bytes fit. */
static inline bool st_block_fits(const struct st_block *block, size_t size)
{
	return block->size + size <= ST_BLOCK_MAX;
}
/* Fills in the head. */
void st_block_seal(struct st_block *block, enum st_block_type type, const void *key, size_t key_size);
enum { ST_BLOCK_ENTRIES = ST_BLOCK_MAX / 18 }; /* the most table entries in a block: the shortest packed ones */
/* Unpacks the table entries of an open block into ST_BLOCK_ENTRIES of `out`; false when the block does not decode. */
bool st_block_entries(const struct st_block_view *view, struct st_tt_entry *out);

/* False when the value is not such a block under that key. */
bool st_block_open(const void *data, size_t size, enum st_block_type type, const void *key, size_t key_size,
		   struct st_block_view *out);
