#include "tests/support/graph.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void graph_begin(struct graph_maker *m, int value_min, int value_max)
{
	memset(m, 0, sizeof *m);
	m->graph = calloc(1, sizeof *m->graph);
	m->graph->nodes = calloc(GRAPH_NODES_MAX, sizeof *m->graph->nodes);
	m->graph->value_min = (int16_t)value_min;
	m->graph->value_max = (int16_t)value_max;
	m->graph->digest = 1;
}

void graph_node(struct graph_maker *m, const char *name, bool first_moves, const char *children)
{
	uint32_t i = m->graph->node_count++;
	assert(i < GRAPH_NODES_MAX);
	m->graph->nodes[i] = (struct pd_graph_node){.name = strdup(name), .first_moves = first_moves};
	m->children[i] = strdup(children);
}

void graph_leaf(struct graph_maker *m, const char *name, int value)
{
	uint32_t i = m->graph->node_count++;
	assert(i < GRAPH_NODES_MAX);
	m->graph->nodes[i] = (struct pd_graph_node){.name = strdup(name), .terminal = true, .value = (int16_t)value};
}

static uint32_t find(const struct pd_graph *g, const char *name)
{
	for (uint32_t i = 0; i < g->node_count; i++)
		if (!strcmp(g->nodes[i].name, name))
			return i;
	assert(!"a child that is no node");
	return 0;
}

struct pd_graph *graph_end(struct graph_maker *m)
{
	struct pd_graph *g = m->graph;
	size_t room = 0;
	for (uint32_t i = 0; i < g->node_count; i++)
		room += m->children[i] ? strlen(m->children[i]) + 1 : 0;
	g->children = calloc(room + 1, sizeof *g->children);
	for (uint32_t i = 0; i < g->node_count; i++) {
		g->nodes[i].child = g->child_count;
		char *rest = m->children[i], *name;
		while (rest && (name = strsep(&rest, " ")) != NULL) {
			g->children[g->child_count++] = find(g, name);
			g->nodes[i].count++;
		}
		free(m->children[i]);
	}
	return g;
}

static int give(void *ctx, const char *name, struct pd_graph **out, struct pd_fail *fail)
{
	(void)name, (void)fail;
	*out = ctx;
	return PD_OK;
}

struct game *graph_game(struct pd_graph *graph)
{
	struct game_host host = {graph, give};
	struct game *game = NULL;
	struct pd_fail fail;
	int error = game_open("andor:test", &host, &game, &fail);
	assert(!error);
	(void)error;
	return game;
}
