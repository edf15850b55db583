/* Solver: answers a question about one position by proof-number search.
 *
 * It does no I/O and knows no thread: it is told to step, says what it found, and asks for known facts through pn_host.
 * Same game, question, options and table content, and one walker: the same run, node for node (P4), however it is cut
 * into steps.
 *
 *            pn_solver_new -> [pn_solver_load ...] -> pn_solver_step ... -> PN_ANSWERED
 *                                                       |  PN_RUNNING: quota used up; step again
 *                                                       |  PN_COLLECT: buffers are full; take entries and facts, step
 * again |  PN_STUCK: cannot go on (memory); `why` says so
 *
 * Several threads may search for one solver, each by a walker of its own (options.walkers):
 *
 *            pn_solver_join ... -> pn_solver_gather -> pn_solver_run_thread, by each thread for its walker -> all back
 *                                  -> pn_solver_gather -> ...
 *
 * Nothing but pn_solver_run_thread, pn_solver_halt and pn_solver_progress may be called while anybody walks.
 * pn_solver_step is both for a solver whose only walker is the first, which is always there.
 *
 * What it finds between two takes belongs together: whoever takes the entries also takes the facts and the progress,
 * and makes them durable in one transaction (D2). A table entry with a solved pair has its fact in the same or an
 * earlier take, unless it stands for a position on one path only (pds.h, twins). */
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

/* What walks level 1: PDS or df-pn over the table (pds.h), or a best-first tree in memory (tree.h, pn2.h). */
enum pn_walk { PN_WALK_PDS, PN_WALK_DFPN, PN_WALK_TREE };

/* X(name, text, level 1, PN search at its leaves, what it is) */
#define PN_ALGORITHMS(X)                                                                                               \
	X(PN_PDS_PN, "pds-pn", PN_WALK_PDS, true,                                                                      \
	  "PDS over the table, best-first PN search at its leaves; the default")                                       \
	X(PN_PAPER, "paper", PN_WALK_PDS, true, "PDS-PN to the letter of Winands, Uiterwijk and van den Herik, 2002")  \
	X(PN_DFPN_PN, "dfpn-pn", PN_WALK_DFPN, true, "df-pn over the table, best-first PN search at its leaves")       \
	X(PN_PDS, "pds", PN_WALK_PDS, false, "PDS alone, one level")                                                   \
	X(PN_DFPN, "df-pn", PN_WALK_DFPN, false, "df-pn with 1 + epsilon alone, one level")                            \
	X(PN_PN2, "pn2", PN_WALK_TREE, true,                                                                           \
	  "best-first PN search in one tree, PN search at its leaves; no table, no facts consulted")                   \
	X(PN_PN, "pn", PN_WALK_TREE, false,                                                                            \
	  "plain best-first PN search in one tree: no table, no facts consulted, for checking")

