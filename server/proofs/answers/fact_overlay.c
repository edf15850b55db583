#include "server/proofs/answers/fact_overlay.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/random.h"
#include "solver/table_theorem.h"

enum {
	MAP_FIRST = 1 << 10,
	MAP_KEPT = 1 << 14,  /* slots that a cleared overlay keeps */
	ITEMS_KEPT = 1 << 22 /* bytes that it keeps */
};

struct item { /* followed by its reasons and its key, unaligned */
	uint32_t count;
	uint16_t size;
};

/* Reads the item of a slot. Returns its reasons as bytes, followed by its key; borrowed. */
static const uint8_t *item_at(const struct sv_overlay *overlay, uint32_t slot, struct item *item)
{
	PD_ASSERT(slot >= 1 && slot - 1 + sizeof *item <= overlay->items.size);
	const char *p = overlay->items.data + (slot - 1);
	memcpy(item, p, sizeof *item);
	return (const uint8_t *)p + sizeof *item;
}

/* The slot of a key, or the free slot where it belongs. */
static uint32_t *slot_of(const struct sv_overlay *overlay, const uint8_t *key, size_t size)
{
	struct item item;
	size_t i = pd_bucket_hash(key, size) % overlay->room;
	for (; overlay->slots[i]; i = (i + 1) % overlay->room) {
		const uint8_t *reasons = item_at(overlay, overlay->slots[i], &item);
		if (item.size == size && !memcmp(reasons + item.count * sizeof(struct pd_reason), key, size))
			break;
	}
	return &overlay->slots[i];
}

/* Adds the reasons of a slot to a fact; false without memory. */
static bool add_known(const struct sv_overlay *overlay, uint32_t slot, struct pd_fact *fact)
{
	struct item item;
	const uint8_t *reasons = item_at(overlay, slot, &item);
	bool good = true;
	for (uint32_t i = 0; i < item.count && good; i++) {
		struct pd_reason r;
		memcpy(&r, reasons + i * sizeof r, sizeof r);
		good = pd_fact_add(fact, &r) != -2;
	}
	return good;
}

static bool grow_slots(struct sv_overlay *overlay)
{
	struct sv_overlay larger = *overlay;
	larger.room = overlay->room ? 4 * overlay->room : MAP_FIRST;
	larger.slots = calloc(larger.room, sizeof *larger.slots);
	if (!larger.slots) {
		overlay->failed = true;
		return false;
	}
	for (size_t i = 0; i < overlay->room; i++)
		if (overlay->slots[i]) {
			struct item item;
			const uint8_t *reasons = item_at(overlay, overlay->slots[i], &item);
			*slot_of(&larger, reasons + item.count * sizeof(struct pd_reason), item.size) =
				overlay->slots[i];
		}
	free(overlay->slots);
	overlay->slots = larger.slots;
	overlay->room = larger.room;
	return true;
}

/* Appends a fact; the item that the slot had before stays in the buffer unused. */
static void put_fact(struct sv_overlay *overlay, uint32_t *slot, const uint8_t *key, size_t size,
		     const struct pd_fact *fact)
{
	struct item item = {fact->count, (uint16_t)size};
	uint32_t at = (uint32_t)overlay->items.size + 1;
	pd_buf_put(&overlay->items, &item, sizeof item);
	pd_buf_put(&overlay->items, pd_fact_reasons(fact), fact->count * sizeof(struct pd_reason));
	pd_buf_put(&overlay->items, key, size);
	overlay->failed = overlay->items.failed;
	if (overlay->failed)
		return;
	overlay->count += !*slot;
	*slot = at;
}

void sv_overlay_keep(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *reason)
{
	struct sv_overlay *overlay = ctx;
	struct pd_fact fact;
	if (overlay->failed || (overlay->count * 2 >= overlay->room && !grow_slots(overlay)))
		return;
	uint32_t *slot = slot_of(overlay, key, size);
	pd_fact_init(&fact);
	bool known = !*slot || add_known(overlay, *slot, &fact);
	int added = known ? pd_fact_add(&fact, reason) : -2;
	if (added == 1)
		put_fact(overlay, slot, key, size, &fact);
	overlay->failed |= added == -2;
	pd_fact_fini(&fact);
}

bool sv_overlay_find(struct sv_overlay *overlay, const uint8_t *key, size_t size, struct pd_fact *out)
{
	struct pd_fail fail;
	out->count = 0;
	int got = overlay->game_id ? st_fact_get(overlay->reader, overlay->game_id, key, size, out, &fail) : 0;
	if (got < 0 || (got && pn_fact_sound(overlay->game, key, size, out, &fail))) {
		out->count = 0;
		if (!overlay->why.code)
			overlay->why = fail;
	}
	uint32_t slot = overlay->room ? *slot_of(overlay, key, size) : 0;
	if (slot && !add_known(overlay, slot, out))
		overlay->failed = true;
	if (pn_tables_key_fact(overlay->game, key, size, out, &fail) < 0 && !overlay->why.code)
		overlay->why = fail;
	return out->count > 0;
}

static bool host_fact(void *ctx, const uint8_t *key, size_t size, struct pd_fact *out)
{
	const struct sv_overlay *overlay = ctx;
	bool itself = size == overlay->hidden_size && !memcmp(key, overlay->hidden, size);
	return !itself && sv_overlay_find(ctx, key, size, out);
}

void sv_overlay_init(struct sv_overlay *overlay, struct st_reader *reader, const struct game *game, uint32_t game_id,
		     size_t bytes)
{
	PD_ASSERT(bytes < UINT32_MAX); /* offsets have 32 bits */
	*overlay = (struct sv_overlay){.reader = reader, .game = game, .game_id = game_id, .identity = pd_random64()};
	pd_buf_init(&overlay->items, bytes);
}

void sv_overlay_fini(struct sv_overlay *overlay)
{
	pn_bounded_room_free(overlay->memory);
	free(overlay->slots);
	pd_buf_fini(&overlay->items);
}

void sv_overlay_clear(struct sv_overlay *overlay)
{
	if (overlay->room > MAP_KEPT) {
		free(overlay->slots);
		overlay->slots = NULL;
		overlay->room = 0;
	} else if (overlay->count) {
		memset(overlay->slots, 0, overlay->room * sizeof *overlay->slots);
	}
	if (overlay->items.capacity > ITEMS_KEPT) {
		size_t limit = overlay->items.limit;
		pd_buf_fini(&overlay->items);
		pd_buf_init(&overlay->items, limit);
	}
	pd_buf_reset(&overlay->items);
	overlay->count = 0;
	overlay->failed = false;
}

int sv_overlay_regenerate(struct sv_overlay *overlay, const void *state, const struct pd_reason *leaf,
			  const struct pn_leaf_policy *policy, enum pn_verdict *verdict, struct pd_fail *fail)
{
	struct pn_host host = {overlay, host_fact};
	if (!overlay->memory)
		overlay->memory = pn_bounded_room_new(overlay->game);
	struct pn_bounded_options options = {.room = overlay->memory,
					     .host = &host,
					     .identity = overlay->identity,
					     .fact = sv_overlay_keep,
					     .fact_ctx = overlay};
	struct pn_leaf_regeneration what = {overlay->game, state, leaf, policy, &options};
	overlay->hidden_size = overlay->game->rules->key(overlay->game, state, overlay->hidden);
	return pn_leaf_regenerate(&what, verdict, fail);
}
