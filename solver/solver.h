/* Solver: answers a question about one position by proof-number search.
 *
 * It does no I/O and starts no thread: it is called to step, reports what it found, and asks for known facts through
 * pn_host (search.h). Same game, question, options, table content and known facts, and one thread: the same run, node
 * for node (P4), however it is cut into steps.
 *
 *     pn_solver_new -> [pn_solver_load ...] -> pn_solver_step ... -> PN_ANSWERED
 *                                                |  PN_RUNNING: quota used up; step again
 *                                                |  PN_COLLECT: buffers are full; take entries and facts, step again
 *                                                |  PN_STUCK: out of memory or depth; pn_solver_why says which
 *
 * Several search threads may work for one solver (options.threads):
 *
 *     pn_solver_join ... -> pn_solver_gather -> pn_solver_run_thread, each thread with its number -> all back
 *                           -> pn_solver_gather -> ...
 *
 * While any thread is in pn_solver_run_thread, only pn_solver_run_thread, pn_solver_halt, pn_solver_halted and
 * pn_solver_progress may be called. pn_solver_step runs and gathers for a solver whose only search thread is number 0,
 * which always exists.
 *
 * What it finds between two checkpoints belongs together: the caller takes entries, facts and progress at one time and
 * makes them durable in one transaction (D2). A table entry with a solved pair has its fact in the same checkpoint or
 * in an earlier one, unless it stands for a position on one path only (ghi_twin_id in ghi.h). */
#pragma once

#include "solver/algorithms.h"
#include "solver/search.h"
#include "solver/stored.h"

struct pn_solver;

/* What a solver is made from. Game and host must outlive it; everything else is copied. */
struct pn_solver_setup {
	const struct game *game;
	const void *root; /* a state of the game */
	const struct pd_claim *claim;
	const struct pn_options *options;
	const struct pn_host *host;        /* of search thread 0; NULL: no known facts */
	const struct pn_progress *resumed; /* its counters are where the new ones start; NULL: at 0 */
	const struct pn_line *first;       /* hints; NULL: none */
	unsigned first_count;
};

/* Whether the claim can be asked of the game: what pn_solver_new checks first. PD_E_CLAIM when the claim is off the
 * game's scale, PD_E_UNSUPPORTED for a game that may last longer than ranks can count. */
int pn_question_check(const struct game *game, const struct pd_claim *claim, struct pd_fail *fail);

/* Makes a solver. PD_E_CLAIM when the claim is outside the game's scale, PD_E_UNSUPPORTED, PD_E_PARAMS when memory is
 * below PN_MEMORY_MIN, PD_E_NO_MEMORY. */
int pn_solver_new(const struct pn_solver_setup *setup, struct pn_solver **out, struct pd_fail *fail);
void pn_solver_free(struct pn_solver *solver);

/* Loads entries that an earlier solver for the same question gave out, before the first step. Later entries win; those
 * that violate P1 are left out. */
void pn_solver_load(struct pn_solver *solver, const struct pn_entry *entries, size_t count);

/* Searches about `nodes` more nodes, both levels together, unless it has to return before. The quota is kept to within
 * one expansion. */
enum pn_state pn_solver_step(struct pn_solver *solver, uint64_t nodes);
/* How many more search threads may join; and whether more than one can do anything now. */
unsigned pn_solver_room(const struct pn_solver *solver);
bool pn_solver_wants_company(const struct pn_solver *solver);
/* Adds a search thread that asks this host (copied; NULL: none) for facts; *thread is its number. PD_E_UNSUPPORTED when
 * there is no room, PD_E_NO_MEMORY. */
int pn_solver_join(struct pn_solver *solver, const struct pn_host *host, bool remote, unsigned *thread,
		   struct pd_fail *fail);
/* The search thread leaves; what it found stays to be taken. Not for thread 0. */
void pn_solver_leave(struct pn_solver *solver, unsigned thread);
/* As pn_solver_step for one search thread, together with others. Returns before its quota is used up when the solver is
 * halted, and halts it when it returns anything but PN_RUNNING and PN_WAITING. Never PN_ANSWERED. */
enum pn_state pn_solver_run_thread(struct pn_solver *solver, unsigned thread, uint64_t nodes);
/* Asks all search threads to return, or lets them go on. Any thread, at any time. */
void pn_solver_halt(struct pn_solver *solver, bool halt);
bool pn_solver_halted(const struct pn_solver *solver);
/* When all are back: takes in what they found. PN_ANSWERED, PN_STUCK, or PN_RUNNING to go on (once entries and facts
 * are taken, where one returned PN_COLLECT). */
enum pn_state pn_solver_gather(struct pn_solver *solver);

/* Between two steps, when all are back: the host of search thread 0 knows more of the position than when the search may
 * have met it. Where the search holds the position open, it is solved now, as it would be if the search met it from
 * here on; of the root, this may be the answer. PD_E_NO_MEMORY: the search is as it was; PD_E_CORRUPT: the facts are
 * damaged. */
int pn_solver_inject(struct pn_solver *solver, const void *state, struct pd_fail *fail);

/* Why PN_STUCK; a static string. */
const char *pn_solver_why(const struct pn_solver *solver);
/* Of a solver that is PN_STUCK: facts were lost for lack of memory. Table entries, other facts and an answer may depend
 * on them: nothing that was found since the caller took entries and facts last is to be kept. */
bool pn_solver_lost_facts(const struct pn_solver *solver);

/* Table and cache grow in steps, each of which takes memory at once. Bytes that the next steps take: that of the table
 * if `entries` more make it grow (UINT64_MAX: in any case), and that of the cache; 0: both have their full size. Any
 * thread. */
uint64_t pn_solver_growth(const struct pn_solver *solver, uint64_t entries);
/* When all are back: whether they keep their size for now, as they do when memory runs out. */
void pn_solver_hold(struct pn_solver *solver, bool hold);

void pn_solver_progress(const struct pn_solver *solver, struct pn_progress *out);
/* The nodes that a search thread has searched, both levels together, as of its last return. */
uint64_t pn_solver_nodes(const struct pn_solver *solver, unsigned thread);

struct pn_answer {
	int16_t lo, hi; /* bounds on the root's value */
	bool answered;  /* the question is */
	bool yes;       /* for claims: answered with yes (a refused claim for second-wins and second-draws) */
	game_move move; /* the best move at the root in the root's own frame, or PD_NO_MOVE */
	uint16_t plies; /* the game is decided within this many plies; 0: the root is terminal or nothing is known;
			   PD_RANK_NONE: a bound holds by infinite play */
};

void pn_solver_answer(const struct pn_solver *solver, struct pn_answer *out);

/* Moves up to `max` entries that changed since they were last taken to `out`; returns how many, 0 when there are no
 * more. */
size_t pn_solver_take_entries(struct pn_solver *solver, struct pn_entry *out, size_t max);

/* The facts found since the last call, in the order found; calls `each` for every one and forgets them. The key is
 * borrowed during the call. */
void pn_solver_take_facts(struct pn_solver *solver,
			  void (*each)(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *reason),
			  void *ctx);

/* A pass over the whole table for the rolling snapshot: copies up to `max` entries from *cursor on and moves it;
 * *cursor is 0 to begin and UINT64_MAX when the pass is complete. */
size_t pn_solver_snapshot(const struct pn_solver *solver, uint64_t *cursor, struct pn_entry *out, size_t max);
