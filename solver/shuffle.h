/* Shuffle: a pseudo-random order of moves, the same for a seed on every machine. */
#pragma once

#include <stdint.h>

#include "solver/games/game.h"

/* Fisher and Yates, with Knuth's 64-bit linear congruential generator; *random is its state. */
static inline void shuffle_moves(uint64_t *random, game_move *moves, unsigned count)
{
	for (unsigned i = count; i > 1; i--) {
		*random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		unsigned j = (unsigned)((*random >> 33) % i);
		game_move m = moves[i - 1];
		moves[i - 1] = moves[j];
		moves[j] = m;
	}
}
