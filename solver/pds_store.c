#include "solver/pds_store.h"

#include "solver/pds_policy.h"

enum { ENTRY_DEPTH_MAX = 0x7fff /* larger depths are stored as this */ };

static bool pds_is_solved(const struct pds *pds, struct pd_id id, struct pn_entry *e)
{
	return tt_get(pds->tt, id, e) && num_solved(e->num) && !ghi_path_dependent(&pds->question, e->num);
}

bool pds_find_solved(const struct pds *pds, struct pd_id id, struct pn_entry *e)
{
	return pds_is_solved(pds, id, e) ||
	       (pds->turn.shares && pds->turn.name_space && pds_is_solved(pds, pds_other_name(pds, id), e));
}

void pds_store(struct pds *pds, struct pd_id id, const uint32_t num[2], uint64_t work, unsigned move, uint32_t depth)
{
	struct pn_entry there;
	PD_ASSERT(num_sound(num) || pds->policy->guard);
	if (pds_in_company(pds) && !num_solved(num) && pds_find_solved(pds, id, &there))
		return; /* another search was quicker */
	if (pds->policy->controls_thresholds && tt_get(pds->tt, id, &there) && there.depth < depth)
		depth = there.depth;
	struct pn_entry e = {
		.id = id,
		.num = {num[0], num[1]},
		.work = work < UINT32_MAX ? (uint32_t)work : UINT32_MAX,
		.move = (uint16_t)move,
		.depth = (uint16_t)(depth < ENTRY_DEPTH_MAX ? depth : ENTRY_DEPTH_MAX),
	};
	tt_put(pds->tt, &e);
	if (pds->turn.shares && pds->turn.name_space && num_solved(num) && !ghi_path_dependent(&pds->question, num)) {
		e.id = pds_other_name(pds, id);
		tt_put(pds->tt, &e);
	}
}

unsigned pds_record(struct pds *pds, const void *state, const struct pd_reason *reason, uint64_t effort)
{
	const struct question *q = &pds->question;
	struct pd_reason keyed = *reason;
	fact_buffer_put(pds->facts, q, state, *reason);
	if (keyed.move != PD_NO_MOVE)
		keyed.move = game_canon(q->game, state, keyed.move, false);
	if (pds->cache)
		cache_put(pds->cache, question_position_id(q, state), &keyed, effort, true);
	if (pds->cache && pds->cache->dominance)
		dominance_put(pds->cache->dominance, q, state, &keyed, effort, true);
	return keyed.move;
}

void pds_note_solved(struct pds *pds)
{
	if (!pds_in_company(pds))
		return;
	bool seen = pds->solved_seen == group_solved(pds->group);
	group_note_solved(pds->group);
	pds->solved_seen += seen;
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
	if (settled && pds->cache && pds->cache->dominance) {
		struct pd_reason reason = question_reason(q, num);
		dominance_put(pds->cache->dominance, q, state, &reason, UINT64_MAX, true);
	}
	return settled;
}
