/* PDS alike: moves that are alike form a chain, of which one counts at a time (after Seo, Iida and Uiterwijk 2001,
 * dependent moves of PN*; the bonus after the tsume-shogi solver KomoringHeights, whose list holds moves back).
 *
 * Where all moves of a node have to be refuted, a sum counts moves that are refuted alike once each: seven drops on one
 * square look seven times as hard as one. With the option `alike` the game says which moves are alike (game_rules.h).
 * Of each class the first open move counts and may be selected. Those behind it wait; together they add an eighth of
 * their number to the sum, at least 1. When a move is solved, the next of its class counts. So the node is refuted only
 * when all its moves are, whatever the game says. */
#pragma once

#include "solver/pds.h"

/* The classes that have an open move so far, in a pass over the children of a node in their order. */
struct pds_chains {
	uint64_t open[4];
};

/* Sets the classes of the children just made of the innermost frame, from pds->moves. */
void pds_class_moves(struct pds *pds, struct pds_frame *f);

/* Whether an open child waits for another; to be asked for each open child of a frame with f->alike, in their order. */
static inline bool pds_waits(struct pds_chains *chains, const struct pds_child *c)
{
	uint64_t *word = &chains->open[c->alike / 64], bit = UINT64_C(1) << c->alike % 64;
	bool waits = c->alike && (*word & bit);
	*word |= bit;
	return waits;
}

/* What waiting children add to a sum. */
static inline uint32_t pds_waiting_sum(uint32_t waiting)
{
	return waiting > 8 ? waiting / 8 : waiting > 0;
}
