#include "solver/pds_child.h"

#include "solver/frontier.h"
#include "solver/ghi_cycles.h"
#include "solver/pds_hands.h"
#include "solver/pds_policy.h"
#include "solver/pds_store.h"
#include "solver/tree_proof.h"

/* The solved-position cache answers the claim for a child that level 1 never met: a fact and an entry. */
static bool pds_ask_cache(struct pds *pds, struct pds_child *c, const void *state, struct pd_id position)
{
	const struct question *q = &pds->question;
	struct cache_entry e;
	if (!pds->cache || !cache_get(pds->cache, position, &e))
		return false;
	int side = cache_answer(&e, q->threshold);
	if (side < 0)
		return false;
	question_set_known(q, c->num, side == PD_LO, e.bounds.rank[side]);
	if (e.mark & (uint32_t)CACHE_FACT << side)
		return true;
	unsigned move = e.bounds.move[side];
	struct pd_reason reason = question_reason(q, c->num);
	reason.effort = cache_effort(&e) ? cache_effort(&e) : 1;
	reason.move = (uint16_t)(move == PD_NO_MOVE ? move : game_canon(q->game, state, (game_move)move, true));
	pds_record(pds, state, &reason, reason.effort);
	return true;
}

/* Takes a child's numbers from its base entry. */
static void pds_take_entry(const struct pds *pds, struct pds_child *c, const struct pn_entry *e)
{
	/* No base entry holds a path-dependent pair; a damaged one may. */
	bool dependent = num_solved(e->num) && ghi_path_dependent(&pds->question, e->num);
	c->in_tt = true;
	c->num[0] = dependent ? 1 : e->num[0];
	c->num[1] = dependent ? 1 : e->num[1];
}

/* A path-dependent result from another path. */
static bool pds_take_provisional(struct pds *pds, struct pds_child *c)
{
	if (!ghi_child_provisional(pds, c))
		return false;
	c->in_tt = c->path_dependent = true;
	return true;
}

bool pds_child_known(struct pds *pds, struct pds_child *c)
{
	struct pn_entry e;
	bool there = tt_get(pds->tt, c->id, &e);
	if (there)
		pds_take_entry(pds, c, &e);
	if (there && num_solved(c->num))
		return true;
	if (pds->turn.name_space && pds_find_solved(pds, c->id, &e)) {
		pds_take_entry(pds, c, &e);
		return true;
	}
	return pds_take_provisional(pds, c) || there;
}

/* A static solve: the game knows more than its rules. It becomes a fact with an effort for searches by rules alone. */
static bool pds_solve_static(struct pds *pds, struct pds_child *c, const void *state)
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

/* A solved position with the same board part answers the claim for a child: a fact and an entry. */
static void pds_ask_dominance(struct pds *pds, struct pds_child *c, const void *state,
			      const struct dominance_place *place)
{
	const struct question *q = &pds->question;
	struct dominance_entry e;
	if (!dominance_get(pds->cache->dominance, q, place, pds->options->detail != PN_FRONTIER, &e))
		return;
	struct pd_reason reason = dominance_reason(q, state, &e);
	question_set_known(q, c->num, e.side == PD_LO, e.rank);
	c->in_tt = true;
	c->path_dependent = false;
	pds_record(pds, state, &reason, e.effort);
	pds_store(pds, c->id, c->num, 1, PD_NO_MOVE, pds->depth + 1);
}

/* The game's initial numbers, its own or mobility, as the options say. */
static void pds_set_game_numbers(struct pds *pds, const void *state, uint32_t num[2])
{
	const struct pn_options *o = pds->options;
	game_move *room = pds->moves + pds->question.game->moves_max;
	if (pn_frontier_is_plain(&o->frontier))
		question_initial_numbers(&pds->question, state, o->heuristics, o->mobility, room, num);
	else
		pn_frontier_set_numbers(&pds->question, &o->frontier, o->heuristics, o->mobility, state, num);
}

struct dominance_place pds_place(const struct pds *pds, const void *state, struct pd_id id)
{
	if (pds_has_places(pds))
		return dominance_place(&pds->question, state);
	return (struct dominance_place){.board = id};
}

