/* Solver claim: the claim in work, and injected facts that answer it (injected.h). */
#pragma once

#include "solver/solver_internal.h"

/* The next claim is in work from here on, unless one is already or there is none. */
void pn_next_claim(struct pn_solver *s);
/* The search of the claim in work takes in the facts about one position. */
void pn_apply_fact(struct pn_solver *s, const struct injected_fact *item);
