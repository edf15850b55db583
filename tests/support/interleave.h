/* Interleave: the search threads of one solver in turns, by one thread, a few nodes each: what threads do, but the same
 * every time. */
#pragma once

#include "solver/solver.h"

/* Lets search threads join until there are `threads`, or no room is left; returns how many there are. */
unsigned interleave_join(struct pn_solver *solver, unsigned threads, const struct pn_host *host);
/* One round: turns of up to `turn` nodes, until one comes back with something or about `nodes` nodes are made;
 * then all gather. Entries and facts are to be taken after it. */
enum pn_state interleave_round(struct pn_solver *solver, unsigned threads, unsigned turn, uint64_t nodes,
			       uint64_t *random);
