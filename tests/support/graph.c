#include "tests/support/graph.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/walk.h"

void graph_begin(struct graph_maker *m, int value_min, int value_max)
{
	memset(m, 0, sizeof *m);
	m->graph = calloc(1, sizeof *m->graph);
	m->graph->value_min = (int16_t)value_min;
	m->graph->value_max = (int16_t)value_max;
	m->graph->digest = 1;
}

/* Adds a node of that name; returns its index. */
static uint32_t append_node(struct pd_graph *g, const char *name)
{
	assert(g->node_count < GRAPH_NODES_MAX);
	int rc = pd_graph_append(g, name, strlen(name));
	assert(!rc);
	(void)rc;
	return g->node_count - 1;
}

void graph_node(struct graph_maker *m, const char *name, bool first_moves, const char *children)
{
	uint32_t i = append_node(m->graph, name);
	m->graph->nodes[i].first_moves = first_moves;
	m->children[i] = strdup(children);
}

void graph_leaf(struct graph_maker *m, const char *name, int value)
{
	uint32_t i = append_node(m->graph, name);
	m->graph->nodes[i].terminal = true;
	m->graph->nodes[i].value = (int16_t)value;
}

static uint32_t find_node(const struct pd_graph *g, const char *name)
{
	for (uint32_t i = 0; i < g->node_count; i++)
		if (!strcmp(pd_graph_name(g, i), name))
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
			g->children[g->child_count++] = find_node(g, name);
			g->nodes[i].count++;
		}
		free(m->children[i]);
	}
	return g;
}

/* --- as text ------------------------------------------------------------------------------ */

bool graph_print_lines(const struct pd_graph *g, struct pd_buf *out)
{
	pd_buf_printf(out, "values %d %d\ninfinite %d\nroot %s\n", g->value_min, g->value_max, g->infinite_value,
		      pd_graph_name(g, g->root));
	for (uint32_t i = 0; i < g->node_count; i++) {
		const struct pd_graph_node *node = &g->nodes[i];
		if (*pd_graph_name(g, i) == '#')
			return false;
		pd_buf_printf(out, "%s %s", pd_graph_name(g, i),
			      node->terminal      ? "="
			      : node->first_moves ? "or"
						  : "and");
		for (uint32_t k = 0; k < node->count; k++)
			pd_buf_printf(out, " %s", pd_graph_name(g, g->children[node->child + k]));
		if (node->terminal)
			pd_buf_printf(out, " %d", node->value);
		pd_buf_puts(out, "\n");
	}
	return !out->failed;
}

static void print_string(const char *text, struct pd_buf *out)
{
	pd_buf_puts(out, "\"");
	for (; *text; text++)
		pd_buf_printf(out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
	pd_buf_puts(out, "\"");
}

bool graph_print_json(const struct pd_graph *g, struct pd_buf *out)
{
	pd_buf_printf(out, "{\"values\":[%d,%d],\"infinite\":%d,\"root\":", g->value_min, g->value_max,
		      g->infinite_value);
	print_string(pd_graph_name(g, g->root), out);
	pd_buf_puts(out, ",\"nodes\":{");
	for (uint32_t i = 0; i < g->node_count; i++) {
		const struct pd_graph_node *node = &g->nodes[i];
		pd_buf_puts(out, i ? ",\n" : "");
		print_string(pd_graph_name(g, i), out);
		if (node->terminal) {
			pd_buf_printf(out, ":{\"value\":%d}", node->value);
			continue;
		}
		pd_buf_printf(out, ":{\"%s\":[", node->first_moves ? "or" : "and");
		for (uint32_t k = 0; k < node->count; k++) {
			pd_buf_puts(out, k ? "," : "");
			print_string(pd_graph_name(g, g->children[node->child + k]), out);
		}
		pd_buf_puts(out, "]}");
	}
	pd_buf_puts(out, "}}");
	return !out->failed;
}

bool graph_equal(const struct pd_graph *a, const struct pd_graph *b)
{
	bool equal = a->node_count == b->node_count && a->child_count == b->child_count && a->root == b->root &&
		     a->value_min == b->value_min && a->value_max == b->value_max &&
		     a->infinite_value == b->infinite_value && a->digest == b->digest;
	for (uint32_t i = 0; equal && i < a->node_count; i++) {
		const struct pd_graph_node *x = &a->nodes[i], *y = &b->nodes[i];
		equal = !strcmp(pd_graph_name(a, i), pd_graph_name(b, i)) && x->count == y->count &&
			x->first_moves == y->first_moves && x->terminal == y->terminal && x->value == y->value;
		for (uint32_t k = 0; equal && k < x->count; k++)
			equal = a->children[x->child + k] == b->children[y->child + k];
	}
	return equal;
}

static int give_graph(void *ctx, const char *name, struct pd_graph **out, struct pd_fail *fail)
{
	*out = ctx;
	return PD_OK;
}

struct game *graph_game(struct pd_graph *graph)
{
	struct game_host host = {graph, give_graph};
	struct game *game = NULL;
	struct pd_fail fail;
	int error = game_open("andor:test", &host, &game, &fail);
	assert(!error);
	(void)error;
	return game;
}

void graph_random(uint64_t *random, unsigned nodes, struct pd_buf *out)
{
	bool acyclic = walk_below(random, 2);
	unsigned most = 1 + walk_below(random, 6), ends = 2 + walk_below(random, 8);
	pd_buf_printf(out, "values -3 4\ninfinite %d\n", (int)walk_below(random, 8) - 3);
	for (unsigned i = 0; i < nodes; i++) {
		if (i + 1 == nodes || (i && walk_below(random, ends) == 0)) {
			pd_buf_printf(out, "n%u = %d\n", i, (int)walk_below(random, 8) - 3);
			continue;
		}
		pd_buf_printf(out, "n%u %s", i, walk_below(random, 2) ? "or" : "and");
		unsigned least = acyclic ? i + 1 : 0, room = nodes - least, step = 1 + walk_below(random, most),
			 child = walk_below(random, room);
		for (unsigned k = 0; k <= walk_below(random, most) && child < room; k++, child += step)
			pd_buf_printf(out, " n%u", least + child);
		pd_buf_puts(out, "\n");
	}
	if (out->failed)
		abort();
}

int graph_value(const struct game *game, const void *state)
{
	_Alignas(16) uint8_t child[GAME_STATE_MAX];
	game_move moves[8];
	int value, best = 0;
	if (game->rules->terminal(game, state, &value))
		return value;
	bool first = game->rules->first_to_move(game, state);
	unsigned count = game->rules->moves(game, state, moves);
	for (unsigned i = 0; i < count; i++) {
		memcpy(child, state, game->state_size);
		game->rules->play(game, child, moves[i]);
		value = graph_value(game, child);
		if (!i || (first ? value > best : value < best))
			best = value;
	}
	return best;
}
