#include "proto/base/fact.h"

#include <string.h>

/* Strength on one scale for both sides: larger is stronger. */
static int strength(const struct pd_reason *r)
{
	return r->side == PD_LO ? r->bound : -r->bound;
}

/* a makes b useless: same side, at least as strong, at most as long; of equals one that can be checked one ply down wins. */
static bool dominates(const struct pd_reason *a, const struct pd_reason *b)
{
	if (a->side != b->side || strength(a) < strength(b) || a->rank > b->rank)
		return false;
	bool equal = strength(a) == strength(b) && a->rank == b->rank;
	return !equal || a->effort == 0 || b->effort != 0;
}

int pd_fact_add(struct pd_fact *fact, const struct pd_reason *reason)
{
	const struct pd_reason *other = pd_fact_best(fact, reason->side == PD_LO ? PD_HI : PD_LO);
	if (other && (reason->side == PD_LO ? reason->bound > other->bound : reason->bound < other->bound))
		return -1;
	for (unsigned i = 0; i < fact->count; i++)
		if (dominates(&fact->reason[i], reason))
			return 0;
	struct pd_fact next = {0};
	bool placed = false;
	for (unsigned i = 0; i < fact->count; i++) {
		const struct pd_reason *r = &fact->reason[i];
		if (dominates(reason, r))
			continue;
		bool before = reason->side < r->side || (reason->side == r->side && strength(reason) > strength(r));
		if (!placed && before) {
			if (next.count == PD_REASONS_MAX)
				return -2;
			next.reason[next.count++] = *reason;
			placed = true;
		}
		if (next.count == PD_REASONS_MAX)
			return -2;
		next.reason[next.count++] = *r;
	}
	if (!placed) {
		if (next.count == PD_REASONS_MAX)
			return -2;
		next.reason[next.count++] = *reason;
	}
	*fact = next;
	return 1;
}

const struct pd_reason *pd_fact_best(const struct pd_fact *fact, enum pd_side side)
{
	for (unsigned i = 0; i < fact->count; i++)
		if (fact->reason[i].side == side)
			return &fact->reason[i];
	return NULL;
}

const struct pd_reason *pd_fact_find(const struct pd_fact *fact, enum pd_side side, int bound)
{
	const struct pd_reason *found = NULL;
	for (unsigned i = 0; i < fact->count; i++) {
		const struct pd_reason *r = &fact->reason[i];
		if (r->side == side && (side == PD_LO ? r->bound >= bound : r->bound <= bound) &&
		    (!found || r->rank < found->rank))
			found = r;
	}
	return found;
}
