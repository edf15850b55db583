/* Dispatch: which leaf goes to which worker, and how many leaves each desk is to have out.
 *
 * Desks of higher priority come first, those of one priority take turns. A leaf goes to a worker with an idle thread
 * if there is one: to the one that had the slot's last leaf, else to one that had this game last, whose cache knows it,
 * else to the one that waits for longest. When no thread is idle, workers get a quarter more than they have threads, so
 * that none waits for the network between two tasks. */
#pragma once

#include "server/cluster/state.h"

/* Takes over what desks have posted, cancelled and closed. */
void sc_dispatch_desks(struct sv_cluster *c);
/* Gives the leaves that wait to workers that are free; they are sent by sc_tell_all. */
void sc_dispatch(struct sv_cluster *c);
/* How many leaves each desk wants, after workers or desks have changed. */
void sc_dispatch_shares(struct sv_cluster *c);
