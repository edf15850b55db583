/* Dispatch: which leaf goes to which worker, and how many leaves each desk should have out.
 *
 * Desks of higher priority come first; those of one priority take turns. A leaf goes to a worker with an idle thread,
 * preferably to the one that had the slot's last leaf, then to one that had this game last and has it in its cache,
 * then to the one that has waited longest. When no thread is idle, workers get a quarter more tasks than they have
 * threads, so that none waits for the network between two tasks. */
#pragma once

#include "server/cluster/state.h"

/* Takes over the posts, cancels and closings of desks. */
void sc_dispatch_desks(struct sv_cluster *c);
/* For the thread of a desk's run: takes over its posts and cancels and sends them, without waking the cluster thread.
 * False: nothing was done, because the cluster thread is busy, or gathers what it sends. */
bool sc_dispatch_now(struct sv_cluster *cluster, struct sv_desk *desk);
/* Assigns waiting leaves to free workers; sc_tell_all sends them. */
void sc_dispatch(struct sv_cluster *c);
/* Computes how many leaves each desk wants, after workers or desks have changed. */
void sc_dispatch_shares(struct sv_cluster *c);
