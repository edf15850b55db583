/* Remote driver: the search threads of a run whose leaves are searched by workers (solver/remote.h).
 *
 * The run's leader drives them between short pieces of its own search: a thread whose result has arrived goes on to its
 * next leaf, which goes to the job's desk (cluster/desk.h). A waiting thread costs only an occasional check whether it
 * has been cut off by what was solved meanwhile. Between two rounds threads are added and removed, as the desk wants.
 *
 * For the search thread that has the job. Without a cluster, and for searches that cannot have remote leaves, all of
 * this does nothing. */
#pragma once

#include "solver/solver.h"

struct game;
struct sv_core;
struct sv_desk;
struct sv_job;
struct sv_lookup;

enum { SV_REMOTE_MAX = 2048 }; /* remote search threads of a run at a time */

/* One remote search thread. Its index is its slot at the desk. */
struct sv_remote_slot {
	unsigned thread; /* of the solver */
	uint64_t serial; /* of its leaf at the desk; 0: none */
	bool ready;      /* it has something to do */
};

/* The first four members are borrowed from the run. */
struct sv_remote {
	struct sv_job *job;
	struct pn_solver *solver;
	struct sv_lookup *lookup; /* where facts are looked up */
	const struct game *game;
	struct sv_desk *desk;         /* owned; NULL: nothing is searched elsewhere */
	struct sv_remote_slot *slots; /* owned; SV_REMOTE_MAX */
	unsigned count;               /* slots in use: the first ones */
	unsigned ready;               /* those of them that have something to do */
	unsigned look;                /* the slot to check next for a cut-off */
	uint64_t cpu_ns;              /* processor time of workers for results that arrived */
};

/* How many remote search threads a run of this core may have: an option of its solver. */
unsigned sv_remote_most(const struct sv_core *core);
/* After the solver is made; the first members are set. Without memory, or without a desk, the run searches here alone,
 * and that is logged. */
void sv_remote_open(struct sv_remote *remote, const struct sv_core *core);
/* After the search; also when it was not opened. */
void sv_remote_close(struct sv_remote *remote);
/* Whether the number of remote threads should change; and changes it, between two rounds. */
bool sv_remote_changes(const struct sv_remote *remote);
void sv_remote_change(struct sv_remote *remote);
/* Waits for a result, a millisecond at most. */
void sv_remote_wait(struct sv_remote *remote);
/* The name of the worker that has the leaf that this search thread waits for; "": none. */
void sv_remote_worker(const struct sv_remote *remote, unsigned thread, char out[64]);
/* In a round: takes results, and lets threads that have something to do search on. PN_RUNNING; or the state that one of
 * them returned with, and the solver is halted. */
enum pn_state sv_remote_drive(struct sv_remote *remote);
