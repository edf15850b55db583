/* Solver: answers a question about one position by proof-number search.
 *
 * It does no I/O and starts no thread: it is called to step, reports what it found, and asks for known facts through
 * pn_host. Same game, question, options and table content, and one thread: the same run, node for node (P4), however it
 * is cut into steps.
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
#ifndef PN_SOLVER_H
#define PN_SOLVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/claim.h"
#include "proto/base/error.h"
#include "proto/base/fact.h"
#include "proto/base/hash.h"
#include "proto/base/identity.h"
#include "solver/game.h"

/* The algorithms: X(name, text, engine, policy, level 2, what it is). The engine is the search of level 1 (engine.h):
 * `pds` over the transposition table, `pn2` or `tree` over a tree in memory. The policy is that of the PDS family
 * (pds_policy.h). Level 2: a best-first PN search evaluates the leaves of level 1. Their order is their number on disk:
 * new ones go to the end. */
#define PN_ALGORITHMS(X)                                                                                               \
	X(PN_PDS_PN, "pds-pn", pds, pds, true,                                                                         \
	  "PDS over the transposition table, a best-first PN search evaluates its leaves; the default")                \
	X(PN_PAPER, "paper", pds, paper, true,                                                                         \
	  "PDS-PN to the letter of Winands, Uiterwijk and van den Herik, 2002; one thread")                            \
	X(PN_DFPN_PN, "dfpn-pn", pds, dfpn, true,                                                                      \
	  "df-pn with the 1+epsilon trick, a best-first PN search evaluates its leaves")                               \
	X(PN_PDS, "pds", pds, pds, false, "PDS over the transposition table, one level")                               \
	X(PN_DFPN, "df-pn", pds, dfpn, false,                                                                          \
	  "df-pn with the 1+epsilon trick over the transposition table, one level")                                    \
	X(PN_PN2, "pn2", pn2, none, true,                                                                              \
	  "best-first PN search in one tree, a second PN search evaluates its leaves; no transposition table, no "     \
	  "known facts")                                                                                               \
	X(PN_PN, "pn", tree, none, false,                                                                              \
	  "plain best-first PN search in one tree: no transposition table, no known facts; for comparison")

enum pn_algorithm {
#define X(name, ...) name,
	PN_ALGORITHMS(X)
#undef X
		PN_ALGORITHM_END,
	PN_ALGORITHM_LAST = PN_ALGORITHM_END - 1
};

/* Which of the solved positions become facts. */
enum pn_detail {
	PN_FRONTIER, /* those of level 1; leaves say which bounded search proves them again */
	PN_FULL,     /* those and all that their proofs need: every fact can be checked one ply down */
	PN_KNOWN     /* as full, but what the game knows beyond its rules is a leaf: for bounded searches */
};

struct pn_options {
	enum pn_algorithm algorithm;
	enum pn_detail detail;
	uint64_t memory;   /* bytes for transposition table, level-2 arenas and cache; at least PN_MEMORY_MIN */
	uint64_t seed;     /* shuffles the order of equal children; 0: the game's own order */
	uint64_t identity; /* secret key of the position hashes in table and cache (proto/base/identity.h), unknown to
			    * those who choose the positions. Entries are valid under the same key only. 0: none */
	uint64_t shorten;  /* nodes for a search for shorter wins once the answer is known; 0: none */
	unsigned threads;  /* search threads at one time, at least 1; each has a level-2 arena out of `memory` */
	/* The tunables: PN_TUNABLES says what they mean. Level-2 budget: min(x f(x), cap), at least children + 1, with
	 * f(x) = 1 / (1 + exp((a - x) / b)) and x the entries in the table (Winands et al. 2002, section 4) and those
	 * it has lost, not for paper. The cap grows as the table fills: cap_first / (1 - fill), up to cap_last. For pn2
	 * see pn2.h. */
	double epsilon; /* < 0: the algorithm's own */
	bool mobility, heuristics, knowledge, weak, cache;
	uint32_t patience;
	uint32_t cap_first, cap_last;
	uint32_t fraction_a, fraction_b;
	uint32_t paper_nodes;
	uint32_t tt_entries; /* 0: what memory allows */
	bool keep_children;
};

