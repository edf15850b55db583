/* PDS hands: numbers of open positions bound those of others with the same board part (dominance.h).
 *
 * A better hand makes a proof no harder. So a new position starts with at least the proof number of an open position
 * with the same board in which the hand of First is better, and with at least the disproof number of one in which it is
 * worse. The search need not start from scratch for each hand with which a board comes back. The method and the limits
 * are those of GPS Shogi (osl, checkmate/dfpn.cc: initial dominance); KomoringHeights
 * (ttentry.hpp) also bounds positions that it has met before.
 *
 * As in KomoringHeights, only positions that were met at most as far from the root count: numbers from farther down may
 * include those of the new position itself. The table holds numbers, never results, so no proof rests on it; it is only
 * in memory, and old entries are replaced. */
#pragma once

#include "solver/pds.h"

enum { PDS_HANDS = 8, PDS_HANDS_PROOF_MAX = 35, PDS_HANDS_DISPROOF_MAX = 110 };

struct pds_hand {
	uint64_t board, order; /* half of the name of the board part and claim, and the order part */
	uint32_t num[2];
	uint32_t depth; /* the least at which it was left */
	uint32_t uses;  /* how often it was left, less one for each later newcomer in the bucket; 0: free */
};

/* One search's; its thread alone uses it. A bucket has PDS_HANDS order parts of one board part, or of several. */
struct pds_hands {
	struct pds_hand *slots; /* owned */
	size_t mask;            /* buckets less one; their number is a power of two */
};

/* NULL when memory runs out. To be freed with pds_hands_free, which takes NULL as well. */
struct pds_hands *pds_hands_new(uint64_t bytes);
void pds_hands_free(struct pds_hands *hands);
/* A position was left at that depth with these numbers; solved ones are forgotten. */
void pds_hands_put(struct pds_hands *hands, const struct question *q, const struct dominance_place *place,
		   const uint32_t num[2], uint32_t depth);
/* Raises the numbers of a position that is met for the first time, at that depth, to what others say at least. */
void pds_hands_bound(const struct pds_hands *hands, const struct question *q, const struct dominance_place *place,
		     uint32_t depth, uint32_t num[2]);
