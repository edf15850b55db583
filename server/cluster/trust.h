/* Trust: what is believed of a worker's word.
 *
 * A share of the solved leaves is searched again before it is delivered (judge.h), by whether all messages of the
 * worker were sealed. What no search of the game can have found is refused without a search; three such results ban a
 * worker, because a sound one gives none. That a search took many times its budget is no reason. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/fact.h"
#include "proto/cluster/wire.h"
#include "server/cluster/cluster_types.h"
#include "server/cluster/roster.h"
#include "solver/remote.h"

enum { SC_WRONG_MAX = 3, SC_WARY_S = 3600, SC_CONFIRMED_MIN = 32, SC_RETRACTIONS_MAX = 3 };

/* Percent of a worker's solved leaves that are searched again. For SC_WARY_S after the latest ban it is all leaves of
 * workers that came after a ban, until SC_CONFIRMED_MIN of a worker were found true; and all leaves of all workers when
 * facts had to be retracted SC_RETRACTIONS_MAX times meanwhile. Workers that have the key are exempt, unless a banned
 * one had it. */
unsigned sc_trust_share(const struct sv_cluster_config *config, const struct sc_worker *worker, uint64_t now_ns);
/* A worker is banned; `retract`: facts of it are to be retracted. */
void sc_trust_ban(const struct sv_cluster_config *config, bool sealed, bool retract, uint64_t now_ns);
/* Whether a worker may have given something to an earlier life of this coordinator, by its first hello: it has followed
 * one, and has spoken before. When too many say so they are not believed, because each would cost a restart. */
bool sc_trust_elder(const struct sv_cluster_config *config, const struct cw_envelope *hello);
/* Whether this one is. `seed` of what is drawn, which it changes. */
bool sc_trust_draw(uint64_t *seed, unsigned percent);

/* What a result says of its leaf, as a reason; its job is `giver`. */
struct pd_reason sc_trust_reason(const struct game *game, const struct pn_leaf_task *leaf,
				 const struct cw_result *result, uint32_t giver);
/* What is wrong with a result as such, whatever the position is worth; NULL: nothing. */
const char *sc_trust_wrong(const struct game *game, const struct pn_leaf_task *leaf, const struct cw_result *result);
/* Whether a solved position may be passed on: its key is not looked at beyond its size. */
bool sc_trust_position(const struct game *game, const struct cw_solved *solved);
