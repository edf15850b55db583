#include "solver/tree_solved.h"

#include "proto/base/assert.h"

void tree_solved_add(struct tree_solved *list, const struct game *game, const void *state,
		     const struct pd_reason *reason)
{
	unsigned at = list->count;
	PD_ASSERT(list->count <= PN_LEAF_SOLVED_MAX);
	if (reason->effort < PN_LEAF_SOLVED_EFFORT)
		return;
	if (at == PN_LEAF_SOLVED_MAX) {
		at = 0;
		for (unsigned i = 1; i < list->count; i++)
			if (list->item[i].reason.effort < list->item[at].reason.effort)
				at = i;
		if (list->item[at].reason.effort >= reason->effort)
			return;
	} else {
		list->count++;
	}
	struct pn_leaf_solved *s = &list->item[at];
	s->reason = *reason;
	s->key_size = (uint16_t)game->rules->key(game, state, s->key);
}
