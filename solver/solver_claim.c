#include "solver/solver_claim.h"

#include "proto/base/assert.h"
#include "solver/solver_root.h"

enum { DEPTH_UNKNOWN = UINT16_MAX };

/* The reason that answers the claim in work, and the pair that stands for it; NULL when the facts do not answer it. */
static const struct pd_reason *pn_find_answer(const struct question *q, const struct pd_fact *fact, uint32_t num[2])
{
	if (!question_settled(q, fact, num))
		return NULL;
	return num[0] ? pd_fact_find(fact, PD_HI, q->threshold - q->game->value_step)
		      : pd_fact_find(fact, PD_LO, q->threshold);
}

/* The position's entry becomes solved; one that is not there is made, because frames may hold the position as a child
 * that was open when they met it. False when it is solved already. */
static bool pn_solve_entry(struct pn_solver *s, struct pd_id id, const uint32_t num[2], unsigned move)
{
	struct pn_entry e = {.depth = DEPTH_UNKNOWN};
	if (tt_get(&s->tt, id, &e) && num_solved(e.num) && !ghi_path_dependent(&s->question, e.num))
		return false;
	e.id = id;
	e.num[0] = num[0];
	e.num[1] = num[1];
	e.move = (uint16_t)move;
	e.work = UINT32_MAX; /* of a search that has ended elsewhere: a full table does not give it up for its own */
	tt_put(&s->tt, &e);
	return true;
}

void pn_apply_fact(struct pn_solver *s, const struct injected_fact *item)
{
	const struct question *q = &s->question;
	struct pn_learnt learnt = {.host = &s->injected.host, .key = item->key, .size = item->size};
	const struct pd_reason *reason = pn_find_answer(q, &item->fact, learnt.num);
	PD_ASSERT(s->searching && !s->shorten.running);
	if (!reason)
		return;
	struct pd_id position = question_key_id(q, item->key, item->size);
	learnt.id = question_claim_id(q, position);
	if (s->algorithm->engine->tt) {
		if (!pn_solve_entry(s, learnt.id, learnt.num, reason->move))
			return;
		if (s->cache.buckets) /* for level 2 */
			cache_put(&s->cache, position, reason, reason->effort ? reason->effort : 1, true);
	}
	for (unsigned i = 0; i < pn_threads_most(s); i++) {
		struct search_thread *w = &s->threads[i];
		learnt.started = w->started;
		if (w->present)
			w->engine->type->learn(w->engine, &learnt);
	}
}

void pn_next_claim(struct pn_solver *s)
{
	if (s->searching || pn_root_answered(s))
		return;
	s->question = pn_root_question(s, pn_root_next(s));
	s->searching = true;
	for (unsigned i = 0; i < pn_threads_most(s); i++)
		s->threads[i].started = false;
	for (size_t i = 0; i < s->injected.count; i++)
		pn_apply_fact(s, &s->injected.items[i]);
}
