/* Graphs: AND/OR graphs made in C, and a host that gives them to the game. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/graph.h"
#include "solver/games/game.h"
#include "tests/support/walk.h"

/* Adds a node with that name, which may be there already. */
static inline void graphs_append(struct pd_graph *g, const char *name)
{
	if (pd_graph_append(g, name, strlen(name)))
		abort();
}

static inline uint32_t graphs_index(const struct pd_graph *g, const char *name)
{
	uint32_t i = 0;
	while (i < g->node_count && strcmp(pd_graph_name(g, i), name))
		i++;
	return i;
}

/* Makes a graph of lines `NAME or CHILD ...`, `NAME and CHILD ...`, `NAME = VALUE`; NULL ends them, the first is the
 * root. The scale is -1..1. A child without a line of its own gets an index that is not in the graph. */
static inline struct pd_graph *graphs_make(const char *const *lines)
{
	struct pd_graph *g = calloc(1, sizeof *g);
	char text[512];
	size_t count = 0;
	while (lines[count])
		count++;
	g->children = calloc(64 * count + 1, sizeof *g->children);
	g->value_min = -1;
	g->value_max = 1;
	g->digest = 17;
	while (lines[g->node_count]) {
		snprintf(text, sizeof text, "%s", lines[g->node_count]);
		graphs_append(g, strtok(text, " "));
	}
	for (uint32_t i = 0; i < g->node_count; i++) {
		struct pd_graph_node *node = &g->nodes[i];
		snprintf(text, sizeof text, "%s", lines[i]);
		strtok(text, " ");
		const char *kind = strtok(NULL, " "), *word;
		node->child = g->child_count;
		node->terminal = *kind == '=';
		node->first_moves = *kind == 'o';
		while ((word = strtok(NULL, " "))) {
			if (node->terminal) {
				node->value = (int16_t)atoi(word);
				continue;
			}
			g->children[g->child_count++] = graphs_index(g, word);
			node->count++;
		}
	}
	return g;
}

/* A random acyclic graph of `count` nodes: children have larger indices, lists may name a child twice, sides do not
 * alternate. */
static inline struct pd_graph *graphs_random(uint32_t count, uint64_t *seed)
{
	struct pd_graph *g = calloc(1, sizeof *g);
	g->children = calloc(5 * (size_t)count, sizeof *g->children);
	g->value_min = -2;
	g->value_max = 3;
	g->digest = walk_random(seed);
	for (uint32_t i = 0; i < count; i++) {
		char name[16];
		snprintf(name, sizeof name, "n%u", i);
		graphs_append(g, name);
		struct pd_graph_node *node = &g->nodes[i];
		node->child = g->child_count;
		node->first_moves = walk_below(seed, 2);
		node->terminal = i + 1 == count || (i > 0 && walk_below(seed, 5) == 0);
		node->value = (int16_t)(node->terminal ? (int)walk_below(seed, 6) - 2 : 0);
		node->count = node->terminal ? 0 : 1 + walk_below(seed, 5);
		for (uint32_t j = 0; j < node->count; j++) {
			uint32_t ahead = count - 1 - i, reach = ahead < 12 ? ahead : 12;
			g->children[g->child_count++] = i + 1 + walk_below(seed, reach);
		}
	}
	return g;
}

/* Gives away the graph that ctx points to, once. */
static inline int graphs_give(void *ctx, const char *name, struct pd_graph **out, struct pd_fail *fail)
{
	struct pd_graph **graph = ctx;
	if (!*graph)
		return pd_fail_set(fail, PD_E_GAME, "game", "there is no graph '%s'", name);
	*out = *graph;
	*graph = NULL;
	return PD_OK;
}

/* Opens andor:NAME with a graph, which then belongs to the game or is freed. Returns the code of game_open. */
static inline int graphs_open(const char *name, struct pd_graph *graph, struct game **out, struct pd_fail *fail)
{
	struct game_host host = {.ctx = &graph, .graph = graphs_give};
	int rc = game_open(name, &host, out, fail);
	pd_graph_free(graph);
	return rc;
}
