#include "solver/tree_view.h"

#include "proto/base/assert.h"

enum {
	COUNT_LIVE = 1 << 18, /* nodes of a tree that is counted: a millisecond or two for each level of a picture */
	COUNT_DEPTH = 1024    /* of a sub-tree that is counted */
};

/* Siblings that are still to be counted. */
struct siblings {
	uint32_t next, left;
};

/* The nodes below, this one included, and what those that are solved and gone took. PN_EFFORT_UNKNOWN when they are
 * too many. */
static uint64_t tree_count_nodes(const struct tree *tree, uint32_t node)
{
	struct siblings stack[COUNT_DEPTH];
	unsigned depth = 1;
	uint64_t sum = 0;
	if (tree->live > COUNT_LIVE)
		return PN_EFFORT_UNKNOWN;
	stack[0] = (struct siblings){node, 1};
	while (depth) {
		struct siblings *s = &stack[depth - 1];
		if (!s->left) {
			depth--;
			continue;
		}
		const struct tree_node *n = &tree->nodes[s->next++];
		s->left--;
		sum++;
		if (!n->count)
			sum += n->child;
		else if (depth == COUNT_DEPTH)
			return PN_EFFORT_UNKNOWN;
		else
			stack[depth++] = (struct siblings){n->child, n->count};
	}
	return sum;
}

/* The child that a move leads to; 0: none. */
static uint32_t tree_find_child(const struct tree *tree, uint32_t node, game_move move)
{
	const struct tree_node *n = &tree->nodes[node];
	for (uint32_t i = 0; i < n->count; i++)
		if (tree->nodes[n->child + i].move == move)
			return n->child + i;
	return 0;
}

bool tree_view(const struct tree *tree, const struct pn_path *path, struct pn_view *out)
{
	uint32_t node = TREE_ROOT;
	*out = (struct pn_view){{1, 1}};
	if (!tree->bump)
		return false;
	for (unsigned i = 0; node && i < path->count; i++)
		node = tree_find_child(tree, node, path->moves[i]);
	if (!node)
		return false;
	const struct tree_node *n = &tree->nodes[node];
	PD_ASSERT(node < tree->bump);
	out->num[0] = n->num[0];
	out->num[1] = n->num[1];
	out->path_dependent = num_solved(n->num) && ghi_path_dependent(&tree->question, n->num);
	out->follows = n->count > 0 && !num_solved(n->num);
	out->inside = path->count <= tree->depth && tree->path[path->count].node == node;
	out->before = tree_count_nodes(tree, node);
	return true;
}
