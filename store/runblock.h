/* Run block: many facts of a run in one value, which alone proves that a key is not in the run (private to store/).
 *
 * A run's blocks partition all possible keys: a block holds the keys k with lower <= k < upper. It is stored under its
 * upper fence and begins with its lower one; its checksum covers both, and the run's number. So the first block whose
 * key is larger than k answers for k. FORMAT.md describes the bytes. */
#pragma once

#include "store/key.h"

enum {
	ST_RUN_NODE = 670, /* bytes of a usual block with its key: six of them fill a page of LMDB */
	ST_RUN_HEAD = 12   /* le64 checksum, type, 0, le16 count */
};

extern const uint8_t st_run_end[4]; /* the last block's upper fence: larger than any key */

/* A block being filled. Begins as {0}. */
struct st_run_block {
	uint8_t *data; /* owned */
	size_t size, capacity;
	uint32_t count;
	uint8_t last[ST_DB_KEY_MAX]; /* the last key; at first the lower fence */
	size_t last_size;
};

void st_run_block_fini(struct st_run_block *block);
/* Empties it and gives it its lower fence; false when memory runs out. */
bool st_run_block_start(struct st_run_block *block, const uint8_t *fence, size_t size);
/* Whether the block keeps its usual size with this record. An empty block takes any record. */
bool st_run_block_fits(const struct st_run_block *block, size_t key_size, size_t value_size);
/* Keys increase, from the fence on. False when memory runs out. */
bool st_run_block_add(struct st_run_block *block, const uint8_t *key, size_t size, const void *value,
		      size_t value_size);
/* The shortest fence between the last key and `next`, a larger key; returns its size. */
size_t st_run_block_fence(const struct st_run_block *block, const uint8_t *next, size_t size, uint8_t *fence);
/* Fills in the head: the block can be stored under the key `upper`. */
void st_run_block_seal(struct st_run_block *block, uint64_t run, const uint8_t *upper, size_t size);

/* A block being read; borrowed. */
struct st_run_view {
	const uint8_t *data, *p, *end;
	uint32_t left; /* records not read yet */
	const uint8_t *lower;
	size_t lower_size;
	uint8_t key[ST_DB_KEY_MAX]; /* of the last record read; at first the lower fence */
	size_t key_size;
	const uint8_t *value;
	size_t value_size;
};

/* False when the value is not a block of the run under that key. */
bool st_run_view_open(struct st_run_view *view, const void *data, size_t size, uint64_t run, const uint8_t *upper,
		      size_t upper_size);
/* The next record: 1; 0 at the end; -1 when it does not decode. */
int st_run_view_next(struct st_run_view *view);
/* Looks for a key in an open block from which nothing was read: 1 and the value; 0: the block proves that the key is
 * not in the run; -1: the block does not decode, or does not answer for the key. */
int st_run_view_find(struct st_run_view *view, const uint8_t *upper, size_t upper_size, const uint8_t *key,
		     size_t size);
