/* Bounded searches: one position, one goal, a limit of nodes, apart from any job.
 *
 * They are used to check the leaves of stored proofs, to regenerate the facts below a leaf (for certificates and lines
 * of play) and to look for shorter wins. leaf_policy.h says how many nodes a leaf is given; this header searches.
 *
 * A search takes these steps until one settles the goal (bounded.c):
 *
 *   1. one proof-number search tree in memory, by the rules alone;
 *   2. the same with the host's facts and, for a goal with plies, with the tree cut off at that depth;
 *   3. a whole solver (PDS-PN), when one tree does not suffice;
 *   4. in a cyclic game, for a goal with plies: a whole solver on the clocked game (clocked.h), where every position
 *      carries the plies that are left, so that a longer win cannot hide a shorter one.
 *
 * Node counts are nodes of both levels. Functions return PD_OK or PD_E_NO_MEMORY; a search that runs out of nodes has
 * the verdict PN_OPEN. */
#pragma once

#include "solver/leaf_policy.h"

struct pn_host;

/* Receives one fact; the key is valid during the call. */
typedef void pn_fact_sink(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *reason);

/* A prover keeps what it solved from one search to the next, so that checking many leaves of one game is cheap. Only
 * one thread at a time may use it. */
struct pn_prover;

struct pn_prover_options {
	uint64_t memory;            /* bytes for tree and cache together */
	bool knowledge;             /* trust the game's static solves (game.h) */
	const struct pn_host *host; /* borrowed, must outlive the prover; NULL: no facts. Facts are asked for when the
				       rules alone do not settle the goal within a share of the nodes. The goal's own
				       position is never looked up, nor, in cyclic games, a bound of the goal's side
				       with a rank that is not smaller (F3) */
	uint64_t identity;          /* key of the position identities, as in pn_options; a checker draws its own */
};

/* The game must outlive the prover. */
int pn_prover_new(const struct game *game, const struct pn_prover_options *options, struct pn_prover **out,
		  struct pd_fail *fail);
void pn_prover_free(struct pn_prover *prover);
const struct game *pn_prover_game(const struct pn_prover *prover);
/* Searches for the goal at `state`. *verdict is PN_OPEN when nodes or memory end first, or when the goal fails only
 * because of `plies`. *nodes is lowered by what was used. */
int pn_prover_run(struct pn_prover *prover, const void *state, const struct pn_goal *goal, uint64_t *nodes,
		  enum pn_verdict *verdict, struct pd_fail *fail);

/* The memory of the trees of searches with their proofs, kept from one search to the next. One thread at a time; what
 * a search finds does not depend on it. */
struct pn_bounded_room;

/* The game must outlive the room. NULL when memory runs out. */
struct pn_bounded_room *pn_bounded_room_new(const struct game *game);
void pn_bounded_room_free(struct pn_bounded_room *room);

struct pn_bounded_options {
	struct pn_bounded_room *room; /* borrowed, of the same game; NULL: memory is taken for each search */
	uint64_t nodes;               /* for each of the two attempts, with static solves and without */
	const struct pn_host *host;   /* as above */
	uint64_t identity;            /* as above */
	pn_fact_sink *fact;           /* receives the proof; NULL: only the verdict is wanted */
	void *fact_ctx;
};

/* One search whose proof is wanted: unless the verdict is PN_OPEN, all facts that the proof needs are given to
 * options->fact, each justified one ply down. A static solve is given as a leaf with an effort; regenerating that leaf
 * in turn justifies it one ply down by leaves of smaller rank, and so on down to the rules. */
int pn_bounded(const struct game *game, const void *state, const struct pn_goal *goal,
	       const struct pn_bounded_options *options, enum pn_verdict *verdict, struct pd_fail *fail);

/* The result of searching a leaf of a stored proof again, as leaf_policy.h says. */
struct pn_leaf_verdict {
	enum pn_verdict verdict;
	uint64_t nodes; /* used by all searches together */
};

/* Searches a leaf with a prover, for the verdict alone. *result is always written. */
int pn_leaf_check(struct pn_prover *prover, const void *state, const struct pd_reason *leaf,
		  const struct pn_leaf_policy *policy, struct pn_leaf_verdict *result, struct pd_fail *fail);

/* Searches a leaf for its proof, which goes to options->fact. options->nodes is not used: the policy says how many. */
struct pn_leaf_regeneration {
	const struct game *game;
	const void *state;
	const struct pd_reason *leaf;
	const struct pn_leaf_policy *policy;
	const struct pn_bounded_options *options;
};
int pn_leaf_regenerate(const struct pn_leaf_regeneration *what, enum pn_verdict *verdict, struct pd_fail *fail);
/* The first search of that alone, in one tree and without the host: what it finds depends on the leaf and nothing else,
 * and pn_leaf_regenerate then finds the same. PN_OPEN says nothing. */
int pn_leaf_first_search(const struct pn_leaf_regeneration *what, enum pn_verdict *verdict, struct pd_fail *fail);
