#include "solver/leaf_search.h"

#include "proto/base/assert.h"

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
