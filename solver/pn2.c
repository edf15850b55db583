#include "solver/pn2.h"

#include <string.h>

#include "solver/pds.h"

bool pn2_init(struct pn2 *pn2, const struct game *game, uint64_t bytes, const struct tree_options *first)
{
	struct tree_options options = *first;
	options.keep_proofs = true;
	options.facts = pn2->facts;
	options.cache = NULL;
	return tree_init(&pn2->tree, game, bytes, &options);
}

void pn2_fini(struct pn2 *pn2)
{
	if (pn2->tree.nodes)
		tree_fini(&pn2->tree);
}

uint64_t pn2_budget(const struct pn_options *o, uint64_t used, uint64_t room, uint64_t children)
{
	double x = (double)used, y = pds_fraction(x, o->fraction_a, o->fraction_b), left = (double)room - x;
	if (y > left)
		y = left;
	if (y > o->cap_last)
		y = o->cap_last;
	return y < (double)(children + 1) ? children + 1 : (uint64_t)y;
}

void pn2_start(struct pn2 *pn2, const struct question *question, const void *state)
{
	tree_start(&pn2->tree, question, state, UINT64_MAX);
	pn2->evaluating = false;
}

/* --- what the second level has found ------------------------------------------------------ */

/* The leaf is solved. */
static void take_solution(struct pn2 *pn2)
{
	struct tree *tree = &pn2->tree, *below = pn2->below;
	struct tree_node *leaf = tree_here(tree);
	uint64_t took = below->generated - pn2->start;
	leaf->num[0] = tree_numbers(below)[0];
	leaf->num[1] = tree_numbers(below)[1];
	leaf->child = took < UINT32_MAX ? (uint32_t)took : UINT32_MAX;
	if (!tree->depth)
		tree->root_move = below->root_move;
	if (below->options.keep_proofs) {
		tree_emit(below, pn2->facts);
	} else {
		struct pd_reason reason = question_reason(&tree->question, leaf->num);
		reason.move = below->root_move;
		reason.effort = tree_effort(below);
		fact_buffer_put(pn2->facts, &tree->question, tree_state(tree, tree->depth), reason);
	}
	tree_ascend(tree);
}

/* Child `index` of the second level's root is solved and leans on nothing: a fact, unless the rules say as much. */
static void tell_child(struct pn2 *pn2, const struct tree_node *c, unsigned index)
{
	const struct tree *tree = &pn2->tree;
	const struct question *q = &tree->question;
	if (pn2->below->options.keep_proofs) {
		tree_emit_child(pn2->below, index, pn2->facts);
		return;
	}
	if (!c->child) /* over, or won at once, which is written out with its parent */
		return;
	void *state = tree_state(tree, tree->depth + 1);
	memcpy(state, tree_state(tree, tree->depth), q->game->state_size);
	q->game->rules->play(q->game, state, c->move);
	struct pd_reason reason = question_reason(q, c->num);
	reason.effort = c->child;
	fact_buffer_put(pn2->facts, q, state, reason);
}

/* The leaf gets the children of the second level's root. False when the first tree is full. */
static bool take_children(struct pn2 *pn2)
{
	const struct tree *below = pn2->below;
	const struct tree_node *root = &below->nodes[TREE_ROOT];
	for (unsigned i = 0; i < root->count; i++) {
		const struct tree_node *c = &below->nodes[root->child + i];
		if (num_solved(c->num) && num_rank(c->num) > 0 && !ghi_path_dependent(&pn2->tree.question, c->num))
			tell_child(pn2, c, i);
	}
	return tree_put_children(&pn2->tree, below);
}

/* The leaf takes the numbers alone. That it was evaluated is noted where a solved node has its effort. */
static void take_numbers(struct pn2 *pn2)
{
	struct tree *tree = &pn2->tree;
	struct tree_node *leaf = tree_here(tree);
	const uint32_t *num = tree_numbers(pn2->below);
	leaf->child = 1;
	if (num[0] == leaf->num[0] && num[1] == leaf->num[1])
		return;
	leaf->num[0] = num[0];
	leaf->num[1] = num[1];
	tree_ascend(tree);
}

/* Expands the leaf in the plain way. False when the first tree is full. */
static bool expand(struct pn2 *pn2)
{
	struct tree *tree = &pn2->tree;
	const struct tree_node *leaf = tree_here(tree);
	uint32_t before[2] = {leaf->num[0], leaf->num[1]};
	if (!tree_expand(tree))
		return false;
	if (before[0] != leaf->num[0] || before[1] != leaf->num[1])
		tree_ascend(tree);
	return true;
}

/* The second level has ended. False when the first tree is full. */
static bool evaluated(struct pn2 *pn2)
{
	const uint32_t *num = tree_numbers(pn2->below);
	if (num_solved(num) && ghi_path_dependent(&pn2->tree.question, num)) /* it would need a deeper tree */
		return expand(pn2);
	if (num_solved(num)) {
		take_solution(pn2);
		return true;
	}
	if (pn2->options->keep_children)
		return take_children(pn2);
	take_numbers(pn2);
	return true;
}

/* --- the loop ----------------------------------------------------------------------------- */

/* Selects a leaf, and begins to evaluate it unless it is held, or was evaluated before. False when the first tree is
 * full. */
static bool turn(struct pn2 *pn2)
{
	struct tree *tree = &pn2->tree;
	question_limit_sums(&tree->question, tree->generated + pn2->below->generated);
	tree_descend(tree);
	pn2->expansions++;
	if (tree_repetition(tree)) {
		tree_ascend(tree);
		return true;
	}
	if (tree_here(tree)->child)
		return expand(pn2);
	uint64_t budget = pn2_budget(pn2->options, tree->live, tree->capacity, tree->question.game->moves_max);
	pn2->budget = (uint32_t)budget;
	tree_start(pn2->below, &tree->question, tree_state(tree, tree->depth), budget);
	pn2->start = pn2->below->generated;
	pn2->evaluating = true;
	return true;
}

enum pn2_end pn2_run(struct pn2 *pn2, uint64_t *nodes)
{
	const uint32_t *root = tree_numbers(&pn2->tree);
	while (!num_solved(root)) {
		if (pn2->facts->failed)
			return PN2_NO_MEMORY;
		if (!*nodes)
			return PN2_MORE;
		if (pn2->evaluating) {
			if (tree_run(pn2->below, nodes) == TREE_MORE)
				return PN2_MORE;
			pn2->evaluating = false;
			if (!evaluated(pn2))
				return PN2_FULL;
			continue;
		}
		if (fact_buffer_full(pn2->facts))
			return PN2_COLLECT;
		if (!turn(pn2))
			return PN2_FULL;
		--*nodes;
	}
	if (pn2->facts->failed)
		return PN2_NO_MEMORY;
	return ghi_path_dependent(&pn2->tree.question, root) ? PN2_DEPTH : PN2_SOLVED;
}
