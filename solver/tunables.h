/* Tunables: the algorithms, and the options of a search; those with a name and a range also as data and as text. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/error.h"

/* The algorithms: X(name, text, engine, policy, level 2, what it is). The engine is the search of level 1 (engine.h):
 * `pds` over the transposition table, `pn2`, `tree`, `rp` or `mopn` over a tree in memory, `pss` over a graph. The
 * policy is that of the PDS family (pds_policy.h). Level 2: a best-first PN search evaluates the leaves of level 1.
 * Their order is their number on disk: new ones go to the end. */
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
	  "comparison")                                                                                                \
	X(PN_STAR, "pn-star", pds, pn_star, false,                                                                     \
	  "PN*: depth-first with a threshold on the proof number (Seo, Iida and Uiterwijk, 2001)")                     \
	X(PN_C_STAR, "c-star", pds, c_star, false,                                                                     \
	  "C*: PN* whose AND nodes give a child all that is left (Seo, 1995)")                                         \
	X(PN_DEEP_DFPN, "deep-df-pn", pds, deep_dfpn, false,                                                           \
	  "deep df-pn: df-pn that prefers deep leaves; numbers depend on the root (Zhang et al., 2017)")               \
	X(PN_TCA, "df-pn-tca", pds, tca, false,                                                                        \
	  "df-pn with the threshold controlling algorithm where positions can come back (Kishimoto, 2010)")            \
	X(PN_DEEP_PN, "deep-pn", tree, deep, false,                                                                    \
	  "DeepPN: as pn, but deep leaves come first (Ishitobi et al., 2015)")                                         \
	X(PN_PRODUCT, "product", tree, product, false,                                                                 \
	  "product propagation: as pn, but by estimated probabilities (after Saffidine and Cazenave, 2013)")           \
	X(PN_MOPN, "mopn", mopn, none, false,                                                                          \
	  "multiple-outcome PN search: as pn, but one tree for the value of a position with at most four outcomes "    \
	  "(after Saffidine and Cazenave, 2012)")                                                                      \
	X(PN_MINIMAL, "minimal", tree, minimal, false,                                                                 \
	  "minimal proof search: as pn, but goes on until it has the proof with the fewest nodes; with detail full "   \
	  "for its export (after Saffidine, 2012)")                                                                    \
	X(PN_SNDA, "df-pn-snda", pds, snda, false,                                                                     \
	  "df-pn that counts once what several children share (after Kishimoto, 2010, by links to parents)")           \
	X(PN_DFPN_PLUS, "df-pn-plus", pds, dfpn_plus, false,                                                           \
	  "df-pn+: df-pn with costs of moves where the game has them (Nagai and Imai, 1999)")                          \
	X(PN_LAMBDA, "lambda", lambda, dfpn, true,                                                                     \
	  "threat search by orders (Thomsen, 2000), where the game has it and one side claims its best result; then "  \
	  "dfpn-pn; one thread")                                                                                       \
	X(PN_PSS, "pss", pss, none, false,                                                                             \
	  "proof-set search: as pn, but in a graph, with sets of leaves that count once what many paths lead to; "     \
	  "over paths, as pn, where positions can come back (after Mueller, 2002)")                                    \
	X(PN_RP, "rp-pn", rp, none, false,                                                                             \
	  "randomized parallel PN search: as pn, but several threads in one tree (after Saito et al., 2009)")

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

/* Initial numbers of a leaf beyond mobility and the game's own (frontier.h, playouts.h). */
struct pn_frontier {
	uint32_t look_ahead, playouts, playout_weight;
};

/* The parameters a and b of the level-2 budget. */
struct pn_fraction {
	uint32_t a, b;
};

/* Of deep-pn: R, < 0: the algorithm's own. Of deep-df-pn: E and D. */
struct pn_deep {
	double r;
	uint32_t e, d;
};

/* Of lambda: the greatest order of threats; positions that their search may make. */
struct pn_threat_options {
	uint32_t order, nodes;
};

/* What nodes have instead of sums: of level 1, children to sum over; of pss, the most members of its sets. And what
 * decides a claim where sums count in cycles: the most positions of a closure. */
struct pn_sums {
	uint32_t widen, proof_set, disproof_set, closure;
};

/* What the children of a node have to do with each other: how many positions may be spent on trying the proof of a
 * solved one on its siblings (pds_similar.h); whether those that are alike wait for each other (pds_alike.h); D of
 * rp-pn. */
struct pn_siblings {
	uint32_t similar, distance;
	bool alike;
};