enum pn_kind { PN_WHOLE, PN_REAL, PN_YES_NO };

/* The tunables: X(member of pn_options, name, kind, least, greatest, default, what it does). Members are uint32_t,
 * double and bool by kind. A default outside the range: the algorithm decides. */
#define PN_TUNABLES(X)                                                                                                 \
	X(epsilon, "epsilon", PN_REAL, 0, 100, -1,                                                                     \
	  "1+epsilon trick: thresholds rise by this share of a number instead of by 1; default 0.25 for df-pn, 0 for " \
	  "PDS")                                                                                                       \
	X(patience, "patience", PN_WHOLE, 2, 1000000000, 16,                                                           \
	  "PDS also leaves a node when one number reaches this multiple of its threshold; not for paper")              \
	X(mobility, "mobility", PN_YES_NO, 0, 1, 1,                                                                    \
	  "mobility initialization: leaf pn/dn start from the number of legal moves instead of 1/1; in df-pn at "      \
	  "level 1, too")                                                                                              \
	X(heuristics, "heuristics", PN_YES_NO, 0, 1, 1,                                                                \
	  "initial numbers from the game's own heuristic where it has one; never for paper and pn")                    \
	X(knowledge, "knowledge", PN_YES_NO, 0, 1, 1,                                                                  \
	  "evaluation cut-off: positions that the game can solve statically are leaves; not for paper, pn2, pn, "      \
	  "detail full")                                                                                               \
	X(weak, "weak", PN_YES_NO, 0, 1, 0,                                                                            \
	  "weak PN search: the maximum child number plus the number of other children instead of the sum")             \
	X(cache, "cache", PN_YES_NO, 0, 1, 1,                                                                          \
	  "level 2 looks up solved positions in a cache in memory; never for paper, pn2 and pn")                       \
	X(cap_first, "cap-first", PN_WHOLE, 1, 1000000000, 2000,                                                       \
	  "node limit of a level-2 search while the transposition table is empty; not for paper and pn2")              \
	X(cap_last, "cap-last", PN_WHOLE, 1, 1000000000, 1000000,                                                      \
	  "node limit of a level-2 search when the transposition table is full, of pn2 always; not for paper")         \
	X(fraction_a, "fraction-a", PN_WHOLE, 0, 4000000000, 450000,                                                   \
	  "a of the level-2 budget x / (1 + exp((a - x) / b)) for x entries in the table; not for paper")              \
	X(fraction_b, "fraction-b", PN_WHOLE, 1, 4000000000, 300000, "b of the level-2 budget; not for paper")         \
	X(paper_nodes, "paper-nodes", PN_WHOLE, 1, 1000000000, 1000000,                                                \
	  "of paper: nodes that both levels may store together (N in the paper)")                                      \
	X(tt_entries, "table", PN_WHOLE, 16, 4000000000, 0,                                                            \
	  "size of the transposition table in entries, at most what memory allows; default: all of it")                \
	X(keep_children, "keep-children", PN_YES_NO, 0, 1, 1,                                                          \
	  "of pn2: the children of a level-2 root are kept with their numbers, not the root alone")

struct pn_tunable {
	const char *name;
	enum pn_kind kind;
	int64_t min, max, preset; /* of yes/no: 0, 1 */
	const char *what;         /* one sentence, without its stop */
	size_t offset;            /* in struct pn_options */
};

/* `index` from 0, in the order of PN_TUNABLES; NULL behind the last. */
const struct pn_tunable *pn_tunable_at(unsigned index);

enum { PN_TUNABLE_TEXT = 32 };
/* The value as text that pn_option_set reads and JSON knows: 500, 0.25, true. False when it is the default. */
bool pn_option_text(const struct pn_options *options, const struct pn_tunable *tunable, char out[PN_TUNABLE_TEXT]);
/* Sets the tunable of that name. Whole numbers may be written 500 or 5e2, yes/no as yes, no, true or false. PD_E_PARAMS
 * with field "options" for an unknown name (the message lists them), for text that is no value, and out of range; then
 * nothing is changed. */
