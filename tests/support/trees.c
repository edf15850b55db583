#include "tests/support/trees.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/graph.h"
#include "tests/support/walk.h"

enum { DEPTH_MAX = 5, BRANCHING_MAX = 4 };

/* Adds a node named by the places of its ancestors among their siblings. Leaves are worth -1 or 1, or one of that many
 * values from -1 on. */
static void add_node(struct graph_maker *m, uint64_t *random, unsigned values, const char *name, unsigned depth)
{
	char children[128] = "", child[32];
	unsigned count = 1 + walk_below(random, BRANCHING_MAX);
	if (depth == DEPTH_MAX || (depth && walk_below(random, 4) == 0)) {
		int value = (int)walk_below(random, values) - 1;
		graph_leaf(m, name, values == 2 && value == 0 ? 1 : value);
		return;
	}
	for (unsigned i = 0; i < count; i++) {
		size_t used = strlen(children);
		snprintf(children + used, sizeof children - used, "%s%.8s%u", i ? " " : "", name, i);
	}
	graph_node(m, name, walk_below(random, 2), children);
	for (unsigned i = 0; i < count; i++) {
		snprintf(child, sizeof child, "%.8s%u", name, i);
		add_node(m, random, values, child, depth + 1);
	}
}

struct game *trees_random_of(uint64_t *random, unsigned values)
{
	struct graph_maker m;
	assert(values >= 2);
	graph_begin(&m, -1, values == 2 ? 1 : (int)values - 2);
	add_node(&m, random, values, "r", 0);
	return graph_game(graph_end(&m));
}

struct game *trees_random(uint64_t *random)
{
	return trees_random_of(random, 2);
}

/* Fills in the shape below a node. */
static void shape_node(const struct game *game, const void *state, struct trees_shape *out)
{
	_Alignas(16) uint8_t child[GAME_STATE_MAX];
	game_move moves[BRANCHING_MAX];
	uint32_t node, to;
	int value;
	memcpy(&node, state, sizeof node);
	assert(node < TREES_NODES_MAX);
	if (node >= out->count)
		out->count = node + 1;
	if (game->rules->terminal(game, state, &value)) {
		out->value[node] = (int8_t)value;
		return;
	}
	out->k[node] = !game->rules->first_to_move(game, state);
	out->children[node] = (uint16_t)game->rules->moves(game, state, moves);
	for (unsigned i = 0; i < out->children[node]; i++) {
		memcpy(child, state, game->state_size);
		game->rules->play(game, child, moves[i]);
		memcpy(&to, child, sizeof to);
		out->child[node][i] = (uint16_t)to;
		out->parent[to] = (uint16_t)node;
		shape_node(game, child, out);
	}
}

void trees_shape(const struct game *game, struct trees_shape *out)
{
	_Alignas(16) uint8_t root[GAME_STATE_MAX];
	memset(out, 0, sizeof *out);
	game->rules->start(game, root);
	shape_node(game, root, out);
}

int trees_value(const struct trees_shape *shape, unsigned node)
{
	int best = 0;
	if (shape->value[node])
		return shape->value[node];
	for (unsigned i = 0; i < shape->children[node]; i++) {
		int value = trees_value(shape, shape->child[node][i]);
		if (!i || (shape->k[node] ? value < best : value > best))
			best = value;
	}
	return best;
}
