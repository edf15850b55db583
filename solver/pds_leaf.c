/* Leaves of level 1 that are searched elsewhere (remote.h). While one is out the search stands where a level-2 search
 * would be under way: at the picked child, whose position stands behind the frame's. */
#include "proto/base/assert.h"
#include "solver/pds.h"

enum { RANK_SHARE = 2 }; /* of a game without a bound of plies: of PD_RANK_MAX, what a leaf's rank may be */

void pds_send_away(struct pds *pds, uint64_t budget)
{
	struct pds_away *away = pds->away;
	uint64_t grain = __atomic_load_n(&pds->group->grain, __ATOMIC_RELAXED);
	PD_ASSERT(!away->serial && pds->group->several);
	away->serial = __atomic_add_fetch(&pds->group->leaves, 1, __ATOMIC_RELAXED);
	away->budget = budget > grain ? budget : grain;
	away->brought = false;
}

bool pds_leaf(const struct pds *pds, struct pn_leaf_task *out)
{
	const struct question *q = &pds->question;
	if (!pds->started || !pds->evaluating || pds->away->brought)
		return false;
	PD_ASSERT(pds->away->serial);
	out->serial = pds->away->serial;
	out->budget = pds->away->budget;
	out->threshold = (int16_t)q->threshold;
	out->key_size = (uint16_t)q->game->rules->key(q->game, pds_state(pds, pds->depth + 1), out->key);
	return true;
}

/* Whether a search of the leaf can have had that result. */
static bool result_possible(const struct pds *pds, const struct pn_leaf_result *r)
{
	const struct question *q = &pds->question;
	if (!r->solved)
		return r->num[0] && r->num[0] <= PN_LEAF_NUMBER_MAX && r->num[1] && r->num[1] <= PN_LEAF_NUMBER_MAX;
	if (!r->effort)
		return false;
	if (!q->ranked[!r->proved])
		return r->rank == PD_RANK_NONE;
	/* The ranks of its ancestors are larger, and have to be ranks, too. */
	uint32_t most = q->game->plies_max ? pds->depth_max - (pds->depth + 1) : PD_RANK_MAX / RANK_SHARE;
	return r->rank && r->rank <= most;
}

bool pds_bring(struct pds *pds, const struct pn_leaf_result *result)
{
	struct pds_away *away = pds->away;
	if (!pds->started || !pds->evaluating || away->brought || result->serial != away->serial)
		return false;
	if (!result_possible(pds, result))
		return false;
	away->result = *result;
	away->nodes += result->nodes;
	away->brought = true;
	return true;
}

/* The leaf was solved elsewhere: a fact. Returns the winning move in the key's frame. */
static unsigned record_leaf(struct pds *pds, const void *state, const uint32_t num[2])
{
	const struct question *q = &pds->question;
	const struct pn_leaf_result *r = &pds->away->result;
	struct pd_reason reason = question_reason(q, num);
	bool mover_wins = r->proved == (question_kind(q, state) == 0);
	game_move move;
	unsigned canonical = PD_NO_MOVE;
	reason.effort = r->effort;
	reason.job = r->giver;
	if (mover_wins && r->move != PD_NO_MOVE && game_legal_from_key(q->game, state, r->move, &move)) {
		reason.move = move;
		canonical = r->move;
	}
	fact_buffer_put(pds->facts, q, state, reason);
	pds_cache_fact(pds, question_position_id(q, state), &reason, canonical, reason.effort);
	return canonical;
}

/* The result of the leaf that is out was brought. */
static void take_result(struct pds *pds)
{
	const struct pn_leaf_result *r = &pds->away->result;
	uint32_t num[2] = {r->num[0], r->num[1]};
	unsigned move = PD_NO_MOVE;
	if (r->solved) {
		question_set_known(&pds->question, num, r->proved, r->rank);
		move = record_leaf(pds, pds_state(pds, pds->depth + 1), num);
	}
	pds_end_evaluation(pds, num, r->nodes + 1, move);
	PD_ASSERT(!pds->away->serial);
	pds->away->brought = false;
}

enum pn_engine_end pds_await(struct pds *pds)
{
	enum pn_engine_end end;
	PD_ASSERT(pds->away->serial);
	if (pds_cut_off(pds, &end))
		return end;
	if (!pds->away->brought)
		return PN_ENGINE_AWAY;
	take_result(pds);
	return PN_ENGINE_MORE;
}
