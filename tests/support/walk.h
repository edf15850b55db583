/* Walk: seeded random walks through a game, and random numbers that are the same on every machine.
 *
 * A test with random numbers gets its seed here: the seed is printed, and TEST_SEED in the environment sets it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "solver/games/game.h"

/* Memory for one state of any game. */
struct walk_state {
	_Alignas(16) unsigned char bytes[GAME_STATE_MAX];
};

/* The seed to use: TEST_SEED, or the given one. Prints it with the name of the test. */
uint64_t walk_seed(const char *test, uint64_t usual);
/* The next random number (splitmix64). */
uint64_t walk_random(uint64_t *seed);
/* A random number below n > 0. */
unsigned walk_below(uint64_t *seed, unsigned n);

/* Plays at most `plies` random moves from *state on, in place; returns how many were played (fewer when the game
 * ended). */
unsigned walk_on(const struct game *game, void *state, unsigned plies, uint64_t *seed);
/* A random position: the initial one and then 0..plies_most random moves. Returns how many were played. */
unsigned walk_from_start(const struct game *game, void *state, unsigned plies_most, uint64_t *seed);
/* Plays at most `plies` random moves, in place, and avoids those that end the game or let the opponent end it, where a
 * few tries find others: random games are short on large boards. */
void walk_far(const struct game *game, struct walk_state *s, unsigned plies, uint64_t *seed);
