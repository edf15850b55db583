/* Minimal proof search: goes on after a proof until no smaller one is possible (after Saffidine, "Minimal proof search
 * for modal logic K model checking", JELIA 2012; the rule for games is worked out here).
 *
 * The size of a proof is the number of nodes of its tree, the root included; a position that is reached on two ways
 * counts twice. The numbers of an open node are lower bounds: of the size of a proof and of a disproof. At an OR node
 * they are 1 + min of the children's proof bounds and 1 + sum of their disproof bounds, at an AND node the reverse;
 * what is impossible has the greatest number. A node is solved, here, when its smallest proof (or disproof) is
 * complete: no open child can have a smaller one. Then the rule keeps its size, and of several winning children only
 * the one with the smallest proof counts as solved, so that the proof that is recorded is this one.
 *
 * Leaves begin with 1 and 1 or with their number of moves, both of which are lower bounds. Hints are not used, because
 * their numbers are none. The least rank of a stored bound may belong to a larger proof that was found elsewhere: an
 * export follows this one only where the facts are those of this search. */
#include "solver/tree_rule.h"

#include "proto/base/assert.h"
#include "solver/pds_policy.h"
#include "solver/tree.h"

enum { IMPOSSIBLE = PN_INF - 1 };

static uint32_t *size_of(const struct tree *tree, uint32_t node)
{
	return tree_value(tree, node);
}

/* A node that was just made or is known to be solved without its children. */
static void minimal_set_leaf(struct tree *tree, uint32_t node, uint32_t depth)
{
	(void)depth;
	if (!tree->nodes[node].count)
		*size_of(tree, node) = 1;
}

static bool minimal_update(struct tree *tree, uint32_t node, unsigned k)
{
	(void)tree;
	(void)node;
	(void)k;
	return false; /* the bounds of open nodes are their numbers */
}

/* The least size with which a node can prove (side 0) or disprove (side 1). Where the path could not be continued
 * nothing is known, and any proof is better. */
static uint32_t least_size(const struct tree *tree, uint32_t node, unsigned side)
{
	const uint32_t *num = tree->nodes[node].num;
	if (!num_solved(num))
		return num[side];
	if (num[side])
		return IMPOSSIBLE;
	return num_rank(num) == NUM_CUT_OFF ? (uint32_t)IMPOSSIBLE - 1 : *size_of(tree, node);
}

static uint32_t one_more(uint64_t size)
{
	return size < IMPOSSIBLE ? (uint32_t)size + 1 : (uint32_t)IMPOSSIBLE;
}

static uint32_t minimal_select_child(const struct tree *tree, uint32_t node, unsigned k)
{
	const struct tree_node *n = &tree->nodes[node];
	uint32_t best = 0;
	for (uint32_t child = n->child; child < n->child + n->count; child++)
		if (!num_solved(tree->nodes[child].num) &&
		    (!best || tree->nodes[child].num[k] < tree->nodes[best].num[k]))
			best = child;
	PD_ASSERT(best);
	return best;
}

static unsigned minimal_backup(struct tree *tree, uint32_t node, unsigned k, uint32_t num[2])
{
	const struct tree_node *n = &tree->nodes[node];
	uint32_t won = IMPOSSIBLE, open = UINT32_MAX, best = n->child;
	uint64_t lost = 0;
	struct num_sum sum;
	num_sum_init(&sum);
	for (uint32_t child = n->child; child < n->child + n->count; child++) {
		const uint32_t *c = tree->nodes[child].num;
		uint32_t size = least_size(tree, child, k);
		lost += least_size(tree, child, 1 - k);
		if (!num_solved(c)) {
			open = size < open ? size : open;
		} else if (c[k] == 0 && size < won) {
			won = size;
			best = child;
		} else if (c[k]) {
			num_sum_add(&sum, k, c, child - n->child);
		}
	}
	bool wins = won < IMPOSSIBLE && won <= open;
	if (!wins && open != UINT32_MAX) {
		num[k] = one_more(won < open ? won : open);
		num[1 - k] = won < IMPOSSIBLE ? (uint32_t)IMPOSSIBLE : one_more(lost);
		return 0;
	}
	*size_of(tree, node) = one_more(wins ? won : lost);
	if (wins) {
		num_sum_init(&sum);
		num_sum_add(&sum, k, tree->nodes[best].num, best - n->child);
		for (uint32_t child = n->child; child < n->child + n->count; child++)
			if (child != best && tree->nodes[child].num[k] == 0)
				tree->nodes[child].num[0] = tree->nodes[child].num[1] = 1;
	}
	ghi_backup(&tree->question, &sum, k, tree->depth, num);
	PD_ASSERT(num_solved(num) && (num[k] == 0) == wins);
	return best - n->child;
}

static const struct tree_rule tree_rule_minimal = {
	.size = sizeof(uint32_t),
	.leaf = minimal_set_leaf,
	.inner = minimal_update,
	.select = minimal_select_child,
	.backup = minimal_backup,
};

const struct pds_policy pds_policy_minimal = {.rule = &tree_rule_minimal};
