/* Asking: one search with a solver of its own, from beginning to end, by as many threads as its options name. */
#pragma once

#include "solver/solver.h"

struct asking {
	const char *game, *position, *claim;
	struct pn_options options;
	uint64_t nodes; /* of both levels; the run ends there, to within one expansion of each search thread */
	double seconds; /* of processor time, approximately; 0: no limit */
	unsigned turn;  /* its search threads take turns of up to so many nodes on one thread, so that the run repeats
			   node for node; 0: they are threads */
};

struct asked {
	struct pn_answer answer;
	struct pn_progress progress; /* at the end */
	uint64_t nodes;              /* of both levels */
	unsigned threads;            /* that searched; memory may limit them */
	double cpu, wall;            /* seconds of the search alone */
};

/* Ends the program with status 2 and a message if the search cannot be made. */
void asking_run(const struct asking *asking, struct asked *out);
