#include "solver/ghi_pathdep.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"

enum { ROOM_FIRST = 64, KEYS_FIRST = 1024 };

void ghi_pathdep_init(struct ghi_pathdep *store, size_t bytes_max)
{
	*store = (struct ghi_pathdep){.bytes_max = bytes_max < UINT32_MAX ? bytes_max : UINT32_MAX};
}

void ghi_pathdep_fini(struct ghi_pathdep *store)
{
	free(store->slots);
	free(store->keys);
	store->slots = NULL;
	store->keys = NULL;
	store->room = store->count = 0;
	store->size = store->capacity = 0;
}

static struct ghi_pathdep_slot *find_slot(const struct ghi_pathdep *store, struct pd_id id)
{
	PD_DEBUG_ASSERT(store->count < store->room); /* an empty slot ends every probe */
	uint32_t i = (uint32_t)id.lo & (store->room - 1);
	while (!ghi_pathdep_empty(&store->slots[i]) && !pd_id_equal(store->slots[i].id, id))
		i = (i + 1) & (store->room - 1);
	return &store->slots[i];
}

const struct ghi_pathdep_slot *ghi_pathdep_get(const struct ghi_pathdep *store, struct pd_id id)
{
	if (!store->room)
		return NULL;
	const struct ghi_pathdep_slot *slot = find_slot(store, id);
	return ghi_pathdep_empty(slot) ? NULL : slot;
}

/* Doubles the slots, which are at most three quarters full. */
static bool grow_slots(struct ghi_pathdep *store)
{
	struct ghi_pathdep old = *store;
	uint32_t room = old.room ? 2 * old.room : ROOM_FIRST;
	if (room * sizeof *old.slots + old.capacity > old.bytes_max)
		return false;
	struct ghi_pathdep_slot *slots = calloc(room, sizeof *slots);
	if (!slots)
		return false;
	store->slots = slots;
	store->room = room;
	for (uint32_t i = 0; i < old.room; i++)
		if (!ghi_pathdep_empty(&old.slots[i]))
			*find_slot(store, old.slots[i].id) = old.slots[i];
	free(old.slots);
	return true;
}

static bool grow_keys(struct ghi_pathdep *store, size_t more)
{
	size_t capacity = store->capacity ? 2 * store->capacity : KEYS_FIRST;
	if (capacity < store->size + more)
		capacity = store->size + more;
	if (capacity + store->room * sizeof *store->slots > store->bytes_max)
		return false;
	uint8_t *keys = realloc(store->keys, capacity);
	if (!keys)
		return false;
	store->keys = keys;
	store->capacity = capacity;
	return true;
}

static bool make_slot_room(struct ghi_pathdep *store, size_t size)
{
	return (store->count + 1 <= store->room / 4 * 3 || grow_slots(store)) &&
	       (store->size + size <= store->capacity || grow_keys(store, size));
}

void ghi_pathdep_put(struct ghi_pathdep *store, struct pd_id id, const uint8_t *key, size_t size, unsigned move,
		     uint64_t dominated)
{
	if (!make_slot_room(store, size)) {
		ghi_pathdep_fini(store);
		if (!make_slot_room(store, size))
			return;
	}
	PD_ASSERT(store->count < store->room && store->size + size <= store->capacity && size <= UINT16_MAX);
	PD_ASSERT(size && (id.lo || id.hi));
	struct ghi_pathdep_slot *slot = find_slot(store, id);
	if (!ghi_pathdep_empty(slot)) {
		slot->move = (uint16_t)move;
		slot->dominated = dominated;
		return;
	}
	*slot = (struct ghi_pathdep_slot){id, (uint32_t)store->size, (uint16_t)size, (uint16_t)move, dominated};
	memcpy(store->keys + store->size, key, size);
	store->size += size;
	store->count++;
}
