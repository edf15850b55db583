#include "clients/gametest/oracle.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/hash.h"

enum { EDGES_EACH = 64 }; /* moves of a position, on average, for which there is room */

struct node {
	uint32_t key;  /* offset of its bytes */
	uint16_t size; /* of the key */
	bool over, first_moves;
	int16_t value;  /* the result if the game is over; after solve_graph, what First gets */
	uint32_t begin; /* index of its first edge; the edges are its moves */
	uint32_t count;
};

struct gt_oracle {
	struct node *node;
	uint32_t nodes, most;
	uint8_t *keys; /* all keys, concatenated */
	uint32_t *edge;
	uint32_t edges, edges_most;
	uint32_t *slot; /* hash table by key: 1 + index of the node; 0: free */
	uint32_t slots; /* a power of 2 */
	uint8_t *state; /* states, by index */
};

void cl_gt_oracle_free(struct gt_oracle *o)
{
	if (!o)
		return;
	free(o->node);
	free(o->keys);
	free(o->edge);
	free(o->slot);
	free(o->state);
	free(o);
}

/* The slot of a key, or the free slot for it. */
static uint32_t *slot_of(const struct gt_oracle *o, const uint8_t *key, size_t size)
{
	uint32_t at = (uint32_t)pd_hash64(key, size) & (o->slots - 1);
	while (o->slot[at]) {
		const struct node *n = &o->node[o->slot[at] - 1];
		if (n->size == size && !memcmp(o->keys + n->key, key, size))
			break;
		at = (at + 1) & (o->slots - 1);
	}
	return &o->slot[at];
}

/* The index of a position, added if new; UINT32_MAX if there are too many. */
static uint32_t add_node(struct gt *t, struct gt_oracle *o, const struct gt_state *s)
{
	struct gt_key key;
	cl_gt_key(t, s, &key);
	uint32_t *slot = slot_of(o, key.bytes, key.size);
	if (*slot)
		return *slot - 1;
	if (o->nodes == o->most)
		return UINT32_MAX;
	struct node *n = &o->node[o->nodes];
	int value = 0;
	*n = (struct node){.key = o->nodes * t->game->key_size_max, .size = (uint16_t)key.size};
	memcpy(o->keys + n->key, key.bytes, key.size);
	memcpy(o->state + (size_t)o->nodes * t->game->state_size, s, t->game->state_size);
	n->over = t->rules->terminal(t->game, s, &value);
	n->value = (int16_t)value;
	n->first_moves = !n->over && t->rules->first_to_move(t->game, s);
	*slot = ++o->nodes;
	return o->nodes - 1;
}

/* Lists the moves of a position. False if there are too many edges or positions. */
static bool list_moves(struct gt *t, struct gt_oracle *o, uint32_t index)
{
	static struct gt_moves moves;
	struct gt_state s, child;
	memset(&s, GT_SPARE_BYTE, sizeof s);
	memcpy(&s, o->state + (size_t)index * t->game->state_size, t->game->state_size);
	cl_gt_moves(t, &s, &moves);
	o->node[index].begin = o->edges;
	o->node[index].count = moves.count;
	for (unsigned i = 0; i < moves.count; i++) {
		if (o->edges == o->edges_most)
			return false;
		cl_gt_child(t, &s, moves.at[i], &child);
		uint32_t to = add_node(t, o, &child);
		if (to == UINT32_MAX)
			return false;
		o->edge[o->edges++] = to;
	}
	return true;
}

/* Decides "First gets at least `threshold`" for all positions: holds[] is 1 yes, -1 no, 0 neither side can force it. */
static void decide_claim(const struct gt_oracle *o, int threshold, int8_t *holds)
{
	bool more = true;
	for (uint32_t i = 0; i < o->nodes; i++)
		holds[i] = !o->node[i].over ? 0 : o->node[i].value >= threshold ? 1 : -1;
	while (more) {
		more = false;
		for (uint32_t i = o->nodes; i-- > 0;) {
			const struct node *n = &o->node[i];
			int8_t mine = n->first_moves ? 1 : -1, best = (int8_t)-mine;
			for (uint32_t e = 0; !holds[i] && e < n->count; e++) {
				int8_t there = holds[o->edge[n->begin + e]];
				best = there == mine ? mine : there == 0 && best != mine ? 0 : best;
			}
			if (!holds[i] && n->count && best) {
				holds[i] = best;
				more = true;
			}
		}
	}
}

/* Computes the values of all positions. */
static bool solve_graph(struct gt *t, struct gt_oracle *o)
{
	int8_t *holds = malloc(o->nodes);
	int16_t *value = malloc(o->nodes * sizeof *value);
	const struct game *g = t->game;
	for (uint32_t i = 0; value && i < o->nodes; i++)
		value[i] = g->value_min;
	for (int at = g->value_min + g->value_step; holds && value && at <= g->value_max; at += g->value_step) {
		decide_claim(o, at, holds);
		for (uint32_t i = 0; i < o->nodes; i++)
			if (holds[i] > 0 || (!holds[i] && g->infinite_value >= at && !g->acyclic))
				value[i] = (int16_t)at;
	}
	for (uint32_t i = 0; holds && value && i < o->nodes; i++)
		o->node[i].value = value[i];
	bool good = holds && value;
	free(holds);
	free(value);
	return good;
}

struct gt_oracle *cl_gt_oracle_new(struct gt *t, const struct gt_state *root, unsigned most)
{
	struct gt_oracle *o = calloc(1, sizeof *o);
	if (!o)
		return NULL;
	o->most = most;
	o->edges_most = most * EDGES_EACH;
	o->slots = 1;
	while (o->slots < 4 * most)
		o->slots *= 2;
	o->node = malloc(most * sizeof *o->node);
	o->keys = malloc((size_t)most * t->game->key_size_max);
	o->edge = malloc(o->edges_most * sizeof *o->edge);
	o->slot = calloc(o->slots, sizeof *o->slot);
	o->state = malloc((size_t)most * t->game->state_size);
	bool good = o->node && o->keys && o->edge && o->slot && o->state && add_node(t, o, root) == 0;
	for (uint32_t i = 0; good && i < o->nodes; i++)
		good = list_moves(t, o, i);
	if (good && solve_graph(t, o))
		return o;
	cl_gt_oracle_free(o);
	return NULL;
}

unsigned cl_gt_oracle_positions(const struct gt_oracle *o)
{
	return o->nodes;
}

int cl_gt_oracle_root(const struct gt_oracle *o)
{
	PD_ASSERT(o->nodes > 0);
	return o->node[0].value;
}

bool cl_gt_oracle_value(const struct gt_oracle *o, const uint8_t *key, size_t size, int *value)
{
	uint32_t at = *slot_of(o, key, size);
	if (at)
		*value = o->node[at - 1].value;
	return at != 0;
}
