/* Diff, the graphs: random graphs of many shapes, and what they are worth by retrograde analysis.
 *
 * Shares nothing with the solver and the other oracles of the tests: it works on the plain arrays below, a node at a
 * time. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "proto/base/graph.h"
#include "solver/games/game.h"

enum { DIFF_NODES_MAX = 96, DIFF_CHILDREN_MAX = 6, DIFF_VALUES_MAX = 24, DIFF_NEVER = 0xffff };

struct diff_node {
	bool first; /* First moves */
	bool terminal;
	int value; /* of a terminal node */
	unsigned count;
	unsigned child[DIFF_CHILDREN_MAX]; /* distinct */
};

struct diff_graph {
	unsigned count; /* node 0 is the root */
	int min, max, infinite;
	struct diff_node node[DIFF_NODES_MAX];
};

/* What is true of every node, and how soon it can be forced. */
struct diff_truth {
	bool acyclic; /* among the nodes that the root reaches and all others */
	int value[DIFF_NODES_MAX];
	/* Plies within which First forces at least min + t, or Second less than that; DIFF_NEVER: he cannot by ending
	 * the game. */
	unsigned proof[DIFF_VALUES_MAX][DIFF_NODES_MAX], refutation[DIFF_VALUES_MAX][DIFF_NODES_MAX];
};

/* A graph, solved, as a game. */
struct diff_solved {
	struct diff_graph graph;
	struct diff_truth truth;
	struct game *game; /* owned */
};

/* The truth about a game, by exact keys. */
struct diff_oracle {
	const struct game *game; /* borrowed, like ctx */
	const void *ctx;
	/* Whether First gets at least `bound`, with value_min < bound <= value_max: 1 or 0; -1: no such position, or
	 * the game is over there. *plies: the fewest within which the side that is right can force it by ending the
	 * game; where it cannot, a number above every rank. */
	int (*holds)(const void *ctx, const uint8_t *key, size_t size, int bound, unsigned *plies);
	/* A random position. */
	void (*pick)(const void *ctx, uint64_t *random, void *state);
};

/* The same seed gives the same graph. */
void diff_graph_make(struct diff_graph *graph, uint64_t seed);
void diff_graph_solve(const struct diff_graph *graph, struct diff_truth *truth);
/* The number of a node from its name, n0, n1, ...; UINT32_MAX for another text. */
unsigned diff_graph_node(const struct diff_graph *graph, const char *name);
/* The graph as the solver reads it, and as a file. */
struct pd_graph *diff_graph_plain(const struct diff_graph *graph, uint64_t digest);
void diff_graph_print(const struct diff_graph *graph, FILE *out);
/* The oracle of a solved graph, which is borrowed. */
struct diff_oracle diff_graph_oracle(const struct diff_solved *solved);
