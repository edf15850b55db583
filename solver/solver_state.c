#include "solver/solver_state.h"

#include "solver/dominance.h"

enum {
	CLAIMS_MAX = 17, /* most claims to find a value by halving the scale; each adds at most one reason */
	DEPTH_UNKNOWN = UINT16_MAX
};

/* --- the root ----------------------------------------------------------------------------- */

void pn_root_learn(struct pn_solver *s, const struct pd_reason *reason)
{
	PD_ASSERT(reason->side == PD_LO || reason->side == PD_HI);
	pd_fact_add(&s->root_fact, reason);
	if (reason->side == PD_LO && reason->bound > s->lo)
		s->lo = reason->bound;
	if (reason->side == PD_HI && reason->bound < s->hi)
		s->hi = reason->bound;
}

/* An illegal move or a contradiction means that the fact is damaged. */
int pn_root_take(struct pn_solver *s, const struct pd_fact *fact, struct pd_fail *fail)
{
	const struct game *g = s->game;
	const struct pd_reason *lo = pd_fact_best(fact, PD_LO), *hi = pd_fact_best(fact, PD_HI);
	if (!pd_fact_reserve(&s->root_fact, s->root_fact.count + fact->count + CLAIMS_MAX))
		return pd_fail_set(fail, PD_E_NO_MEMORY, "memory", "no memory for a solver");
	if ((lo && lo->bound > s->hi) || (hi && hi->bound < s->lo))
		return pd_fail_set(fail, PD_E_CORRUPT, "facts", "stored facts of the root contradict what was found");
	bool first = g->rules->first_to_move(g, s->root);
	for (uint32_t i = 0; i < fact->count; i++) {
		struct pd_reason r = pd_fact_reasons(fact)[i];
		bool own = r.side == (first ? PD_LO : PD_HI);
		char text[GAME_TEXT_MAX];
		if (!own)
			r.move = PD_NO_MOVE;
		if (r.move != PD_NO_MOVE && !game_legal_from_key(g, s->root, r.move, &r.move)) {
			g->rules->print(g, s->root, text, sizeof text);
			return pd_fail_set(fail, PD_E_CORRUPT, "facts",
					   "a stored fact of %s is damaged: the move that it records is not legal; "
					   "position '%.120s'. proofctl check lists all",
					   g->name, text);
		}
		pn_root_learn(s, &r);
	}
	return PD_OK;
}

int pn_root_init(struct pn_solver *s, struct pd_fail *fail)
{
	const struct game *g = s->game;
	const struct pn_host *host = &s->threads[0].host;
	uint8_t key[GAME_KEY_MAX];
	struct pd_fact fact;
	int value;
	if (g->rules->terminal(g, s->root, &value)) {
		s->lo = s->hi = (int16_t)value;
		return PD_OK;
	}
	pd_fact_init(&fact);
	if (!host->fact || !host->fact(host->ctx, key, g->rules->key(g, s->root, key), &fact))
		fact.count = 0;
	int rc = pn_root_take(s, &fact, fail);
	pd_fact_fini(&fact);
	return rc;
}

bool pn_root_answered(const struct pn_solver *s)
{
	return s->claim.value ? s->lo == s->hi : s->lo >= s->claim.threshold || s->hi < s->claim.threshold;
}

/* The threshold that was asked, rounded up to a value of the scale. For the value of a position: the middle of the open
 * values, rounded up. */
int pn_root_next(const struct pn_solver *s)
{
	int step = s->game->value_step, least = s->game->value_min, open = (s->hi - s->lo) / step;
	PD_ASSERT(step > 0);
	if (!s->claim.value)
		return least + (s->claim.threshold - least + step - 1) / step * step;
	return s->lo + step * (open / 2 + 1);
}

struct question pn_root_question(const struct pn_solver *s, int threshold)
{
	struct question q = question_of(s->game, threshold);
	q.weak |= s->options.weak;
	q.identity = &s->identity;
	return q;
}

/* --- the current claim -------------------------------------------------------------------- */

/* The reason that answers the claim, and its solved pair in num; NULL when the fact does not answer it. */
static const struct pd_reason *pn_find_answer(const struct question *q, const struct pd_fact *fact, uint32_t num[2])
{
	if (!question_settled(q, fact, num))
		return NULL;
	return num[0] ? pd_fact_find(fact, PD_HI, q->threshold - q->game->value_step)
		      : pd_fact_find(fact, PD_LO, q->threshold);
}

/* Marks the position's entry as solved. A missing entry is created, because frames may hold the position as a child
 * that was open when they read it. False when the entry is solved already. */
static bool pn_solve_entry(struct pn_solver *s, struct pd_id id, const uint32_t num[2], unsigned move)
{
	struct pn_entry e = {.depth = DEPTH_UNKNOWN};
	if (tt_get(&s->tt, id, &e) && num_solved(e.num) && !ghi_path_dependent(&s->question, e.num))
		return false;
	e.id = id;
	num_copy(e.num, num);
	e.move = (uint16_t)move;
	e.work = UINT32_MAX; /* found by a search elsewhere: the greatest work keeps a full table from replacing it */
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
	for (unsigned i = 0; i < s->met; i++) {
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
	for (unsigned i = 0; i < s->met; i++)
		s->threads[i].started = false;
	for (size_t i = 0; i < s->injected.count; i++)
		pn_apply_fact(s, &s->injected.items[i]);
}

bool pn_make_cache(struct pn_solver *s, uint64_t bytes)
{
	bool dominance = s->options.knowledge && pn_has_dominance(s->game);
	if (!s->algorithm->level2 && !dominance)
		return true;
	uint64_t orders = dominance ? bytes / 4 : 0;
	if (!cache_init(&s->cache, bytes - orders))
		return false;
	s->cache.dominance = dominance ? dominance_new(s->game, orders) : NULL;
	return !dominance || s->cache.dominance;
}

void pn_init_closure(struct pn_solver *s)
{
	struct question q = question_of(s->game, s->game->value_max);
	q.identity = &s->identity;
	bool plain = s->algorithm->policy->published || s->algorithm->engine->plain;
	closure_init(&s->closure, &q, s->root, s->options.memory, plain ? 0 : s->options.sums.closure);
	s->threads[0].closure = &s->closure;
}

enum pn_state pn_search_closure(struct pn_solver *s, struct search_thread *w, uint64_t *nodes)
{
	PD_ASSERT(w == s->threads && s->searching && w->started);
	if (!closure_list(&s->closure, &s->question, s->root, nodes) ||
	    !closure_solve(&s->closure, &s->question, &w->facts, w->solved_num, &w->solved_move))
		return PN_RUNNING;
	w->engine->type->drop(w->engine);
	w->started = false;
	w->solved = true;
	return PN_GATHER;
}
