/* Oracle: the truth about small acyclic games, by plain minimax with a memory.
 *
 * It is meant to be obviously right, not fast: it tries every legal move, prunes nothing, does not use immediate_win or
 * distinct, and stores results by exact keys. It recurses, so a game must end within a few thousand plies. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "solver/games/game.h"

struct oracle;

/* The game is borrowed. Aborts if the game has cycles or memory runs out. */
struct oracle *oracle_new(const struct game *game);
void oracle_free(struct oracle *oracle);

/* The value with best play. */
int oracle_value(struct oracle *oracle, const void *state);

/* Whether First gets at least `threshold`; *rank (unless NULL) is the number of plies within which the side that is
 * right can force an end that shows it: the smallest rank that a fact about this bound can have. 0 when the game is
 * over. */
bool oracle_claim(struct oracle *oracle, const void *state, int threshold, unsigned *rank);

/* Positions remembered so far (a position counts once for its value and once for every threshold asked). */
uint64_t oracle_positions(const struct oracle *oracle);
