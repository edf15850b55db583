/* Line record: best play as a record of a game, with what is as good as variations. */
#include <stdlib.h>

#include "proto/base/assert.h"
#include "proto/base/fact.h"
#include "server/proofs/answers/line.h"

/* A tree of play that grows. */
struct growing {
	struct game_line_node *nodes; /* owned */
	uint32_t count, room;
};

static int reserve_nodes(struct growing *g, unsigned more, struct pd_fail *fail)
{
	uint32_t room = g->count + more;
	if (room <= g->room)
		return PD_OK;
	struct game_line_node *grown = realloc(g->nodes, 2 * (size_t)room * sizeof *grown);
	if (!grown)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a record");
	g->nodes = grown;
	g->room = 2 * room;
	return PD_OK;
}

/* There is room for it. */
static uint32_t add_node(struct growing *g, game_move move)
{
	PD_ASSERT(g->count < g->room);
	g->nodes[g->count] = (struct game_line_node){.move = move};
	return g->count++;
}

/* Adds moves below a node. */
static int add_moves(struct growing *g, uint32_t node, const game_move *moves, unsigned count, struct pd_fail *fail)
{
	int rc = reserve_nodes(g, count, fail);
	for (unsigned i = 0; i < count && !rc; i++) {
		uint32_t next = add_node(g, moves[i]);
		g->nodes[node].child = next;
		node = next;
	}
	return rc;
}

/* Adds a move in place of that of `node`, and best play after it. */
static int add_other(struct growing *g, uint32_t node, const struct sv_other *other, struct pd_fail *fail)
{
	int rc = reserve_nodes(g, 1, fail);
	if (rc)
		return rc;
	uint32_t head = add_node(g, other->move);
	while (g->nodes[node].sibling)
		node = g->nodes[node].sibling;
	g->nodes[node].sibling = head;
	return add_moves(g, head, other->moves, other->count, fail);
}

int sv_line_record(const struct sv_line_order *order, const struct sv_line *line, enum game_form form,
		   const struct sv_line_words *words, struct pd_buf *out, struct pd_fail *fail)
{
	struct growing g = {NULL, 0, 0};
	int rc = reserve_nodes(&g, 1, fail);
	if (!rc) {
		add_node(&g, PD_NO_MOVE);
		rc = add_moves(&g, 0, line->moves, line->count, fail);
	}
	/* The node of the line's n-th move is n, counted from 1. */
	for (unsigned i = 0; i < line->other_count && !rc; i++)
		rc = add_other(&g, line->others[i].at + 1, &line->others[i], fail);
	if (!rc) {
		const struct game_line_tree tree = {order->state, g.nodes, words->remark, words->notation};
		game_record_write(order->game, &tree, form, out);
		if (out->failed)
			rc = pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a record");
	}
	free(g.nodes);
	return rc;
}
