/* Trust: how far a worker is believed.
 *
 * A share of the solved leaves is searched again before delivery (judge.h); the share depends on whether all messages
 * of the worker were sealed. A result that no search of the game can have found is refused without a search; three of
 * them ban the worker, because a sound worker sends none. A search that took many times its budget is not refused. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/fact.h"
#include "proto/cluster/wire.h"
#include "server/cluster/cluster_types.h"
#include "server/cluster/roster.h"
#include "solver/remote.h"

enum { SC_WRONG_MAX = 3, SC_WARY_S = 3600, SC_CONFIRMED_MIN = 32, SC_RETRACTIONS_MAX = 3 };

/* SV_VERIFY_PROOFS, or the percentage of a worker's solved leaves that are searched again. The percentage is 100 for
 * SC_WARY_S after the last ban for workers that joined after a ban, until SC_CONFIRMED_MIN of their leaves were found
 * true; and for all workers after SC_RETRACTIONS_MAX retractions in that time. Workers with the key are exempt, unless
 * a banned one had it. */
unsigned sc_trust_share(const struct sv_cluster_config *config, const struct sc_worker *worker, uint64_t now_ns);
/* Whether a worker gets the solved positions of other workers, and they get its own: those whose leaves are believed
 * unchecked do, until a lie is known. So no worker whose leaves are checked is banned for another's lie. */
bool sc_trust_shares(const struct sv_cluster_config *config, const struct sc_worker *worker, uint64_t now_ns);
/* Whether some workers may share, or have shared in an earlier run, and no lie is known to have spread. They may when
 * the option is on and their leaves count unchecked. */
bool sc_trust_shared(const struct sv_cluster_config *config);
/* Records a ban; `retract`: facts of the worker must be retracted; `spread`: others had solved positions from it. */
void sc_trust_ban(const struct sv_cluster_config *config, bool sealed, bool retract, bool spread, uint64_t now_ns);
/* Whether, by its first hello, a worker may have delivered results in an earlier epoch: it has followed a coordinator
 * and has spoken before. False after too many retractions, because each may cost a restart. */
bool sc_trust_elder(const struct sv_cluster_config *config, const struct cw_envelope *hello);
/* Draws true with that probability. Updates `seed`. */
bool sc_trust_draw(uint64_t *seed, unsigned percent);

/* The reason that a result states for its leaf; its job is `giver`. */
struct pd_reason sc_trust_reason(const struct game *game, const struct pn_leaf_task *leaf,
				 const struct cw_result *result, uint32_t giver);
/* The fault of a result that no search can have found, or NULL. */
const char *sc_trust_wrong(const struct game *game, const struct pn_leaf_task *leaf, const struct cw_result *result);
