/* Men: the truth about all endings with few chessmen, one material after another.
 *
 * Each material gets a retrograde analysis of its own (retro.h), after the materials that captures and promotions lead
 * to. So memory holds the moves of one material at a time, and a result of four bytes a position for all others, in an
 * array by the squares of the men: about 0.8 GB for all materials of three men. Results are exact, with distances, for
 * the claims "First gets at least 0" and "at least 1".
 *
 * Colours may be swapped: of two materials that differ only in the colours, the second is then filled from the first
 * with negated values. A test of its own checks that this is valid.
 *
 * Men knows the keys of the games with chessmen (antichess.c), but not their states. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "solver/games/game.h"

enum { MEN_MAX = 3 };

struct men;

/* The game is borrowed; its values are -1 to 1. */
struct men *men_new(const struct game *game, bool swap);
void men_free(struct men *men);

/* Solves a material, written as in endings.h, after the unsolved materials that it leads to. */
void men_solve(struct men *men, const char *material);

/* Solved positions, including those filled from others; enumerated moves. */
uint64_t men_positions(const struct men *men);
uint64_t men_moves(const struct men *men);
unsigned men_materials(const struct men *men);

/* Positions of a solved material have indices from *begin to below *end; not every index is a position. Both are
 * RETRO_NONE for an unsolved material. */
void men_range(const struct men *men, const char *material, uint32_t *begin, uint32_t *end);
bool men_is_position(const struct men *men, uint32_t index);

/* As in retro.h; `claim` is 0 for "at least 0" and 1 for "at least 1". */
uint32_t men_find_key(const struct men *men, const uint8_t *key, size_t size);
size_t men_key(const struct men *men, uint32_t index, uint8_t *out);
bool men_holds_at(const struct men *men, unsigned claim, uint32_t index, unsigned *distance);
