/* Leaf: a leaf of level 1 as a task for another process, and the result (remote.h, leaf_task.h). */
#pragma once

#include "proto/base/fact.h"
#include "solver/games/game.h"

/* A leaf to search. */
struct pn_leaf_task {
	uint64_t serial;   /* of this solver's leaves, from 1; never given twice */
	uint64_t budget;   /* nodes that its tree may hold */
	int16_t threshold; /* the claim: First gets at least this */
	uint16_t key_size;
	uint8_t key[GAME_KEY_MAX]; /* the exact key of its position */
};

/* The result of its search. */
struct pn_leaf_result {
	uint64_t serial;
	bool solved, proved; /* `proved`: First gets at least the threshold; only when solved */
	uint32_t num[2];     /* when not solved: proof and disproof number, 1..PN_LEAF_NUMBER_MAX */
	uint16_t rank;       /* when solved: 1..PD_RANK_MAX, or PD_RANK_NONE */
	uint16_t move;       /* of the winner to move, in the key's frame; or PD_NO_MOVE */
	uint32_t effort;     /* when solved: nodes that it took, at least 1 */
	uint32_t giver;      /* becomes the fact's `job` (fact.h); 0: the job itself */
	uint64_t nodes;      /* all that were searched for it; counted when the result is taken */
};

/* A position that the search of a leaf solved, with the reason; its job is 0. */
struct pn_leaf_solved {
	struct pd_reason reason;
	uint16_t key_size;
	uint8_t key[GAME_KEY_MAX];
};

enum {
	PN_LEAF_NUMBER_MAX = 100000000,
	PN_LEAF_SOLVED_MAX = 64,    /* solved positions of a task */
	PN_LEAF_SOLVED_EFFORT = 300 /* nodes; a position that took fewer is not listed */
};
