#include "server/cluster/trust.h"

#include "proto/base/assert.h"
#include "proto/base/random.h"
#include "solver/solver.h"

static const uint64_t wary_ns = SC_WARY_S * UINT64_C(1000000000);

static bool is_wary(const struct sv_cluster_past *past, uint64_t now_ns)
{
	return past->last_ns && now_ns - past->last_ns < wary_ns;
}

unsigned sc_trust_share(const struct sv_cluster_config *config, const struct sc_worker *w, uint64_t now_ns)
{
	const struct sv_cluster_past *past = config->past;
	unsigned share = w->view.sealed ? config->verify_sealed : config->verify_others;
	PD_ASSERT(share <= SV_VERIFY_PROOFS);
	if (share == SV_VERIFY_PROOFS || !is_wary(past, now_ns) || (w->view.sealed && !past->sealed))
		return share;
	bool newcomer = w->credit.came_ns >= past->since_ns && w->credit.confirmed < SC_CONFIRMED_MIN;
	return newcomer || past->retractions >= SC_RETRACTIONS_MAX ? SV_VERIFY_ALL : share;
}

bool sc_trust_shares(const struct sv_cluster_config *config, const struct sc_worker *w, uint64_t now_ns)
{
	return config->share && !config->past->apart && !sc_trust_share(config, w, now_ns);
}

bool sc_trust_shared(const struct sv_cluster_config *config)
{
	const struct sv_cluster_past *past = config->past;
	bool now = config->share && (!config->verify_others || (config->seal && !config->verify_sealed));
	return past && !past->apart && (past->shared || now);
}

void sc_trust_ban(const struct sv_cluster_config *config, bool sealed, bool retract, bool spread, uint64_t now_ns)
{
	struct sv_cluster_past *past = config->past;
	if (!is_wary(past, now_ns))
		*past = (struct sv_cluster_past){.since_ns = now_ns, .apart = past->apart, .shared = past->shared};
	past->apart |= spread;
	past->last_ns = now_ns;
	past->sealed |= sealed;
	past->retractions += retract;
}

bool sc_trust_elder(const struct sv_cluster_config *config, const struct cw_envelope *hello)
{
	return hello->epoch && hello->number > 1 && config->past->retractions < SC_RETRACTIONS_MAX;
}

bool sc_trust_draw(uint64_t *seed, unsigned percent)
{
	return pd_random_next(seed) % 100 < percent;
}

struct pd_reason sc_trust_reason(const struct game *game, const struct pn_leaf_task *leaf,
				 const struct cw_result *result, uint32_t giver)
{
	PD_ASSERT(result->solved);
	return (struct pd_reason){
		.bound = (int16_t)(result->proved ? leaf->threshold : leaf->threshold - game->value_step),
		.side = result->proved ? PD_LO : PD_HI,
		.rank = result->rank,
		.move = result->move,
		.effort = result->effort,
		.job = giver,
	};
}

/* The fault of the move that a result names, or NULL: it must be a legal move of the winner. */
static const char *move_wrong(const struct game *game, const struct pn_leaf_task *leaf, const struct cw_result *result)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	game_move move;
	if (result->move == PD_NO_MOVE)
		return NULL;
	if (game->rules->unkey(game, leaf->key, leaf->key_size, state))
		return "its key is not a key of the game";
	if (game->rules->first_to_move(game, state) != result->proved)
		return "it names a move of the player who loses";
	return game_legal_from_key(game, state, result->move, &move) ? NULL : "its move is not legal";
}

/* What the search would refuse (pn_solver_deliver), so that the leaf would be posted again and again. */
static const char *rank_wrong(const struct game *game, const struct pd_reason *r)
{
	if (!pn_bound_ranked(game, r->side, r->bound))
		return r->rank == PD_RANK_NONE ? NULL : "infinite play serves its side, but it has a rank";
	uint32_t plies = game->plies_max, room = PD_RANK_MAX - plies;
	uint32_t most = !plies ? PN_LEAF_RANK_MAX : plies > room ? plies : room;
	return r->rank <= most ? NULL : "its rank leaves no room for those of its ancestors";
}

const char *sc_trust_wrong(const struct game *game, const struct pn_leaf_task *leaf, const struct cw_result *result)
{
	if (!result->solved) {
		bool sound = result->num[0] && result->num[1] && result->num[0] <= PN_LEAF_NUMBER_MAX &&
			     result->num[1] <= PN_LEAF_NUMBER_MAX;
		return sound ? NULL : "its numbers are not those of an open position";
	}
	if (!result->effort)
		return "its effort is 0";
	struct pd_reason reason = sc_trust_reason(game, leaf, result, 0);
	const char *wrong = pn_reason_wrong(game, &reason);
	if (!wrong)
		wrong = rank_wrong(game, &reason);
	return wrong ? wrong : move_wrong(game, leaf, result);
}
