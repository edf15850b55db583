#include "tests/lab/diff_graph.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/walk.h"

/* --- making ------------------------------------------------------------------------------- */

static const struct {
	int min, max;
} scales[] = {{-1, 1}, {-1, 1}, {0, 1}, {-2, 2}, {-3, 5}, {0, 9}, {1, 20}, {-10, 10}};

struct shape {
	unsigned back;   /* percentage of children that may be anywhere, the others come later */
	unsigned near;   /* children are at most so far away */
	unsigned ends;   /* percentage of children that are terminal nodes */
	unsigned degree; /* children at most */
	bool turns;      /* sides take turns; else they are random, so that a player often moves twice */
};

static void connect(struct diff_graph *g, unsigned inner, unsigned at, const struct shape *s, uint64_t *r)
{
	struct diff_node *node = &g->node[at];
	unsigned wanted = 1 + walk_below(r, s->degree), terminals = g->count - inner;
	for (unsigned i = 0; i < wanted; i++) {
		unsigned child;
		bool known = false;
		if (at + 1 == inner || walk_below(r, 100) < s->ends)
			child = inner + walk_below(r, terminals);
		else if (walk_below(r, 100) < s->back)
			child = walk_below(r, inner);
		else
			child = at + 1 + walk_below(r, inner - at - 1 < s->near ? inner - at - 1 : s->near);
		for (unsigned j = 0; j < node->count; j++)
			known |= node->child[j] == child;
		if (!known)
			node->child[node->count++] = child;
	}
}

void diff_graph_make(struct diff_graph *g, uint64_t seed)
{
	uint64_t r = seed;
	unsigned scale = walk_below(&r, sizeof scales / sizeof *scales);
	memset(g, 0, sizeof *g);
	g->min = scales[scale].min;
	g->max = scales[scale].max;
	g->infinite = g->min + (int)walk_below(&r, (unsigned)(g->max - g->min + 1));
	const struct shape s = {
		.back = walk_below(&r, 2) ? 10 + walk_below(&r, 80) : 0,
		.near = 1 + walk_below(&r, 30),
		.ends = 1 + walk_below(&r, 25),
		.degree = 2 + walk_below(&r, DIFF_CHILDREN_MAX - 1),
		.turns = walk_below(&r, 3) == 0,
	};
	unsigned inner = 2 + walk_below(&r, 72), terminals = 2 + walk_below(&r, 20);
	g->count = inner + terminals;
	assert(g->count <= DIFF_NODES_MAX);
	for (unsigned i = 0; i < g->count; i++) {
		struct diff_node *node = &g->node[i];
		node->terminal = i >= inner;
		node->value = g->min + (int)walk_below(&r, (unsigned)(g->max - g->min + 1));
		node->first = s.turns ? i % 2 : walk_below(&r, 2);
		if (!node->terminal)
			connect(g, inner, i, &s, &r);
	}
}

/* --- solving ------------------------------------------------------------------------------ */

/* Plies within which a player forces the play into a terminal node with value >= bound (First) or < bound (Second):
 * layer by layer from the ends. In layer n stand the nodes where the player has a move into an earlier layer, or the
 * other has no move out of them. */
static void can_force(const struct diff_graph *g, bool first, int bound, unsigned *plies)
{
	for (unsigned i = 0; i < g->count; i++) {
		const struct diff_node *node = &g->node[i];
		plies[i] = node->terminal && (node->value >= bound) == first ? 0 : DIFF_NEVER;
	}
	for (unsigned layer = 1, changed = 1; changed; layer++) {
		changed = 0;
		for (unsigned i = 0; i < g->count; i++) {
			const struct diff_node *node = &g->node[i];
			unsigned in = 0;
			if (node->terminal || plies[i] != DIFF_NEVER)
				continue;
			for (unsigned j = 0; j < node->count; j++)
				in += plies[node->child[j]] < layer;
			if (node->first == first ? in > 0 : in == node->count) {
				plies[i] = layer;
				changed = 1;
			}
		}
	}
}

/* Takes nodes away whose children are all gone, until none is left or none can go. */
static bool is_acyclic(const struct diff_graph *g)
{
	bool gone[DIFF_NODES_MAX] = {false};
	unsigned left = g->count;
	for (bool changed = true; changed;) {
		changed = false;
		for (unsigned i = 0; i < g->count; i++) {
			unsigned out = 0;
			for (unsigned j = 0; j < g->node[i].count; j++)
				out += !gone[g->node[i].child[j]];
			if (!gone[i] && !out) {
				gone[i] = changed = true;
				left--;
			}
		}
	}
	return !left;
}

