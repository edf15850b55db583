#include "solver/known.h"

#include "proto/base/assert.h"
#include "solver/one_ply.h"
#include "solver/stored.h"
#include "solver/table_theorem.h"

bool pn_known_by_rules(const struct game *game, const void *state, struct pn_known *out)
{
	int value;
	out->lo = game->value_min;
	out->hi = game->value_max;
	out->source = PN_BY_NONE;
	out->fact.count = 0;
	out->over = game->rules->terminal(game, state, &value);
	if (!out->over)
		return false;
	out->lo = out->hi = value;
	out->source = PN_BY_RULES;
	return true;
}

/* Replaces weaker bounds by those of the position's own fact. */
static void take_bounds(struct pn_known *known)
{
	const struct pd_reason *lo = pd_fact_best(&known->fact, PD_LO), *hi = pd_fact_best(&known->fact, PD_HI);
	if (lo)
		known->lo = lo->bound;
	if (hi)
		known->hi = hi->bound;
}

void pn_known_found(struct pn_known *known)
{
	PD_ASSERT(known->fact.count && !known->over);
	known->source = PN_BY_FACT;
	take_bounds(known);
}

int pn_known_by_tables(const struct game *game, const void *state, struct pn_known *known, struct pd_fail *fail)
{
	int rc = known->over ? 0 : pn_tables_fact(game, state, &known->fact, fail);
	if (rc > 0)
		pn_known_found(known);
	return rc < 0 ? fail->code : PD_OK;
}

int pn_known_get(struct pn_lookup *l, const void *state, struct pn_known *out, struct pd_fail *fail)
{
	const struct game *g = l->game;
	uint8_t key[GAME_KEY_MAX];
	if (pn_known_by_rules(g, state, out))
		return PD_OK;
	if (!l->find)
		return pn_known_by_tables(g, state, out, fail);
	if (!l->left)
		return PN_KNOWN_LATER;
	l->left--;
	size_t size = g->rules->key(g, state, key);
	PD_ASSERT(size && size <= sizeof key);
	int rc = l->find(l, key, size, &out->fact, fail);
	if (rc < 0 || (rc && pn_fact_sound(g, key, size, &out->fact, fail)))
		return fail->code;
	if (rc)
		pn_known_found(out);
	return pn_known_by_tables(g, state, out, fail);
}

struct pn_after pn_known_after(game_move move, const struct pn_known *known)
{
	const struct pd_reason *deciding = pn_known_deciding(known);
	return (struct pn_after){.move = move,
				 .source = known->source,
				 .over = known->over,
				 .lo = known->lo,
				 .hi = known->hi,
				 .rank = pn_known_rank(known, deciding),
				 .effort = deciding ? deciding->effort : 0};
}

int pn_known_below(struct pn_lookup *l, const void *state, struct pn_known *known, struct pn_after *after,
		   unsigned *count, struct pd_fail *fail)
{
	const struct game *g = l->game;
	_Alignas(16) uint8_t child[GAME_STATE_MAX];
	game_move moves[GAME_MOVES_MAX];
	struct pn_known below;
	struct pn_one_ply look;
	bool facts = false;
	int rc = PD_OK;
	PD_ASSERT(!known->over);
	*count = (l->unique && g->rules->unique_moves ? g->rules->unique_moves : g->rules->moves)(g, state, moves);
	if (l->find && *count > l->left)
		return PN_KNOWN_LATER;
	pd_fact_init(&below.fact);
	pn_one_ply_begin(&look, g, state, &known->fact);
	for (unsigned i = 0; i < *count && !rc; i++) {
		memcpy(child, state, g->state_size);
		g->rules->play(g, child, moves[i]);
		rc = pn_known_get(l, child, &below, fail);
		PD_ASSERT(rc != PN_KNOWN_LATER);
		if (rc)
			break;
		pn_one_ply_move(&look, moves[i], child, &below.fact);
		facts |= below.source == PN_BY_FACT;
		if (after)
			after[i] = pn_known_after(moves[i], &below);
	}
	pd_fact_fini(&below.fact);
	int ended = pn_one_ply_end(&look, rc ? NULL : fail);
	if (rc || ended)
		return rc ? rc : ended;
	take_bounds(known);
	const struct pd_reason *deciding = pn_known_deciding(known);
	if (deciding && known->source == PN_BY_NONE)
		known->source = facts && deciding->rank != 1 ? PN_BY_FACT : PN_BY_RULES;
	return PD_OK;
}

int pn_known_move(const struct game *g, const void *state, const struct pn_known *known, game_move *move, bool *found,
		  struct pd_fail *fail)
{
	char text[GAME_TEXT_MAX];
	const struct pd_reason *own =
		known->fact.count ? pd_fact_best(&known->fact, g->rules->first_to_move(g, state) ? PD_LO : PD_HI)
				  : NULL;
	*found = own && own->move != PD_NO_MOVE;
	if (!*found || game_legal_from_key(g, state, own->move, move))
		return PD_OK;
	g->rules->print(g, state, text, sizeof text);
	return pd_fail_set(fail, PD_E_CORRUPT, "facts",
			   "a stored fact of %s is damaged: the move that it records is not legal; position '%.120s'. "
			   "proofctl check lists all",
			   g->name, text);
}
