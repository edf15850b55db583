#include "server/common/fact_check.h"

#include <stdio.h>

static int damaged(const struct game *g, const uint8_t *key, size_t size, const struct pd_reason *r, const char *wrong,
		   struct pd_fail *fail)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	char text[GAME_TEXT_MAX] = "a key that is none", rank[32] = "";
	if (!g->rules->unkey(g, key, size, state))
		g->rules->print(g, state, text, sizeof text);
	if (r->rank != PD_RANK_NONE)
		snprintf(rank, sizeof rank, " within %u plies", r->rank);
	return pd_fail_set(
		fail, PD_E_CORRUPT, "facts",
		"a stored fact of %s is damaged (value %s %d%s): %s; position '%.120s'. proofctl check lists all",
		g->name, r->side == PD_LO ? ">=" : "<=", r->bound, rank, wrong, text);
}

int sv_fact_sound(const struct game *g, const uint8_t *key, size_t size, const struct pd_fact *fact,
		  struct pd_fail *fail)
{
	const struct pd_reason *r = pd_fact_reasons(fact);
	for (uint32_t i = 0; i < fact->count; i++) {
		const char *wrong = pn_reason_wrong(g, &r[i]);
		if (wrong)
			return damaged(g, key, size, &r[i], wrong, fail);
	}
	return PD_OK;
}
