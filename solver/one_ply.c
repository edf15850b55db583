#include "solver/one_ply.h"

#include "proto/base/assert.h"
#include "solver/solver.h"

void pn_one_ply_begin(struct pn_one_ply *look, const struct game *game, const void *state, struct pd_fact *known)
{
	*look = (struct pn_one_ply){.game = game, .state = state, .known = known};
	look->own = game->rules->first_to_move(game, state) ? PD_LO : PD_HI;
}

static void add_to(struct pn_one_ply *look, struct pd_fact *fact, const struct pd_reason *reason)
{
	int added = pd_fact_add(fact, reason);
	if (added < 0 && !look->rc)
		look->rc = added;
}

/* Adds to the position's fact what follows from a reason that holds after a move, or after every move. */
static void lift_reason(struct pn_one_ply *look, const struct pd_reason *below, unsigned move)
{
	struct pd_reason r = *below;
	bool ranked = pn_bound_ranked(look->game, r.side, r.bound);
	if (ranked && r.rank >= PD_RANK_MAX)
		return; /* exceeds the greatest rank */
	r.rank = ranked ? (uint16_t)(r.rank + 1) : PD_RANK_NONE;
	r.move = (uint16_t)move;
	r.effort = 0;
	r.dominated = 0;
	add_to(look, look->known, &r);
	int stronger = look->own == PD_LO ? r.bound - look->best.bound : look->best.bound - r.bound;
	if (r.side == (uint8_t)look->own &&
	    (!look->best.rank || stronger > 0 || (!stronger && r.rank < look->best.rank)))
		look->best = r;
}

/* Names the best move where the fact is a leaf: see one_ply.h. */
static void name_best_move(struct pn_one_ply *look)
{
	struct pd_fact *fact = look->known;
	const struct pd_reason *own = pd_fact_best(fact, look->own), *deciding = pd_fact_deciding(fact);
	if (!own || !own->effort || !look->best.rank || look->best.bound != own->bound)
		return;
	if (own->move == PD_NO_MOVE || look->best.rank <= deciding->rank)
		(fact->many ? fact->many : fact->few)[own - pd_fact_reasons(fact)].move = look->best.move;
}

/* The reason that follows from either: the weaker bound, and the larger rank with its job. */
static struct pd_reason both_of(const struct pd_reason *a, const struct pd_reason *b)
{
	struct pd_reason r = a->rank >= b->rank ? *a : *b;
	bool weaker = a->side == PD_LO ? a->bound < b->bound : a->bound > b->bound;
	PD_ASSERT(a->side == b->side);
	r.bound = weaker ? a->bound : b->bound;
	r.dominated = 0;
	r.effort = 0; /* so that neither of two equal reasons replaces the other */
	return r;
}

/* Weakens `reply` to what the player who is not to move also has after this move. */
static void meet_reply(struct pn_one_ply *look, const struct pd_reason *reasons, uint32_t count)
{
	struct pd_fact met = {0};
	if (look->moves && !look->reply.count)
		return; /* an earlier move gives nothing */
	for (uint32_t i = 0; i < count; i++) {
		if (reasons[i].side == (uint8_t)look->own)
			continue;
		if (!look->moves)
			add_to(look, &met, &reasons[i]);
		for (uint32_t j = 0; j < look->reply.count; j++) {
			struct pd_reason r = both_of(&reasons[i], &pd_fact_reasons(&look->reply)[j]);
			add_to(look, &met, &r);
		}
	}
	pd_fact_fini(&look->reply);
	look->reply = met;
}

void pn_one_ply_move(struct pn_one_ply *look, game_move move, const void *child, const struct pd_fact *below)
{
	const struct game *g = look->game;
	const struct pd_reason *reasons = below ? pd_fact_reasons(below) : NULL;
	uint32_t count = below ? below->count : 0;
	struct pd_reason end[2];
	int value;
	if (g->rules->terminal(g, child, &value)) {
		reasons = end;
		count = 0;
		if (value > g->value_min)
			end[count++] = (struct pd_reason){.bound = (int16_t)value, .side = PD_LO};
		if (value < g->value_max)
			end[count++] = (struct pd_reason){.bound = (int16_t)value, .side = PD_HI};
	}
	for (uint32_t i = 0; i < count; i++)
		if (reasons[i].side == (uint8_t)look->own)
			lift_reason(look, &reasons[i], game_canon(g, look->state, move, false));
	meet_reply(look, reasons, count);
	look->moves++;
}

int pn_one_ply_end(struct pn_one_ply *look, struct pd_fail *fail)
{
	const struct game *g = look->game;
	char text[GAME_TEXT_MAX];
	for (uint32_t i = 0; i < look->reply.count; i++)
		lift_reason(look, &pd_fact_reasons(&look->reply)[i], PD_NO_MOVE);
	pd_fact_fini(&look->reply);
	name_best_move(look);
	if (look->rc == -2)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a fact");
	if (!look->rc)
		return PD_OK;
	g->rules->print(g, look->state, text, sizeof text);
	return pd_fail_set(fail, PD_E_CORRUPT, "facts",
			   "stored facts of %s contradict each other: that of a position, and those after its moves; "
			   "position '%.120s'. proofctl check lists all",
			   g->name, text);
}
