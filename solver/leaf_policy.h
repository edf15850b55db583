/* Leaf policy: the one rule for searching a leaf of a stored proof again.
 *
 * A leaf is a reason with an effort: the nodes of the search that found it (fact.h). Checking it (`proofctl check`,
 * retraction) or regenerating the facts below it (certificates, lines of play) repeats a search of about that size
 * (bounded.h).
 *
 * Budgets. The first search gets nodes_per_effort nodes per node of effort, within nodes_min and nodes_max. The effort
 * counts nodes of a search with a cache and a transposition table; a search without them may need more, so while the
 * verdict is PN_OPEN the next search gets `raise` times the nodes, up to `searches` searches. A search limited by
 * nodes_max is the last. An effort may also be far too large, because it includes the effort of every solved position
 * that the search visited, once for each visit (in losing chess some exceed 32 bits within a minute). It therefore
 * counts as at most effort_max. A certificate promises only what its reader's search finds, without table or cache
 * (pn_leaf_plain_nodes).
 *
 * Verdicts. pn_leaf_confirmed: the goal of the reason was reached, within its rank if it has one. PN_OPEN (not found
 * again) and the opposite verdict leave it unconfirmed; only the opposite contradicts it. */
#pragma once

#include "solver/goal.h"

struct pn_leaf_policy {
	uint64_t nodes_per_effort;
	uint32_t effort_max;
	uint64_t nodes_min; /* of the first search */
	uint64_t nodes_max; /* of every search */
	unsigned searches;  /* most searches; at least 1 */
	unsigned raise;     /* factor from one search's nodes to the next one's */
};

/* How the steps of one search share its nodes. PN_LEAF_*_SHARE is x for a share of 1/x. */
enum pn_leaf_share {
	PN_LEAF_RULES_SHARE = 16,       /* prover: by the rules alone, before the host's facts are asked */
	PN_LEAF_UNCLOCKED_SHARE = 4,    /* whole solver: without the clock, which is often quicker */
	PN_LEAF_WEAK_SHARE = 8,         /* clocked game: with weak sums (numbers.h), before plain sums */
	PN_LEAF_TREE_NODES = 20000,     /* proof wanted: nodes of the tree by the rules alone */
	PN_LEAF_LIMITED_NODES = 1 << 24 /* proof wanted: nodes of the tree that is cut off at the goal's plies */
};

/* For checks and certificates: three searches. The first gets 64 nodes per node of effort, at least 100,000 and at most
 * 67 million; each later one gets 30 times as many as the one before. */
struct pn_leaf_policy pn_leaf_policy_check(void);
/* For answering a query: one search of 100,000 to `nodes_max` nodes. */
struct pn_leaf_policy pn_leaf_policy_query(uint64_t nodes_max);

/* Nodes of search number `index`, from 0. 0 when the policy allows no such search. */
uint64_t pn_leaf_nodes(const struct pn_leaf_policy *policy, const struct pd_reason *leaf, unsigned index);

/* Nodes of the plain search (plain_search.h) that a leaf of a certificate may take: few, because every check of the
 * certificate searches them all. `effort` is that of the fact; 0: it was not a leaf, and need not become one. */
uint64_t pn_leaf_plain_nodes(uint32_t effort);

/* The part of `nodes` that a whole solver may spend on the plain game. A goal with plies that stays open is then
 * searched in the clocked game with the rest; nodes are reserved for that only in cyclic games. */
uint64_t pn_leaf_unclocked_nodes(const struct game *game, const struct pn_goal *goal, uint64_t nodes);

/* Plays the winner's move if the leaf names a legal one. The leaf then has its bound when the position after the move
 * has it within one ply less: sets the rank to that. False, and nothing is changed: the leaf names none. */
bool pn_leaf_follow(const struct game *game, void *state, struct pd_reason *leaf);

static inline bool pn_leaf_confirmed(const struct pd_reason *leaf, enum pn_verdict verdict)
{
	return verdict == (leaf->side == PD_LO ? PN_PROVED : PN_DISPROVED);
}

static inline bool pn_leaf_contradicted(const struct pd_reason *leaf, enum pn_verdict verdict)
{
	return verdict == (leaf->side == PD_LO ? PN_DISPROVED : PN_PROVED);
}
