#include "solver/pds_result.h"

#include "solver/ghi_cycles.h"
#include "solver/pds_hands.h"
#include "solver/pds_policy.h"
#include "solver/pds_store.h"

/* --- leaving a node ----------------------------------------------------------------------- */

/* The innermost frame's node is solved on every path: a fact. */
static void pds_record_node(struct pds *pds, const struct pds_frame *f, const uint32_t num[2], game_move move)
{
	const struct question *q = &pds->question;
	uint64_t work = pds_nodes(pds) - f->work;
	struct pd_reason reason = question_reason(q, num);
	PD_ASSERT(!ghi_path_dependent(q, num)); /* F1 */
	reason.move = move;
	if (pds_cyclic(pds) && !q->ranked[num[0] != 0] && !ghi_close_cycle(pds, f->id, num, move)) {
		reason.move = PD_NO_MOVE;
		reason.effort = work < UINT32_MAX ? (uint32_t)work + 1 : UINT32_MAX;
	}
	pds_record(pds, pds_state(pds, pds->depth), &reason, work);
}

void pds_leave(struct pds *pds, const struct pds_frame *f, const uint32_t num[2], uint32_t best)
{
	const struct question *q = &pds->question;
	const void *state = pds_state(pds, pds->depth);
	PD_ASSERT(f == &pds->frames[pds->depth] && best < f->count);
	game_move move = pds->children[f->first + best].move, canonical = game_canon(q->game, state, move, false);
	uint64_t work = pds_nodes(pds) - f->work;
	uint32_t known[2] = {num[0], num[1]};
	if (num_solved(num))
		pds_progress(pds);
	if (num_solved(num) && num[f->k])
		move = canonical = PD_NO_MOVE;
	if (num_solved(num) && ghi_path_dependent(q, num)) {
		ghi_keep(pds, num, work, canonical);
		pds->policy->open_numbers(pds, f, known);
	} else if (num_solved(num)) {
		pds_record_node(pds, f, num, move);
	}
	pds_store(pds, f->id, known, work, canonical, pds->depth);
	if (pds->hands && pds_has_places(pds))
		pds_hands_put(pds->hands, q, &f->place, num, pds->depth);
	if (num_solved(known))
		pds_note_solved(pds);
	if (pds->depth == 0)
		pds->root.move = move;
}

void pds_cancel_leaf(struct pds *pds)
{
	if (!pds->leaf.evaluating)
		return;
	group_leave(pds->group, pds_picked(pds, &pds->frames[pds->depth])->id);
	pds->leaf.nodes += pds_leaf_nodes(pds);
	pds->leaf.evaluating = pds->leaf.in_tree = false;
	pds->leaf.serial = 0;
}

void pds_release(struct pds *pds, uint32_t depth)
{
	PD_ASSERT(depth <= pds->depth);
	for (uint32_t d = pds->depth + 1; d-- > depth;) {
		if (pds_cyclic(pds))
			*ghi_path_slot(&pds->ghi, pds->frames[d].place.board) = pds->frames[d].behind;
		group_leave(pds->group, pds->frames[d].id);
	}
	pds->children_count = pds->frames[depth].first;
}

void pds_pop(struct pds *pds, const uint32_t num[2])
{
	PD_ASSERT(pds->depth > 0);
	pds_release(pds, pds->depth);
	pds->depth--;
	struct pds_child *c = pds_picked(pds, &pds->frames[pds->depth]);
	num_copy(c->num, num);
	c->in_tt = true;
	c->path_dependent = num_solved(num) && ghi_path_dependent(&pds->question, num);
	pds->frames[pds->depth].answered = num_solved(num);
}

/* --- other threads ------------------------------------------------------------------------ */

/* Gives up what is below the frame at `depth`. */
static void pds_return_to(struct pds *pds, uint32_t depth)
{
	pds_cancel_leaf(pds);
	if (depth < pds->depth)
		pds_release(pds, depth + 1);
	pds->depth = depth;
}

bool pds_cut_off(struct pds *pds, enum pn_engine_end *end)
{
	uint64_t solved = group_solved(pds->group);
	struct pn_entry e = {.move = PD_NO_MOVE};
	uint32_t depth = 0;
	*end = PN_ENGINE_MORE;
	if (solved == pds->solved_seen)
		return false;
	pds->solved_seen = solved;
	while (depth <= pds->depth && !pds_find_solved(pds, pds->frames[depth].id, &e))
		depth++;
	if (depth > pds->depth)
		return false;
	pds_return_to(pds, depth);
	if (depth) {
		pds_pop(pds, e.num);
		return true;
	}
	num_copy(pds->root.num, e.num);
	if (e.move == PD_NO_MOVE || !game_legal_from_key(pds->question.game, pds->states, e.move, &pds->root.move))
		pds->root.move = PD_NO_MOVE;
	*end = PN_ENGINE_SOLVED;
	return true;
}

/* If the position is an open child of the frame at `depth`, solves it there and returns true. */
static bool pds_solve_child(struct pds *pds, uint32_t depth, const struct pn_learnt *learnt)
{
	const struct pds_frame *f = &pds->frames[depth];
	struct pd_id id = pds_other_name(pds, learnt->id);
	bool found = false;
	for (uint32_t i = 0; i < f->count; i++) {
		struct pds_child *c = &pds->children[f->first + i];
		if (!pd_id_equal(c->id, id) || (num_solved(c->num) && !c->path_dependent))
			continue;
		num_copy(c->num, learnt->num);
		c->in_tt = true;
		c->path_dependent = false;
		found = true;
	}
	return found;
}

void pds_learn(struct pn_engine *engine, const struct pn_learnt *learnt)
{
	struct pds *pds = (void *)engine;
	uint32_t depth = 0;
	if (!learnt->started)
		return;
	PD_ASSERT(pds->started && num_solved(learnt->num) && !ghi_path_dependent(&pds->question, learnt->num));
	while (depth <= pds->depth && !pds_solve_child(pds, depth, learnt))
		depth++;
	if (depth > pds->depth)
		return;
	pds_return_to(pds, depth);
	pds_progress(pds);
}

void pds_drop(struct pn_engine *engine)
{
	struct pds *pds = (void *)engine;
	if (!pds->started)
		return;
	pds_cancel_leaf(pds);
	pds_release(pds, 0);
	pds->started = false;
}

void pds_publish(struct pn_engine *engine)
{
	struct pds *pds = (void *)engine;
	if (!pds->started)
		return;
	PD_ASSERT(pds->group->several);
	for (uint32_t d = 0; d <= pds->depth; d++)
		group_enter(pds->group, pds->frames[d].id);
	if (pds->leaf.evaluating)
		group_enter(pds->group, pds_picked(pds, &pds->frames[pds->depth])->id);
}
