/* Endings: complete sets of positions with given material.
 *
 * A set has every placement of some men with either side to move, reachable or not; a retrograde analysis (retro.h)
 * adds the positions that they lead to. The game's `parse` makes the positions, so the layout of a state does not
 * matter. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "solver/games/game.h"

struct endings_to {
	void *ctx;
	void (*each)(void *ctx, const void *state);
};

/* Lines of Action on n by n squares: 1 to `side_max` men a side and at most `men_max` in all. Returns the number of
 * positions. Aborts if the game refuses one. */
uint64_t endings_loa(const struct game *game, unsigned n, unsigned side_max, unsigned men_max,
		     const struct endings_to *to);

/* Games with chessmen. A material is letters as in a FEN, White's men first and equal ones together, as in `QQk`; pawns
 * stand on rows 2 to 7. */
enum { ENDINGS_MEN_MAX = 4 };

/* The materials of that many men, at least one a side, by number from 0; false after the last. */
bool endings_material(unsigned men, unsigned number, char out[ENDINGS_MEN_MAX + 1]);
/* All placements of a material, like endings_loa. */
uint64_t endings_chessmen(const struct game *game, const char *material, const struct endings_to *to);