int pn_option_set(struct pn_options *options, const char *name, const char *text, struct pd_fail *fail);

#define PN_MEMORY_MIN (UINT64_C(1) << 13)

/* The defaults: pds-pn, frontier, 512 MiB. */
void pn_options_init(struct pn_options *options);
/* PD_E_ALGORITHM with field "algorithm" for an unknown name; the message lists the names. */
int pn_algorithm_parse(const char *text, enum pn_algorithm *out, struct pd_fail *fail);
const char *pn_algorithm_text(enum pn_algorithm algorithm);
/* Whether it searches over a transposition table, evaluates leaves by a level-2 search, can use several threads. */
bool pn_algorithm_has_tt(enum pn_algorithm algorithm);
bool pn_algorithm_has_level2(enum pn_algorithm algorithm);
bool pn_algorithm_has_threads(enum pn_algorithm algorithm);

/* What a solver may ask while it steps, from the thread that steps it. */
struct pn_host {
	void *ctx;
	/* The fact about a key; false when nothing is known. Must not wait for anything. NULL: nothing is ever known.
	 */
	bool (*fact)(void *ctx, const uint8_t *key, size_t size, struct pd_fact *out); /* *out was made before */
};

/* A level-1 table entry as plain data, for the journal and the snapshot. */
struct pn_entry {
	struct pd_id id; /* hash of exact key and claim; never {0, 0} */
	uint32_t num[2]; /* proof and disproof number */
	uint32_t work;   /* nodes searched below it, saturating */
	uint16_t move;   /* best move in the key's frame, or PD_NO_MOVE */
	uint16_t depth;  /* the smallest distance from the root at which it was met */
};

/* Where a step may return, and so where a search may be paused, checkpointed or ended: X(name, number, when). Nothing
 * else interrupts a search. */
#define PN_POINTS(X)                                                                                                   \
	X(PN_POINT_START, 1, "before the search of a claim starts, or after the last claim is answered")               \
	X(PN_POINT_TURN, 2, "between two iterations of the level-1 loop")                                              \
	X(PN_POINT_LEVEL2, 3, "between two expansions of a best-first tree")                                           \
	X(PN_POINT_COLLECT, 4, "between two iterations, because a buffer of facts or entries is full")                 \
	X(PN_POINT_STUCK, 5, "out of memory or of depth")

enum pn_point {
#define X(name, number, when) name = (number),
	PN_POINTS(X)
#undef X
};

struct pn_progress {
	enum pn_point point;        /* where the last step returned */
	uint64_t level1, level2;    /* nodes: expansions at level 1, generated nodes at level 2 */
	uint32_t pn, dn;            /* of the root for the claim in work; UINT32_MAX stands for infinite */
	int16_t threshold;          /* the claim in work: First gets at least this */
	uint64_t entries, capacity; /* of the transposition table, or of the level-1 tree of pn2 */
	uint64_t facts;             /* facts found by this solver */
	uint64_t cache_hits, cache_asks;
	uint64_t memory;        /* bytes reserved */
	int16_t lo, hi;         /* what is known of the root's value */
	uint32_t level2_budget; /* nodes, the latest */
};

/* Whether the claim can be asked of the game: what pn_solver_new checks first. PD_E_CLAIM when the claim is off the
 * game's scale, PD_E_UNSUPPORTED for a game that may last longer than ranks can count. */
int pn_question_check(const struct game *game, const struct pd_claim *claim, struct pd_fail *fail);

struct pn_solver;

/* What a solver is made from. Game and host must outlive it; everything else is copied. */
struct pn_solver_setup {
	const struct game *game;
	const void *root; /* a state of the game */
	const struct pd_claim *claim;
	const struct pn_options *options;
	const struct pn_host *host;        /* of search thread 0; NULL: no known facts */
	const struct pn_progress *resumed; /* its counters are where the new ones start; NULL: at 0 */
};

