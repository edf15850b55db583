/* What level 1 finds: numbers and facts when a node is left, evaluations of leaves by level 2, and what other threads
 * have solved meanwhile. */
#include "proto/base/assert.h"
#include "solver/pds.h"

enum {
	CUT_OFF = 1 << 20,        /* number for the side that would need a deeper tree */
	SOLVED_POLL_NODES = 2048, /* of a level-2 search between two looks at what other threads have solved */
	ENTRY_DEPTH_MAX = 0x7fff  /* larger depths are stored as this */
};

/* --- what becomes known ------------------------------------------------------------------- */

bool pds_solved_entry(const struct pds *pds, struct pd_id id, struct pn_entry *e)
{
	return tt_get(pds->tt, id, e) && num_solved(e->num) && !ghi_path_dependent(&pds->question, e->num);
}

void pds_store(struct pds *pds, struct pd_id id, const uint32_t num[2], uint64_t work, unsigned move, uint32_t depth)
{
	struct pn_entry there;
	PD_ASSERT(num_sound(num) || pds->policy->guard);
	if (pds->group->several && !num_solved(num) && pds_solved_entry(pds, id, &there))
		return; /* another thread was quicker */
	struct pn_entry e = {
		.id = id,
		.num = {num[0], num[1]},
		.work = work < UINT32_MAX ? (uint32_t)work : UINT32_MAX,
		.move = (uint16_t)move,
		.depth = (uint16_t)(depth < ENTRY_DEPTH_MAX ? depth : ENTRY_DEPTH_MAX),
	};
	tt_put(pds->tt, &e);
}

void pds_cache_fact(struct pds *pds, struct pd_id position, const struct pd_reason *reason, unsigned move,
		    uint64_t effort)
{
	struct cache_bound bound = {
		.lower = reason->side == PD_LO,
		.fact = true,
		.bound = reason->bound,
		.rank = reason->rank,
		.move = move,
		.effort = effort,
	};
	if (pds->cache)
		cache_put(pds->cache, position, &bound);
}

/* A position was solved: other threads may be searching below it. */
static void note_solved(struct pds *pds)
{
	if (!pds->group->several)
		return;
	bool seen = pds->solved_seen == group_solved(pds->group);
	group_note_solved(pds->group);
	pds->solved_seen += seen;
}

/* The innermost frame's node is solved on every path: a fact. */
static void record_fact(struct pds *pds, const struct pds_frame *f, const uint32_t num[2], game_move move)
{
	const struct question *q = &pds->question;
	const void *state = pds_state(pds, pds->depth);
	uint64_t work = pds_nodes(pds) - f->work;
	struct pd_reason reason = question_reason(q, num);
	PD_ASSERT(!ghi_path_dependent(q, num)); /* F1 */
	reason.move = move;
	if (pds_cyclic(pds) && !q->ranked[num[0] != 0] && !ghi_close_cycle(pds, f->id, num, move)) {
		reason.move = PD_NO_MOVE;
		reason.effort = work < UINT32_MAX ? (uint32_t)work + 1 : UINT32_MAX;
	}
	fact_buffer_put(pds->facts, q, state, reason);
	pds_cache_fact(pds, question_position_id(q, state), &reason,
		       move == PD_NO_MOVE ? move : game_canon(q->game, state, move, false), work);
}

/* --- leaving a node ----------------------------------------------------------------------- */

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
		record_fact(pds, f, num, move);
	}
	pds_store(pds, f->id, known, work, canonical, pds->depth);
	if (num_solved(known))
		note_solved(pds);
	if (pds->depth == 0)
		pds->root_move = move;
}

