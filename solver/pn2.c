#include "solver/pn2.h"

#include "solver/pds_policy.h"
#include "solver/tree_proof.h"
#include "solver/tree_learn.h"
#include "solver/tree_search.h"

uint64_t pn2_budget(const struct pn_options *o, uint64_t used, uint64_t room, uint64_t children)
{
	double x = (double)used, y = pds_fraction(x, o->fraction.a, o->fraction.b), left = (double)room - x;
	if (y > left)
		y = left;
	if (y > o->cap_last)
		y = o->cap_last;
	return y < (double)(children + 1) ? children + 1 : (uint64_t)y;
}

/* --- what the second level has found ------------------------------------------------------ */

/* The second level has solved the leaf. */
static void pn2_take_solution(struct pn2 *pn2)
{
	struct tree *tree = &pn2->top.tree, *below = &pn2->below;
	struct tree_node *leaf = tree_here(tree);
	uint64_t took = below->generated - pn2->start;
	PD_ASSERT(num_sound(tree_numbers(below)) && !leaf->count);
	num_copy(leaf->num, tree_numbers(below));
	leaf->child = took < UINT32_MAX ? (uint32_t)took : UINT32_MAX;
	if (!tree->depth)
		tree->root_move = below->root_move;
	if (below->options.keep_proofs) {
		tree_emit(below, pn2->top.facts);
	} else {
		struct pd_reason reason = question_reason(&tree->question, leaf->num);
		reason.move = below->root_move;
		reason.effort = tree_effort(below);
		fact_buffer_put(pn2->top.facts, &tree->question, tree_state(tree, tree->depth), reason);
	}
	tree_ascend(tree);
}

/* Child `index` of the second level's root is solved on every path: records a fact, unless the rules alone give it. */
static void pn2_record_child(struct pn2 *pn2, const struct tree_node *c, unsigned index)
{
	const struct tree *tree = &pn2->top.tree;
	const struct question *q = &tree->question;
	if (pn2->below.options.keep_proofs) {
		tree_emit_child(&pn2->below, index, pn2->top.facts);
		return;
	}
	if (!c->child) /* terminal, or an immediate win, which is written out with its parent */
		return;
	void *state = tree_state(tree, tree->depth + 1);
	memcpy(state, tree_state(tree, tree->depth), q->game->state_size);
	q->game->rules->play(q->game, state, c->move);
	struct pd_reason reason = question_reason(q, c->num);
	reason.effort = c->child;
	fact_buffer_put(pn2->top.facts, q, state, reason);
}

/* Gives the leaf the children of the second level's root. False when the first tree is full. */
static bool pn2_take_children(struct pn2 *pn2)
{
	const struct tree *below = &pn2->below;
	const struct tree_node *root = &below->nodes[TREE_ROOT];
	for (unsigned i = 0; i < root->count; i++) {
		const struct tree_node *c = &below->nodes[root->child + i];
		if (num_solved(c->num) && num_rank(c->num) > 0 && !ghi_path_dependent(&pn2->top.tree.question, c->num))
			pn2_record_child(pn2, c, i);
	}
	return tree_put_children(&pn2->top.tree, below);
}

/* Gives the leaf only the numbers. leaf->child, where a solved node has its effort, marks it as evaluated. */
static void pn2_take_numbers(struct pn2 *pn2)
{
	struct tree *tree = &pn2->top.tree;
	struct tree_node *leaf = tree_here(tree);
	const uint32_t *num = tree_numbers(&pn2->below);
	PD_ASSERT(!leaf->count && !num_solved(num));
	leaf->child = 1;
	if (num[0] == leaf->num[0] && num[1] == leaf->num[1])
		return;
	num_copy(leaf->num, num);
	tree_ascend(tree);
}

/* Expands the leaf without a second level. False when the first tree is full. */
static bool pn2_expand_leaf(struct pn2 *pn2)
{
	struct tree *tree = &pn2->top.tree;
	const struct tree_node *leaf = tree_here(tree);
	uint32_t before[2] = {leaf->num[0], leaf->num[1]};
	uint64_t generated = tree->generated;
	if (!tree_expand(tree))
		return false;
	pn2->made += tree->generated - generated;
	if (before[0] != leaf->num[0] || before[1] != leaf->num[1])
		tree_ascend(tree);
	return true;
}

/* The second level has ended. False when the first tree is full. */
static bool pn2_end_evaluation(struct pn2 *pn2)
{
	const uint32_t *num = tree_numbers(&pn2->below);
	if (num_solved(num) && ghi_path_dependent(&pn2->top.tree.question, num)) /* it would need a deeper tree */
		return pn2_expand_leaf(pn2);
	if (num_solved(num)) {
		pn2_take_solution(pn2);
		return true;
	}
	if (pn2->top.options->keep_children)
		return pn2_take_children(pn2);
	pn2_take_numbers(pn2);
	return true;
}

/* --- the loop ----------------------------------------------------------------------------- */

/* Selects a leaf, and begins to evaluate it unless it is a repetition, or was evaluated before. False when the first
 * tree is full. */
