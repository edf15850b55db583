/* Remote leaves: level 1 searches here, and other processes run the level-2 searches of its leaves.
 *
 * This is job-level proof-number search (Wu, Lin, Lin, Huang and Huang, "Job-level proof-number search for Connect6",
 * CG 2010) for the engine `pds`. A remote search thread (pn_solver_join) has frames, and a small arena that it shares
 * with the others, so one thread of the system has to run all of them. It searches the first nodes of a leaf itself
 * (PN_LOOK_NODES), because many leaves are solved within a few hundred. At any other leaf it waits (PN_WAITING): the
 * caller takes the leaf, has it searched (leaf_task.h) and delivers the result. Virtual proof numbers keep many such
 * threads apart. When another thread solves a position on its path, the thread gives up its leaf: pn_solver_leaf then
 * names another leaf or none.
 *
 *     pn_solver_join -> pn_solver_run_thread -> PN_WAITING -> pn_solver_leaf
 *                                 ^                                |  another process searches
 *                                 +----- pn_solver_deliver <-------+
 *
 * A leaf depends only on its task, so it may be searched twice, late or never. The solver trusts what is delivered; the
 * caller of pn_solver_deliver is responsible for it. A solved leaf becomes a fact with an effort, as if it had been
 * searched here (detail PN_FRONTIER only). */
#pragma once

#include "solver/leaf.h"
#include "solver/search.h"

struct pn_solver;

/* Whether searches with these options can have remote leaves: PDS or df-pn with a second level, detail frontier. */
bool pn_remote_possible(const struct pn_options *options);

/* Whether remote search threads can do anything now. */
bool pn_solver_wants_remote(const struct pn_solver *solver);
/* Sets the least budget of the next tasks (0: the level-2 budget), and how many nodes of a leaf are searched before it
 * is sent, 0..PN_LOOK_NODES. Any thread may call it. */
void pn_solver_grain(struct pn_solver *solver, uint64_t nodes, unsigned look);

/* The next three are for the one thread that runs this search thread, between two of its runs. */

/* The leaf that the thread waits for; false: none. */
bool pn_solver_leaf(const struct pn_solver *solver, unsigned thread, struct pn_leaf_task *out);
/* Delivers a result. True: it was accepted, because the thread waits for that leaf and a search can have that
 * result. */
bool pn_solver_deliver(struct pn_solver *solver, unsigned thread, const struct pn_leaf_result *result);
/* Whether a run of the thread would do anything: it waits for no leaf, a result was delivered, or another thread has
 * solved something since. */
bool pn_solver_has_work(const struct pn_solver *solver, unsigned thread);
