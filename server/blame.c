#include "server/blame.h"

#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/random.h"
#include "server/cluster/cluster.h"
#include "server/cluster/judge.h"
#include "server/cluster/trust.h"
#include "server/common/core_parts.h"
#include "server/proofs/maintenance/lies.h"
#include "solver/bounded.h"

/* Whether another search finds what the reason states. */
static bool is_confirmed(const struct sv_conflict *what, const struct pd_reason *reason)
{
	const struct pn_prover_options options = {
		.memory = SC_JUDGE_MEMORY, .knowledge = true, .identity = pd_random64()};
	struct sc_case c = {.reason = *reason, .nodes_max = SC_JUDGE_NODES, .key_size = what->size};
	struct pn_prover *prover;
	struct pd_fail fail;
	PD_ASSERT(what->size <= sizeof c.key);
	memcpy(c.key, what->key, what->size);
	if (pn_prover_new(what->game, &options, &prover, &fail))
		return false;
	bool confirmed = sc_judge_leaf(prover, &c) == SC_CONFIRMED;
	pn_prover_free(prover);
	return confirmed;
}

bool sv_blame(struct sv_core *core, const struct sv_conflict *what)
{
	const struct sv_cluster_config *cluster = sv_config(core)->cluster;
	const struct pd_reason *sides[] = {&what->stored, &what->found};
	bool spread = cluster && sv_cluster_shares(cluster);
	unsigned givers = 0, liars = 0;
	for (unsigned i = 0; i < 2; i++) {
		if (!pd_is_giver(sides[i]->job))
			continue;
		givers++;
		if (!spread && is_confirmed(what, sides[i]))
			continue;
		liars++;
		sv_lied(core, spread ? 0 : sides[i]->job, "whose name is not known", spread);
	}
	if (!givers)
		return false;
	if (!liars && cluster && cluster->past && cluster->past->retractions >= SC_RETRACTIONS_MAX)
		return false;
	if (!liars)
		sv_lied(core, 0, "", true);
	return true;
}
