/* Rival: another coordinator that hands out tasks under the same prefix, so that both lose most of the workers' time.
 *
 * Noticing it needs no message of its own: what a worker says bears the epoch of the coordinator that it obeys, and
 * both coordinators hear the worker. A worker that spoke in this coordinator's epoch and later speaks in another one,
 * or does not follow several calls, obeys another. Workers that still follow an earlier life of this coordinator stop
 * at the first call, so only signs that last count. */
#pragma once

#include "server/cluster/state.h"

/* A known worker has said something, in whatever epoch. Not for hello, which it says to all coordinators. */
void sc_rival_heard(struct sv_cluster *c, struct sc_worker *w, const struct cw_envelope *e);
/* Each tick: whether there is one now, for the log (once a minute at most) and the view. */
void sc_rival_tick(struct sv_cluster *c);
