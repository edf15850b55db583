/* PDS similar: the proof of a position is tried on positions like it (after Kawano, "Using similar positions to search
 * game trees", Games of No Chance, 1996, known as simulation).
 *
 * A move of a node that has just lost is often as bad as the moves beside it, for the same reason: the other side
 * answers all of them alike. So its proof is replayed on each open sibling: the winner's moves are copied where they
 * are legal, each legal move of the other side is answered as in the proof, and each position that this reaches is
 * looked up as a child of level 1 is. The replay ends at a position that rules, table, cache and facts do not know
 * and that has no counterpart in the proof. Nothing is taken over from the proof but the order of moves, so each
 * position that is solved so is an ordinary fact, justified one ply down.
 *
 * The winner's moves come from the table and the cache, which have them for positions of level 1 and, with level 2, for
 * those that took it some nodes; so it is a member for algorithms of one level. */
#pragma once

#include "solver/pds.h"

/* The picked child of the innermost frame was just solved: tries its proof on the others, on at most
 * `options->siblings.similar` positions together. */
void pds_try_siblings(struct pds *pds, const struct pds_frame *f);

/* Replays the proof that `winner` (0 First, 1 Second) has of the claim at `solved`, on the position `similar`. True
 * when it wins there; num is then the solved pair, and table, cache and facts have it. *visits is the number of
 * positions that it may look at; it is lowered by the number that it did. What is solved on the way stays, also
 * when it fails. */
bool pds_replay_proof(struct pds *pds, const void *solved, const void *similar, unsigned winner, uint32_t *visits,
		      uint32_t num[2]);
