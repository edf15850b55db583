/* Interleave: one thread runs the search threads of a solver in turns of a few nodes, so that runs are reproducible. */
#pragma once

#include "solver/solver.h"

/* Lets search threads join until there are `threads`, or no memory is left; returns their number. */
unsigned interleave_join(struct pn_solver *solver, unsigned threads, const struct pn_host *host);
/* One round: turns of up to `turn` nodes, until one has a result or about `nodes` nodes are made; then all gather. The
 * caller takes entries and facts after it. */
enum pn_state interleave_round(struct pn_solver *solver, unsigned threads, unsigned turn, uint64_t nodes,
			       uint64_t *random);

/* Something that takes turns with the search threads: `count` of them, each of up to `nodes` nodes. */
struct interleave_others {
	unsigned count;
	void (*turn)(void *ctx, unsigned which, unsigned nodes);
	void *ctx;
};

/* The same with others; NULL: none. */
enum pn_state interleave_with(struct pn_solver *solver, unsigned threads, const struct interleave_others *others,
			      unsigned turn, uint64_t nodes, uint64_t *random);
