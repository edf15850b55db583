#include "solver/fact_buffer.h"

/* A record is the key size (2 bytes), struct pd_reason as in memory, and the key. */

void fact_buffer_init(struct fact_buffer *facts)
{
	*facts = (struct fact_buffer){0};
}

void fact_buffer_fini(struct fact_buffer *facts)
{
	free(facts->bytes);
	*facts = (struct fact_buffer){0};
}

static bool reserve_bytes(struct fact_buffer *facts, size_t more)
{
	if (facts->size + more <= facts->capacity)
		return true;
	size_t capacity = facts->capacity ? facts->capacity : 1 << 16;
	while (capacity < facts->size + more)
		capacity *= 2;
	uint8_t *bytes = realloc(facts->bytes, capacity);
	if (!bytes) {
		facts->failed = true;
		return false;
	}
	facts->bytes = bytes;
	facts->capacity = capacity;
	return true;
}

void fact_buffer_put(struct fact_buffer *facts, const struct question *q, const void *state, struct pd_reason reason)
{
	if (!reserve_bytes(facts, sizeof(uint16_t) + sizeof reason + GAME_KEY_MAX))
		return;
	if (reason.move != PD_NO_MOVE)
		reason.move = game_canon(q->game, state, reason.move, false);
	uint8_t *p = facts->bytes + facts->size;
	uint16_t size = (uint16_t)q->game->rules->key(q->game, state, p + sizeof size + sizeof reason);
	PD_ASSERT(size && size <= GAME_KEY_MAX);
	memcpy(p, &size, sizeof size);
	memcpy(p + sizeof size, &reason, sizeof reason);
	facts->size += sizeof size + sizeof reason + size;
	facts->count++;
	if (facts->host && facts->host->found)
		facts->host->found(facts->host->ctx, p + sizeof size + sizeof reason, size);
}

void fact_buffer_take(struct fact_buffer *facts,
		      void (*each)(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *reason),
		      void *ctx)
{
	size_t at = 0;
	while (at < facts->size) {
		uint16_t size;
		struct pd_reason reason;
		memcpy(&size, facts->bytes + at, sizeof size);
		memcpy(&reason, facts->bytes + at + sizeof size, sizeof reason);
		at += sizeof size + sizeof reason;
		each(ctx, facts->bytes + at, size, &reason);
		at += size;
	}
	PD_ASSERT(at == facts->size);
	facts->size = 0;
}
