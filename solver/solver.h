/* Solver: answers a question about one position by proof-number search.
 *
 * It does no I/O and starts no thread: it is called to step, reports what it found, and asks for known facts through
 * pn_host (search.h). With one thread and the same game, question, options, table content and known facts, a run is the
 * same node for node (P4), however it is divided into steps.
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
 * pn_solver_progress may be called. pn_solver_step runs and gathers for a solver that has only search thread 0, which
 * always exists.
 *
 * What it finds between two checkpoints belongs together: the caller takes entries, facts and progress at one time and
 * makes them durable in one transaction (D2). A table entry with a solved pair has its fact in the same checkpoint or
 * in an earlier one, unless it belongs to a position on one path only (ghi_twin_id in ghi.h). */
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
	const struct pn_host *host;        /* the host of search thread 0; NULL: no known facts */
	const struct pn_progress *resumed; /* counters continue from its values; NULL: they start at 0 */
	const struct pn_line *first;       /* hints; NULL: none */
	unsigned first_count;
};

/* Whether the claim can be asked of the game: what pn_solver_new checks first. PD_E_CLAIM when the claim is off the
 * game's scale, PD_E_UNSUPPORTED for a game that may last longer than ranks can count. */
int pn_question_check(const struct game *game, const struct pd_claim *claim, struct pd_fail *fail);

/* Creates a solver. PD_E_CLAIM when the claim is outside the game's scale, PD_E_UNSUPPORTED, PD_E_PARAMS when memory is
 * below PN_MEMORY_MIN, PD_E_NO_MEMORY. */
int pn_solver_new(const struct pn_solver_setup *setup, struct pn_solver **out, struct pd_fail *fail);
void pn_solver_free(struct pn_solver *solver);

/* Loads entries taken from an earlier solver for the same question; to be called before the first step. A later entry
 * replaces an earlier one; entries that violate P1 are ignored. */
void pn_solver_load(struct pn_solver *solver, const struct pn_entry *entries, size_t count);

/* Searches about `nodes` more nodes, both levels together, unless it has to return before. The quota is kept to within
 * one expansion. */
enum pn_state pn_solver_step(struct pn_solver *solver, uint64_t nodes);
/* How many more search threads may join; and whether more than one thread would have work now. */
unsigned pn_solver_room(const struct pn_solver *solver);
bool pn_solver_wants_company(const struct pn_solver *solver);
/* Adds a search thread that asks this host (copied; NULL: none) for facts; *thread is its number. PD_E_UNSUPPORTED when
 * there is no room, PD_E_NO_MEMORY. */
int pn_solver_join(struct pn_solver *solver, const struct pn_host *host, bool remote, unsigned *thread,
		   struct pd_fail *fail);
/* Removes a search thread, but not thread 0; what it found can still be taken. */
void pn_solver_leave(struct pn_solver *solver, unsigned thread);
/* Like pn_solver_step for one search thread, while others may run too. Returns early when the solver is halted, and
 * halts the solver unless it returns PN_RUNNING or PN_WAITING. It never returns PN_ANSWERED. */
enum pn_state pn_solver_run_thread(struct pn_solver *solver, unsigned thread, uint64_t nodes);
/* Asks all search threads to return, or lets them continue. Any thread may call it at any time. */
void pn_solver_halt(struct pn_solver *solver, bool halt);
bool pn_solver_halted(const struct pn_solver *solver);
/* Takes in what the search threads found, when all of them are back. Returns PN_ANSWERED, PN_STUCK, or PN_RUNNING to
 * continue (if a thread returned PN_COLLECT, take entries and facts first). */
enum pn_state pn_solver_gather(struct pn_solver *solver);

/* Tells the solver that the host of search thread 0 knows more about a position than before; to be called between two
 * steps, when all threads are back. Wherever the search has the position open, it is solved now, as if the search
 * reached it only now. For the root this may be the answer. PD_E_NO_MEMORY: the search is as it was; PD_E_CORRUPT: the
 * facts are damaged. */
int pn_solver_inject(struct pn_solver *solver, const void *state, struct pd_fail *fail);

/* Why the solver is PN_STUCK; a static string. */
const char *pn_solver_why(const struct pn_solver *solver);
/* Whether a solver that is PN_STUCK has lost facts for lack of memory. Table entries, other facts and an answer may
 * depend on them, so nothing found since the caller last took entries and facts may be kept. */
bool pn_solver_lost_facts(const struct pn_solver *solver);

/* Table and cache grow in steps, each of which takes memory at once. Returns the bytes that the next steps take: that
 * of the table if `entries` more entries make it grow (UINT64_MAX: in any case), plus that of the cache; 0 when both
 * have their full size. Any thread may call it. */
uint64_t pn_solver_growth(const struct pn_solver *solver, uint64_t entries);
/* Sets whether table and cache keep their size for now; to be called when all threads are back. */
void pn_solver_hold(struct pn_solver *solver, bool hold);

void pn_solver_progress(const struct pn_solver *solver, struct pn_progress *out);
/* The nodes that a search thread has searched, both levels together, as of its last return. */
uint64_t pn_solver_nodes(const struct pn_solver *solver, unsigned thread);

struct pn_answer {
	int16_t lo, hi; /* bounds on the root's value */
	bool answered;  /* the question is */
	bool yes;       /* for claims: the answer; for second-wins and second-draws, whether the threshold is refuted */
	game_move move; /* the best move at the root in the root's own frame, or PD_NO_MOVE */
	uint16_t plies; /* the game is decided within these plies; 0: the root is terminal or nothing is known;
			   PD_RANK_NONE: a bound holds by infinite play */
};

void pn_solver_answer(const struct pn_solver *solver, struct pn_answer *out);

/* Takes up to `max` entries that changed since they were last taken; returns how many, 0 when there are no more. */
size_t pn_solver_take_entries(struct pn_solver *solver, struct pn_entry *out, size_t max);

/* Calls `each` for every fact found since the last call, in the order found, and forgets them. The key is valid only
 * during the call. */
void pn_solver_take_facts(struct pn_solver *solver,
			  void (*each)(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *reason),
			  void *ctx);

/* A pass over the whole table for the rolling snapshot: copies up to `max` entries from *cursor on and advances it.
 * *cursor is 0 to begin and UINT64_MAX when the pass is complete. */
size_t pn_solver_snapshot(const struct pn_solver *solver, uint64_t *cursor, struct pn_entry *out, size_t max);