void diff_graph_solve(const struct diff_graph *g, struct diff_truth *truth)
{
	assert(g->max - g->min < DIFF_VALUES_MAX);
	truth->acyclic = is_acyclic(g);
	for (unsigned i = 0; i < g->count; i++)
		truth->value[i] = g->min;
	for (int bound = g->min + 1; bound <= g->max; bound++) {
		unsigned t = (unsigned)(bound - g->min);
		can_force(g, true, bound, truth->proof[t]);
		can_force(g, false, bound, truth->refutation[t]);
		for (unsigned i = 0; i < g->count; i++) {
			bool gets = g->infinite >= bound ? truth->refutation[t][i] == DIFF_NEVER
							 : truth->proof[t][i] != DIFF_NEVER;
			if (gets)
				truth->value[i] = bound;
		}
	}
}

/* --- other forms -------------------------------------------------------------------------- */

unsigned diff_graph_node(const struct diff_graph *g, const char *name)
{
	char *end;
	unsigned long i = name[0] == 'n' ? strtoul(name + 1, &end, 10) : DIFF_NODES_MAX;
	return i < g->count && !*end ? (unsigned)i : UINT32_MAX;
}

struct pd_graph *diff_graph_plain(const struct diff_graph *g, uint64_t digest)
{
	struct pd_graph *out = calloc(1, sizeof *out);
	if (!out || !(out->children = calloc(g->count * DIFF_CHILDREN_MAX, sizeof *out->children)))
		abort();
	out->value_min = (int16_t)g->min;
	out->value_max = (int16_t)g->max;
	out->infinite_value = (int16_t)g->infinite;
	out->digest = digest;
	for (unsigned i = 0; i < g->count; i++) {
		const struct diff_node *node = &g->node[i];
		char name[16];
		if (pd_graph_append(out, name, (size_t)snprintf(name, sizeof name, "n%u", i)))
			abort();
		struct pd_graph_node *to = &out->nodes[i];
		to->first_moves = node->first;
		to->terminal = node->terminal;
		to->value = (int16_t)(node->terminal ? node->value : 0);
		to->child = out->child_count;
		to->count = node->count;
		for (unsigned j = 0; j < node->count; j++)
			out->children[out->child_count++] = node->child[j];
	}
	return out;
}

void diff_graph_print(const struct diff_graph *g, FILE *out)
{
	fprintf(out, "{\"root\": \"n0\", \"values\": [%d, %d], \"infinite\": %d, \"nodes\": {", g->min, g->max,
		g->infinite);
	for (unsigned i = 0; i < g->count; i++) {
		const struct diff_node *node = &g->node[i];
		fprintf(out, "%s\n\"n%u\": ", i ? "," : "", i);
		if (node->terminal) {
			fprintf(out, "{\"value\": %d}", node->value);
			continue;
		}
		fprintf(out, "{\"%s\": [", node->first ? "or" : "and");
		for (unsigned j = 0; j < node->count; j++)
			fprintf(out, "%s\"n%u\"", j ? ", " : "", node->child[j]);
		fprintf(out, "]}");
	}
	fprintf(out, "}}\n");
}

/* --- as an oracle ------------------------------------------------------------------------- */

static int holds_in_graph(const void *ctx, const uint8_t *key, size_t size, int bound, unsigned *plies)
{
	const struct diff_solved *s = ctx;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	char text[GAME_TEXT_MAX];
	if (s->game->rules->unkey(s->game, key, size, state))
		return -1;
	s->game->rules->print(s->game, state, text, sizeof text);
	unsigned node = diff_graph_node(&s->graph, text), t = (unsigned)(bound - s->graph.min);
	if (node == UINT32_MAX || s->graph.node[node].terminal)
		return -1;
	bool holds = s->truth.value[node] >= bound;
	*plies = holds ? s->truth.proof[t][node] : s->truth.refutation[t][node];
	return holds;
}

/* A node where the game goes on, the root half of the time. */
static void pick_node(const void *ctx, uint64_t *random, void *state)
{
	const struct diff_solved *s = ctx;
	unsigned node = walk_below(random, s->graph.count);
	char name[16];
	if (walk_below(random, 2) || s->graph.node[node].terminal)
		node = 0;
	snprintf(name, sizeof name, "n%u", node);
	if (s->game->rules->parse(s->game, name, state, NULL))
		abort();
}

struct diff_oracle diff_graph_oracle(const struct diff_solved *solved)
{
	return (struct diff_oracle){solved->game, solved, holds_in_graph, pick_node};
}
