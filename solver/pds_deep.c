/* Deep df-pn (Zhang, Iida and van den Herik, "Deep df-pn and its efficient implementations", CG 2017): df-pn that
 * prefers deep leaves.
 *
 * A leaf at depth x below the root begins with pn = dn = E^(D - x), 1 from depth D on. The numbers of a position then
 * depend on the path to it, so the table is fit for one root only: a search from another root over the same table would
 * take over numbers of other depths. */
#include "solver/pds.h"
#include "solver/pds_policy.h"

static void deep_set_leaf(struct pds *pds, const void *state, uint32_t num[2])
{
	const struct pn_options *o = pds->options;
	uint32_t depth = pds->depth + 1;
	uint64_t number = 1;
	(void)state;
	for (; depth < o->deep.d && number < PN_INF && o->deep.e > 1; depth++)
		number *= o->deep.e;
	num[0] = num[1] = num_clamp(number);
}

const struct pds_policy pds_policy_deep_dfpn = {
	.leaf_numbers = deep_set_leaf,
	PDS_DFPN_THRESHOLDS,
};
