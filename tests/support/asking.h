/* Asking: one question asked of a solver of its own, from beginning to end, by as many threads as its options have
 * search threads. */
#pragma once

#include "solver/solver.h"

struct asking {
	const char *game, *position, *claim;
	struct pn_options options;
	uint64_t nodes; /* of both levels; the run ends there, to within one expansion of each search thread */
	double seconds; /* of processor time, or soon after; 0: as many as it takes */
};

struct asked {
	struct pn_answer answer;
	struct pn_progress progress; /* at the end */
	uint64_t nodes;              /* of both levels */
	unsigned threads;            /* that searched: as many as there was memory for */
	double cpu, wall;            /* seconds of the search, solver made and freed not counted */
};

/* Ends the program with 2 and a message when the question cannot be asked. */
void asking_run(const struct asking *asking, struct asked *out);