struct pn_options {
	enum pn_algorithm algorithm;
	enum pn_detail detail;
	uint64_t memory;   /* bytes for table, level-2 arenas, cache and closure; at least PN_MEMORY_MIN */
	uint64_t seed;     /* shuffles the order of equal children; 0: the game's own order */
	uint64_t identity; /* secret key of the position hashes in table and cache (proto/base/identity.h), unknown to
			    * those who choose the positions. Entries are valid under the same key only. 0: none */
	uint64_t shorten;  /* nodes for a search for shorter wins once the answer is known; 0: none. Not used by the
			    * algorithms mopn and minimal, nor by pss in games without cycles */
	unsigned threads;  /* search threads at one time, at least 1; each has a level-2 arena out of `memory` */
	unsigned remote;   /* most additional search threads whose leaves are searched elsewhere (remote.h) */
	/* The tunables: PN_TUNABLES says what they mean. Level-2 budget: min(x f(x), cap), at least children + 1, with
	 * f(x) = 1 / (1 + exp((a - x) / b)) and x the entries in the table (Winands et al. 2002, section 4) and those
	 * it has lost, not for paper. The cap grows as the table fills: cap_first / (1 - fill), up to cap_last. For pn2
	 * see pn2.h. */
	double epsilon; /* < 0: the algorithm's own */
	bool mobility, heuristics, knowledge, weak, cache;
	uint32_t patience;
	uint32_t cap_first, cap_last;
	struct pn_fraction fraction;
	uint32_t sibling_limit, budgets, walkers, dovetail;
	uint32_t paper_nodes;
	uint32_t tt_entries; /* 0: what memory allows */
	bool keep_children;
	struct pn_deep deep;
	struct pn_sums sums;
	struct pn_siblings siblings;
	struct pn_frontier frontier;
	struct pn_threat_options threat;
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
	  "mobility initialization: pn and dn of a leaf start from its number of legal moves instead of 1; in df-pn "  \
	  "at level 1 as well")                                                                                        \
	X(heuristics, "heuristics", PN_YES_NO, 0, 1, 1,                                                                \
	  "initial numbers from the game's own heuristic where it has one; never for paper and pn")                    \
	X(knowledge, "knowledge", PN_YES_NO, 0, 1, 1,                                                                  \
	  "evaluation cut-off: positions that the game can solve statically are leaves; not for paper, pn2, pn, "      \
	  "detail full. With any detail: dominance, where the game has it and the search a table")                     \
	X(weak, "weak", PN_YES_NO, 0, 1, 0,                                                                            \
	  "weak PN search: the maximum child number plus the number of other children instead of the sum; not for "    \
	  "pss where no position comes back")                                                                          \
	X(cache, "cache", PN_YES_NO, 0, 1, 1,                                                                          \
	  "level 2 looks up solved positions in a cache in memory; never for paper, pn2 and pn")                       \
	X(cap_first, "cap-first", PN_WHOLE, 1, 1000000000, 2000,                                                       \
	  "node limit of a level-2 search while the transposition table is empty; not for paper and pn2")              \
	X(cap_last, "cap-last", PN_WHOLE, 1, 1000000000, 1000000,                                                      \
	  "node limit of a level-2 search when the transposition table is full, of pn2 always; not for paper")         \
	X(fraction.a, "fraction-a", PN_WHOLE, 0, 4000000000, 450000,                                                   \
	  "table entries, lost ones included, at which the level-2 budget reaches half of their number; not for "      \
	  "paper")                                                                                                     \
	X(fraction.b, "fraction-b", PN_WHOLE, 1, 4000000000, 300000,                                                   \
	  "how slowly that share grows around `fraction-a`, in table entries; not for paper")                          \
	X(sibling_limit, "sibling-limit", PN_WHOLE, 0, 1000000000, 8,                                                  \
	  "a level-2 search ends when the leaf's number passes this multiple of the next sibling's, and level 1 uses " \
	  "initial numbers; 0: neither; not for paper and pn2")                                                        \
	X(budgets, "budgets", PN_WHOLE, 1, 1000, 4,                                                                    \
	  "a level-2 search goes on for up to this many budgets while the leaf is still the best of its siblings; "    \
	  "not for paper and pn2")                                                                                     \
	X(walkers, "walkers", PN_WHOLE, 1, 16, 1,                                                                      \
	  "level-1 searches that take turns on each search thread; not for paper and pn2")                             \
	X(dovetail, "dovetail", PN_WHOLE, 0, 1000000000, 0,                                                            \
	  "threads and walkers share solved positions alone, with `cache`; seeds and settings differ; a walker's "     \
	  "turn "                                                                                                      \
	  "is this many nodes; 0: they share all; not for paper, pn2 and pn")                                          \
	X(paper_nodes, "paper-nodes", PN_WHOLE, 1, 1000000000, 1000000,                                                \
	  "of paper: nodes that both levels together may store (N in the paper)")                                      \
	X(tt_entries, "table", PN_WHOLE, 16, 4000000000, 0,                                                            \
	  "size of the transposition table in entries, limited by memory; default: what memory allows")                \
	X(keep_children, "keep-children", PN_YES_NO, 0, 1, 1,                                                          \
	  "of pn2: keep the children of a level-2 root with their numbers, not only the root")                         \
	X(deep.r, "deep-r", PN_REAL, 0, 1, -1,                                                                         \
	  "of deep-pn: R, from 1 (as pn) to 0 (nearly depth-first); default 0.65")                                     \
	X(deep.e, "deep-e", PN_WHOLE, 1, 1000, 2, "of deep-df-pn: E, by how much a leaf is worth less a ply deeper")   \
	X(deep.d, "deep-d", PN_WHOLE, 0, 1000, 6, "of deep-df-pn: D, the depth from which on leaves count 1")          \
	X(sums.widen, "widen", PN_WHOLE, 0, 4000, 0,                                                                   \
	  "dynamic widening: level 1 sums over that many children in the order of selection; 0: over all")             \
	X(frontier.look_ahead, "look-ahead", PN_WHOLE, 0, 3, 0,                                                        \
	  "initial numbers come from a tree of so many plies below the leaf, whose leaves begin as `mobility` and "    \
	  "`heuristics` say; not for paper, not on workers")                                                           \
	X(frontier.playouts, "playouts", PN_WHOLE, 0, 200, 0,                                                          \
	  "initial numbers come from so many games at random, instead of `mobility` and `heuristics`; 0: none; not "   \
	  "for paper, not on workers")                                                                                 \
	X(frontier.playout_weight, "playout-weight", PN_WHOLE, 0, 100000, 10,                                          \
	  "with `playouts`: pn begins at 1 plus this times the share of games in which the claim fails, dn at 1 plus " \
	  "this times the others")                                                                                     \
	X(threat.order, "threat-order", PN_WHOLE, 0, 16, 3,                                                            \
	  "of lambda: the greatest order of threats (in games of lines, 1: fours alone, 2: threes as well)")           \
	X(threat.nodes, "threat-nodes", PN_WHOLE, 0, 4000000000, 10000000,                                             \
	  "of lambda: positions that the search for threats may make, all orders together, before dfpn-pn begins")     \
	X(sums.proof_set, "proof-set", PN_WHOLE, 0, 1000, 1,                                                           \
	  "of pss: the most members that a proof set keeps; it counts the others, perhaps more than once; 0: as pn")   \
	X(sums.disproof_set, "disproof-set", PN_WHOLE, 0, 1000, 1, "of pss: the same of disproof sets")                \
	X(siblings.similar, "similar", PN_WHOLE, 0, 10000, 0,                                                          \
	  "similar positions: when level 1 has solved a move, it tries the same proof on the sibling moves, looking "  \
	  "at no more than this many positions; 0: never; not for paper")                                              \
	X(siblings.alike, "alike", PN_YES_NO, 0, 1, 0,                                                                 \
	  "dependent moves: of those that the game calls alike, level 1 counts and searches one at a time; not for "   \
	  "paper and df-pn-snda")                                                                                      \
	X(sums.closure, "closure", PN_WHOLE, 0, 100000000, 2000000,                                                    \
	  "in games with cycles: most positions that are listed to decide the claim by retrograde analysis, in half "  \
	  "of the memory at most; 0: none; not for paper and pn")                                                      \
	X(siblings.distance, "distance", PN_WHOLE, 0, 1000000, 1,                                                      \
	  "of rp-pn: each thread but the first picks a child at random among those whose number exceeds the best "     \
	  "one's by at most this; 0: they follow the best one, too")
struct pn_tunable {
	const char *name;
	enum pn_kind kind;
	int64_t min, max, preset; /* of yes/no: 0, 1 */
	const char *what;         /* one sentence without a full stop */
	size_t offset;            /* in struct pn_options */
};

/* `index` from 0, in the order of PN_TUNABLES; NULL after the last. */
const struct pn_tunable *pn_tunable_at(unsigned index);

enum { PN_TUNABLE_TEXT = 32 };
/* The value as text that pn_option_set reads and JSON knows: 500, 0.25, true. False when it is the default. */
bool pn_option_text(const struct pn_options *options, const struct pn_tunable *tunable, char out[PN_TUNABLE_TEXT]);
/* Sets the tunable of that name. Whole numbers may be written 500 or 5e2, yes/no as yes, no, true or false. PD_E_PARAMS
 * with field "options" for an unknown name (the message says where they are listed), for text that is not a value, and
 * for a value out of range; then nothing is changed. */
int pn_option_set(struct pn_options *options, const char *name, const char *text, struct pd_fail *fail);

#define PN_MEMORY_MIN (UINT64_C(1) << 13)

/* The defaults: pds-pn, frontier, 512 MiB. */
void pn_options_init(struct pn_options *options);