void pds_release(struct pds *pds, uint32_t depth)
{
	PD_ASSERT(depth <= pds->depth);
	for (uint32_t d = pds->depth + 1; d-- > depth;) {
		if (pds_cyclic(pds))
			ghi_path_leave(&pds->ghi, pds->frames[d].id);
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
	c->num[0] = num[0];
	c->num[1] = num[1];
	c->in_tt = true;
	c->path_dependent = num_solved(num) && ghi_path_dependent(&pds->question, num);
}

/* --- evaluation of a leaf ----------------------------------------------------------------- */

void pds_begin_evaluation(struct pds *pds)
{
	const struct pds_frame *f = &pds->frames[pds->depth];
	uint64_t budget = pds->policy->budget(pds->options, pds->tt, pds->question.game->moves_max);
	PD_ASSERT(!pds->evaluating && budget > 0 && budget <= UINT32_MAX);
	pds->level2_budget = (uint32_t)budget;
	if (pds->away) {
		pds_send_away(pds, budget);
	} else {
		tree_start(pds->tree, &pds->question, pds_state(pds, pds->depth + 1), budget);
		pds->level2_start = pds->tree->generated;
	}
	pds->evaluating = true;
	group_enter(pds->group, pds_picked(pds, f)->id);
}

static void end_evaluation(struct pds *pds)
{
	PD_ASSERT(pds->evaluating);
	group_leave(pds->group, pds_picked(pds, &pds->frames[pds->depth])->id);
	pds->evaluating = false;
	if (pds->away)
		pds->away->serial = 0;
}

/* The level-2 search solved the picked child, whose position is `state`: a fact. Returns the winning move in the key's
 * frame. */
static unsigned record_leaf(struct pds *pds, const void *state, const uint32_t num[2])
{
	const struct question *q = &pds->question;
	struct tree *tree = pds->tree;
	unsigned move = PD_NO_MOVE;
	struct pd_reason reason = question_reason(q, num);
	reason.move = tree->root_move;
	if (reason.move != PD_NO_MOVE)
		move = game_canon(q->game, state, reason.move, false);
	if (pds->options->detail != PN_FRONTIER) {
		tree_emit(tree, pds->facts);
	} else {
		reason.effort = tree_effort(tree);
		fact_buffer_put(pds->facts, q, state, reason);
		pds_cache_fact(pds, question_position_id(q, state), &reason, move, reason.effort);
	}
	return move;
}

void pds_end_evaluation(struct pds *pds, const uint32_t num[2], uint64_t work, unsigned move)
{
	struct pds_child *c = pds_picked(pds, &pds->frames[pds->depth]);
	pds_progress(pds);
	c->num[0] = num[0];
	c->num[1] = num[1];
	c->in_tt = true;
	pds_store(pds, c->id, num, work, move, pds->depth + 1);
	end_evaluation(pds);
	if (num_solved(num))
		note_solved(pds);
}

/* The level-2 search of the picked child has ended. */
static void finish_evaluation(struct pds *pds)
{
	const struct question *q = &pds->question;
	const uint32_t *num = tree_numbers(pds->tree);
	const uint32_t cut[2] = {q->ranked[0] ? CUT_OFF : 1, q->ranked[0] ? 1 : CUT_OFF};
	unsigned move = PD_NO_MOVE;
	if (num_solved(num) && ghi_path_dependent(q, num)) /* it would need a deeper tree */
		num = cut;
	if (num_solved(num) && num_rank(num) > 0)
		move = record_leaf(pds, pds_state(pds, pds->depth + 1), num);
	pds_end_evaluation(pds, num, pds->tree->generated - pds->level2_start + 1, move);
}

bool pds_evaluate(struct pds *pds, uint64_t *nodes)
{
	enum pn_engine_end end;
	bool several = pds->group->several;
	uint64_t quota = several && *nodes > SOLVED_POLL_NODES ? SOLVED_POLL_NODES : *nodes, left = quota;
	bool more = tree_run(pds->tree, &left) == TREE_MORE;
	*nodes -= quota - left;
	if (!more)
		finish_evaluation(pds);
	else if (several && pds_cut_off(pds, &end) && end != PN_ENGINE_MORE)
		pds->solved_seen--; /* the next turn sees it again */
	return *nodes > 0;
}

/* --- other threads ------------------------------------------------------------------------ */

bool pds_cut_off(struct pds *pds, enum pn_engine_end *end)
{
	uint64_t solved = group_solved(pds->group);
	struct pn_entry e = {.move = PD_NO_MOVE};
	uint32_t depth = 0;
	*end = PN_ENGINE_MORE;
	if (solved == pds->solved_seen)
		return false;
	pds->solved_seen = solved;
	while (depth <= pds->depth && !pds_solved_entry(pds, pds->frames[depth].id, &e))
		depth++;
	if (depth > pds->depth)
		return false;
	if (pds->evaluating)
		end_evaluation(pds);
	if (depth < pds->depth)
		pds_release(pds, depth + 1);
	pds->depth = depth;
	if (depth) {
		pds_pop(pds, e.num);
		return true;
	}
	pds->root_num[0] = e.num[0];
	pds->root_num[1] = e.num[1];
	if (e.move == PD_NO_MOVE || !game_legal_from_key(pds->question.game, pds->states, e.move, &pds->root_move))
		pds->root_move = PD_NO_MOVE;
	*end = PN_ENGINE_SOLVED;
	return true;
}

/* Whether the position is a child of the frame at `depth`; it is solved there then. */
static bool learn_child(struct pds *pds, uint32_t depth, const struct pn_learnt *learnt)
{
	const struct pds_frame *f = &pds->frames[depth];
	bool found = false;
	for (uint32_t i = 0; i < f->count; i++) {
		struct pds_child *c = &pds->children[f->first + i];
		if (!pd_id_equal(c->id, learnt->id) || (num_solved(c->num) && !c->path_dependent))
			continue;
		c->num[0] = learnt->num[0];
		c->num[1] = learnt->num[1];
		c->in_tt = true;
		c->path_dependent = false;
		found = true;
	}
	return found;
}

void pds_learn(struct pds *pds, const struct pn_learnt *learnt)
{
	uint32_t depth = 0;
	PD_ASSERT(pds->started && num_solved(learnt->num) && !ghi_path_dependent(&pds->question, learnt->num));
	while (depth <= pds->depth && !learn_child(pds, depth, learnt))
		depth++;
	if (depth > pds->depth)
		return;
	if (pds->evaluating)
		end_evaluation(pds);
	if (depth < pds->depth)
		pds_release(pds, depth + 1);
	pds->depth = depth;
	pds_progress(pds);
}

void pds_drop(struct pds *pds)
{
	if (!pds->started)
		return;
	if (pds->evaluating)
		end_evaluation(pds);
	pds_release(pds, 0);
	pds->started = false;
}

void pds_publish_path(struct pds *pds)
{
	if (!pds->started)
		return;
	PD_ASSERT(pds->group->several);
	for (uint32_t d = 0; d <= pds->depth; d++)
		group_enter(pds->group, pds->frames[d].id);
	if (pds->evaluating)
		group_enter(pds->group, pds_picked(pds, &pds->frames[pds->depth])->id);
}
