/* Facts: what is proved about a position, with reasons.
 *
 * A fact is `lo <= value <= hi` for one position, the value being what First gets with best play. Each bound that was
 * proved is a *reason*: the bound, how many plies it takes at most (rank), the move that secures it, and how it can be
 * checked. A fact keeps, for each side, the reasons that no other reason makes useless: a stronger bound replaces a
 * weaker one only when its rank is not larger, because other facts may depend on the weaker bound with the smaller rank
 * (F3).
 *
 * How a reason is checked (F2). With effort 0, by looking one ply down: where the mover wants the bound, `move` leads
 * to a position that has the bound with a smaller rank; elsewhere every legal move does; terminal positions have it by
 * the rules. With effort > 0, by a bounded search of about that many nodes, because its sub-tree was not kept.
 *
 * By dominance: the position is at least as good for the side of the bound as another with the same board part
 * (game_rules.h, `dominates`), whose fact has a reason at least as strong and of at most the same rank. Such a reason
 * has effort 0 and names the order part of the other position.
 *
 * Where positions can repeat, infinite play secures lower bounds not above its worth and upper bounds not below it.
 * Such a reason has the rank PD_RANK_NONE, and the reasons that it depends on may depend on it in turn (F3).
 *
 * The scale of the game limits the number of reasons: each has its own bound on its side. Most facts have one to four,
 * which are in the fact itself; more are in memory that the fact owns. So a fact begins as `{0}` or by pd_fact_init,
 * may be moved, is copied by pd_fact_copy, and ends with pd_fact_fini. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum pd_side { PD_LO = 0, PD_HI = 1 };

enum {
	PD_NO_MOVE = 0xffff,   /* no move is recorded: with effort 0 every legal move secures the bound */
	PD_RANK_MAX = 0xfffd,  /* plies; the largest rank that can be recorded */
	PD_RANK_NONE = 0xffff, /* no rank: infinite play may secure the bound */
	PD_REASONS_FEW = 4     /* reasons that a fact holds without memory of its own */
};

struct pd_reason {
	int16_t bound;   /* PD_LO: value >= bound. PD_HI: value <= bound. On the game's own scale, First's view */
	uint8_t side;    /* enum pd_side */
	uint16_t rank;   /* plies to the end of the game at most, 1..PD_RANK_MAX, or PD_RANK_NONE */
	uint16_t move;   /* in the frame of the position's exact key (game.h: canon), or PD_NO_MOVE */
	uint32_t effort; /* 0: justified one ply down; else nodes of the bounded search that finds it again */
	uint32_t job;    /* the job that found it; 0: none; with PD_GIVER_BIT the worker that gave it */
	/* By dominance: 1 + the order part of the dominated position's key, as a number with its first byte lowest. 0:
	 * not by dominance. */
	uint64_t dominated;
};

/* A reason from a worker of another machine names the worker instead of a job, so that all its reasons can be found
 * when it is no longer trusted. No job has a number with this bit. */
#define PD_GIVER_BIT UINT32_C(0x80000000)
enum { PD_GIVER_TEXT = 9 };

static inline bool pd_is_giver(uint32_t job)
{
	return (job & PD_GIVER_BIT) != 0;
}

/* The giver number of a worker. */
static inline uint32_t pd_giver_of(uint64_t worker)
{
	return PD_GIVER_BIT | (uint32_t)(worker & (PD_GIVER_BIT - 1));
}

/* Its eight hexadecimal digits; returns `text`. */
const char *pd_giver_print(uint32_t giver, char text[PD_GIVER_TEXT]);
/* Reads eight digits of a giver, or the sixteen of a worker's number; 0: the text is neither. */
uint32_t pd_giver_parse(const char *text);

/* The reasons are read by pd_fact_reasons: first PD_LO by falling bound, then PD_HI by rising bound. */
struct pd_fact {
	uint32_t count;         /* 0: nothing is proved */
	uint32_t room;          /* of `many` */
	struct pd_reason *many; /* owned; NULL: the reasons are in `few` */
	struct pd_reason few[PD_REASONS_FEW];
};

static inline void pd_fact_init(struct pd_fact *fact)
{
	fact->count = fact->room = 0;
	fact->many = NULL;
}

static inline void pd_fact_fini(struct pd_fact *fact)
{
	if (fact->many)
		free(fact->many);
	pd_fact_init(fact);
}

/* Borrowed until the fact changes. */
static inline const struct pd_reason *pd_fact_reasons(const struct pd_fact *fact)
{
	return fact->many ? fact->many : fact->few;
}

/* Makes room for `count` reasons in all; false when memory runs out. */
bool pd_fact_reserve(struct pd_fact *fact, uint32_t count);
/* Appends a reason unchecked; false when memory runs out. */
static inline bool pd_fact_append(struct pd_fact *fact, const struct pd_reason *reason)
{
	if (fact->count >= (fact->many ? fact->room : PD_REASONS_FEW) && !pd_fact_reserve(fact, fact->count + 1))
		return false;
	(fact->many ? fact->many : fact->few)[fact->count++] = *reason;
	return true;
}
/* Replaces the initialized fact `to` with a copy. False when memory runs out; `to` is then unchanged. */
bool pd_fact_copy(struct pd_fact *to, const struct pd_fact *from);
/* Removes the reasons for which `good` returns false. */
void pd_fact_keep(struct pd_fact *fact, bool (*good)(void *ctx, const struct pd_reason *reason), void *ctx);

/* Adds a reason. Returns 1 when it is new, 0 when the fact already has one as good, -1 when it contradicts the fact
 * (lo > hi: F4), -2 when memory runs out. The fact is unchanged unless it returns 1. */
int pd_fact_add(struct pd_fact *fact, const struct pd_reason *reason);

/* The strongest reason of a side, NULL when there is none. Borrowed until the fact changes. */
static inline const struct pd_reason *pd_fact_best(const struct pd_fact *fact, enum pd_side side)
{
	const struct pd_reason *r = pd_fact_reasons(fact);
	for (uint32_t i = 0; i < fact->count; i++)
		if (r[i].side == side)
			return &r[i];
	return NULL;
}

/* The reason whose rank is reported: the winning side's; where 0 is possible, the one with the larger rank. NULL when
 * nothing is proved. Borrowed until the fact changes. */
const struct pd_reason *pd_fact_deciding(const struct pd_fact *fact);

/* The reason of smallest rank that is at least as strong as `bound`; NULL when there is none. Borrowed. */
const struct pd_reason *pd_fact_find(const struct pd_fact *fact, enum pd_side side, int bound);
