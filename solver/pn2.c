#include "solver/pn2.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "solver/pds_policy.h"

bool pn2_init(struct pn2 *pn2, const struct game *game, uint64_t bytes, const struct tree_options *first)
{
	struct tree_options options = *first;
	options.hints = pn2->hints;
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
	PD_ASSERT(pn2->below->options.keep_proofs == (pn2->options->detail != PN_FRONTIER));
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
	PD_ASSERT(num_sound(tree_numbers(below)) && !leaf->count);
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

/* Child `index` of the second level's root is solved on every path: a fact, unless the rules say as much. */
static void record_child(struct pn2 *pn2, const struct tree_node *c, unsigned index)
{
	const struct tree *tree = &pn2->tree;
	const struct question *q = &tree->question;
	if (pn2->below->options.keep_proofs) {
		tree_emit_child(pn2->below, index, pn2->facts);
		return;
	}
	if (!c->child) /* terminal, or an immediate win, which is written out with its parent */
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
			record_child(pn2, c, i);
	}
	return tree_put_children(&pn2->tree, below);
}

/* The leaf takes the numbers alone. That it was evaluated is noted where a solved node has its effort. */
static void take_numbers(struct pn2 *pn2)
{
	struct tree *tree = &pn2->tree;
	struct tree_node *leaf = tree_here(tree);
	const uint32_t *num = tree_numbers(pn2->below);
	PD_ASSERT(!leaf->count && !num_solved(num));
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

/* Selects a leaf, and begins to evaluate it unless it is a repetition, or was evaluated before. False when the first
 * tree is full. */
static bool turn(struct pn2 *pn2)
{
	struct tree *tree = &pn2->tree;
	question_limit_sums(&tree->question, tree->generated + pn2->below->generated);
	tree_descend(tree);
	pn2->expansions++;
	if (tree_repetition(tree) || tree_known(tree)) {
		tree_ascend(tree);
		return true;
	}
	if (tree_here(tree)->child)
		return expand(pn2);
	uint64_t budget = pn2_budget(pn2->options, tree->live, tree->capacity, tree->question.game->moves_max);
	PD_ASSERT(!pn2->evaluating && budget <= UINT32_MAX);
	pn2->budget = (uint32_t)budget;
	tree_start(pn2->below, &tree->question, tree_state(tree, tree->depth), budget);
	pn2->start = pn2->below->generated;
	pn2->evaluating = true;
	return true;
}

enum pn_engine_end pn2_run(struct pn2 *pn2, uint64_t *nodes)
{
	const uint32_t *root = tree_numbers(&pn2->tree);
	while (!num_solved(root)) {
		if (pn2->facts->failed)
			return PN_ENGINE_NO_MEMORY;
		if (!*nodes)
			return PN_ENGINE_MORE;
		if (pn2->evaluating) {
			if (tree_run(pn2->below, nodes) == TREE_MORE)
				return PN_ENGINE_MORE;
			pn2->evaluating = false;
			if (!evaluated(pn2))
				return PN_ENGINE_FULL;
			continue;
		}
		if (fact_buffer_full(pn2->facts))
			return PN_ENGINE_COLLECT;
		if (!turn(pn2))
			return PN_ENGINE_FULL;
		--*nodes;
	}
	if (pn2->facts->failed)
		return PN_ENGINE_NO_MEMORY;
	return ghi_path_dependent(&pn2->tree.question, root) ? PN_ENGINE_DEPTH : PN_ENGINE_SOLVED;
}

void pn2_learn(struct pn2 *pn2, const uint8_t *key, size_t size, const uint32_t num[2])
{
	pn2->evaluating = false; /* the leaf may be gone */
	tree_learn(&pn2->tree, key, size, num);
}

/* --- the engine --------------------------------------------------------------------------- */

struct pn2_engine {
	struct pn_engine engine;
	struct tree below;
	struct pn2 pn2;
};

static struct pn2_engine *of(struct pn_engine *engine)
{
	return (struct pn2_engine *)engine;
}

static const struct pn2_engine *of_const(const struct pn_engine *engine)
{
	return (const struct pn2_engine *)engine;
}

static void engine_destroy(struct pn_engine *engine)
{
	struct pn2_engine *e = of(engine);
	pn2_fini(&e->pn2);
	if (e->below.nodes)
		tree_fini(&e->below);
	free(e);
}

static struct pn_engine *engine_create(const struct pn_engine_setup *setup)
{
	const struct pn_options *o = setup->options;
	struct pn2_engine *e = calloc(1, sizeof *e);
	if (!e)
		return NULL;
	e->engine.type = &pn_engine_pn2;
	struct tree_options tree = {
		.keep_proofs = o->detail != PN_FRONTIER,
		.mobility = o->mobility,
		.heuristics = o->heuristics,
		.immediate_win = true,
		.knowledge = setup->knowledge,
		.cache = setup->cache,
		.seed = o->seed,
	};
	e->pn2 = (struct pn2){.options = o, .below = &e->below, .facts = setup->facts, .hints = setup->hints};
	if (tree_init(&e->below, setup->game, setup->level2_bytes, &tree) &&
	    pn2_init(&e->pn2, setup->game, setup->level1_bytes, &tree))
		return &e->engine;
	engine_destroy(&e->engine);
	return NULL;
}

static bool engine_start(struct pn_engine *engine, const struct question *question, const void *state)
{
	pn2_start(&of(engine)->pn2, question, state);
	return true;
}

static enum pn_engine_end engine_run(struct pn_engine *engine, uint64_t *nodes)
{
	return pn2_run(&of(engine)->pn2, nodes);
}

static void engine_numbers(const struct pn_engine *engine, uint32_t num[2], game_move *leading)
{
	const struct tree *tree = &of_const(engine)->pn2.tree;
	bool started = tree->bump > 0;
	for (unsigned i = 0; i < 2; i++)
		num[i] = started ? tree_numbers(tree)[i] : 1;
	*leading = started ? tree_leading(tree) : PD_NO_MOVE;
}

static game_move engine_move(const struct pn_engine *engine)
{
	return of_const(engine)->pn2.tree.root_move;
}

static void engine_progress(const struct pn_engine *engine, struct pn_engine_progress *out)
{
	const struct pn2_engine *e = of_const(engine);
	*out = (struct pn_engine_progress){
		.level1 = e->pn2.expansions,
		.level2 = e->below.generated,
		.cache_asks = e->below.cache_asks,
		.cache_hits = e->below.cache_hits,
		.entries = e->pn2.tree.live,
		.capacity = e->pn2.tree.capacity,
		.level2_budget = e->pn2.budget,
		.in_tree = e->pn2.evaluating,
	};
}

static void engine_learn(struct pn_engine *engine, const struct pn_learnt *learnt)
{
	struct pn2_engine *e = of(engine);
	e->below.options.host = e->pn2.tree.options.host = learnt->host; /* from here on expansions ask it */
	if (learnt->started)
		pn2_learn(&e->pn2, learnt->key, learnt->size, learnt->num);
}

static void engine_drop(struct pn_engine *engine)
{
	of(engine)->pn2.evaluating = false;
}

static bool engine_see(const struct pn_engine *engine, const struct pn_way *way, struct pn_sight *out)
{
	return tree_see(&of_const(engine)->pn2.tree, way, out);
}

static struct tree *engine_tree(struct pn_engine *engine)
{
	return &of(engine)->below;
}

const struct pn_engine_type pn_engine_pn2 = {
	.create = engine_create,
	.destroy = engine_destroy,
	.start = engine_start,
	.run = engine_run,
	.numbers = engine_numbers,
	.move = engine_move,
	.progress = engine_progress,
	.learn = engine_learn,
	.drop = engine_drop,
	.see = engine_see,
	.tree = engine_tree,
};
