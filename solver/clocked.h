/* Clocked game: a game that ends after a number of plies; a goal not reached by then is missed.
 *
 * A win within N plies is a question of its own: a search without that limit may find a longer win first and then says
 * nothing about the shorter one. A position of the clocked game is a position of the game and the plies that are left,
 * so no position repeats, both outcomes are ranked (ghi.h), and any search can run in it, with a transposition table or
 * without. What it finds for the goal's side holds for the game as well, with the same rank; what it finds for the
 * other side does not.
 *
 * Private to the solver: a clocked game has no text formats, and its own facts are never stored. */
#pragma once

#include "solver/goal.h"

struct clocked {
	struct game game; /* the game that a search is given */
	struct game_rules rules;
	const struct game *of; /* borrowed */
	bool proof;            /* true: First has to reach the goal in time; false: Second */
};

/* Makes a clocked game for a goal with plies. False when the game's states or keys leave no room for a clock. */
bool clocked_init(struct clocked *clocked, const struct game *game, const struct pn_goal *goal);

/* Writes the position with `plies` on its clock to `out`, which has GAME_STATE_MAX bytes. */
void clocked_start(const struct clocked *clocked, const void *state, unsigned plies, void *out);

/* Splits a key of the clocked game: *size becomes that of the game's own key. Returns the plies that are left. */
unsigned clocked_key(const uint8_t *from, size_t *size);

/* Turns a fact about a position into one about that position with `plies` left: reasons of the goal's side with a
 * greater rank are removed; the other side's bounds hold with any clock. False when no reason is left. */
bool clocked_fact(const struct clocked *clocked, struct pd_fact *fact, unsigned plies);

/* Whether a reason that was found in the clocked game holds for the game's own position. */
static inline bool clocked_holds(const struct clocked *clocked, const struct pd_reason *reason)
{
	return (reason->side == PD_LO) == clocked->proof;
}
