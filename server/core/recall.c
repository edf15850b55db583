#include "server/core/recall.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/hash.h"

enum { MAP_FIRST = 1 << 10 };

struct item { /* packed behind one another: this, the reasons, the key */
	uint16_t size;
	uint16_t count;
};

/* Reads the item of a slot; its key is borrowed. */
static const uint8_t *unpack(const struct sv_recall *w, uint32_t slot, struct item *item, struct pd_fact *fact)
{
	const char *p = w->items.data + (slot - 1);
	memcpy(item, p, sizeof *item);
	p += sizeof *item;
	fact->count = (uint8_t)item->count;
	memcpy(fact->reason, p, item->count * sizeof fact->reason[0]);
	return (const uint8_t *)p + item->count * sizeof fact->reason[0];
}

/* The slot where a key is, or would be; *fact is what it says. */
static uint32_t *slot_of(const struct sv_recall *w, const uint8_t *key, size_t size, struct pd_fact *fact)
{
	struct item item;
	size_t i = pd_hash64(key, size) % w->room;
	for (; w->slots[i]; i = (i + 1) % w->room) {
		const uint8_t *own = unpack(w, w->slots[i], &item, fact);
		if (item.size == size && !memcmp(own, key, size))
			return &w->slots[i];
	}
	fact->count = 0;
	return &w->slots[i];
}

static bool grow(struct sv_recall *w)
{
	struct sv_recall larger = *w;
	larger.room = w->room ? 4 * w->room : MAP_FIRST;
	larger.slots = calloc(larger.room, sizeof *larger.slots);
	if (!larger.slots) {
		w->failed = true;
		return false;
	}
	for (size_t i = 0; i < w->room; i++)
		if (w->slots[i]) {
			struct item item;
			struct pd_fact fact;
			const uint8_t *key = unpack(w, w->slots[i], &item, &fact);
			*slot_of(&larger, key, item.size, &fact) = w->slots[i];
		}
	free(w->slots);
	w->slots = larger.slots;
	w->room = larger.room;
	return true;
}

static void keep(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *reason)
{
	struct sv_recall *w = ctx;
	struct pd_fact fact;
	if (w->failed || (w->count * 2 >= w->room && !grow(w)))
		return;
	uint32_t *slot = slot_of(w, key, size, &fact);
	if (pd_fact_add(&fact, reason) != 1)
		return;
	struct item item = {(uint16_t)size, fact.count};
	uint32_t at = (uint32_t)w->items.size + 1;
	pd_buf_put(&w->items, &item, sizeof item);
	pd_buf_put(&w->items, fact.reason, fact.count * sizeof fact.reason[0]);
	pd_buf_put(&w->items, key, size);
	w->failed = w->items.failed;
	if (w->failed)
		return;
	w->count += !*slot; /* what it said before stays behind unused */
	*slot = at;
}

/* What is known of a key: the store's fact with what was regenerated. */
bool sv_recall_find(struct sv_recall *w, const uint8_t *key, size_t size, struct pd_fact *out)
{
	struct pd_fail fail;
	out->count = 0;
	if (w->game_id && st_fact_get(w->reader, w->game_id, key, size, out, &fail) < 0)
		out->count = 0;
	struct pd_fact found = {0};
	if (w->room)
		slot_of(w, key, size, &found);
	for (unsigned i = 0; i < found.count; i++)
		pd_fact_add(out, &found.reason[i]);
	return out->count > 0;
}

static bool host_fact(void *ctx, const uint8_t *key, size_t size, struct pd_fact *out)
{
	const struct sv_recall *w = ctx;
	bool itself = size == w->hidden_size && !memcmp(key, w->hidden, size);
	return !itself && sv_recall_find(ctx, key, size, out);
}

void sv_recall_init(struct sv_recall *w, struct st_reader *reader, const struct game *game, uint32_t game_id,
		    size_t bytes)
{
	*w = (struct sv_recall){.reader = reader, .game = game, .game_id = game_id};
	pd_buf_init(&w->items, bytes);
}

void sv_recall_fini(struct sv_recall *w)
{
	free(w->slots);
	pd_buf_fini(&w->items);
}

void sv_recall_clear(struct sv_recall *w)
{
	if (w->room)
		memset(w->slots, 0, w->room * sizeof *w->slots);
	pd_buf_reset(&w->items);
	w->count = 0;
	w->failed = false;
}

int sv_recall_regenerate(struct sv_recall *w, const void *state, const struct pd_reason *r, uint64_t nodes,
			 enum pn_verdict *verdict, struct pd_fail *fail)
{
	struct pn_host host = {w, host_fact};
	struct pn_goal goal = pn_goal_of(w->game, r);
	w->hidden_size = w->game->rules->key(w->game, state, w->hidden);
	return pn_bounded(w->game, state, &goal, nodes, &host, keep, w, verdict, fail);
}
