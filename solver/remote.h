/* Remote leaves: level 1 searches here, while the level-2 searches of its leaves run elsewhere.
 *
 * This is job-level proof-number search (Wu, Lin, Lin, Huang and Huang, "Job-level proof-number search for Connect6",
 * CG 2010) for the engine `pds`. A search thread that is made with pn_solver_join_remote has frames but no arena. When
 * it comes to a leaf it waits (PN_AWAY); the caller takes the leaf (pn_solver_leaf), has it searched (leaf_task.h) and
 * brings the result back (pn_solver_deliver). Virtual proof numbers keep many such threads apart, and what is solved
 * meanwhile cuts a waiting one off: its leaf is then of no use any more, and pn_solver_leaf names another one or none.
 *
 *     pn_solver_join_remote -> pn_solver_run_thread -> PN_AWAY -> pn_solver_leaf
 *                                        ^                             |  searched elsewhere
 *                                        +---- pn_solver_deliver <-----+
 *
 * A leaf depends on nothing but what its task says, so it may be searched twice, late or never. What is delivered is
 * believed: who calls pn_solver_deliver answers for it. A solved leaf becomes a fact with an effort, as one that was
 * searched here (detail PN_FRONTIER only). */
#ifndef PN_REMOTE_H
#define PN_REMOTE_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/error.h"
#include "proto/base/fact.h"
#include "solver/game.h"
#include "solver/search.h"

struct pn_solver;

/* A leaf to be searched. */
struct pn_leaf_task {
	uint64_t serial;   /* of this solver's leaves, from 1; never given twice */
	uint64_t budget;   /* nodes that its tree may hold */
	int16_t threshold; /* the claim: First gets at least this */
	uint16_t key_size;
	uint8_t key[GAME_KEY_MAX]; /* the exact key of its position */
};

/* What came of it. */
struct pn_leaf_result {
	uint64_t serial;
	bool solved, proved; /* `proved`: First gets at least the threshold; only when solved */
	uint32_t num[2];     /* when not solved: proof and disproof number, 1..PN_LEAF_NUMBER_MAX */
	uint16_t rank;       /* when solved: 1..PD_RANK_MAX, or PD_RANK_NONE */
	uint16_t move;       /* of the winner to move, in the key's frame; or PD_NO_MOVE */
	uint32_t effort;     /* when solved: nodes that it took, at least 1 */
	uint32_t giver;      /* becomes the fact's `job` (fact.h); 0: the job itself */
	uint64_t nodes;      /* searched for it, in all; counted when it is taken */
};

enum { PN_LEAF_NUMBER_MAX = 100000000 };

/* Whether searches with these options can have remote leaves: PDS or df-pn with a second level, detail frontier. */
bool pn_remote_possible(const struct pn_options *options);

/* As pn_solver_join, for a search thread whose leaves are searched elsewhere. There may be options.remote of them at a
 * time, besides options.threads. Left with pn_solver_leave. */
int pn_solver_join_remote(struct pn_solver *solver, const struct pn_host *host, unsigned *thread, struct pd_fail *fail);
/* Whether remote search threads are of use now. */
bool pn_solver_wants_remote(const struct pn_solver *solver);
/* The fewest nodes for which a leaf is sent away, from now on; 0: what the level-2 budget says. Any thread. */
void pn_solver_grain(struct pn_solver *solver, uint64_t nodes);

/* The next three are for the one thread that runs this search thread, between two of its runs. */

/* The leaf that it waits for; false: for none. */
bool pn_solver_leaf(const struct pn_solver *solver, unsigned thread, struct pn_leaf_task *out);
/* Brings a result. It is taken if the thread waits for that leaf and the result is one that a search can have.
 * Returns whether it was. */
bool pn_solver_deliver(struct pn_solver *solver, unsigned thread, const struct pn_leaf_result *result);
/* Whether a run of the thread would do anything: it waits for no leaf, a result was brought, or something was solved
 * since it last looked. */
bool pn_solver_has_work(const struct pn_solver *solver, unsigned thread);

#endif