enum pn_algorithm {
#define X(name, text, walk, leaves, what) name,
	PN_ALGORITHMS(X)
#undef X
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
	uint64_t memory;   /* bytes for table, level-2 arena and cache together; at least PN_MEMORY_MIN */
	uint64_t seed;     /* mixed into the order of equal children; 0: the game's own order */
	uint64_t identity; /* the key that positions are named with in table and cache (proto/base/identity.h): who
			    * chose the positions must not know it. Table entries are of use under the same key only. 0:
			    * none */
	uint64_t shorten;  /* nodes for shorter wins once the answer is known; 0: the first will do */
	unsigned threads;  /* at most so many at one time, at least 1; each has a level-2 arena out of `memory` */
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

/* What a user may turn: X(member of pn_options, name, kind, least, greatest, default, what it does). Members are
 * uint32_t, double and bool by kind. A default outside the range: the algorithm decides. */
#define PN_TUNABLES(X)                                                                                                 \
	X(epsilon, "epsilon", PN_REAL, 0, 100, -1,                                                                     \
	  "thresholds rise by this share of a number; left alone 0.25 for df-pn, 0 for PDS")                           \
	X(patience, "patience", PN_WHOLE, 2, 1000000000, 16,                                                           \
	  "PDS leaves a node early when one number is so many times its threshold; not for paper")                     \
	X(mobility, "mobility", PN_YES_NO, 0, 1, 1,                                                                    \
	  "first numbers are 1 and the number of moves, not 1 and 1; in df-pn at level 1, too")                        \
	X(heuristics, "heuristics", PN_YES_NO, 0, 1, 1,                                                                \
	  "the game's own first numbers where it has them; never for paper and pn")                                    \
	X(knowledge, "knowledge", PN_YES_NO, 0, 1, 1,                                                                  \
	  "what a game knows beyond its rules is sum_limit; not for paper, pn2, pn, detail full")                      \
	X(weak, "weak", PN_YES_NO, 0, 1, 0, "the greatest number and 1 for each other one instead of sums")            \
	X(cache, "cache", PN_YES_NO, 0, 1, 1,                                                                          \
	  "level 2 consults solved positions in memory; never for paper, pn2 and pn")                                  \
	X(cap_first, "cap-first", PN_WHOLE, 1, 1000000000, 2000,                                                       \
	  "most nodes of a level-2 search while the table is empty; not for paper and pn2")                            \
	X(cap_last, "cap-last", PN_WHOLE, 1, 1000000000, 1000000,                                                      \
	  "most nodes of a level-2 search when the table is full, of pn2 always; not for paper")                       \
	X(fraction_a, "fraction-a", PN_WHOLE, 0, 4000000000, 450000,                                                   \
	  "a in the level-2 budget x / (1 + exp((a - x) / b)) for x entries; not for paper")                           \
	X(fraction_b, "fraction-b", PN_WHOLE, 1, 4000000000, 300000, "b in the level-2 budget; not for paper")         \
	X(paper_nodes, "paper-nodes", PN_WHOLE, 1, 1000000000, 1000000, "of paper: all nodes that may be stored")      \
	X(tt_entries, "table", PN_WHOLE, 16, 4000000000, 0,                                                            \
	  "places of the table, where memory allows so many; left alone what it allows")                               \
	X(keep_children, "keep-children", PN_YES_NO, 0, 1, 1,                                                          \
	  "of pn2: what a level-2 search says of each move is kept, not of the leaf alone")

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
enum pn_walk pn_algorithm_walk(enum pn_algorithm algorithm);
bool pn_algorithm_leaves(enum pn_algorithm algorithm);

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
	X(PN_POINT_START, 1, "before a claim is started, or after the last is answered")                               \
	X(PN_POINT_TURN, 2, "between two turns of a level-1 loop")                                                     \
	X(PN_POINT_LEVEL2, 3, "between two expansions of a tree")                                                      \
	X(PN_POINT_COLLECT, 4, "between two turns, because facts or entries want to be taken")                         \
	X(PN_POINT_STUCK, 5, "where memory could not be had")

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
	uint64_t entries, capacity; /* level-1 table, or tree of pn2 */
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

/* Makes a solver. The game and the host must outlive it; `root` is copied. PD_E_CLAIM when the claim is outside the
 * game's scale, PD_E_UNSUPPORTED, PD_E_NO_MEMORY. progress counters start at those of `resumed` unless that is NULL. */
int pn_solver_new(const struct game *game, const void *root, const struct pd_claim *claim,
		  const struct pn_options *options, const struct pn_host *host, const struct pn_progress *resumed,
		  struct pn_solver **out, struct pd_fail *fail);
void pn_solver_free(struct pn_solver *solver);

/* Puts back entries that an earlier solver for the same question gave out; before the first step. Later entries win. */
void pn_solver_load(struct pn_solver *solver, const struct pn_entry *entries, size_t count);

enum pn_state {
	PN_RUNNING,
	PN_COLLECT,
	PN_ANSWERED,
	PN_STUCK,
	PN_GATHER /* of pn_solver_run_thread only: the claim in work is settled, or there is nothing to do for this
		     walker */
};

/* Searches until about `nodes` more nodes (both levels together) are made, or something is to be told. The quota is
 * kept to within one expansion. */
enum pn_state pn_solver_step(struct pn_solver *solver, uint64_t nodes);
/* How many more walkers there is room for; and whether more than the first are of use now. */
unsigned pn_solver_room(const struct pn_solver *solver);
bool pn_solver_wants_company(const struct pn_solver *solver);
/* Adds a walker that asks this host (copied; NULL: none) for facts; *walker is its number. PD_E_UNSUPPORTED when there
 * is no room, PD_E_NO_MEMORY. */
int pn_solver_join(struct pn_solver *solver, const struct pn_host *host, unsigned *thread, struct pd_fail *fail);
/* The walker leaves; what it found stays to be taken. Not for walker 0. */
void pn_solver_leave(struct pn_solver *solver, unsigned thread);
/* As pn_solver_step for one walker, together with others. Returns before its quota is used up when the solver is
 * halted, and halts it when it returns anything but PN_RUNNING. Never PN_ANSWERED. */
enum pn_state pn_solver_run_thread(struct pn_solver *solver, unsigned thread, uint64_t nodes);
/* Asks all walkers to come back, or lets them go on. Any thread, at any time. */
void pn_solver_halt(struct pn_solver *solver, bool halt);
bool pn_solver_halted(const struct pn_solver *solver);
/* When all are back: takes in what they came back with. PN_ANSWERED, PN_STUCK, or PN_RUNNING to go on (once entries and
 * facts are taken, where one said PN_COLLECT). */
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
			   PD_RANK_NONE: a bound is held for ever */
};

void pn_solver_answer(const struct pn_solver *solver, struct pn_answer *out);

/* Moves up to `max` entries that changed since they were last taken to `out`; returns how many, 0 when there are no
 * more. */
size_t pn_solver_take_entries(struct pn_solver *solver, struct pn_entry *out, size_t max);

/* The facts found since the last take, in the order found; calls `each` for every one and forgets them. The key is
 * borrowed during the call. */
void pn_solver_take_facts(struct pn_solver *solver,
			  void (*each)(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *reason),
			  void *ctx);

/* A sweep over the whole table for the rolling snapshot: copies up to `max` entries from *cursor on and moves it;
 * *cursor is 0 to begin and UINT64_MAX when the sweep is complete. */
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
