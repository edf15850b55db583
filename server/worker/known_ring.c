#include "server/worker/known_ring.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"

bool wk_known_init(struct wk_known *known)
{
	pd_mutex_init(&known->lock, PD_LOCK_KNOWN);
	known->count = 0;
	known->ring = calloc(WK_KNOWN_MAX, sizeof *known->ring);
	return known->ring != NULL;
}

void wk_known_fini(struct wk_known *known)
{
	pd_mutex_fini(&known->lock);
	free(known->ring);
}

static bool fits_ring(const struct cw_text *game, const struct cw_solved *solved)
{
	uint16_t rank = solved->reason.rank;
	return game->size && game->size < GAME_NAME_MAX && !memchr(game->data, 0, game->size) && solved->key_size &&
	       solved->key_size <= GAME_KEY_MAX && ((rank >= 1 && rank <= PD_RANK_MAX) || rank == PD_RANK_NONE) &&
	       solved->reason.effort;
}

void wk_known_add(struct wk_known *known, const struct cw_text *game, uint64_t rules, const struct cw_solved *solved)
{
	if (!fits_ring(game, solved))
		return;
	pd_mutex_lock(&known->lock);
	struct wk_known_position *position = &known->ring[known->count++ % WK_KNOWN_MAX];
	memset(position, 0, sizeof *position);
	memcpy(position->game, game->data, game->size);
	position->rules = rules;
	position->solved.reason = solved->reason;
	position->solved.key_size = solved->key_size;
	memcpy(position->solved.key, solved->key, solved->key_size);
	pd_mutex_unlock(&known->lock);
}

bool wk_known_next(struct wk_known *known, const char *game, uint64_t rules, uint64_t *at, struct pn_leaf_solved *out)
{
	bool found = false;
	pd_mutex_lock(&known->lock);
	PD_ASSERT(*at <= known->count);
	if (known->count - *at > WK_KNOWN_MAX)
		*at = known->count - WK_KNOWN_MAX;
	while (!found && *at < known->count) {
		const struct wk_known_position *position = &known->ring[(*at)++ % WK_KNOWN_MAX];
		found = position->rules == rules && !strcmp(position->game, game);
		if (found)
			*out = position->solved;
	}
	pd_mutex_unlock(&known->lock);
	return found;
}
