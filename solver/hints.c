#include "solver/hints.h"

#include "proto/base/assert.h"

static struct pd_id name_of(const struct game *game, const struct pd_identity *names, const void *state)
{
	uint8_t key[GAME_KEY_MAX];
	return pd_identity_of(names, key, game->rules->key(game, state, key));
}

bool hints_init(struct hints *hints, const struct game *game, const struct pd_identity *names, const void *root,
		const struct pn_line *lines, unsigned count)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	*hints = (struct hints){0};
	if (!count)
		return true;
	hints->items = calloc(count, sizeof *hints->items);
	if (!hints->items)
		return false;
	for (unsigned i = 0; i < count; i++) {
		const struct pn_line *line = &lines[i];
		struct hint *hint = &hints->items[hints->count++];
		PD_ASSERT(line->count);
		memcpy(state, root, game->state_size);
		for (unsigned j = 0; j < line->count; j++) {
			hint->at = name_of(game, names, state);
			game->rules->play(game, state, line->moves[j]);
		}
		hint->to = name_of(game, names, state);
	}
	return true;
}

void hints_fini(struct hints *hints)
{
	free(hints->items);
	*hints = (struct hints){0};
}
