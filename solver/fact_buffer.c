#include "solver/fact_buffer.h"

#include <stdlib.h>
#include <string.h>

/* A record: key size (2 bytes), the reason as it is, the key. */

void fact_buffer_init(struct fact_buffer *found)
{
	*found = (struct fact_buffer){0};
}

void fact_buffer_fini(struct fact_buffer *found)
{
	free(found->bytes);
	*found = (struct fact_buffer){0};
}

static bool reserve(struct fact_buffer *found, size_t more)
{
	if (found->size + more <= found->capacity)
		return true;
	size_t capacity = found->capacity ? found->capacity : 1 << 16;
	while (capacity < found->size + more)
		capacity *= 2;
	uint8_t *bytes = realloc(found->bytes, capacity);
	if (!bytes) {
		found->failed = true;
		return false;
	}
	found->bytes = bytes;
	found->capacity = capacity;
	return true;
}

void fact_buffer_put(struct fact_buffer *found, const struct question *q, const void *state, struct pd_reason reason)
{
	if (!reserve(found, sizeof(uint16_t) + sizeof reason + GAME_KEY_MAX))
		return;
	if (reason.move != PD_NO_MOVE)
		reason.move = game_canon(q->game, state, reason.move, false);
	uint8_t *p = found->bytes + found->size;
	uint16_t size = (uint16_t)q->game->rules->key(q->game, state, p + sizeof size + sizeof reason);
	memcpy(p, &size, sizeof size);
	memcpy(p + sizeof size, &reason, sizeof reason);
	found->size += sizeof size + sizeof reason + size;
	found->count++;
}

void fact_buffer_take(struct fact_buffer *found,
		      void (*each)(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *reason),
		      void *ctx)
{
	for (size_t at = 0; at < found->size;) {
		uint16_t size;
		struct pd_reason reason;
		memcpy(&size, found->bytes + at, sizeof size);
		memcpy(&reason, found->bytes + at + sizeof size, sizeof reason);
		at += sizeof size + sizeof reason;
		each(ctx, found->bytes + at, size, &reason);
		at += size;
	}
	found->size = 0;
}
