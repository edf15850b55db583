/* Graphs for tests, built in C: nodes are named, children are listed as "B C D", and may be defined later. */
#pragma once

#include "proto/base/buf.h"
#include "proto/base/graph.h"
#include "solver/games/game.h"

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

/* Prints a graph in one of the two formats of proto/GRAPH.md. False if a name cannot be written: in lines, a name that
 * begins with #. */
bool graph_print_lines(const struct pd_graph *graph, struct pd_buf *out);
bool graph_print_json(const struct pd_graph *graph, struct pd_buf *out);
/* Whether two graphs are equal in every member that a game can see. */
bool graph_equal(const struct pd_graph *a, const struct pd_graph *b);

/* A random graph of that number of nodes in lines of proto/GRAPH.md: n0 (its root), n1, ... Half of the graphs are
 * acyclic; in these, children have larger numbers than their parents. */
void graph_random(uint64_t *random, unsigned nodes, struct pd_buf *out);

/* The game andor:test over the graph, which it takes over; game_close follows. */
struct game *graph_game(struct pd_graph *graph);
/* The value of a position of a game without cycles, by backward induction; at most 8 moves each. */
int graph_value(const struct game *game, const void *state);
