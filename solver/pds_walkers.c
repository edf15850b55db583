#include "solver/pds_walkers.h"

#include <stdlib.h>

#include "proto/base/assert.h"
#include "solver/pds.h"

struct pds_walkers {
	struct pn_engine engine; /* first */
	unsigned count;
	unsigned turn;        /* index of the walker that searches */
	uint64_t quantum;     /* nodes of a turn; 0: it ends with a leaf */
	uint64_t begun;       /* nodes of that walker when its turn began */
	unsigned solver;      /* index of the walker that solved the root; 0 while it is open */
	struct pds *walker[]; /* owned */
};

static struct pds_walkers *pds_walkers_of(struct pn_engine *engine)
{
	return (void *)engine;
}

static const struct pn_engine_type pn_engine_walkers;

void pds_personality(const struct pn_options *options, unsigned number, struct pn_options *out)
{
	const uint64_t budget = UINT64_C(4) * options->cap_first;
	*out = *options;
	if (!number)
		return;
	out->seed = options->seed + number * UINT64_C(0x9e3779b97f4a7c15);
	out->seed += !out->seed;
	switch (number % 4) {
	case 1:
		out->sibling_limit = 0;
		break;
	case 2:
		out->epsilon = options->epsilon > 0 ? options->epsilon / 2 : .25;
		break;
	case 3:
		out->cap_first = budget < options->cap_last ? (uint32_t)budget : options->cap_last;
		break;
	default:
		break;
	}
}

static void pds_walkers_destroy(struct pn_engine *engine)
{
	struct pds_walkers *w = pds_walkers_of(engine);
	for (unsigned i = w->count; i-- > 0;) /* the first owns what the others borrow */
		if (w->walker[i])
			pn_engine_pds.destroy(&w->walker[i]->engine);
	free(w);
}

struct pn_engine *pds_walkers_create(const struct pn_engine_setup *setup, unsigned count,
				     struct pn_engine *(*create)(const struct pn_engine_setup *setup))
{
	struct pds_walkers *w = calloc(1, sizeof *w + count * sizeof *w->walker);
	if (!w)
		return NULL;
	PD_ASSERT(count > 1 && (setup->options->dovetail || (setup->group->several && setup->level2_bytes)));
	w->engine.type = &pn_engine_walkers;
	w->count = count;
	w->quantum = setup->options->dovetail;
	struct pn_engine_setup one = *setup;
	for (unsigned i = 0; i < count; i++) {
		struct pds *walker = w->walker[i] = (void *)create(&one);
		if (!walker) {
			pds_walkers_destroy(&w->engine);
			return NULL;
		}
		one.level2 = walker->leaf.tree;
		one.personality++;
		walker->turn.taken = !w->quantum;
		walker->random += w->quantum ? 0 : i; /* with a seed each shuffles moves differently */
	}
	return &w->engine;
}

static bool pds_walkers_start(struct pn_engine *engine, const struct question *question, const void *state)
{
	struct pds_walkers *w = pds_walkers_of(engine);
	w->turn = w->solver = 0;
	w->begun = pds_nodes(w->walker[0]);
	for (unsigned i = 0; i < w->count; i++)
		if (!pn_engine_pds.start(&w->walker[i]->engine, question, state))
			return false;
	return true;
}

/* Whether the walker whose turn it is has to hand over. */
static bool pds_walkers_hand_over(struct pds_walkers *w)
{
	struct pds *walker = w->walker[w->turn];
	bool over =
		w->quantum ? !walker->leaf.evaluating && pds_nodes(walker) - w->begun >= w->quantum : walker->turn.over;
	walker->turn.over = false;
	return over;
}

