/* MOPN: multiple-outcome proof-number search (after Saffidine and Cazenave, "Multiple-outcome proof number search",
 * ECAI 2012): one tree for all claims of a value question.
 *
 * For outcomes o1 < ... < om each node has G(o), the effort to prove a value of at least o, and S(o), the effort to
 * prove a value of at most o. G(o) and S of the outcome below o are the proof and the disproof number of the claim
 * "First gets at least o". So a node has one pair (numbers.h) for each of the m - 1 claims, and each pair follows from
 * the children's pairs as in PN search; where positions can come back, each follows its own claim's rules (ghi.h).
 *
 * Each descent is that of PN search for one claim. The root's outcome o* with the least G + S, among those that are not
 * settled, attracts; the first of several. The claim is that of o* if G(o*) > 0, else that of the outcome above o*.
 * (The published text was read in excerpts: how it pairs o* with a neighbour, and its "effective" numbers, are not
 * taken from it.)
 *
 * A claim question has one claim, and the search is that of `pn`. So has a value question until at most
 * MOPN_CLAIMS_MAX claims are open: before that the solver halves the scale.
 *
 * Memory: a node takes 16 bytes, and 8 more for each claim after the first. What no open claim can use is freed, unless
 * proofs are kept. A fact that becomes known during the search is used where it settles all claims of a position. */
#pragma once

#include "solver/tree_engine.h"

enum { MOPN_CLAIMS_MAX = 3 };

/* One search thread's search. Owned by the solver's search_thread; one thread at a time runs it. */
struct mopn {
	struct tree_engine top; /* first; the pairs in its nodes are those of the claim that the solver asks */
	const int16_t *lo, *hi; /* borrowed: what is known of the root's value; NULL: a claim is asked */
	unsigned extra;         /* pairs that a node has room for besides its own */
	uint32_t (*pairs)[2];   /* owned; `extra` a node; NULL: none */
	unsigned count;         /* claims of this search; 0: there is none */
	unsigned claim;         /* that the latest descent followed */
	uint64_t begun;         /* nodes generated before this search */
	struct question question[MOPN_CLAIMS_MAX]; /* claim 0 is the one asked; the others in no order */
	game_move move[MOPN_CLAIMS_MAX];           /* the winning move at the root, once the claim is solved */
	bool recorded[MOPN_CLAIMS_MAX];
};

/* A node's pair for a claim, 0..count - 1. */
static inline uint32_t *mopn_pair(const struct mopn *mopn, uint32_t node, unsigned claim)
{
	PD_DEBUG_ASSERT(claim <= mopn->extra);
	return claim ? mopn->pairs[(size_t)node * mopn->extra + claim - 1] : mopn->top.tree.nodes[node].num;
}

/* Chooses the claim that the next descent follows, where the claim asked is not solved at the root, and descends for it
 * to a leaf. */
void mopn_descend(struct mopn *mopn);
/* Expands the leaf where the search stands and updates its ancestors. False when the arena is full. */
bool mopn_expand(struct mopn *mopn);
