/* What the host tells a search that is under way: facts about a position that it may have met already. */
#include <string.h>

#include "proto/base/assert.h"
#include "solver/solver_internal.h"

enum { DEPTH_UNKNOWN = UINT16_MAX };

/* The reason that answers the claim in work, and the pair that stands for it; NULL when the facts do not answer it. */
static const struct pd_reason *answer_of(const struct question *q, const struct pd_fact *fact, uint32_t num[2])
{
	if (!question_settled(q, fact, num))
		return NULL;
	return num[0] ? pd_fact_find(fact, PD_HI, q->threshold - q->game->value_step)
		      : pd_fact_find(fact, PD_LO, q->threshold);
}

/* The position's entry becomes solved; one that is not there is made, because frames may hold the position as a child
 * that was open when they met it. False when it is solved already. */
static bool solve_entry(struct pn_solver *s, struct pd_id id, const uint32_t num[2], unsigned move)
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

/* Level 2 finds it there. */
static void put_cache(struct pn_solver *s, struct pd_id position, const struct pd_reason *reason)
{
	struct cache_bound bound = {
		.lower = reason->side == PD_LO,
		.fact = true,
		.bound = reason->bound,
		.rank = reason->rank,
		.move = reason->move,
		.effort = reason->effort ? reason->effort : 1,
	};
	if (s->cache.buckets)
		cache_put(&s->cache, position, &bound);
}

/* The search of the claim in work takes up what was told of one position. */
static void take_up(struct pn_solver *s, const struct told_item *item)
{
	const struct question *q = &s->question;
	struct pn_learnt learnt = {.host = &s->told.host, .key = item->key, .size = item->size};
	const struct pd_reason *reason = answer_of(q, &item->fact, learnt.num);
	PD_ASSERT(s->searching && !s->shortening);
	if (!reason)
		return;
	struct pd_id position = question_key_id(q, item->key, item->size);
	learnt.id = question_claim_id(q, position);
	if (s->algorithm->engine->tt) {
		if (!solve_entry(s, learnt.id, learnt.num, reason->move))
			return;
		put_cache(s, position, reason);
	}
	for (unsigned i = 0; i < pn_threads_most(s); i++) {
		struct search_thread *w = &s->threads[i];
		learnt.started = w->started;
		if (w->present)
			w->engine->type->learn(w->engine, &learnt);
	}
}

void pn_told_again(struct pn_solver *s)
{
	for (size_t i = 0; i < s->told.count; i++)
		take_up(s, &s->told.items[i]);
}

/* What was told is about the root. Where that answers the claim in work, its search ends. */
static int learn_root(struct pn_solver *s, const struct pd_fact *fact, struct pd_fail *fail)
{
	int rc = pn_root_take(s, fact, fail);
	if (rc)
		return rc;
	if (!s->searching || (s->lo < s->question.threshold && s->hi >= s->question.threshold))
		return PD_OK;
	for (unsigned i = 0; i < pn_threads_most(s); i++) {
		struct search_thread *w = &s->threads[i];
		if (w->present)
			w->engine->type->drop(w->engine);
		w->started = false;
	}
	s->searching = false;
	pn_next_claim(s);
	return PD_OK;
}

int pn_solver_tell(struct pn_solver *s, const void *state, struct pd_fail *fail)
{
	const struct game *g = s->game;
	const struct pn_host *host = &s->threads[0].host;
	uint8_t key[GAME_KEY_MAX], root[GAME_KEY_MAX];
	size_t size = g->rules->key(g, state, key);
	struct pd_fact fact;
	int value, rc = PD_OK;
	pd_fact_init(&fact);
	if (pn_root_answered(s) || g->rules->terminal(g, state, &value) || !host->fact ||
	    !host->fact(host->ctx, key, size, &fact) || !fact.count) {
		pd_fact_fini(&fact);
		return PD_OK;
	}
	const struct told_item *item = told_put(&s->told, key, size, &fact);
	if (!item)
		rc = pd_fail_set(fail, PD_E_NO_MEMORY, "memory", "no memory for what is known of a position");
	else if (size == g->rules->key(g, s->root, root) && !memcmp(key, root, size))
		rc = learn_root(s, &fact, fail);
	else if (s->searching)
		take_up(s, item);
	pd_fact_fini(&fact);
	return rc;
}
