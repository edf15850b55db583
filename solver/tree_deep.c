/* DeepPN: a best-first search that prefers deep leaves (Ishitobi, Plaat, Iida and van den Herik, "Reducing the
 * seesaw effect with deep proof-number search", ACG 2015).
 *
 * Each node has a value `deep`. Of a leaf or a solved node it is 1/depth; the root's is never used. Of an inner node it
 * is that of the open child to which the search would descend, which is the one with the least
 *
 *     DPN(c) = (1 - 1/delta(c)) R + deep(c) (1 - R),
 *
 * delta(c) being the number that c's parent minimizes, and the first of several. R = 1 is PN search, because DPN then
 * grows with delta; R = 0 is nearly depth-first. The option `deep-r` sets R. */
#include "solver/tree_rule.h"

#include "proto/base/assert.h"
#include "solver/pds_policy.h"
#include "solver/tree.h"

static float *deep_of(const struct tree *tree, uint32_t node)
{
	return tree_value(tree, node);
}

static void deep_set_leaf(struct tree *tree, uint32_t node, uint32_t depth)
{
	*deep_of(tree, node) = depth ? 1 / (float)depth : 0;
}

/* DPN of an open child of a node of kind k. */
static double deep_number(const struct tree *tree, uint32_t child, unsigned k)
{
	double r = tree->options.deep_r, delta = tree->nodes[child].num[k];
	PD_DEBUG_ASSERT(delta >= 1);
	return (1 - 1 / delta) * r + *deep_of(tree, child) * (1 - r);
}

static uint32_t deep_select_child(const struct tree *tree, uint32_t node, unsigned k)
{
	const struct tree_node *n = &tree->nodes[node];
	uint32_t best = 0;
	double least = 2; /* DPN is at most 1 */
	for (uint32_t child = n->child; child < n->child + n->count; child++) {
		if (num_solved(tree->nodes[child].num))
			continue;
		double dpn = deep_number(tree, child, k);
		if (dpn < least) {
			least = dpn;
			best = child;
		}
	}
	PD_ASSERT(best);
	return best;
}

static bool deep_update(struct tree *tree, uint32_t node, unsigned k)
{
	float deep = *deep_of(tree, deep_select_child(tree, node, k)), *here = deep_of(tree, node);
	bool changed = deep != *here;
	*here = deep;
	return changed;
}

static const struct tree_rule tree_rule_deep = {
	.size = sizeof(float),
	.leaf = deep_set_leaf,
	.inner = deep_update,
	.select = deep_select_child,
};

const struct pds_policy pds_policy_deep = {.rule = &tree_rule_deep};
