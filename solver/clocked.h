/* Clocked: a game that is over after so many plies. Whoever has not reached the goal by then has missed it.
 *
 * A win within N plies is a question of its own: a search without that limit may find a longer win first, and then says
 * nothing of the shorter one. The position of a clocked game is a position and what is left on its clock, so no
 * position comes back, every outcome is counted, and any search can be run in it, with a table or without. What it
 * finds for the goal's side holds for the game as well, with the same rank; what it finds for the other side does not.
 *
 * Private to the solver: a clocked game has no texts, and no facts of its own are ever stored. */
#ifndef PN_CLOCKED_H
#define PN_CLOCKED_H

#include "solver/bounded.h"

struct clocked {
	struct game game; /* what is given to a search */
	struct game_rules rules;
	const struct game *of; /* borrowed */
	bool proof;            /* First has to reach the goal in time, else Second */
};

/* Makes a clocked game for a goal with plies. False when the game's states or keys leave no room for a clock. */
bool clocked_init(struct clocked *clocked, const struct game *game, const struct pn_goal *goal);

/* The position with `plies` on its clock; GAME_STATE_MAX bytes of room. */
void clocked_start(const struct clocked *clocked, const void *state, unsigned plies, void *out);

/* Takes a key of the clocked game apart: *size is then that of the game's own key. Returns what is left on the clock.
 */
unsigned clocked_key(const uint8_t *key, size_t *size);

/* Makes a fact about a position of the game one about that position with so much on its clock: of the goal's side what
 * takes longer goes; the other side's bounds hold whatever the clock says. False when nothing is left. */
bool clocked_fact(const struct clocked *clocked, struct pd_fact *fact, unsigned plies);

/* Whether a reason that was found in the clocked game holds for the game's own position. */
static inline bool clocked_holds(const struct clocked *clocked, const struct pd_reason *reason)
{
	return (reason->side == PD_LO) == clocked->proof;
}

#endif
