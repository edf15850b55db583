/* Facts: what is proved about a position, and why.
 *
 * A fact is `lo <= value <= hi` for one position, the value being what First gets with best play. Each bound that was proved
 * is a *reason*: the bound, how many plies it takes at most (rank), the move that secures it, and how it can be checked.
 * A fact keeps, for each side, the reasons that no other reason makes useless: a stronger bound replaces a weaker one
 * only when its rank is not larger, because other facts may lean on the weaker bound with the smaller rank (F3).
 *
 * How a reason is checked (F2). With effort 0 by looking one ply down: where the mover wants the bound, `move` leads to a
 * position that has the bound with a smaller rank; elsewhere every legal move does; terminal positions have it by the rules.
 * With effort > 0 by a bounded search of about that many nodes: its sub-tree was not kept.
 *
 * Where positions can come back, infinite play serves one side: a lower bound not above its worth, an upper bound not below it. Such a
 * reason has the rank PD_RANK_NONE, and those that it leans on may lean on it in turn (F3). */
#ifndef PD_FACT_H
#define PD_FACT_H

#include <stdbool.h>
#include <stdint.h>

enum pd_side { PD_LO = 0, PD_HI = 1 };

enum {
	PD_NO_MOVE = 0xffff,    /* no move of the mover's is recorded: every legal move secures the bound */
	PD_RANK_MAX = 0xfffd,   /* plies; the longest rank that can be recorded */
	PD_RANK_NONE = 0xffff,  /* the bound is held, if need be by going on for ever */
	PD_REASONS_MAX = 16     /* reasons of one fact */
};

struct pd_reason {
	int16_t bound;    /* PD_LO: value >= bound. PD_HI: value <= bound. On the game's own scale, First's view */
	uint8_t side;     /* enum pd_side */
	uint16_t rank;    /* plies to the end of the game at most, 1..PD_RANK_MAX, or PD_RANK_NONE */
	uint16_t move;    /* in the frame of the position's exact key (game.h: canon), or PD_NO_MOVE */
	uint32_t effort;  /* 0: justified one ply down; else nodes of the bounded search that finds it again */
	uint32_t job;     /* the job that found it; 0: none */
};

struct pd_fact {
	uint8_t count;                            /* 0: nothing is proved */
	struct pd_reason reason[PD_REASONS_MAX];  /* first PD_LO by falling bound, then PD_HI by rising bound */
};

/* Adds a reason. Returns 1 when it was news, 0 when the fact already says as much, -1 when it contradicts the fact (lo > hi; the fact
 * is then unchanged: F4), -2 when the fact is full. */
int pd_fact_add(struct pd_fact *fact, const struct pd_reason *reason);

/* The strongest reason of a side, NULL when there is none. Borrowed until the fact changes. */
const struct pd_reason *pd_fact_best(const struct pd_fact *fact, enum pd_side side);

/* The reason of smallest rank that is at least as strong as `bound`; NULL when there is none. Borrowed. */
const struct pd_reason *pd_fact_find(const struct pd_fact *fact, enum pd_side side, int bound);

#endif
