#include "solver/solver.h"

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
		return "its rank is longer than any can be";
	if (pn_bound_ranked(g, r->side, r->bound) && r->rank == PD_RANK_NONE)
		return "its side has to make progress, and it has no rank";
	if (lower ? r->bound <= g->value_min || r->bound > g->value_max
		  : r->bound >= g->value_max || r->bound < g->value_min)
		return "its bound says nothing, or is off the scale";
	if ((r->bound - g->value_min) % g->value_step)
		return "its bound lies between two values of the game";
	return NULL;
}
