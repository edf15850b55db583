#include "solver/tree_engine.h"

#include "solver/pds_policy.h"
#include "solver/tree_proof.h"
#include "solver/tree_learn.h"
#include "solver/tree_search.h"

enum {
	COUNT_LIVE = 1 << 18, /* nodes of a tree that is counted: a millisecond or two for each level of a picture */
	COUNT_DEPTH = 1024    /* of a sub-tree that is counted */
};

static const double DEEP_R = 0.65; /* the recommendation of the paper (tree_deep.c) */

/* --- shared with pn2 ------------------------------------------------------------------------ */

void tree_engine_numbers(const struct pn_engine *engine, uint32_t num[2], game_move *leading)
{
	const struct tree *tree = &((const struct tree_engine *)(const void *)engine)->tree;
	bool started = tree->bump > 0;
	for (unsigned i = 0; i < 2; i++)
		num[i] = started ? tree_numbers(tree)[i] : 1;
	*leading = started ? tree_leading(tree) : PD_NO_MOVE;
}

game_move tree_engine_move(const struct pn_engine *engine)
{
	return ((const struct tree_engine *)(const void *)engine)->tree.root_move;
}

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

bool tree_engine_view(const struct pn_engine *engine, const struct pn_path *path, struct pn_view *out)
{
	const struct tree *tree = &((const struct tree_engine *)(const void *)engine)->tree;
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
	num_copy(out->num, n->num);
	out->path_dependent = num_solved(n->num) && ghi_path_dependent(&tree->question, n->num);
	out->follows = n->count > 0 && !num_solved(n->num) && !(tree->options.rule && tree->options.rule->backup);
	out->inside = path->count <= tree->depth && tree->path[path->count].node == node;
	out->before = tree_count_nodes(tree, node);
	return true;
}

/* --- the engine ----------------------------------------------------------------------------- */

static void tree_engine_destroy(struct pn_engine *engine)
{
	struct tree_engine *e = (void *)engine;
	tree_fini(&e->tree);
	free(e);
}

static struct pn_engine *tree_engine_create(const struct pn_engine_setup *setup)
{
	const struct tree_rule *rule = setup->policy ? setup->policy->rule : NULL;
	struct tree_options tree = {
		.keep_proofs = setup->options->detail != PN_FRONTIER,
		.mobility = setup->options->mobility,
		.hints = rule && rule->backup ? NULL : setup->hints,
		.rule = rule,
		.deep_r = setup->options->deep.r >= 0 ? setup->options->deep.r : DEEP_R,
		.frontier = setup->options->frontier,
		.seed = setup->options->seed,
	};
	struct tree_engine *e = calloc(1, sizeof *e);
	if (!e)
		return NULL;
	*e = (struct tree_engine){.engine = {&pn_engine_tree}, .options = setup->options, .facts = setup->facts};
	if (tree_init(&e->tree, setup->game, setup->level1_bytes, &tree))
		return &e->engine;
	free(e);
	return NULL;
}

static bool tree_engine_start(struct pn_engine *engine, const struct question *question, const void *state)
{
	struct tree_engine *e = (void *)engine;
	tree_start(&e->tree, question, state, UINT64_MAX);
	return true;
}

static enum pn_engine_end tree_engine_run(struct pn_engine *engine, uint64_t *nodes)
{
	struct tree_engine *e = (void *)engine;
	switch (tree_run(&e->tree, nodes)) {
	case TREE_SOLVED:
		tree_record(&e->tree, e->options->detail, e->facts);
		return PN_ENGINE_SOLVED;
	case TREE_FULL:
		return PN_ENGINE_FULL;
	case TREE_DEPTH:
		return PN_ENGINE_DEPTH;
	case TREE_MORE:
	case TREE_BUDGET:
		break;
	}
	return PN_ENGINE_MORE;
}

static void tree_engine_report(const struct pn_engine *engine, struct pn_engine_progress *out)
{
	const struct tree *tree = &((const struct tree_engine *)(const void *)engine)->tree;
	*out = (struct pn_engine_progress){
		.level2 = tree->generated,
		.positions = tree->generated,
		.cache_asks = tree->asked.asks,
		.cache_hits = tree->asked.hits,
		.in_tree = true,
	};
}

static void tree_engine_learn(struct pn_engine *engine, const struct pn_learnt *learnt)
{
	struct tree *tree = &((struct tree_engine *)(void *)engine)->tree;
	tree->options.host = learnt->host; /* from here on expansions ask it */
	if (learnt->started)
		tree_learn(tree, learnt->key, learnt->size, learnt->num);
}

static void tree_engine_drop(struct pn_engine *engine)
{
	(void)engine; /* the next start forgets the tree */
}

static struct tree *tree_engine_idle_tree(struct pn_engine *engine)
{
	return &((struct tree_engine *)(void *)engine)->tree;
}

const struct pn_engine_type pn_engine_tree = {
	.plain = true,
	.create = tree_engine_create,
	.destroy = tree_engine_destroy,
	.start = tree_engine_start,
	.run = tree_engine_run,
	.numbers = tree_engine_numbers,
	.move = tree_engine_move,
	.progress = tree_engine_report,
	.learn = tree_engine_learn,
	.drop = tree_engine_drop,
	.view = tree_engine_view,
	.tree = tree_engine_idle_tree,
};