/* Runs a walker until its turn is over, or for about *nodes nodes. */
static enum pn_engine_end pds_walkers_take_turn(const struct pds_walkers *w, struct pds *walker, uint64_t *nodes)
{
	uint64_t made = pds_nodes(walker) - w->begun;
	if (!w->quantum)
		return pn_engine_pds.run(&walker->engine, nodes);
	walker->turn.taken = made >= w->quantum; /* it ends with this leaf */
	uint64_t most = walker->turn.taken ? *nodes : w->quantum - made, quota = most < *nodes ? most : *nodes,
		 left = quota;
	enum pn_engine_end end = pn_engine_pds.run(&walker->engine, &left);
	*nodes -= quota - left;
	return end;
}

static enum pn_engine_end pds_walkers_run(struct pn_engine *engine, uint64_t *nodes)
{
	struct pds_walkers *w = pds_walkers_of(engine);
	while (*nodes && !group_halted(w->walker[0]->group)) {
		if (pds_walkers_hand_over(w)) {
			w->turn = (w->turn + 1) % w->count;
			w->begun = pds_nodes(w->walker[w->turn]);
		}
		struct pds *walker = w->walker[w->turn];
		enum pn_engine_end end = pds_walkers_take_turn(w, walker, nodes);
		if (end == PN_ENGINE_SOLVED)
			w->solver = w->turn;
		if (end != PN_ENGINE_MORE)
			return end;
	}
	return PN_ENGINE_MORE;
}

static void pds_walkers_numbers(const struct pn_engine *engine, uint32_t num[2], game_move *leading)
{
	const struct pds_walkers *w = (const void *)engine;
	pn_engine_pds.numbers(&w->walker[w->solver]->engine, num, leading);
}

static game_move pds_walkers_move(const struct pn_engine *engine)
{
	const struct pds_walkers *w = (const void *)engine;
	return pn_engine_pds.move(&w->walker[w->solver]->engine);
}

static void pds_walkers_progress(const struct pn_engine *engine, struct pn_engine_progress *out)
{
	const struct pds_walkers *w = (const void *)engine;
	*out = (struct pn_engine_progress){0};
	for (unsigned i = 0; i < w->count; i++) {
		struct pn_engine_progress one;
		pn_engine_pds.progress(&w->walker[i]->engine, &one);
		out->level1 += one.level1;
		out->level2 += one.level2;
		out->positions += one.positions;
		out->cache_asks += one.cache_asks;
		out->cache_hits += one.cache_hits;
		if (i == w->turn) {
			out->level2_budget = one.level2_budget;
			out->in_tree = one.in_tree;
		}
	}
}

static void pds_walkers_publish(struct pn_engine *engine)
{
	(void)engine; /* the virtual numbers of their paths are there already */
}

static void pds_walkers_learn(struct pn_engine *engine, const struct pn_learnt *learnt)
{
	struct pds_walkers *w = pds_walkers_of(engine);
	for (unsigned i = 0; i < w->count; i++)
		pn_engine_pds.learn(&w->walker[i]->engine, learnt);
}

static void pds_walkers_drop(struct pn_engine *engine)
{
	struct pds_walkers *w = pds_walkers_of(engine);
	for (unsigned i = 0; i < w->count; i++)
		pn_engine_pds.drop(&w->walker[i]->engine);
}

static bool pds_walkers_view(const struct pn_engine *engine, const struct pn_path *path, struct pn_view *out)
{
	const struct pds_walkers *w = (const void *)engine;
	for (unsigned i = 0; i < w->count; i++)
		if (pn_engine_pds.view(&w->walker[i]->engine, path, out))
			return true;
	return false;
}

static struct tree *pds_walkers_tree(struct pn_engine *engine)
{
	return pn_engine_pds.tree(&pds_walkers_of(engine)->walker[0]->engine);
}

static const struct pn_engine_type pn_engine_walkers = {
	.tt = true,
	.destroy = pds_walkers_destroy,
	.start = pds_walkers_start,
	.run = pds_walkers_run,
	.numbers = pds_walkers_numbers,
	.move = pds_walkers_move,
	.progress = pds_walkers_progress,
	.publish = pds_walkers_publish,
	.learn = pds_walkers_learn,
	.drop = pds_walkers_drop,
	.view = pds_walkers_view,
	.tree = pds_walkers_tree,
};
