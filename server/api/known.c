#include "server/api/known.h"

#include <string.h>

#include "proto/base/assert.h"
#include "server/common/fact_check.h"
#include "solver/one_ply.h"
#include "store/store.h"

bool sv_known_by_rules(const struct game *game, const void *state, struct sv_known *out)
{
	int value;
	out->lo = game->value_min;
	out->hi = game->value_max;
	out->source = SV_BY_NONE;
	out->fact.count = 0;
	out->over = game->rules->terminal(game, state, &value);
	if (!out->over)
		return false;
	out->lo = out->hi = value;
	out->source = SV_BY_RULES;
	return true;
}

/* Bounds that its fact gives, in place of weaker ones. */
static void take_bounds(struct sv_known *known)
{
	const struct pd_reason *lo = pd_fact_best(&known->fact, PD_LO), *hi = pd_fact_best(&known->fact, PD_HI);
	if (lo)
		known->lo = lo->bound;
	if (hi)
		known->hi = hi->bound;
}

void sv_known_found(struct sv_known *known)
{
	PD_ASSERT(known->fact.count && !known->over);
	known->source = SV_BY_FACT;
	take_bounds(known);
}

int sv_known_get(struct sv_looking *l, const void *state, struct sv_known *out, struct pd_fail *fail)
{
	const struct game *g = l->game;
	uint8_t key[GAME_KEY_MAX];
	if (sv_known_by_rules(g, state, out) || !l->game_id)
		return PD_OK;
	if (!l->left)
		return SV_KNOWN_LATER;
	l->left--;
	size_t size = g->rules->key(g, state, key);
	PD_ASSERT(size && size <= sizeof key);
	int rc = st_fact_get(l->reader, l->game_id, key, size, &out->fact, fail);
	if (rc < 0 || (rc && sv_fact_sound(g, key, size, &out->fact, fail)))
		return fail->code;
	if (rc)
		sv_known_found(out);
	return PD_OK;
}

struct sv_after sv_known_after(game_move move, const struct sv_known *known)
{
	const struct pd_reason *deciding = sv_known_deciding(known);
	return (struct sv_after){.move = move,
				 .source = known->source,
				 .over = known->over,
				 .lo = known->lo,
				 .hi = known->hi,
				 .rank = sv_known_rank(known, deciding),
				 .effort = deciding ? deciding->effort : 0};
}

int sv_known_below(struct sv_looking *l, const void *state, struct sv_known *known, struct sv_after *after,
		   unsigned *count, struct pd_fail *fail)
{
	const struct game *g = l->game;
	_Alignas(16) uint8_t child[GAME_STATE_MAX];
	game_move moves[GAME_MOVES_MAX];
	struct sv_known below;
	struct pn_one_ply look;
	bool facts = false;
	int rc = PD_OK;
	PD_ASSERT(!known->over);
	*count = (l->unique && g->rules->unique_moves ? g->rules->unique_moves : g->rules->moves)(g, state, moves);
	if (l->game_id && *count > l->left)
		return SV_KNOWN_LATER;
	pd_fact_init(&below.fact);
	pn_one_ply_begin(&look, g, state, &known->fact);
	for (unsigned i = 0; i < *count && !rc; i++) {
		memcpy(child, state, g->state_size);
		g->rules->play(g, child, moves[i]);
		rc = sv_known_get(l, child, &below, fail);
		PD_ASSERT(rc != SV_KNOWN_LATER);
		if (rc)
			break;
		pn_one_ply_move(&look, moves[i], child, &below.fact);
		facts |= below.source == SV_BY_FACT;
		if (after)
			after[i] = sv_known_after(moves[i], &below);
	}
	pd_fact_fini(&below.fact);
	int ended = pn_one_ply_end(&look, rc ? NULL : fail);
	if (rc || ended)
		return rc ? rc : ended;
	take_bounds(known);
	const struct pd_reason *deciding = sv_known_deciding(known);
	if (deciding && known->source == SV_BY_NONE)
		known->source = facts && deciding->rank != 1 ? SV_BY_FACT : SV_BY_RULES;
	return PD_OK;
}
