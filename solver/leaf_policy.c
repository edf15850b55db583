#include "solver/leaf_policy.h"

#include "proto/base/assert.h"

enum {
	PLAIN_PER_EFFORT = 4,
	PLAIN_MIN = 20000, /* of a leaf */
	PLAIN_MAX = 100000,
	PLAIN_ASIDE = 2000 /* for a reason that is not a leaf */
};

static const uint64_t check_nodes_max = UINT64_C(1000000000000);

struct pn_leaf_policy pn_leaf_policy_check(void)
{
	return (struct pn_leaf_policy){.nodes_per_effort = 64,
				       .effort_max = 1 << 20,
				       .nodes_min = 100000,
				       .nodes_max = check_nodes_max,
				       .searches = 3,
				       .raise = 30};
}

struct pn_leaf_policy pn_leaf_policy_query(uint64_t nodes_max)
{
	struct pn_leaf_policy policy = pn_leaf_policy_check();
	policy.nodes_max = nodes_max;
	policy.searches = 1;
	return policy;
}

uint64_t pn_leaf_nodes(const struct pn_leaf_policy *policy, const struct pd_reason *leaf, unsigned index)
{
	PD_ASSERT(policy->searches && policy->raise);
	uint64_t effort = leaf->effort < policy->effort_max ? leaf->effort : policy->effort_max;
	uint64_t nodes = effort * policy->nodes_per_effort;
	if (index >= policy->searches)
		return 0;
	if (nodes < policy->nodes_min)
		nodes = policy->nodes_min;
	for (unsigned i = 0; i < index; i++) {
		if (nodes > policy->nodes_max)
			return 0;
		nodes = nodes <= UINT64_MAX / policy->raise ? nodes * policy->raise : UINT64_MAX;
	}
	return nodes < policy->nodes_max ? nodes : policy->nodes_max;
}

uint64_t pn_leaf_plain_nodes(uint32_t effort)
{
	uint64_t nodes = (uint64_t)effort * PLAIN_PER_EFFORT;
	return !effort ? PLAIN_ASIDE : nodes < PLAIN_MIN ? PLAIN_MIN : nodes < PLAIN_MAX ? nodes : PLAIN_MAX;
}

uint64_t pn_leaf_unclocked_nodes(const struct game *game, const struct pn_goal *goal, uint64_t nodes)
{
	return goal->plies && !game->acyclic ? nodes / PN_LEAF_UNCLOCKED_SHARE : nodes;
}

bool pn_leaf_follow(const struct game *game, void *state, struct pd_reason *leaf)
{
	game_move move;
	if (leaf->move == PD_NO_MOVE || game->rules->first_to_move(game, state) != (leaf->side == PD_LO) ||
	    !game_legal_from_key(game, state, leaf->move, &move))
		return false;
	game->rules->play(game, state, move);
	leaf->rank -= leaf->rank != PD_RANK_NONE;
	return true;
}
