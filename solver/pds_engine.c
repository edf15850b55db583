/* The engine of the PDS family: level 1 over the transposition table, with or without a tree for its leaves. */
#include <stdlib.h>

#include "proto/base/assert.h"
#include "solver/engine.h"
#include "solver/pds.h"

struct pds_engine {
	struct pn_engine engine;
	bool has_tree;
	struct tree tree; /* level 2 */
	struct pds_away away;
	struct pds pds;
};

static struct pds_engine *of(struct pn_engine *engine)
{
	return (struct pds_engine *)engine;
}

static const struct pds_engine *of_const(const struct pn_engine *engine)
{
	return (const struct pds_engine *)engine;
}

static void destroy(struct pn_engine *engine)
{
	struct pds_engine *e = of(engine);
	pds_fini(&e->pds);
	if (e->has_tree)
		tree_fini(&e->tree);
	free(e);
}

static struct pn_engine *create(const struct pn_engine_setup *setup)
{
	const struct pn_options *o = setup->options;
	struct pds_engine *e = calloc(1, sizeof *e);
	if (!e)
		return NULL;
	e->engine.type = &pn_engine_pds;
	struct tree_options tree = {
		.keep_proofs = o->detail != PN_FRONTIER,
		.mobility = o->mobility,
		.heuristics = !setup->policy->published && o->heuristics,
		.immediate_win = !setup->policy->published,
		.knowledge = setup->knowledge,
		.cache = setup->cache,
		.seed = o->seed,
	};
	e->has_tree = setup->level2_bytes && tree_init(&e->tree, setup->game, setup->level2_bytes, &tree);
	e->pds = (struct pds){
		.question = question_of(setup->game, 0),
		.options = o,
		.policy = setup->policy,
		.host = setup->host,
		.tt = setup->tt,
		.tree = e->has_tree ? &e->tree : NULL,
		.away = setup->remote ? &e->away : NULL,
		.cache = setup->cache,
		.facts = setup->facts,
		.group = setup->group,
		.knowledge = setup->knowledge,
		.hints = setup->hints,
	};
	if (e->has_tree == (setup->level2_bytes > 0) && pds_init(&e->pds))
		return &e->engine;
	destroy(&e->engine);
	return NULL;
}

static bool start(struct pn_engine *engine, const struct question *question, const void *state)
{
	return pds_start(&of(engine)->pds, question, state);
}

static enum pn_engine_end run(struct pn_engine *engine, uint64_t *nodes)
{
	return pds_run(&of(engine)->pds, nodes);
}

static void numbers(const struct pn_engine *engine, uint32_t num[2], game_move *leading)
{
	pds_numbers(&of_const(engine)->pds, num, leading);
}

static game_move move(const struct pn_engine *engine)
{
	return of_const(engine)->pds.root_move;
}

static void progress(const struct pn_engine *engine, struct pn_engine_progress *out)
{
	const struct pds_engine *e = of_const(engine);
	*out = (struct pn_engine_progress){
		.level1 = e->pds.expansions,
		.level2 = e->tree.generated + e->away.nodes,
		.cache_asks = e->tree.cache_asks,
		.cache_hits = e->tree.cache_hits,
		.level2_budget = e->pds.level2_budget,
		.in_tree = e->pds.evaluating && e->has_tree,
	};
}

static void publish(struct pn_engine *engine)
{
	pds_publish_path(&of(engine)->pds);
}

static void learn(struct pn_engine *engine, const struct pn_learnt *learnt)
{
	if (learnt->started)
		pds_learn(&of(engine)->pds, learnt);
}

static void drop(struct pn_engine *engine)
{
	pds_drop(&of(engine)->pds);
}

static bool see(const struct pn_engine *engine, const struct pn_way *way, struct pn_sight *out)
{
	return pds_see(&of_const(engine)->pds, way, out);
}

static bool leaf(const struct pn_engine *engine, struct pn_leaf_task *out)
{
	return pds_leaf(&of_const(engine)->pds, out);
}

static bool bring(struct pn_engine *engine, const struct pn_leaf_result *result)
{
	return pds_bring(&of(engine)->pds, result);
}

static bool has_work(const struct pn_engine *engine)
{
	const struct pds *pds = &of_const(engine)->pds;
	return !pds->started || !pds->evaluating || pds->away->brought || group_solved(pds->group) != pds->solved_seen;
}

static struct tree *tree_of(struct pn_engine *engine)
{
	struct pds_engine *e = of(engine);
	return e->has_tree ? &e->tree : NULL;
}

const struct pn_engine_type pn_engine_pds = {
	.tt = true,
	.create = create,
	.destroy = destroy,
	.start = start,
	.run = run,
	.numbers = numbers,
	.move = move,
	.progress = progress,
	.publish = publish,
	.learn = learn,
	.drop = drop,
	.see = see,
	.leaf = leaf,
	.bring = bring,
	.has_work = has_work,
	.tree = tree_of,
};
