/* Diff, remote leaves: leaves of a search that others search. The others are leaf runners in the same thread, two for
 * tasks with knowledge and two for those without, as on two machines: each keeps its cache from one search of a game to
 * the next, and tells the other one what it has solved. What they prove is checked as a coordinator checks it. */
#pragma once

#include "solver/leaf_task.h"
#include "solver/remote.h"
#include "solver/solver.h"

enum { DIFF_REMOTE_MAX = 6 };

struct diff_remote {
	const struct game *game;
	struct pn_leaf_runner *runner[2][2]; /* owned; by knowledge; NULL: not yet made */
	struct pn_proof_walk *walk[2];       /* owned; by knowledge; NULL: not yet made */
	uint64_t random;
	uint64_t leaves, proofs; /* solved, and proved */
	const char *wrong;       /* NULL: nothing is */
	/* Of the search in work. */
	struct pn_solver *solver;
	bool knowledge;
	unsigned thread[DIFF_REMOTE_MAX], count;
};

void diff_remote_init(struct diff_remote *remote, const struct game *game, uint64_t random);
void diff_remote_fini(struct diff_remote *remote);
/* Gives a solver remote search threads, as many as its options permit. */
void diff_remote_join(struct diff_remote *remote, struct pn_solver *solver, const struct pn_options *options,
		      const struct pn_host *host);
/* A turn of one of these threads (interleave.h); before it, its leaf may be searched. */
void diff_remote_turn(void *remote, unsigned which, unsigned nodes);
