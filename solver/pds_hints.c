#include "solver/pds_hints.h"

#include "proto/base/assert.h"

/* A claim is mixed into an identity by an exclusive or: mixed in again, it is gone. */
static struct pd_id pds_position_of(const struct pds *pds, struct pd_id id)
{
	return question_claim_id(&pds->question, id);
}

static bool pds_is_named(const struct pds *pds, const struct pds_frame *f, const struct pds_child *c)
{
	return hints_name(pds->hints, pds_position_of(pds, f->id), pds_position_of(pds, c->id));
}

/* Whether a child that a hint names is open, and not too hard yet. */
static bool pds_named_is_open(const struct pds *pds, const struct pds_frame *f)
{
	for (uint32_t i = 0; i < f->count; i++) {
		const struct pds_child *c = &pds->children[f->first + i];
		if (!num_solved(c->num) && c->num[f->k] < HINT_NUMBER && pds_is_named(pds, f, c))
			return true;
	}
	return false;
}

void pds_follow_hints(struct pds *pds, struct pds_frame *f)
{
	PD_ASSERT(pds->hints && !f->hinted);
	if (!hints_at(pds->hints, pds_position_of(pds, f->id)) || !pds_named_is_open(pds, f))
		return;
	f->hinted = true;
	for (uint32_t i = 0; i < f->count; i++) {
		struct pds_child *c = &pds->children[f->first + i];
		if (!num_solved(c->num) && !c->in_tt && c->num[f->k] < HINT_NUMBER && !pds_is_named(pds, f, c))
			c->num[f->k] = HINT_NUMBER;
	}
}

void pds_check_hints(struct pds *pds, struct pds_frame *f)
{
	if (pds_named_is_open(pds, f))
		return;
	f->hinted = false;
	for (uint32_t i = 0; i < f->count; i++) {
		struct pds_child *c = &pds->children[f->first + i];
		if (!c->in_tt && c->num[f->k] == HINT_NUMBER)
			c->num[f->k] = 1;
	}
}