static bool pn2_search_leaf(struct pn2 *pn2)
{
	struct tree *tree = &pn2->top.tree;
	question_limit_sums(&tree->question, tree->generated + pn2->below.generated);
	tree_descend(tree);
	pn2->expansions++;
	if (tree_repetition(tree) || tree_known(tree)) {
		tree_ascend(tree);
		return true;
	}
	if (tree_here(tree)->child)
		return pn2_expand_leaf(pn2);
	uint64_t budget = pn2_budget(pn2->top.options, tree->live, tree->capacity, tree->question.game->moves_max);
	PD_ASSERT(!pn2->evaluating && budget <= UINT32_MAX);
	pn2->budget = (uint32_t)budget;
	tree_start(&pn2->below, &tree->question, tree_state(tree, tree->depth), budget);
	pn2->start = pn2->below.generated;
	pn2->evaluating = true;
	return true;
}

static enum pn_engine_end pn2_run(struct pn_engine *engine, uint64_t *nodes)
{
	struct pn2 *pn2 = (void *)engine;
	const uint32_t *root = tree_numbers(&pn2->top.tree);
	while (!num_solved(root)) {
		if (pn2->top.facts->failed)
			return PN_ENGINE_NO_MEMORY;
		if (!*nodes)
			return PN_ENGINE_MORE;
		if (pn2->evaluating) {
			if (tree_run(&pn2->below, nodes) == TREE_MORE)
				return PN_ENGINE_MORE;
			pn2->evaluating = false;
			if (!pn2_end_evaluation(pn2))
				return PN_ENGINE_FULL;
			continue;
		}
		if (fact_buffer_full(pn2->top.facts))
			return PN_ENGINE_COLLECT;
		if (!pn2_search_leaf(pn2))
			return PN_ENGINE_FULL;
		--*nodes;
	}
	if (pn2->top.facts->failed)
		return PN_ENGINE_NO_MEMORY;
	return ghi_path_dependent(&pn2->top.tree.question, root) ? PN_ENGINE_DEPTH : PN_ENGINE_SOLVED;
}

/* --- the engine --------------------------------------------------------------------------- */

static void pn2_destroy(struct pn_engine *engine)
{
	struct pn2 *pn2 = (void *)engine;
	tree_fini(&pn2->top.tree);
	tree_fini(&pn2->below);
	free(pn2);
}

static struct pn_engine *pn2_create(const struct pn_engine_setup *setup)
{
	const struct pn_options *o = setup->options;
	struct tree_options second = {
		.keep_proofs = o->detail != PN_FRONTIER,
		.mobility = o->mobility,
		.heuristics = o->heuristics,
		.immediate_win = true,
		.knowledge = setup->knowledge,
		.cache = setup->cache,
		.frontier = o->frontier,
		.seed = o->seed,
	};
	struct tree_options first = second;
	first.hints = setup->hints;
	first.keep_proofs = true;
	first.facts = setup->facts;
	first.cache = NULL;
	struct pn2 *pn2 = calloc(1, sizeof *pn2);
	if (!pn2)
		return NULL;
	pn2->top = (struct tree_engine){.engine = {&pn_engine_pn2}, .options = o, .facts = setup->facts};
	if (tree_init(&pn2->below, setup->game, setup->level2_bytes, &second) &&
	    tree_init(&pn2->top.tree, setup->game, setup->level1_bytes, &first))
		return &pn2->top.engine;
	pn2_destroy(&pn2->top.engine);
	return NULL;
}

static bool pn2_start(struct pn_engine *engine, const struct question *question, const void *state)
{
	struct pn2 *pn2 = (void *)engine;
	tree_start(&pn2->top.tree, question, state, UINT64_MAX);
	pn2->evaluating = false;
	return true;
}

static void pn2_report(const struct pn_engine *engine, struct pn_engine_progress *out)
{
	const struct pn2 *pn2 = (const void *)engine;
	*out = (struct pn_engine_progress){
		.level1 = pn2->expansions,
		.level2 = pn2->below.generated,
		.positions = pn2->made + pn2->below.generated,
		.cache_asks = pn2->below.asked.asks,
		.cache_hits = pn2->below.asked.hits,
		.entries = pn2->top.tree.live,
		.capacity = pn2->top.tree.capacity,
		.level2_budget = pn2->budget,
		.in_tree = pn2->evaluating,
	};
}

static void pn2_learn(struct pn_engine *engine, const struct pn_learnt *learnt)
{
	struct pn2 *pn2 = (void *)engine;
	pn2->below.options.host = pn2->top.tree.options.host = learnt->host; /* expansions ask it from now on */
	if (!learnt->started)
		return;
	pn2->evaluating = false; /* the leaf may be gone */
	tree_learn(&pn2->top.tree, learnt->key, learnt->size, learnt->num);
}

static void pn2_drop(struct pn_engine *engine)
{
	((struct pn2 *)(void *)engine)->evaluating = false;
}

static struct tree *pn2_idle_tree(struct pn_engine *engine)
{
	return &((struct pn2 *)(void *)engine)->below;
}

const struct pn_engine_type pn_engine_pn2 = {
	.create = pn2_create,
	.destroy = pn2_destroy,
	.start = pn2_start,
	.run = pn2_run,
	.numbers = tree_engine_numbers,
	.move = tree_engine_move,
	.progress = pn2_report,
	.learn = pn2_learn,
	.drop = pn2_drop,
	.view = tree_engine_view,
	.tree = pn2_idle_tree,
};
