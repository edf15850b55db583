#include "solver/stored.h"

#include <stdio.h>

#include "solver/ghi.h"

enum { PATHDEP_LEAST = NUM_PATH_DEPENDENT - GAME_CYCLIC_PLIES_MAX /* no path is longer, and no rank as great */ };

struct pd_id pn_entry_id(const struct game *game, const struct pd_identity *names, int threshold, const uint8_t *key,
			 size_t size)
{
	struct question q = question_of(game, threshold);
	q.identity = names;
	return question_claim_id(&q, question_key_id(&q, key, size));
}

enum pn_entry_kind pn_entry_kind(const struct game *game, const uint32_t num[2])
{
	if (!num_solved(num))
		return PN_ENTRY_OPEN;
	if (!num_sound(num))
		return PN_ENTRY_BROKEN;
	if (num_rank(num) == 0)
		return PN_ENTRY_END;
	return !game->acyclic && num_rank(num) >= PATHDEP_LEAST ? PN_ENTRY_PATH : PN_ENTRY_FACT;
}

struct pd_reason pn_entry_reason(const struct game *game, int threshold, const uint32_t num[2])
{
	struct question q = question_of(game, threshold);
	return question_reason_of(&q, num);
}

bool pn_bound_ranked(const struct game *g, enum pd_side side, int bound)
{
	return g->acyclic || (side == PD_LO ? bound > g->infinite_value : bound < g->infinite_value);
}

const char *pn_reason_wrong(const struct game *g, const struct pd_reason *r)
{
	bool lower = r->side == PD_LO;
	if (!r->rank)
		return "its rank is 0";
	if (r->rank > PD_RANK_MAX && r->rank != PD_RANK_NONE)
		return "its rank is greater than any rank can be";
	if (pn_bound_ranked(g, r->side, r->bound) && r->rank == PD_RANK_NONE)
		return "its side has to make progress, but it has no rank";
	if (lower ? r->bound <= g->value_min || r->bound > g->value_max
		  : r->bound >= g->value_max || r->bound < g->value_min)
		return "its bound says nothing, or is off the scale";
	if ((r->bound - g->value_min) % g->value_step)
		return "its bound lies between two values of the game";
	return NULL;
}

static int refuse_reason(const struct game *g, const uint8_t *key, size_t size, const struct pd_reason *r,
			 const char *wrong, struct pd_fail *fail)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	char text[GAME_TEXT_MAX] = "an invalid key", rank[32] = "";
	if (!g->rules->unkey(g, key, size, state))
		g->rules->print(g, state, text, sizeof text);
	if (r->rank != PD_RANK_NONE)
		snprintf(rank, sizeof rank, " within %u plies", r->rank);
	return pd_fail_set(
		fail, PD_E_CORRUPT, "facts",
		"a stored fact of %s is damaged (value %s %d%s): %s; position '%.120s'. proofctl check lists all",
		g->name, r->side == PD_LO ? ">=" : "<=", r->bound, rank, wrong, text);
}

int pn_fact_sound(const struct game *g, const uint8_t *key, size_t size, const struct pd_fact *fact,
		  struct pd_fail *fail)
{
	const struct pd_reason *r = pd_fact_reasons(fact);
	for (uint32_t i = 0; i < fact->count; i++) {
		const char *wrong = pn_reason_wrong(g, &r[i]);
		if (wrong)
			return refuse_reason(g, key, size, &r[i], wrong, fail);
	}
	return PD_OK;
}
