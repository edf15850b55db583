/* Leaf search: searches the leaf of a stored proof again, as leaf_policy.h says, in bounded searches (bounded.h). */
#pragma once

#include "solver/bounded.h"
#include "solver/leaf_policy.h"

struct pn_leaf_result {
	enum pn_verdict verdict;
	uint64_t nodes; /* used by all searches together */
};

/* Searches a leaf with a prover, for the verdict alone. *result is written in any case. */
int pn_leaf_check(struct pn_prover *prover, const void *state, const struct pd_reason *leaf,
		  const struct pn_leaf_policy *policy, struct pn_leaf_result *result, struct pd_fail *fail);

/* Searches a leaf for its proof, which goes to options->fact. options->nodes is not used: the policy says how many. */
struct pn_leaf_regeneration {
	const struct game *game;
	const void *state;
	const struct pd_reason *leaf;
	const struct pn_leaf_policy *policy;
	const struct pn_bounded_options *options;
};
int pn_leaf_regenerate(const struct pn_leaf_regeneration *what, enum pn_verdict *verdict, struct pd_fail *fail);
