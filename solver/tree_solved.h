/* Solved positions of a tree: those that took most of a search's nodes, of what it solved on every path. */
#pragma once

#include "proto/base/fact.h"
#include "solver/games/game.h"

enum {
	PN_LEAF_SOLVED_MAX = 64,    /* positions of a list */
	PN_LEAF_SOLVED_EFFORT = 300 /* nodes; what took less is not listed */
};

/* A solved position with the reason; its job is 0. */
struct pn_leaf_solved {
	struct pd_reason reason;
	uint16_t key_size;
	uint8_t key[GAME_KEY_MAX];
};

struct tree_solved {
	unsigned count;
	struct pn_leaf_solved item[PN_LEAF_SOLVED_MAX];
};

/* Adds a position, in place of the one of least effort when the list is full; the key's frame is that of the move. */
void tree_solved_add(struct tree_solved *list, const struct game *game, const void *state,
		     const struct pd_reason *reason);
