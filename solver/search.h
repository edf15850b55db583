/* Search: what a search is asked and what it reports, shared by the solver and its engines: algorithms, options, the
 * host that it asks for facts, entries of the transposition table, progress. */
#ifndef PN_SEARCH_H
#define PN_SEARCH_H

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
	  "best-first PN search in one tree, a second PN search evaluates its leaves; no transposition table; "        \
	  "known facts of the root alone")                                                                             \
	X(PN_PN, "pn", tree, none, false,                                                                              \
	  "plain best-first PN search in one tree: no transposition table, known facts of the root alone; for "        \
	  "comparison")

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
	unsigned remote;   /* search threads besides, at most, whose leaves are searched elsewhere (remote.h) */
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
	  "a of the level-2 budget x / (1 + exp((a - x) / b)), x entries that the table holds or has lost; not for "   \
	  "paper")                                                                                                     \
	X(fraction_b, "fraction-b", PN_WHOLE, 1, 4000000000, 300000, "b of the level-2 budget; not for paper")         \
	X(paper_nodes, "paper-nodes", PN_WHOLE, 1, 1000000000, 1000000,                                                \
	  "of paper: nodes that both levels may store together (N in the paper)")                                      \
	X(tt_entries, "table", PN_WHOLE, 16, 4000000000, 0,                                                            \
	  "size of the transposition table in entries, at most what memory allows; default: what memory allows")       \
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
/* What it is, for people. */
const char *pn_algorithm_what(enum pn_algorithm algorithm);
/* Whether it searches over a transposition table, evaluates leaves by a level-2 search, can use several threads. */
bool pn_algorithm_has_tt(enum pn_algorithm algorithm);
bool pn_algorithm_has_level2(enum pn_algorithm algorithm);
bool pn_algorithm_has_threads(enum pn_algorithm algorithm);

/* What a solver may ask while it steps, from the thread that steps it. */
struct pn_host {
	void *ctx;
	/* The fact about a key; false when nothing is known. NULL: nothing is ever known. It may read the disk; the
	 * search stands still meanwhile. Every algorithm asks for the root; level 1 asks for each position that is
	 * neither in the transposition table nor in the cache (not for paper, pn2 and pn). */
	bool (*fact)(void *ctx, const uint8_t *key, size_t size, struct pd_fact *out); /* *out was made before */
	/* The search has found a fact about a key, which pn_solver_take_facts will give out. NULL: the host waits for
	 * that. */
	void (*found)(void *ctx, const uint8_t *key, size_t size);
};

/* A level-1 table entry as plain data, for the journal and the snapshot. */
struct pn_entry {
	struct pd_id id; /* hash of exact key and claim; never {0, 0} */
	uint32_t num[2]; /* proof and disproof number */
	uint32_t work;   /* nodes searched below it, saturating */
	uint16_t move;   /* best move in the key's frame, or PD_NO_MOVE */
	uint16_t depth;  /* the smallest distance from the root at which it was met */
};

/* Nodes spent on a position, where that is not known. */
#define PN_EFFORT_UNKNOWN UINT64_MAX

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
	game_move leading;          /* at the root, in its own frame: where the claim in work looks most promising for
				       the mover; PD_NO_MOVE while no claim is */
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

#endif
