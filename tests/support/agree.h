/* Agree: every position of a set is asked of the search, and all that it says is compared with retrograde analysis.
 *
 * The set is what a retrograde analysis has enumerated (retro.h, men.h). The positions are taken in a shuffled order,
 * and each is asked the four claims: First wins, Second wins, First draws, Second draws; now and then its value. What
 * the facts found so far do not answer is searched, and these facts are what the search may ask for. Some positions are
 * searched without any facts as well, so that it is the search that is tested and not what it was told. With two
 * threads two searches run side by side on the same facts, each with every second position, so that what one finds
 * feeds the other while it runs. What stays open is asked again when all have been asked, in rounds.
 *
 * Compared are each answer (bounds, yes or no, the plies, and where the move leads) and each fact (its bound; its rank,
 * which is never below the distance; that exactly what infinite play serves has none). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "solver/solver.h"
#include "tests/support/men.h"
#include "tests/support/retro.h"

struct agree_set {
	const struct game *game;   /* with values -1 to 1, and infinite play worth 0 */
	const struct retro *retro; /* all that the positions lead to is in it; NULL: it is in `men` */
	unsigned solved[2];        /* its claims "at least 0" and "at least 1"; of `men` 0 and 1 */
	/* Whether a position is to be asked; NULL: all are. */
	bool (*asked)(const void *ctx, const uint8_t *key, size_t size);
	const void *ctx;
	const struct men *men;
	const char *material; /* of `men`, to be asked */
	/* Sorts positions into AGREE_GROUPS, of which each is given up for itself (`patience`). NULL: they are one. */
	unsigned (*group)(const uint8_t *key, size_t size);
};

struct agree_plan {
	struct pn_options options; /* the seed goes into the order of positions, too */
	unsigned threads;          /* 1 or 2 */
	unsigned share;            /* one position in this many is asked; 1: all */
	unsigned scratch;          /* one in this many of those is searched without facts, too; 0: none */
	uint64_t nodes;            /* of one search; what takes more is asked again */
	uint64_t again; /* nodes of a search that is made again, with ordinary memory and level-2 budgets; 0: none is */
	unsigned rounds; /* what stays open in the end is asked so often more, each time with four times the nodes, and
			    with the facts found meanwhile; a round that brings nothing is the last */
	unsigned
		patience; /* when this many more stayed open than were answered, no more searches of that group are made
			      again until the next round; 0: there is no end to it */
	bool justify;     /* at the end each fact is justified by the others (factbase_check) */
	bool quiet;       /* what is wrong is counted and not printed */
};

enum { AGREE_GROUPS = 64 };

struct agree_sum {
	uint64_t positions; /* asked; those in which the game is over are not */
	uint64_t searches;  /* for a claim that no fact answered */
	uint64_t scratch;   /* searches without facts */
	uint64_t nodes;
	uint64_t answers;    /* of searches, compared */
	uint64_t known;      /* answers out of the facts, compared */
	uint64_t facts;      /* given out by searches, compared */
	uint64_t unranked;   /* of these, without a rank */
	uint64_t kept;       /* different positions with a fact at the end */
	uint64_t justified;  /* facts */
	uint64_t again;      /* searches made again: the small table made the search repeat itself */
	uint64_t later;      /* claims that stayed open at first, and were answered in a later round */
	uint64_t unanswered; /* claims that stayed open in the end, too: nodes, memory or depth were not enough */
	uint64_t bare;       /* searches without facts of which that is so; not in `unanswered` */
	uint64_t open[AGREE_GROUPS]; /* `unanswered` by group */
	uint64_t wrong;              /* answers, facts, contradictions, facts without justification */
};

enum { AGREE_PLACES = 1 << 8 };

/* Memory with which the algorithm gets a table of AGREE_PLACES entries (solver_step.c, make_parts); `paper` is told so
 * by its option paper_nodes as well, and `pn` has no table, but its tree needs room. */
uint64_t agree_memory(enum pn_algorithm algorithm);

/* Adds to *sum. */
void agree_run(const struct agree_set *set, const struct agree_plan *plan, struct agree_sum *sum);

void agree_add(struct agree_sum *sum, const struct agree_sum *more);
