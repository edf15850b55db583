#include "solver/remote.h"

#include "solver/solver_state.h"

bool pn_remote_possible(const struct pn_options *options)
{
	const struct pn_algorithm_row *a = pn_algorithm(options->algorithm);
	return a->engine->leaf && a->level2 && !a->policy->published && options->detail == PN_FRONTIER &&
	       !options->dovetail;
}

bool pn_solver_wants_remote(const struct pn_solver *s)
{
	return s->options.remote && !pn_root_answered(s);
}

void pn_solver_grain(struct pn_solver *s, uint64_t nodes, unsigned look)
{
	PD_ASSERT(look <= PN_LOOK_NODES);
	atomic_store_explicit(&s->group.grain, nodes, memory_order_relaxed);
	atomic_store_explicit(&s->group.look, look, memory_order_relaxed);
}

/* The engine of a remote search thread. */
static struct pn_engine *pn_remote_engine(const struct pn_solver *s, unsigned thread)
{
	PD_ASSERT(thread < pn_threads_most(s));
	const struct search_thread *w = &s->threads[thread];
	PD_ASSERT(w->present && w->remote);
	return w->engine;
}

bool pn_solver_leaf(const struct pn_solver *s, unsigned thread, struct pn_leaf_task *out)
{
	const struct pn_engine *engine = pn_remote_engine(s, thread);
	return s->threads[thread].started && engine->type->leaf(engine, out);
}

bool pn_solver_deliver(struct pn_solver *s, unsigned thread, const struct pn_leaf_result *result)
{
	struct pn_engine *engine = pn_remote_engine(s, thread);
	return s->threads[thread].started && engine->type->deliver(engine, result);
}

bool pn_solver_has_work(const struct pn_solver *s, unsigned thread)
{
	const struct pn_engine *engine = pn_remote_engine(s, thread);
	return !s->threads[thread].started || engine->type->has_work(engine);
}
