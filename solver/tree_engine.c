/* The engine `tree`: plain best-first PN search in one arena, the algorithm `pn`. By the rules alone, for checking the
 * others. */
#include <stdlib.h>

#include "proto/base/assert.h"
#include "solver/engine.h"
#include "solver/tree.h"

struct tree_engine {
	struct pn_engine engine;
	const struct pn_options *options; /* borrowed */
	struct fact_buffer *facts;        /* borrowed */
	struct tree tree;
};

static struct tree_engine *of(struct pn_engine *engine)
{
	return (struct tree_engine *)engine;
}

static const struct tree_engine *of_const(const struct pn_engine *engine)
{
	return (const struct tree_engine *)engine;
}

static void destroy(struct pn_engine *engine)
{
	tree_fini(&of(engine)->tree);
	free(engine);
}

static struct pn_engine *create(const struct pn_engine_setup *setup)
{
	struct tree_options tree = {
		.keep_proofs = setup->options->detail != PN_FRONTIER,
		.mobility = setup->options->mobility,
		.hints = setup->hints,
		.seed = setup->options->seed,
	};
	struct tree_engine *e = calloc(1, sizeof *e);
	if (!e)
		return NULL;
	e->engine.type = &pn_engine_tree;
	e->options = setup->options;
	e->facts = setup->facts;
	if (tree_init(&e->tree, setup->game, setup->level1_bytes, &tree))
		return &e->engine;
	free(e);
	return NULL;
}

static bool start(struct pn_engine *engine, const struct question *question, const void *state)
{
	tree_start(&of(engine)->tree, question, state, UINT64_MAX);
	return true;
}

static enum pn_engine_end run(struct pn_engine *engine, uint64_t *nodes)
{
	struct tree_engine *e = of(engine);
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

static void numbers(const struct pn_engine *engine, uint32_t num[2], game_move *leading)
{
	const struct tree *tree = &of_const(engine)->tree;
	bool started = tree->bump > 0;
	for (unsigned i = 0; i < 2; i++)
		num[i] = started ? tree_numbers(tree)[i] : 1;
	*leading = started ? tree_leading(tree) : PD_NO_MOVE;
}

static game_move move(const struct pn_engine *engine)
{
	return of_const(engine)->tree.root_move;
}

static void progress(const struct pn_engine *engine, struct pn_engine_progress *out)
{
	const struct tree *tree = &of_const(engine)->tree;
	*out = (struct pn_engine_progress){
		.level2 = tree->generated,
		.cache_asks = tree->cache_asks,
		.cache_hits = tree->cache_hits,
		.in_tree = true,
	};
}

static void learn(struct pn_engine *engine, const struct pn_learnt *learnt)
{
	struct tree *tree = &of(engine)->tree;
	tree->options.host = learnt->host; /* from here on expansions ask it */
	if (learnt->started)
		tree_learn(tree, learnt->key, learnt->size, learnt->num);
}

static void drop(struct pn_engine *engine)
{
	(void)engine; /* the next start forgets the tree */
}

static bool see(const struct pn_engine *engine, const struct pn_way *way, struct pn_sight *out)
{
	return tree_see(&of_const(engine)->tree, way, out);
}

static struct tree *tree_of(struct pn_engine *engine)
{
	return &of(engine)->tree;
}

const struct pn_engine_type pn_engine_tree = {
	.plain = true,
	.create = create,
	.destroy = destroy,
	.start = start,
	.run = run,
	.numbers = numbers,
	.move = move,
	.progress = progress,
	.learn = learn,
	.drop = drop,
	.see = see,
	.tree = tree_of,
};
