/* Retro: the truth about small games with cycles, by retrograde analysis.
 *
 * All positions that can be reached from given ones are enumerated by their exact keys, with every legal move between
 * them. Then the claim "First gets at least t" is decided for all at once, backwards from the ends of games: a position
 * goes to a side when the side is to move and has a move into what it has already, or when the other is to move and has
 * no move out of it. Positions are taken up in the order of their distance, so distances are exact. What no side can
 * force is decided by what infinite play is worth.
 *
 * An analysis may stand on others: what those know is taken over with its distance, and no moves are made from there.
 *
 * Like the oracle it is meant to be obviously right: nothing comes from immediate_win or distinct, nothing is shared
 * with the search, and no hash stands for a position. It aborts when memory runs out or when the game breaks a law that
 * it depends on. About 40 bytes a position and 8 a move while it solves; 4 bytes a position for each claim solved. */
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

/* What is known already: positions from which nothing is enumerated any more. */
struct retro_beyond {
	const void *ctx;
	/* False when a position is not known; otherwise what retro_holds would say of the claim "at least threshold".
	 * The same positions have to be known for every claim. */
	bool (*holds)(const void *ctx, const uint8_t *key, size_t size, int threshold, bool *holds, unsigned *distance);
};

/* The game is borrowed. `cap` positions at most. */
struct retro *retro_new(const struct game *game, uint32_t cap);
/* Before the first position is added. */
void retro_depend(struct retro *retro, struct retro_beyond beyond);
void retro_free(struct retro *retro);

/* Adds a position and all that can be reached from it. False when they are too many; then nothing can be solved. Not
 * after the first claim has been solved. */
bool retro_add(struct retro *retro, const void *state);

/* Decides the claim "First gets at least threshold" for all positions; returns the number by which it goes below. */
unsigned retro_solve(struct retro *retro, int threshold);

/* Whether the claim holds in a position that was enumerated; aborts if it was not. *distance (unless NULL) is the
 * fewest plies within which the side that is right can force an end of the game that shows it: 0 when the game is over,
 * RETRO_NEVER when the side is right because the other cannot force an end that suits it. */
bool retro_holds(const struct retro *retro, unsigned claim, const void *state, unsigned *distance);

/* All positions, by index from 0, in the order in which they were found. */
uint32_t retro_positions(const struct retro *retro);
/* All moves of all positions. */
uint64_t retro_moves(const struct retro *retro);
/* RETRO_NONE when it was not enumerated. */
uint32_t retro_find(const struct retro *retro, const void *state);
uint32_t retro_find_key(const struct retro *retro, const uint8_t *key, size_t size);
const uint8_t *retro_key(const struct retro *retro, uint32_t index, size_t *size);
/* The position whose frame is the key's. */
void retro_state(const struct retro *retro, uint32_t index, void *state);
/* Whether it was known already. */
bool retro_is_beyond(const struct retro *retro, uint32_t index);
/* Whether the game is over there. */
bool retro_over(const struct retro *retro, uint32_t index);
bool retro_holds_at(const struct retro *retro, unsigned claim, uint32_t index, unsigned *distance);
