#include "tests/support/walk.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "proto/base/random.h"

uint64_t walk_seed(const char *test, uint64_t usual)
{
	const char *text = getenv("TEST_SEED");
	uint64_t seed = text && *text ? strtoull(text, NULL, 0) : usual;
	printf("%s: TEST_SEED=%" PRIu64 "\n", test, seed);
	fflush(stdout);
	return seed;
}

uint64_t walk_random(uint64_t *seed)
{
	return pd_random_next(seed);
}

unsigned walk_below(uint64_t *seed, unsigned n)
{
	return (unsigned)(walk_random(seed) % n);
}

unsigned walk_on(const struct game *game, void *state, unsigned plies, uint64_t *seed)
{
	game_move moves[GAME_MOVES_MAX];
	unsigned played = 0;
	for (; played < plies; played++) {
		unsigned count = game->rules->moves(game, state, moves);
		if (!count)
			break;
		game->rules->play(game, state, moves[walk_below(seed, count)]);
	}
	return played;
}

unsigned walk_from_start(const struct game *game, void *state, unsigned plies_most, uint64_t *seed)
{
	game->rules->start(game, state);
	return walk_on(game, state, walk_below(seed, plies_most + 1), seed);
}

void walk_far(const struct game *game, struct walk_state *s, unsigned plies, uint64_t *seed)
{
	game_move moves[GAME_MOVES_MAX];
	int value;
	while (plies-- && !game->rules->terminal(game, s, &value)) {
		unsigned count = game->rules->moves(game, s, moves);
		struct walk_state child;
		for (unsigned tries = 0; tries < 20; tries++) {
			child = *s;
			game->rules->play(game, &child, moves[walk_below(seed, count)]);
			if (!game->rules->terminal(game, &child, &value) &&
			    (tries > 15 || !game->rules->immediate_win(game, &child, &value)))
				break;
		}
		*s = child;
	}
}
