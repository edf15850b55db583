#include "solver/solver.h"

const char *pn_reason_wrong(const struct game *g, const struct pd_reason *r)
{
	bool lower = r->side == PD_LO;
	bool counted = g->acyclic || (lower ? r->bound > g->infinite_value : r->bound < g->infinite_value);
	if (!r->rank)
		return "its rank is 0";
	if (r->rank > PD_RANK_MAX && r->rank != PD_RANK_NONE)
		return "its rank is longer than any can be";
	if (counted && r->rank == PD_RANK_NONE)
		return "its side has to make progress, and it has no rank";
	if (lower ? r->bound <= g->value_min || r->bound > g->value_max
		  : r->bound >= g->value_max || r->bound < g->value_min)
		return "its bound says nothing, or is off the scale";
	if ((r->bound - g->value_min) % g->value_step)
		return "its bound lies between two values of the game";
	return NULL;
}
