#include "solver/injected.h"

#include "proto/base/assert.h"

static int compare_keys(const struct injected_fact *item, const uint8_t *key, size_t size)
{
	int order = memcmp(item->key, key, item->size < size ? item->size : size);
	return order ? order : (item->size > size) - (item->size < size);
}

/* The index of the key, or where it would be inserted. */
static size_t injected_place(const struct injected_facts *facts, const uint8_t *key, size_t size)
{
	size_t low = 0, high = facts->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (compare_keys(&facts->items[middle], key, size) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool injected_is_at(const struct injected_facts *facts, size_t place, const uint8_t *key, size_t size)
{
	return place < facts->count && !compare_keys(&facts->items[place], key, size);
}

/* The `fact` function of the host. When memory runs out, nothing is known. */
static bool injected_find(void *ctx, const uint8_t *key, size_t size, struct pd_fact *out)
{
	const struct injected_facts *facts = ctx;
	size_t place = injected_place(facts, key, size);
	return injected_is_at(facts, place, key, size) && pd_fact_copy(out, &facts->items[place].fact);
}

void injected_init(struct injected_facts *facts)
{
	*facts = (struct injected_facts){.host = {facts, injected_find}};
}

void injected_fini(struct injected_facts *facts)
{
	for (size_t i = 0; i < facts->count; i++)
		pd_fact_fini(&facts->items[i].fact);
	free(facts->items);
	*facts = (struct injected_facts){0};
}

static bool injected_make_room(struct injected_facts *facts)
{
	if (facts->count < facts->capacity)
		return true;
	size_t capacity = facts->capacity ? 2 * facts->capacity : 4;
	struct injected_fact *items = realloc(facts->items, capacity * sizeof *items);
	if (!items)
		return false;
	facts->items = items;
	facts->capacity = capacity;
	return true;
}

const struct injected_fact *injected_put(struct injected_facts *facts, const uint8_t *key, size_t size,
					 const struct pd_fact *fact)
{
	PD_ASSERT(size && size <= GAME_KEY_MAX);
	size_t place = injected_place(facts, key, size);
	if (injected_is_at(facts, place, key, size))
		return pd_fact_copy(&facts->items[place].fact, fact) ? &facts->items[place] : NULL;
	struct pd_fact copy;
	pd_fact_init(&copy);
	if (!injected_make_room(facts) || !pd_fact_copy(&copy, fact)) {
		pd_fact_fini(&copy);
		return NULL;
	}
	struct injected_fact *item = &facts->items[place];
	memmove(item + 1, item, (facts->count - place) * sizeof *item);
	memcpy(item->key, key, size);
	item->size = size;
	item->fact = copy;
	facts->count++;
	return item;
}