void pds_child_init(struct pds *pds, struct pds_child *c, const void *state)
{
	const struct question *q = &pds->question;
	uint8_t key[GAME_KEY_MAX];
	size_t size = q->game->rules->key(q->game, state, key);
	struct pd_id position = question_key_id(q, key, size);
	struct dominance_place place = {0};
	c->id = question_claim_id(q, position);
	c->num[0] = c->num[1] = 1;
	c->cost[0] = c->cost[1] = c->alike = 0;
	c->in_tt = c->path_dependent = c->merged = false;
	place.board = c->id;
	if (pds_has_places(pds))
		place = dominance_place_of(q, key, size);
	if (pds_cyclic(pds) && ghi_child_on_path(pds, c, state, &place, key, size)) {
		c->in_tt = c->path_dependent = true;
		return;
	}
	if (!pds->policy->delayed_evaluation) {
		if (question_terminal(q, state, c->num))
			return;
		if (question_immediate_win(q, state, c->num)) {
			tree_emit_immediate_win(q, state, c->num, pds->moves + q->game->moves_max, pds->facts);
			return;
		}
	}
	if (pds_child_known(pds, c)) {
		if (pds_cyclic(pds) && !num_solved(c->num))
			c->path_dependent = ghi_child_twin(pds, c);
	} else if (!pds->policy->delayed_evaluation &&
		   (pds_ask_cache(pds, c, state, position) || pds_host_fact(pds, state, c->num) ||
		    pds_solve_static(pds, c, state))) {
		pds_store(pds, c->id, c->num, 1, PD_NO_MOVE, pds->depth + 1);
		c->in_tt = true;
	} else if (pds_has_level2(pds) ? !pds->policy->published && pds->options->sibling_limit
				       : pds->policy->game_numbers) {
		pds_set_game_numbers(pds, state, c->num);
	} else if (!pds_has_level2(pds) && pds->policy->leaf_numbers) {
		pds->policy->leaf_numbers(pds, state, c->num);
	}
	if (pds_has_places(pds) && !num_solved(c->num))
		pds_ask_dominance(pds, c, state, &place);
	if (pds->hands && pds_has_places(pds) && !c->in_tt && !num_solved(c->num))
		pds_hands_bound(pds->hands, q, &place, pds->depth + 1, c->num);
}

/* --- hints -------------------------------------------------------------------------------- */

/* A claim is mixed into an identity by exclusive or, so mixing it in again removes it. */
static struct pd_id pds_position_of(const struct pds *pds, struct pd_id id)
{
	return question_claim_id(&pds->question, id);
}

static bool pds_is_named(const struct pds *pds, const struct pds_frame *f, const struct pds_child *c)
{
	return hints_name(pds->hints, pds_position_of(pds, f->id), pds_position_of(pds, c->id));
}

/* Whether a child that a hint names is open, and not too hard yet. */
static bool pds_named_is_open(const struct pds *pds, const struct pds_frame *f)
{
	for (uint32_t i = 0; i < f->count; i++) {
		const struct pds_child *c = &pds->children[f->first + i];
		if (!num_solved(c->num) && c->num[f->k] < HINT_NUMBER && pds_is_named(pds, f, c))
			return true;
	}
	return false;
}

void pds_follow_hints(struct pds *pds, struct pds_frame *f)
{
	PD_ASSERT(pds->hints && !f->hinted);
	if (!hints_at(pds->hints, pds_position_of(pds, f->id)) || !pds_named_is_open(pds, f))
		return;
	f->hinted = true;
	for (uint32_t i = 0; i < f->count; i++) {
		struct pds_child *c = &pds->children[f->first + i];
		if (!num_solved(c->num) && !c->in_tt && c->num[f->k] < HINT_NUMBER && !pds_is_named(pds, f, c))
			c->num[f->k] = HINT_NUMBER;
	}
}

void pds_check_hints(struct pds *pds, struct pds_frame *f)
{
	if (pds_named_is_open(pds, f))
		return;
	f->hinted = false;
	for (uint32_t i = 0; i < f->count; i++) {
		struct pds_child *c = &pds->children[f->first + i];
		if (!c->in_tt && c->num[f->k] == HINT_NUMBER)
			c->num[f->k] = 1;
	}
}
