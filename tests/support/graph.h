/* Graphs for tests, built in C: nodes are named, children are listed as "B C D", and may be defined later. */
#ifndef TEST_GRAPH_H
#define TEST_GRAPH_H

#include "proto/base/graph.h"
#include "solver/game.h"

enum { GRAPH_NODES_MAX = 4096 };

struct graph_maker {
	struct pd_graph *graph;
	char *children[GRAPH_NODES_MAX];
};

void graph_begin(struct graph_maker *maker, int value_min, int value_max);
/* The first node is the root. */
void graph_node(struct graph_maker *maker, const char *name, bool first_moves, const char *children);
void graph_leaf(struct graph_maker *maker, const char *name, int value);
struct pd_graph *graph_end(struct graph_maker *maker);

/* The game andor:test over the graph, which it takes over; to be closed with game_close. */
struct game *graph_game(struct pd_graph *graph);

#endif
