/* Trees: small random AND/OR trees for tests of the order in which searches expand nodes. */
#pragma once

#include <stdint.h>

#include "solver/games/game.h"

enum { TREES_NODES_MAX = 2048 };

/* The game of a random tree of at most 5 plies, with one to four children a node, kinds of nodes and values of leaves
 * (1 or -1) at random. The root is not a leaf. A state is the index of its node; children have greater indices than
 * their parents. To be closed with game_close. */
struct game *trees_random(uint64_t *random);
/* The same with leaves of `values` values, 3 or more: -1, 0, ..., values - 2. */
struct game *trees_random_of(uint64_t *random, unsigned values);

/* A tree as tables, indexed by node. */
struct trees_shape {
	unsigned count;
	uint8_t k[TREES_NODES_MAX];         /* 0: OR, 1: AND */
	int8_t value[TREES_NODES_MAX];      /* of a leaf 1 or -1; 0: not a leaf */
	uint16_t children[TREES_NODES_MAX]; /* of a leaf: 0 */
	uint16_t child[TREES_NODES_MAX][4];
	uint16_t parent[TREES_NODES_MAX];
};

void trees_shape(const struct game *game, struct trees_shape *out);
/* The value of a node by backward induction. */
int trees_value(const struct trees_shape *shape, unsigned node);
