/* The engine `lambda`: wins by threats (lambda.h), order by order and for each side whose best value the claim is
 * about; where none is found, a search of the PDS family answers the claim. Wins by threats are facts of the game, so
 * that search has them. What the threats found besides is lost when a job goes on after a pause. */

#include "solver/engine.h"
#include "solver/group.h"
#include "solver/lambda.h"

/* One search thread's two searches. Owned by the solver's search_thread; one thread at a time runs it. */
struct lambda_engine {
	struct pn_engine engine;          /* first */
	struct pn_engine *rest;           /* owned; the engine `pds` */
	const struct pn_options *options; /* borrowed, as the next two */
	struct fact_buffer *facts;
	const struct search_group *group;
	struct lambda threats; /* without frames where the game has no threats */
	bool possible;         /* the game has them */
	struct question question;
	uint8_t *root;             /* owned; the state of the claim's search */
	bool threatening, resting; /* which of the two has been started for the claim, if any */
	unsigned step;             /* twice the order, one more when Second attacks */
	uint64_t left;             /* nodes for threats */
};

static struct lambda_engine *engine_of(struct pn_engine *engine)
{
	return (struct lambda_engine *)(void *)engine;
}

static const struct lambda_engine *engine_in(const struct pn_engine *engine)
{
	return (const struct lambda_engine *)(const void *)engine;
}

static void lambda_destroy(struct pn_engine *engine)
{
	struct lambda_engine *e = engine_of(engine);
	if (e->rest)
		e->rest->type->destroy(e->rest);
	if (e->possible)
		lambda_fini(&e->threats);
	free(e->root);
	free(e);
}

static struct pn_engine *lambda_create(const struct pn_engine_setup *setup)
{
	struct lambda_engine *e = calloc(1, sizeof *e);
	if (!e)
		return NULL;
	*e = (struct lambda_engine){.engine = {&pn_engine_lambda},
				    .options = setup->options,
				    .facts = setup->facts,
				    .group = setup->group,
				    .rest = pn_engine_pds.create(setup),
				    .root = malloc(setup->game->state_size)};
	if (lambda_possible(setup->game))
		e->possible = lambda_init(&e->threats, setup->game, setup->level1_bytes, setup->facts);
	if (e->rest && e->root && e->possible == lambda_possible(setup->game))
		return &e->engine;
	lambda_destroy(&e->engine);
	return NULL;
}

/* Begins the search of the next order, or for the other side. False when memory runs out; without an order that is
 * left, `threatening` is false. */
static bool start_step(struct lambda_engine *e)
{
	unsigned end = 2 * e->options->threat.order + 2;
	while (e->step < end && !lambda_attacks(&e->question, e->step % 2 == 0))
		e->step++;
	e->threatening = e->possible && e->step < end && e->left;
	return !e->threatening || lambda_start(&e->threats, &e->question, e->root, e->step % 2 == 0, e->step / 2);
}

static bool lambda_begin(struct pn_engine *engine, const struct question *question, const void *state)
{
	struct lambda_engine *e = engine_of(engine);
	e->question = *question;
	memcpy(e->root, state, question->game->state_size);
	e->resting = false;
	e->step = 0;
	e->left = e->options->threat.nodes;
	return start_step(e);
}

/* Runs the search of threats; PN_ENGINE_MORE with `threatening` false: no order wins. */
static enum pn_engine_end run_threats(struct lambda_engine *e, uint64_t *nodes)
{
	uint64_t quota = *nodes < e->left ? *nodes : e->left, left = quota;
	enum lambda_end end = lambda_run(&e->threats, &left);
	*nodes -= quota - left;
	e->left -= quota - left;
	if (end == LAMBDA_WON)
		return PN_ENGINE_SOLVED;
	if (end == LAMBDA_NO_MEMORY)
		return PN_ENGINE_NO_MEMORY;
	if (end == LAMBDA_NOTHING)
		e->step++;
	else if (e->left)
		return PN_ENGINE_MORE;
	return start_step(e) ? PN_ENGINE_MORE : PN_ENGINE_NO_MEMORY;
}

static enum pn_engine_end lambda_search(struct pn_engine *engine, uint64_t *nodes)
{
	struct lambda_engine *e = engine_of(engine);
	while (e->threatening && *nodes && !group_halted(e->group)) {
		if (fact_buffer_full(e->facts))
			return PN_ENGINE_COLLECT;
		uint64_t slice = *nodes < 4096 ? *nodes : 4096, rest = *nodes - slice;
		enum pn_engine_end end = run_threats(e, &slice);
		*nodes = rest + slice;
		if (e->facts->failed)
			return PN_ENGINE_NO_MEMORY;
		if (end != PN_ENGINE_MORE)
			return end;
	}
	if (e->threatening)
		return PN_ENGINE_MORE;
	if (!e->resting && !e->rest->type->start(e->rest, &e->question, e->root))
		return PN_ENGINE_NO_MEMORY;
	e->resting = true;
	return e->rest->type->run(e->rest, nodes);
}

static void lambda_numbers(const struct pn_engine *engine, uint32_t num[2], game_move *leading)
{
	const struct lambda_engine *e = engine_in(engine);
	num[0] = num[1] = 1;
	*leading = PD_NO_MOVE;
	if (e->resting)
		e->rest->type->numbers(e->rest, num, leading);
	else if (e->threatening)
		*leading = lambda_leading(&e->threats);
	if (!e->resting && e->threatening && e->threats.num[0] == 0)
		num_set_solved(num, e->threats.first, num_rank(e->threats.num));
}

static game_move lambda_winning_move(const struct pn_engine *engine)
{
	const struct lambda_engine *e = engine_in(engine);
	return e->resting ? e->rest->type->move(e->rest) : e->threats.move;
}

static void lambda_report(const struct pn_engine *engine, struct pn_engine_progress *out)
{
	const struct lambda_engine *e = engine_in(engine);
	e->rest->type->progress(e->rest, out);
	out->level1 += e->threats.expansions;
	out->level2 += e->threats.made;
	out->positions += e->threats.made;
}

static void lambda_learn(struct pn_engine *engine, const struct pn_learnt *learnt)
{
	struct lambda_engine *e = engine_of(engine);
	struct pn_learnt of_rest = *learnt;
	of_rest.started &= e->resting;
	e->rest->type->learn(e->rest, &of_rest);
}

static void lambda_drop(struct pn_engine *engine)
{
	struct lambda_engine *e = engine_of(engine);
	if (e->resting)
		e->rest->type->drop(e->rest);
	e->resting = e->threatening = false;
}

static bool lambda_view(const struct pn_engine *engine, const struct pn_path *path, struct pn_view *out)
{
	const struct lambda_engine *e = engine_in(engine);
	*out = (struct pn_view){{1, 1}};
	return e->resting && e->rest->type->view(e->rest, path, out);
}

static struct tree *lambda_tree(struct pn_engine *engine)
{
	struct lambda_engine *e = engine_of(engine);
	return e->rest->type->tree(e->rest);
}

const struct pn_engine_type pn_engine_lambda = {
	.tt = true,
	.beside = true,
	.create = lambda_create,
	.destroy = lambda_destroy,
	.start = lambda_begin,
	.run = lambda_search,
	.numbers = lambda_numbers,
	.move = lambda_winning_move,
	.progress = lambda_report,
	.learn = lambda_learn,
	.drop = lambda_drop,
	.view = lambda_view,
	.tree = lambda_tree,
};
