/* Leaf: a leaf of level 1 as a task for another process, and the result (remote.h, leaf_task.h). */
#pragma once

#include "proto/base/fact.h"
#include "solver/games/game.h"

/* What the siblings of a leaf are worth. A leaf whose number is far above that of its best sibling is not searched
 * next, whatever level 2 finds. A leaf whose number stays below it is searched again at once. */
struct pn_leaf_rival {
	unsigned k;      /* which of the leaf's numbers the siblings are compared by: 0 or 1 */
	uint32_t second; /* the least number of the siblings */
	uint32_t limit;  /* the search ends when the leaf's number is greater; 0: none */
	uint64_t from;   /* but not before it has generated so many nodes */
	uint64_t most;   /* nodes that the budget may grow to while the leaf's number is at most `second` */
};

/* A leaf to search. */
struct pn_leaf_task {
	uint64_t serial;   /* counts this solver's leaves from 1; numbers are not reused */
	uint64_t budget;   /* nodes that the tree of its search may hold */
	int16_t threshold; /* the claim: First gets at least this */
	struct pn_leaf_rival rival;
	uint16_t key_size;
	uint8_t key[GAME_KEY_MAX]; /* the exact key of its position */
};

/* The result of its search. */
struct pn_leaf_result {
	uint64_t serial;
	bool solved, proved; /* `proved`: First gets at least the threshold; only when solved */
	uint32_t num[2];     /* when not solved: proof and disproof number, 1..PN_LEAF_NUMBER_MAX */
	uint16_t rank;       /* when solved: 1..PD_RANK_MAX, or PD_RANK_NONE */
	uint16_t move;       /* the winning move if the player to move wins, in the key's frame; else PD_NO_MOVE */
	uint32_t effort;     /* when solved: nodes that it took, at least 1 */
	uint32_t giver;      /* becomes the fact's `job` (fact.h); 0: the job itself */
	uint64_t nodes;      /* all nodes searched for it; counted when the result is accepted */
};

/* A position that the search of a leaf solved, with the reason; its job is 0. */
struct pn_leaf_solved {
	struct pd_reason reason;
	uint16_t key_size;
	uint8_t key[GAME_KEY_MAX];
};

enum {
	PN_LOOK_NODES = 200, /* most nodes of a leaf that are searched before it is sent */
	PN_LEAF_NUMBER_MAX = 100000000,
	PN_LEAF_RANK_MAX = 0x7ffe,  /* of a leaf, in a game without a bound of plies: half of PD_RANK_MAX */
	PN_LEAF_SOLVED_MAX = 64,    /* most solved positions listed for a task */
	PN_LEAF_SOLVED_EFFORT = 300 /* nodes; a position that took fewer is not listed */
};