/* Makes a solver. PD_E_CLAIM when the claim is outside the game's scale, PD_E_UNSUPPORTED, PD_E_PARAMS when memory is
 * below PN_MEMORY_MIN, PD_E_NO_MEMORY. */
int pn_solver_new(const struct pn_solver_setup *setup, struct pn_solver **out, struct pd_fail *fail);
void pn_solver_free(struct pn_solver *solver);

/* Loads entries that an earlier solver for the same question gave out, before the first step. Later entries win; those
 * that violate P1 are left out. */
void pn_solver_load(struct pn_solver *solver, const struct pn_entry *entries, size_t count);

enum pn_state {
	PN_RUNNING,
	PN_COLLECT,
	PN_ANSWERED,
	PN_STUCK,
	PN_GATHER /* of pn_solver_run_thread only: the claim in work is settled, or there is nothing to do for this
		     thread */
};

/* Searches about `nodes` more nodes, both levels together, unless it has to return before. The quota is kept to within
 * one expansion. */
enum pn_state pn_solver_step(struct pn_solver *solver, uint64_t nodes);
/* How many more search threads there is room for; and whether more than one is of use now. */
unsigned pn_solver_room(const struct pn_solver *solver);
bool pn_solver_wants_company(const struct pn_solver *solver);
/* Adds a search thread that asks this host (copied; NULL: none) for facts; *thread is its number. PD_E_UNSUPPORTED when
 * there is no room, PD_E_NO_MEMORY. */
int pn_solver_join(struct pn_solver *solver, const struct pn_host *host, unsigned *thread, struct pd_fail *fail);
/* The search thread leaves; what it found stays to be taken. Not for thread 0. */
void pn_solver_leave(struct pn_solver *solver, unsigned thread);
/* As pn_solver_step for one search thread, together with others. Returns before its quota is used up when the solver is
 * halted, and halts it when it returns anything but PN_RUNNING. Never PN_ANSWERED. */
enum pn_state pn_solver_run_thread(struct pn_solver *solver, unsigned thread, uint64_t nodes);
/* Asks all search threads to return, or lets them go on. Any thread, at any time. */
void pn_solver_halt(struct pn_solver *solver, bool halt);
bool pn_solver_halted(const struct pn_solver *solver);
/* When all are back: takes in what they found. PN_ANSWERED, PN_STUCK, or PN_RUNNING to go on (once entries and facts
 * are taken, where one returned PN_COLLECT). */
enum pn_state pn_solver_gather(struct pn_solver *solver);

/* Why PN_STUCK; a static string. */
const char *pn_solver_why(const struct pn_solver *solver);

void pn_solver_progress(const struct pn_solver *solver, struct pn_progress *out);

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

/* Table entries, for whoever reads them without a search: the identity of the position with that exact key under the
 * claim "at least threshold", named under `names` (NULL: no key); what an entry is; and the reason that a solved one
 * stands for (PN_ENTRY_FACT; without move and job). */
struct pd_id pn_entry_id(const struct game *game, const struct pd_identity *names, int threshold, const uint8_t *key,
			 size_t size);
enum pn_entry_kind {
	PN_ENTRY_OPEN,
	PN_ENTRY_FACT,  /* solved on every path: there is a fact */
	PN_ENTRY_PATH,  /* held on one path, to which its identity belongs */
	PN_ENTRY_END,   /* the game is over */
	PN_ENTRY_BROKEN /* numbers that no entry can have (P1) */
};
enum pn_entry_kind pn_entry_kind(const struct game *game, const uint32_t num[2]);
struct pd_reason pn_entry_reason(const struct game *game, int threshold, const uint32_t num[2]);

/* What makes a reason one that no search of the game can have found, whatever the position: a bound that is none of the
 * game's values or says nothing, a rank that none can have; NULL when there is nothing. A search may be given no such
 * reason. */
const char *pn_reason_wrong(const struct game *game, const struct pd_reason *reason);

#endif
