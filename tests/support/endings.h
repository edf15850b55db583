/* Endings: sets of positions, complete by their material, to be asked one by one.
 *
 * A set is every placement of some men with either side to move, whether a game leads there or not; what one of them
 * leads to belongs to it, once a retrograde analysis has added it (retro.h). Positions are made by the game's own
 * `parse`, so that no layout of a state is known here. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "solver/games/game.h"

struct endings_to {
	void *ctx;
	void (*each)(void *ctx, const void *state);
};

/* Lines of Action on n by n squares: 1 to `side_max` men a side and at most `men_max` in all. Returns how many
 * placements there are, both sides to move counted. Aborts when the game refuses one. */
uint64_t endings_loa(const struct game *game, unsigned n, unsigned side_max, unsigned men_max,
		     const struct endings_to *to);

/* Games with chessmen. A material is letters as in a FEN, White's men first and equal ones together, as in `QQk`; pawns
 * stand on rows 2 to 7. */
enum { ENDINGS_MEN_MAX = 4 };

/* The materials of a number of men with one a side at least, by number from 0; false behind the last. */
bool endings_material(unsigned men, unsigned number, char out[ENDINGS_MEN_MAX + 1]);
/* All placements of a material, as endings_loa. */
uint64_t endings_chessmen(const struct game *game, const char *material, const struct endings_to *to);
