#include "solver/playouts.h"

#include <string.h>

/* Knuth's 64-bit linear congruential generator, as in question_shuffle_moves; below `limit`. */
static unsigned draw_below(uint64_t *random, unsigned limit)
{
	*random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)((*random >> 33) % limit);
}

/* Plays one game to its end; whether the claim holds there. */
static bool play_out(const struct question *q, void *state, game_move *room, uint64_t *random)
{
	const struct game *game = q->game;
	int value = game->infinite_value;
	for (unsigned plies = 0; game->acyclic || plies < PLAYOUT_PLIES_MAX; plies++) {
		if (game->rules->terminal(game, state, &value))
			return value >= q->threshold;
		unsigned count = game->rules->moves(game, state, room);
		PD_ASSERT(count && count <= game->moves_max);
		game->rules->play(game, state, room[draw_below(random, count)]);
	}
	return game->infinite_value >= q->threshold;
}

void pn_playouts_set_numbers(const struct question *question, const struct pn_frontier *frontier, const void *state,
			     game_move *room, uint32_t num[2])
{
	const struct game *game = question->game;
	const uint64_t n = frontier->playouts, c = frontier->playout_weight;
	_Alignas(16) uint8_t root[GAME_STATE_MAX], now[GAME_STATE_MAX];
	uint8_t key[GAME_KEY_MAX];
	size_t size = game->rules->key(game, state, key);
	uint64_t random = pd_hash64(key, size), holds = 0;
	int rc = game->rules->unkey(game, key, size, root);
	PD_ASSERT(!rc && n);
	for (uint64_t i = 0; i < n; i++) {
		memcpy(now, root, game->state_size);
		holds += play_out(question, now, room, &random);
	}
	num[0] = (uint32_t)(1 + (2 * c * (n - holds) + n) / (2 * n));
	num[1] = (uint32_t)(1 + (2 * c * holds + n) / (2 * n));
}
