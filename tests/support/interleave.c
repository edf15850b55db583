#include "tests/support/interleave.h"

#include <stdio.h>
#include <stdlib.h>

unsigned interleave_join(struct pn_solver *solver, unsigned threads, const struct pn_host *host)
{
	struct pd_fail fail;
	unsigned there = 1, number;
	while (there < threads && pn_solver_room(solver)) {
		if (pn_solver_join(solver, host, false, &number, &fail) || number != there) {
			fprintf(stderr, "%s\n", fail.text);
			abort();
		}
		there++;
	}
	return there;
}

enum pn_state interleave_round(struct pn_solver *solver, unsigned threads, unsigned turn, uint64_t nodes,
			       uint64_t *random)
{
	return interleave_with(solver, threads, NULL, turn, nodes, random);
}

enum pn_state interleave_with(struct pn_solver *solver, unsigned threads, const struct interleave_others *others,
			      unsigned turn, uint64_t nodes, uint64_t *random)
{
	unsigned all = threads + (others ? others->count : 0);
	enum pn_state state = pn_solver_gather(solver);
	if (state != PN_RUNNING)
		return state;
	pn_solver_halt(solver, false);
	for (uint64_t made = 0; made < nodes && !pn_solver_halted(solver);)
		for (unsigned w = 0; w < all && !pn_solver_halted(solver); w++) {
			*random = *random * UINT64_C(6364136223846793005) + 1442695040888963407;
			unsigned quota = 1 + (unsigned)((*random >> 33) % turn);
			if (w < threads)
				pn_solver_run_thread(solver, w, quota);
			else
				others->turn(others->ctx, w - threads, quota);
			made += quota;
		}
	pn_solver_halt(solver, false);
	return pn_solver_gather(solver);
}
