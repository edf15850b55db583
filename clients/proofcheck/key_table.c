#include "clients/proofcheck/key_table.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/random.h"

enum { ROOM_MIN = 64, NUMBER = 4 /* bytes */ };

static size_t slot_bytes(const struct ck_table *t)
{
	return t->key + NUMBER;
}

static uint32_t number_in(const struct ck_table *t, const uint8_t *slot)
{
	uint32_t n;
	memcpy(&n, slot + t->key, NUMBER);
	return n;
}

/* The slot of the key, or the free one where it belongs. Half of the slots are free. */
static uint8_t *find_slot(const struct ck_table *t, const void *key)
{
	PD_ASSERT(t->room && t->count < t->room);
	for (size_t i = (size_t)pd_bucket_hash(key, t->key) & (t->room - 1);; i = (i + 1) & (t->room - 1)) {
		uint8_t *slot = t->slots + i * slot_bytes(t);
		if (!number_in(t, slot) || !memcmp(slot, key, t->key))
			return slot;
	}
}

bool ck_table_find(const struct ck_table *t, const void *key, uint32_t *number)
{
	uint32_t found = t->room ? number_in(t, find_slot(t, key)) : 0;
	*number = found - 1;
	return found;
}

static void fill_slot(const struct ck_table *t, const void *key, uint32_t number)
{
	uint8_t *slot = find_slot(t, key);
	PD_ASSERT(!number_in(t, slot));
	memcpy(slot, key, t->key);
	memcpy(slot + t->key, &number, NUMBER);
}

static bool grow_table(struct ck_table *t)
{
	struct ck_table old = *t;
	t->room = old.room ? 2 * old.room : ROOM_MIN;
	t->slots = calloc(t->room, slot_bytes(t));
	if (!t->slots) {
		*t = old;
		return false;
	}
	for (size_t i = 0; i < old.room; i++) {
		const uint8_t *slot = old.slots + i * slot_bytes(t);
		if (number_in(t, slot))
			fill_slot(t, slot, number_in(t, slot));
	}
	free(old.slots);
	return true;
}

bool ck_table_add(struct ck_table *t, const void *key, uint32_t number)
{
	PD_ASSERT(t->key >= 1 && number < UINT32_MAX);
	if (2 * t->count >= t->room && !grow_table(t))
		return false;
	fill_slot(t, key, number + 1);
	t->count++;
	return true;
}

size_t ck_table_bytes(const struct ck_table *t, size_t count)
{
	return 4 * count * slot_bytes(t);
}

void ck_table_clear(struct ck_table *t)
{
	free(t->slots);
	*t = (struct ck_table){.key = t->key};
}
