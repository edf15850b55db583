#include "solver/ghi_pathdep.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM_FIRST = 64, KEYS_FIRST = 1024 };

void ghi_pathdep_init(struct ghi_pathdep *pending, size_t bytes_max)
{
	*pending = (struct ghi_pathdep){.bytes_max = bytes_max < UINT32_MAX ? bytes_max : UINT32_MAX};
}

void ghi_pathdep_fini(struct ghi_pathdep *pending)
{
	free(pending->slots);
	free(pending->keys);
	ghi_pathdep_init(pending, pending->bytes_max);
}

static struct ghi_pathdep_slot *find(const struct ghi_pathdep *pending, struct pd_id id)
{
	uint32_t i = (uint32_t)id.lo & (pending->room - 1);
	while ((pending->slots[i].id.lo || pending->slots[i].id.hi) && !pd_id_equal(pending->slots[i].id, id))
		i = (i + 1) & (pending->room - 1);
	return &pending->slots[i];
}

const struct ghi_pathdep_slot *ghi_pathdep_get(const struct ghi_pathdep *pending, struct pd_id id)
{
	if (!pending->room)
		return NULL;
	const struct ghi_pathdep_slot *slot = find(pending, id);
	return slot->id.lo || slot->id.hi ? slot : NULL;
}

/* Twice the slots, at most three quarters full. */
static bool grow_slots(struct ghi_pathdep *pending)
{
	struct ghi_pathdep old = *pending;
	uint32_t room = old.room ? 2 * old.room : ROOM_FIRST;
	if (room * sizeof *old.slots + old.capacity > old.bytes_max)
		return false;
	struct ghi_pathdep_slot *slots = calloc(room, sizeof *slots);
	if (!slots)
		return false;
	pending->slots = slots;
	pending->room = room;
	for (uint32_t i = 0; i < old.room; i++)
		if (old.slots[i].id.lo || old.slots[i].id.hi)
			*find(pending, old.slots[i].id) = old.slots[i];
	free(old.slots);
	return true;
}

static bool grow_keys(struct ghi_pathdep *pending, size_t more)
{
	size_t capacity = pending->capacity ? 2 * pending->capacity : KEYS_FIRST;
	if (capacity < pending->size + more)
		capacity = pending->size + more;
	if (capacity + pending->room * sizeof *pending->slots > pending->bytes_max)
		return false;
	uint8_t *keys = realloc(pending->keys, capacity);
	if (!keys)
		return false;
	pending->keys = keys;
	pending->capacity = capacity;
	return true;
}

static bool make_room(struct ghi_pathdep *pending, size_t size)
{
	return (pending->count + 1 <= pending->room / 4 * 3 || grow_slots(pending)) &&
	       (pending->size + size <= pending->capacity || grow_keys(pending, size));
}

void ghi_pathdep_put(struct ghi_pathdep *pending, struct pd_id id, const uint8_t *key, size_t size, unsigned move)
{
	if (!make_room(pending, size)) {
		ghi_pathdep_fini(pending);
		if (!make_room(pending, size))
			return;
	}
	struct ghi_pathdep_slot *slot = find(pending, id);
	if (slot->id.lo || slot->id.hi) {
		slot->move = (uint16_t)move;
		return;
	}
	*slot = (struct ghi_pathdep_slot){id, (uint32_t)pending->size, (uint16_t)size, (uint16_t)move};
	memcpy(pending->keys + pending->size, key, size);
	pending->size += size;
	pending->count++;
}
