/* df-pn+ (Nagai and Imai, "Application of df-pn+ to Othello endgames", Game Programming Workshop 1999; in the form of
 * Kaneko, "Parallel depth first proof number search", AAAI 2010): df-pn whose edges have costs.
 *
 * A leaf begins with the game's initial numbers, which vanish when it is expanded. The cost of a move is added to both
 * numbers of the position after it each time they are read, as long as that is open (pds_read_child), and is taken from
 * both of its thresholds. Figure 2 of the paper of 2010 takes it from the threshold of one number only; then nodes that
 * are not most-proving are expanded. */
#include "solver/pds.h"
#include "solver/pds_policy.h"

static void plus_set_costs(struct pds *pds, const struct pds_frame *f)
{
	const struct game *game = pds->question.game;
	uint16_t(*costs)[2] = (void *)(pds->moves + (size_t)PDS_COSTS * game->moves_max);
	if (!game->rules->edge_costs)
		return;
	game->rules->edge_costs(game, pds_state(pds, pds->depth), pds->question.threshold, pds->moves, f->count, costs);
	for (uint32_t i = 0; i < f->count; i++) {
		struct pds_child *c = &pds->children[f->first + i];
		PD_ASSERT(costs[i][0] <= GAME_EDGE_COST_MAX && costs[i][1] <= GAME_EDGE_COST_MAX);
		c->cost[0] = (uint8_t)costs[i][0];
		c->cost[1] = (uint8_t)costs[i][1];
	}
}

const struct pds_policy pds_policy_dfpn_plus = {
	.epsilon = 0.25,
	.game_numbers = true,
	.hands = true,
	.costs = plus_set_costs,
	PDS_DFPN_THRESHOLDS,
};
