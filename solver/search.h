/* Search: what a search asks and reports, shared by the solver and its engines: the host that it asks for facts,
 * entries of the transposition table, progress. Algorithms and options have their own headers. */
#pragma once

#include "proto/base/claim.h"
#include "proto/base/fact.h"
#include "proto/base/identity.h"
#include "solver/games/game.h"
#include "solver/tunables.h"

/* What a solver may ask its caller during a step, on the thread that makes the step. */
struct pn_host {
	void *ctx;
	/* Gets the fact about a key; false when nothing is known. NULL: nothing is ever known. It may read the disk,
	 * while the search waits. Every algorithm asks for the root; level 1 asks for each position that is neither in
	 * the transposition table nor in the cache (not for paper, pn2 and pn). */
	bool (*fact)(void *ctx, const uint8_t *key, size_t size, struct pd_fact *out); /* *out is initialized */
	/* Tells that the search has found a fact about a key, which pn_solver_take_facts will return. NULL: the host is
	 * not told earlier. */
	void (*found)(void *ctx, const uint8_t *key, size_t size);
};

/* A line of legal moves from the root, `count` of them and at least one: a hint to try the last move first in the
 * position to which the others lead. */
struct pn_line {
	const game_move *moves;
	unsigned count;
};

/* A level-1 table entry as plain data, for the journal and the snapshot. */
struct pn_entry {
	struct pd_id id; /* hash of exact key and claim; never {0, 0} */
	uint32_t num[2]; /* proof and disproof number */
	uint32_t work;   /* nodes searched below it, saturating */
	uint16_t move;   /* best move in the key's frame, or PD_NO_MOVE */
	uint16_t depth;  /* the smallest distance from the root at which it was reached */
};

/* The number of nodes spent on a position is not known. */
#define PN_EFFORT_UNKNOWN UINT64_MAX

/* The points at which a step may return, and so at which a search may be paused, checkpointed or ended: X(name, number,
 * when). A search is interrupted nowhere else. */
#define PN_POINTS(X)                                                                                                   \
	X(PN_POINT_START, 1, "before the search of a claim starts, or after the last claim is answered")               \
	X(PN_POINT_TURN, 2, "between two iterations of the level-1 loop")                                              \
	X(PN_POINT_LEVEL2, 3, "between two expansions of a best-first tree")                                           \
	X(PN_POINT_COLLECT, 4, "between two iterations, because a buffer of facts or entries is full")                 \
	X(PN_POINT_STUCK, 5, "out of memory or of depth")

enum pn_point {
#define X(name, number, when) name = (number),
	PN_POINTS(X)
#undef X
};

/* What a step of the search returns. */
enum pn_state {
	PN_RUNNING,
	PN_COLLECT,
	PN_ANSWERED,
	PN_STUCK,
	PN_GATHER, /* only from pn_solver_run_thread: the current claim is settled, or this thread has nothing to do */
	PN_WAITING /* likewise: the thread waits for a remote leaf (remote.h) */
};

struct pn_progress {
	enum pn_point point;     /* where the last step returned */
	uint64_t level1, level2; /* nodes: expansions at level 1, generated nodes at level 2 */
	/* Positions made: the children that expansions make, each time they do. One unit of work for all algorithms.
	 * Not counted: a move that is played again on the way to a known child, what the rules look ahead for (static
	 * solves, immediate wins, initial numbers), and proofs that are written out. */
	uint64_t positions;
	uint32_t pn, dn;   /* of the root for the current claim; UINT32_MAX stands for infinite */
	game_move leading; /* most promising move, in the root's own frame; PD_NO_MOVE while no claim is searched */
	int16_t threshold; /* the current claim: First gets at least this */
	uint64_t entries, capacity; /* of the transposition table, or of the level-1 tree of pn2 */
	uint64_t facts;             /* facts found by this solver */
	uint64_t cache_hits, cache_asks;
	uint64_t memory;        /* bytes reserved */
	int16_t lo, hi;         /* what is known of the root's value */
	uint32_t level2_budget; /* nodes, of the latest level-2 search */
};
