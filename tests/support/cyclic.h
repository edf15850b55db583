/* Cyclic: random AND/OR graphs full of cycles, solved by every algorithm and compared with the fixpoint.
 *
 * A graph has 5 to 60 nodes, arbitrary children, sides in any order, and infinite play worth -1, 0 or 1. Every fact of
 * a search is compared with retrograde analysis (its value; a rank not below the distance) and justified by the others.
 */
#pragma once

#include <stdint.h>

#include "solver/solver.h"
#include "tests/support/factbase.h"
#include "tests/support/retro.h"

struct cyclic_sum {
	uint64_t graphs, runs, facts, leaves;
	uint64_t unanswered; /* runs that reached their node limit */
	uint64_t wrong;      /* values, facts or justifications */
	uint64_t nodes;
};

/* The game andor:test over a random graph; game_close follows. */
struct game *cyclic_game(uint64_t seed);

/* Further settings of a run. */
struct cyclic_more {
	uint64_t slice; /* nodes of one step */
	/* Called after each step, when its facts are taken. May be NULL. */
	void (*between)(void *ctx, struct pn_solver *solver);
	void *ctx;
	const struct pn_line *first; /* hints */
	unsigned first_count;
};

/* As cyclic_solve; `more` may be NULL. */
bool cyclic_solve_more(const struct game *game, const void *state, const struct pd_claim *claim,
		       const struct pn_options *options, const struct pn_host *host, const struct retro *retro,
		       const unsigned solved[2], uint64_t nodes, struct factbase *base, struct cyclic_sum *sum,
		       const struct cyclic_more *more);
/* Solves the claim at `state` with these options, at most `nodes` nodes; adds to sum. Claims -1..1 must have been
 * solved in retro: claim[0] for "at least 0", claim[1] for "at least 1". The facts are kept in `base` and compared;
 * they are not justified yet. True when the question was answered. */
bool cyclic_solve(const struct game *game, const void *state, const struct pd_claim *claim,
		  const struct pn_options *options, const struct pn_host *host, const struct retro *retro,
		  const unsigned solved[2], uint64_t nodes, struct factbase *base, struct cyclic_sum *sum);

/* One graph, by every algorithm and both details, and by 1 to 3 search threads where the algorithm knows several. */
void cyclic_run(uint64_t seed, struct cyclic_sum *sum);
