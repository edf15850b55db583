/* Retro: the truth about small games with cycles, by retrograde analysis.
 *
 * All positions reachable from given ones are enumerated by their exact keys, with every legal move between them. Then
 * the claim "First gets at least t" is decided for all of them, backwards from the ends of games: a position is won for
 * a side if that side is to move and can reach a position won for it, or if the other side is to move and can reach no
 * other. Positions are processed by distance, so distances are exact. Positions that neither side can force get the
 * value of infinite play.
 *
 * An analysis may depend on others: their results are used with their distances, and their positions are not expanded.
 *
 * Like the oracle it is meant to be obviously right: it does not use immediate_win or distinct, shares nothing with the
 * search, and identifies no position by a hash. It aborts if memory runs out or the game breaks a law. It takes about
 * 40 bytes a position and 8 a move while it solves, and 4 bytes a position for each solved claim. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "solver/games/game.h"

enum {
	RETRO_NEVER = 0x7fffffff, /* a distance: no end can be forced */
	RETRO_CLAIMS_MAX = 128
};
#define RETRO_NONE UINT32_MAX /* an index: no such position */

struct retro;

/* Positions that are known and not expanded. */
struct retro_beyond {
	const void *ctx;
	/* False if a position is not known; otherwise the result of retro_holds for the claim "at least threshold".
	 * The same positions must be known for every claim. */
	bool (*holds)(const void *ctx, const uint8_t *key, size_t size, int threshold, bool *holds, unsigned *distance);
};

/* The game is borrowed. At most `cap` positions. */
struct retro *retro_new(const struct game *game, uint32_t cap);
/* Before the first position is added. */
void retro_depend(struct retro *retro, struct retro_beyond beyond);
void retro_free(struct retro *retro);

/* Adds a position and all positions reachable from it, before the first claim is solved. False if they are too many;
 * then no claim can be solved. */
bool retro_add(struct retro *retro, const void *state);

/* Decides the claim "First gets at least threshold" for all positions; returns its number, the `claim` below. */
unsigned retro_solve(struct retro *retro, int threshold);

/* Whether the claim holds in an enumerated position; aborts for others. *distance (unless NULL) is the fewest plies
 * within which the side that is right can force an end of the game that shows it: 0 when the game is over, RETRO_NEVER
 * if the side is right because the other side cannot force its end. */
bool retro_holds(const struct retro *retro, unsigned claim, const void *state, unsigned *distance);

/* All positions, by index from 0, in the order in which they were found. */
uint32_t retro_positions(const struct retro *retro);
/* All moves of all positions. */
uint64_t retro_moves(const struct retro *retro);
/* The index of a position; RETRO_NONE if it was not enumerated. */
uint32_t retro_find(const struct retro *retro, const void *state);
uint32_t retro_find_key(const struct retro *retro, const uint8_t *key, size_t size);
const uint8_t *retro_key(const struct retro *retro, uint32_t index, size_t *size);
/* The position whose frame is the key's. */
void retro_state(const struct retro *retro, uint32_t index, void *state);
/* Whether the position was known (retro_depend). */
bool retro_is_beyond(const struct retro *retro, uint32_t index);
/* Whether the game is over in the position. */
bool retro_over(const struct retro *retro, uint32_t index);
bool retro_holds_at(const struct retro *retro, unsigned claim, uint32_t index, unsigned *distance);
