/* Product propagation: a best-first search by estimated probabilities (after Saffidine and Cazenave, "Developments on
 * product propagation", CG 2013; the rule of descent is from memory of the field).
 *
 * Each node has an estimate p of the probability that First reaches the goal: 1/2 for an open leaf, 1 or 0 for a solved
 * node. The children of an inner node are taken as independent: 1 - prod(1 - p) at an OR node, prod p at an AND node.
 * The search descends to the child with the greatest p at an OR node, with the least at an AND node, the first of
 * several; children that wait behind those that hints name (hints.h) come last. Where positions can come back, such a
 * search may follow one path for ever, so every other descent goes to a most-proving node instead. Products of many
 * factors underflow, so log p and log(1 - p) are kept. */
#include "solver/tree_rule.h"

#include <math.h>

#include "proto/base/assert.h"
#include "solver/hints.h"
#include "solver/pds_policy.h"
#include "solver/tree.h"

struct product {
	double yes, no; /* log p, log(1 - p); at most 0 */
};

static struct product *product_of(const struct tree *tree, uint32_t node)
{
	return tree_value(tree, node);
}

/* log(1 - exp(x)) of x <= 0 (Maechler 2012). */
static double log_of_rest(double x)
{
	return x > -M_LN2 ? log(-expm1(x)) : log1p(-exp(x));
}

static void product_set_leaf(struct tree *tree, uint32_t node, uint32_t depth)
{
	const uint32_t *num = tree->nodes[node].num;
	(void)depth;
	*product_of(tree, node) = num[0] == 0   ? (struct product){0, -INFINITY}
				  : num[1] == 0 ? (struct product){-INFINITY, 0}
						: (struct product){-M_LN2, -M_LN2};
}

static bool product_update(struct tree *tree, uint32_t node, unsigned k)
{
	const struct tree_node *n = &tree->nodes[node];
	struct product *here = product_of(tree, node), before = *here;
	double sum = 0; /* log of the product of 1 - p at an OR node, of p at an AND node */
	for (uint32_t child = n->child; child < n->child + n->count; child++)
		sum += k ? product_of(tree, child)->yes : product_of(tree, child)->no;
	*here = k ? (struct product){sum, log_of_rest(sum)} : (struct product){log_of_rest(sum), sum};
	PD_ASSERT(!isnan(here->yes) && !isnan(here->no));
	return here->yes != before.yes || here->no != before.no;
}

/* Grows with p, and tells apart what is near 0 and what is near 1. */
static double product_odds(const struct tree *tree, uint32_t node)
{
	const struct product *p = product_of(tree, node);
	return p->yes - p->no;
}

/* Whether a child of a node of kind k waits behind those that hints name. */
static bool product_waits(const struct tree *tree, uint32_t child, unsigned k)
{
	return tree->options.hints && tree->nodes[child].num[k] == HINT_NUMBER;
}

static bool product_before(const struct tree *tree, uint32_t child, uint32_t other, unsigned k)
{
	bool waits = product_waits(tree, child, k);
	double a = product_odds(tree, child), b = product_odds(tree, other);
	return waits != product_waits(tree, other, k) ? !waits : k ? a < b : a > b;
}

static uint32_t product_select_child(const struct tree *tree, uint32_t node, unsigned k)
{
	const struct tree_node *n = &tree->nodes[node];
	uint32_t best = 0;
	if (tree->ids && tree->descents % 2)
		return tree_most_proving_child(tree, n, k);
	for (uint32_t child = n->child; child < n->child + n->count; child++)
		if (!num_solved(tree->nodes[child].num) && (!best || product_before(tree, child, best, k)))
			best = child;
	PD_ASSERT(best);
	return best;
}

static const struct tree_rule tree_rule_product = {
	.size = sizeof(struct product),
	.leaf = product_set_leaf,
	.inner = product_update,
	.select = product_select_child,
};

const struct pds_policy pds_policy_product = {.rule = &tree_rule_product};
