#include "solver/injected.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"

static int compare(const struct told_item *item, const uint8_t *key, size_t size)
{
	int order = memcmp(item->key, key, item->size < size ? item->size : size);
	return order ? order : (item->size > size) - (item->size < size);
}

/* The place of the key, or where it would be. */
static size_t place_of(const struct told *told, const uint8_t *key, size_t size)
{
	size_t low = 0, high = told->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (compare(&told->items[middle], key, size) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_at(const struct told *told, size_t place, const uint8_t *key, size_t size)
{
	return place < told->count && !compare(&told->items[place], key, size);
}

/* Matches pn_host.fact. Without memory nothing is known. */
static bool get(void *ctx, const uint8_t *key, size_t size, struct pd_fact *out)
{
	const struct told *told = ctx;
	size_t place = place_of(told, key, size);
	return is_at(told, place, key, size) && pd_fact_copy(out, &told->items[place].fact);
}

void told_init(struct told *told)
{
	*told = (struct told){.host = {told, get}};
}

void told_fini(struct told *told)
{
	for (size_t i = 0; i < told->count; i++)
		pd_fact_fini(&told->items[i].fact);
	free(told->items);
	*told = (struct told){0};
}

static bool make_room(struct told *told)
{
	if (told->count < told->capacity)
		return true;
	size_t capacity = told->capacity ? 2 * told->capacity : 4;
	struct told_item *items = realloc(told->items, capacity * sizeof *items);
	if (!items)
		return false;
	told->items = items;
	told->capacity = capacity;
	return true;
}

const struct told_item *told_put(struct told *told, const uint8_t *key, size_t size, const struct pd_fact *fact)
{
	PD_ASSERT(size && size <= GAME_KEY_MAX);
	size_t place = place_of(told, key, size);
	if (is_at(told, place, key, size))
		return pd_fact_copy(&told->items[place].fact, fact) ? &told->items[place] : NULL;
	struct pd_fact copy;
	pd_fact_init(&copy);
	if (!make_room(told) || !pd_fact_copy(&copy, fact)) {
		pd_fact_fini(&copy);
		return NULL;
	}
	struct told_item *item = &told->items[place];
	memmove(item + 1, item, (told->count - place) * sizeof *item);
	memcpy(item->key, key, size);
	item->size = size;
	item->fact = copy;
	told->count++;
	return item;
}
