/* Solver root: what a solver knows about its root, and which claim it searches next.
 *
 * Invariant: `root_fact` holds all that is known about the root, in the root's own frame; lo and hi follow from it. */
#pragma once

#include "solver/solver_internal.h"

/* Takes in what the rules and the host know about the root, and makes room for what the search will find. */
int pn_root_init(struct pn_solver *s, struct pd_fail *fail);
/* Takes in a fact about the root, its moves in the key's frame. PD_E_CORRUPT, PD_E_NO_MEMORY. */
int pn_root_take(struct pn_solver *s, const struct pd_fact *fact, struct pd_fail *fail);
/* Adds a reason for the root, its move in the root's own frame. */
void pn_root_learn(struct pn_solver *s, const struct pd_reason *reason);
bool pn_root_answered(const struct pn_solver *s);
/* The threshold of the next claim to search; the question is not answered. */
int pn_root_next(const struct pn_solver *s);
/* The claim at `threshold`, asked as the options say. */
struct question pn_root_question(const struct pn_solver *s, int threshold);
