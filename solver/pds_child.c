#include "solver/pds_child.h"

/* The cache knows the claim's answer for a child that level 1 never met: it becomes a fact and an entry. */
static bool child_in_cache(struct pds *pds, struct pds_child *c, const void *state, struct pd_id position)
{
	const struct question *q = &pds->question;
	struct cache_entry e;
	if (!pds->cache || !cache_get(pds->cache, position, &e))
		return false;
	bool proved = e.lo >= q->threshold && e.lo != INT16_MIN;
	if (!proved && e.hi >= q->threshold)
		return false;
	question_set_known(q, c->num, proved, proved ? e.lo_rank : e.hi_rank);
	if (e.mark & (proved ? CACHE_LO_FACT : CACHE_HI_FACT))
		return true;
	unsigned move = proved ? e.lo_move : e.hi_move;
	struct pd_reason reason = question_reason(q, c->num);
	reason.effort = cache_effort(&e) ? cache_effort(&e) : 1;
	reason.move = (uint16_t)(move == PD_NO_MOVE ? move : game_canon(q->game, state, (game_move)move, true));
	fact_buffer_put(pds->facts, q, state, reason);
	pds_cache_fact(pds, position, &reason, move, reason.effort);
	return true;
}

bool pds_host_fact(struct pds *pds, const void *state, uint32_t num[2])
{
	const struct question *q = &pds->question;
	uint8_t key[GAME_KEY_MAX];
	if (!pds->host || !pds->host->fact)
		return false;
	size_t size = q->game->rules->key(q->game, state, key);
	struct pd_fact fact;
	pd_fact_init(&fact);
	bool settled = pds->host->fact(pds->host->ctx, key, size, &fact) && question_settled(q, &fact, num);
	pd_fact_fini(&fact);
	return settled;
}

/* The child stands on the path already: infinite play serves one side. */
static bool child_on_path(struct pds *pds, struct pds_child *c)
{
	if (!*pds_path_slot(pds, c->id))
		return false;
	for (uint32_t d = pds->depth + 1; d-- > 0;)
		if (pd_id_equal(pds->frames[d].id, c->id)) {
			question_set_repetition(&pds->question, c->num, NUM_PATHDEP - d);
			return true;
		}
	return false;
}

/* It was solved on this very path before. */
static bool child_has_twin(struct pds *pds, struct pds_child *c)
{
	struct pn_entry e;
	if (!tt_get(pds->tt, pds_path_id(pds->frames[pds->depth].path, c->id), &e))
		return false;
	c->num[0] = e.num[0];
	c->num[1] = e.num[1];
	return true;
}

/* It was held on some path of the claim's search, and that is still to be verified: here it leans on the root, where
 * all of it is. */
static bool child_is_pathdep(struct pds *pds, struct pds_child *c)
{
	if (!pds->provisional || !ghi_pathdep_get(&pds->pending, c->id))
		return false;
	question_set_repetition(&pds->question, c->num, NUM_PATHDEP);
	c->in_tt = c->path_dependent = true;
	return true;
}

/* Takes a child's numbers from its entry. */
static void child_from_entry(const struct pds *pds, struct pds_child *c, const struct pn_entry *e)
{
	bool leans =
		num_solved(e->num) && question_path_dependent(&pds->question, e->num); /* never true of its own entry */
	c->in_tt = true;
	c->num[0] = leans ? 1 : e->num[0];
	c->num[1] = leans ? 1 : e->num[1];
}

bool pds_child_known(struct pds *pds, struct pds_child *c)
{
	struct pn_entry e;
	bool there = tt_get(pds->tt, c->id, &e);
	if (there)
		child_from_entry(pds, c, &e);
	return (!(there && num_solved(c->num)) && child_is_pathdep(pds, c)) || there;
}

/* What can be said of a child on this path only. */
static bool child_here(struct pds *pds, struct pds_child *c)
{
	c->path_dependent = child_on_path(pds, c);
	if (!c->path_dependent && pds->depth + 1 >= pds->depth_max) {
		question_set_repetition(&pds->question, c->num, NUM_NEVER);
		c->path_dependent = true;
	}
	c->in_tt |= c->path_dependent;
	return c->path_dependent;
}

/* The game knows more than its rules: a fact for whoever searches by these alone. */
static bool child_static(struct pds *pds, struct pds_child *c, const void *state)
{
	const struct question *q = &pds->question;
	uint32_t effort;
	if (!pds->knowledge || !question_static_solve(q, state, c->num, &effort))
		return false;
	struct pd_reason reason = question_reason(q, c->num);
	reason.effort = effort;
	fact_buffer_put(pds->facts, q, state, reason);
	return true;
}

void pds_child_init(struct pds *pds, struct pds_child *c, const void *state)
{
	const struct question *q = &pds->question;
	struct pd_id position = question_position_id(q, state);
	c->id = question_claim_id(q, position);
	c->num[0] = c->num[1] = 1;
	c->in_tt = c->path_dependent = false;
	if (pds_cyclic(pds) && child_here(pds, c))
		return;
	if (!pds->to_the_letter) {
		if (question_terminal(q, state, c->num))
			return;
		if (question_immediate_win(q, state, c->num)) {
			tree_emit_immediate_win(q, state, c->num, pds->moves + q->game->moves_max, pds->facts);
			return;
		}
	}
	if (pds_child_known(pds, c)) {
		if (pds_cyclic(pds) && !num_solved(c->num))
			c->path_dependent = child_has_twin(pds, c);
	} else if (!pds->to_the_letter && (child_in_cache(pds, c, state, position) ||
					   pds_host_fact(pds, state, c->num) || child_static(pds, c, state))) {
		pds_store(pds, c->id, c->num, 1, PD_NO_MOVE, pds->depth + 1);
		c->in_tt = true;
	} else if (pds->dfpn && !pds->tree) {
		question_initial_numbers(q, state, pds->options->heuristics, pds->options->mobility,
					 pds->moves + q->game->moves_max, c->num);
	}
}
