/* AND/OR graph: the game is the graph that the certificate carries.
 *
 * The graph is parsed by proto's readers, and its digest is the rules version. The node says who moves; a move is the
 * index of a child in the node's list; a key is the node's name. `repeats` is found by a search for cycles. */
#include "clients/proofcheck/rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/graph_file.h"

static const struct pd_graph_node *node_of(const struct ck_game *g, const struct ck_position *p)
{
	return &g->graph->nodes[p->node];
}

/* Finds a node by a name that need not be terminated; false when there is none. */
static bool find_node(const struct ck_game *g, const char *name, size_t size, uint32_t *out)
{
	uint32_t found = pd_graph_find(g->graph, name, size);
	if (found != PD_GRAPH_NONE)
		*out = found;
	return found != PD_GRAPH_NONE;
}

static bool andor_is_over(const struct ck_game *g, const struct ck_position *p, int *value)
{
	*value = node_of(g, p)->value;
	return node_of(g, p)->terminal;
}

static bool andor_first_moves(const struct ck_game *g, const struct ck_position *p)
{
	return node_of(g, p)->first_moves;
}

static unsigned andor_list_moves(const struct ck_game *g, const struct ck_position *p, uint16_t *out)
{
	for (uint32_t i = 0; i < node_of(g, p)->count; i++)
		out[i] = (uint16_t)i;
	return node_of(g, p)->count;
}

static void andor_play_move(const struct ck_game *g, struct ck_position *p, uint16_t move)
{
	PD_ASSERT(p->node < g->graph->node_count && move < node_of(g, p)->count);
	p->node = g->graph->children[node_of(g, p)->child + move];
}

static bool is_child(const struct ck_game *g, uint32_t parent, uint32_t child)
{
	const struct pd_graph_node *n = &g->graph->nodes[parent];
	for (uint32_t i = 0; i < n->count; i++)
		if (g->graph->children[n->child + i] == child)
			return true;
	return false;
}

/* A single name is any node; several names are a path, which may begin with the root. */
static const char *andor_read_position(const struct ck_game *g, const char *text, struct ck_position *out)
{
	memset(out, 0, sizeof *out);
	out->node = g->graph->root;
	bool path = strchr(text, '/') != NULL;
	for (const char *p = text; *text;) {
		size_t size = strcspn(p, "/");
		uint32_t next;
		if (!find_node(g, p, size, &next))
			return "there is no such node in the graph";
		bool root = p == text && next == g->graph->root;
		if (path && !root && !is_child(g, out->node, next))
			return "a node of the path is not a child of the one before";
		out->node = next;
		if (!p[size])
			break;
		p += size + 1;
	}
	return NULL;
}

static void andor_print_position(const struct ck_game *g, const struct ck_position *p, char *out)
{
	snprintf(out, CK_TEXT_MAX, "%s", pd_graph_name(g->graph, p->node));
}

static size_t andor_encode_key(const struct ck_game *g, const struct ck_position *p, uint8_t *out)
{
	const char *name = pd_graph_name(g->graph, p->node);
	size_t size = strlen(name);
	PD_ASSERT(size >= 1 && size <= CK_KEY_MAX);
	memcpy(out, name, size);
	return size;
}

static bool andor_decode_key(const struct ck_game *g, const uint8_t *key, size_t size, struct ck_position *p)
{
	return find_node(g, (const char *)key, size, &p->node);
}

/* A graph has no cycle if and only if its nodes can be removed one by one, each when none of its parents is left. */
static int find_cycles(struct ck_game *g, struct pd_fail *fail)
{
	const struct pd_graph *graph = g->graph;
	uint32_t *parents = calloc(graph->node_count, sizeof *parents),
		 *ready = malloc(graph->node_count * sizeof *ready);
	uint32_t taken = 0, found = 0;
	if (!parents || !ready) {
		free(parents);
		free(ready);
		return pd_fail_set(fail, PD_E_NO_MEMORY, "game",
				   "there is not enough memory to search the graph for cycles");
	}
	for (uint32_t i = 0; i < graph->child_count; i++)
		parents[graph->children[i]]++;
	for (uint32_t i = 0; i < graph->node_count; i++)
		if (!parents[i])
			ready[found++] = i;
	for (; taken < found; taken++) {
		const struct pd_graph_node *n = &graph->nodes[ready[taken]];
		for (uint32_t i = 0; i < n->count; i++)
			if (!--parents[graph->children[n->child + i]])
				ready[found++] = graph->children[n->child + i];
	}
	g->repeats = taken < graph->node_count;
	free(parents);
	free(ready);
	return PD_OK;
}

static int andor_open_game(struct ck_game *g, const char *params, const char *graph, size_t graph_size,
			   struct pd_fail *fail)
{
	if (!*params)
		return pd_fail_set(fail, PD_E_GAME, "game", "andor takes the name of a graph, as in andor:NAME");
	int rc = pr_graph_parse(graph, graph_size, &g->graph, fail);
	if (rc)
		return rc;
	for (uint32_t i = 0; i < g->graph->node_count; i++)
		if (g->graph->nodes[i].count > CK_MOVES_MAX)
			return pd_fail_set(fail, PD_E_GAME, "game", "a node of the graph has more than %d children",
					   CK_MOVES_MAX);
	g->version = g->graph->digest;
	g->worst = g->graph->value_min;
	g->best = g->graph->value_max;
	g->infinite = g->graph->infinite_value;
	g->key_max = PD_GRAPH_NAME_MAX;
	return find_cycles(g, fail);
}

/* The name of a move is the name of the node that it leads to. */
static void andor_name_move(const struct ck_game *g, const struct ck_position *p, uint16_t move, char out[CK_MOVE_TEXT])
{
	struct ck_position next = *p;
	andor_play_move(g, &next, move);
	snprintf(out, CK_MOVE_TEXT, "%s", pd_graph_name(g->graph, next.node));
}

const struct ck_rules ck_andor = {
	.name = "andor",
	CK_RULES(andor),
	.over = andor_is_over,
	.first_moves = andor_first_moves,
	.move_name = andor_name_move,
	.graph = true,
};
