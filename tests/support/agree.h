/* Agree: searches every position of a set, and compares all answers and facts with retrograde analysis.
 *
 * The set is enumerated by a retrograde analysis (retro.h, men.h). The positions are taken in a shuffled order. For
 * each the four claims First wins, Second wins, First draws and Second draws are decided, sometimes also the value. A
 * claim that the facts found so far do not answer is searched, and the search may use these facts. Some positions are
 * also searched without facts, to test the search alone. With two threads, two searches run side by side on the same
 * facts, each on every second position, so that each feeds the other. Open claims are searched again in rounds.
 *
 * Each answer is compared (bounds, verdict, plies, and the position after the move), and each fact (its bound; its
 * rank, which is never below the distance; no rank exactly where infinite play gives the bound). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "solver/solver.h"
#include "tests/support/men.h"
#include "tests/support/retro.h"

struct agree_set {
	const struct game *game;   /* with values -1 to 1, and infinite play worth 0 */
	const struct retro *retro; /* contains all positions reachable from the set; NULL: `men` does */
	unsigned solved[2];        /* its claims "at least 0" and "at least 1"; for `men` 0 and 1 */
	/* Whether a position is searched; NULL: all are. */
	bool (*asked)(const void *ctx, const uint8_t *key, size_t size);
	const void *ctx;
	const struct men *men;
	const char *material; /* of `men`, to be searched */
	/* The group of a position, below AGREE_GROUPS; each group has its own `patience`. NULL: one group. */
	unsigned (*group)(const uint8_t *key, size_t size);
};

struct agree_plan {
	struct pn_options options; /* the seed also determines the order of positions */
	unsigned threads;          /* 1 or 2 */
	unsigned share;            /* one position in this many is searched; 1: all */
	unsigned scratch;          /* one in this many of those is also searched without facts; 0: none */
	uint64_t nodes;            /* limit of one search; beyond it the claim stays open */
	uint64_t again;    /* limit of a repeated search, with ordinary memory and level-2 budgets; 0: no repeats */
	unsigned rounds;   /* further rounds for open claims, each with four times the nodes and with the facts found so
			    far; a round without answers is the last */
	unsigned patience; /* when repeated searches of a group left this many more claims open than they answered, no
			      more are made until the next round; 0: no limit */
	bool justify;      /* at the end each fact is justified by the others (factbase_check) */
	bool quiet;        /* faults are counted and not printed */
};

enum { AGREE_GROUPS = 64 };

struct agree_sum {
	uint64_t positions; /* searched, without those in which the game is over */
	uint64_t searches;  /* for claims that no fact answered */
	uint64_t scratch;   /* searches without facts */
	uint64_t nodes;
	uint64_t answers;            /* of searches, compared */
	uint64_t known;              /* answers from facts, compared */
	uint64_t facts;              /* of searches, compared */
	uint64_t unranked;           /* of these, without a rank */
	uint64_t kept;               /* positions with a fact at the end */
	uint64_t justified;          /* facts */
	uint64_t again;              /* repeated searches: with the small table the first one made no progress */
	uint64_t later;              /* claims answered in a later round */
	uint64_t unanswered;         /* claims open at the end: nodes, memory or depth did not suffice */
	uint64_t bare;               /* searches without facts that stayed open; not in `unanswered` */
	uint64_t open[AGREE_GROUPS]; /* `unanswered` by group */
	uint64_t wrong;              /* answers, facts, contradictions, facts without justification */
};

enum { AGREE_PLACES = 1 << 8 };

/* Memory that gives the algorithm a table of AGREE_PLACES entries (solver.c, pn_make_parts). `paper` needs the option
 * paper_nodes as well; `pn` has no table, but its tree needs memory. */
uint64_t agree_memory(enum pn_algorithm algorithm);

/* Adds to *sum. */
void agree_run(const struct agree_set *set, const struct agree_plan *plan, struct agree_sum *sum);

void agree_add(struct agree_sum *sum, const struct agree_sum *more);
