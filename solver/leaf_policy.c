#include "solver/leaf_policy.h"

#include "proto/base/assert.h"

static const uint64_t check_nodes_max = UINT64_C(1000000000000);

struct pn_leaf_policy pn_leaf_policy_check(void)
{
	return (struct pn_leaf_policy){
		.nodes_per_effort = 64, .nodes_min = 100000, .nodes_max = check_nodes_max, .searches = 3, .raise = 30};
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
	uint64_t nodes = leaf->effort * policy->nodes_per_effort;
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

uint64_t pn_leaf_unclocked_nodes(const struct game *game, const struct pn_goal *goal, uint64_t nodes)
{
	return goal->plies && !game->acyclic ? nodes / PN_LEAF_UNCLOCKED_SHARE : nodes;
}

int pn_leaf_check(struct pn_prover *prover, const void *state, const struct pd_reason *leaf,
		  const struct pn_leaf_policy *policy, struct pn_leaf_result *result, struct pd_fail *fail)
{
	struct pn_goal goal = pn_goal_of(pn_prover_game(prover), leaf);
	*result = (struct pn_leaf_result){.verdict = PN_OPEN};
	for (unsigned i = 0; result->verdict == PN_OPEN; i++) {
		uint64_t nodes = pn_leaf_nodes(policy, leaf, i), left = nodes;
		if (!nodes)
			break;
		int rc = pn_prover_run(prover, state, &goal, &left, &result->verdict, fail);
		if (rc)
			return rc;
		PD_ASSERT(left <= nodes);
		result->nodes += nodes - left;
	}
	return PD_OK;
}

int pn_leaf_regenerate(const struct pn_leaf_regeneration *what, enum pn_verdict *verdict, struct pd_fail *fail)
{
	struct pn_goal goal = pn_goal_of(what->game, what->leaf);
	struct pn_bounded_options options = *what->options;
	*verdict = PN_OPEN;
	for (unsigned i = 0; *verdict == PN_OPEN; i++) {
		options.nodes = pn_leaf_nodes(what->policy, what->leaf, i);
		if (!options.nodes)
			break;
		int rc = pn_bounded(what->game, what->state, &goal, &options, verdict, fail);
		if (rc)
			return rc;
	}
	return PD_OK;
}
