/* df-pn with the threshold controlling algorithm (Kishimoto, "Dealing with infinite loops, underestimation, and
 * overestimation of depth-first proof-number search", AAAI 2010), in games in which positions can come back.
 *
 * An open child that the search has met at a smaller depth than its parent is old: its numbers may count the parent
 * itself. A node with an old child, and what is searched below it, gets thresholds above its numbers, so that at least
 * one leaf is evaluated before the search leaves it. df-pn with this rule finds every proof there is (Franz et al.,
 * IJCAI 2022), but where there is none it may go round for ever: a frame that made no progress is not left here either
 * (GHI.md, "Termination"). Sums are not limited, and what depends on the path is told apart as GHI.md says. */
#include "solver/pds_policy.h"

const struct pds_policy pds_policy_tca = {
	.epsilon = 0.25,
	.controls_thresholds = true,
	.game_numbers = true,
	PDS_DFPN_THRESHOLDS,
};
