/* Table: numbers by keys of one size. Keys are compared in full: a wrong answer is impossible. It belongs to one
 * thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ck_table {
	size_t key; /* bytes of a key; set by the owner, who sets all else to zero */
	size_t count, room;
	uint8_t *slots; /* owned; `room` of them, each a key and four bytes: 0 free, else 1 + the number */
};

/* True when the key is there; *number is then its number. */
bool ck_table_find(const struct ck_table *t, const void *key, uint32_t *number);
/* Adds a key that is not there with a number below UINT32_MAX; false if there is not enough memory. */
bool ck_table_add(struct ck_table *t, const void *key, uint32_t number);
/* The bytes of memory that `count` keys may take. */
size_t ck_table_bytes(const struct ck_table *t, size_t count);
/* Removes all keys and frees the memory. */
void ck_table_clear(struct ck_table *t);
