/* Numbers: proof and disproof numbers (Allis 1994).
 *
 * A pair num[2] = {pn, dn} says how far a claim is from being proved and disproved: the least number of leaves that
 * would have to be proved, or disproved.
 *
 *   P1. A pair is solved exactly if one number is 0; the other is then infinite. Numbers from PN_INF on are infinite;
 *       their low 16 bits (num_rank) say how it was solved. So {0, PN_INF + rank} is proved, {PN_INF + rank, 0} is
 *       disproved, and no other pair has a 0 or an infinite number.
 *   P2. Sums saturate at PN_INF - 1: a sum is never infinite.
 *
 * OR and AND nodes are treated alike by k, 0 at an OR node and 1 at an AND node: num[k] is the number that is the
 * minimum over the children (delta of the child in negamax form), num[1 - k] the one that is their sum (phi).
 *
 * Ranks. Of an outcome that is ranked (ghi.h) the rank is the number of plies within which the game is decided: of
 * several wins the mover takes the one of least rank, and a loss has the greatest rank of its replies plus one. For
 * unranked outcomes of games with cycles the same order tells how far a result depends on the path; ghi.h says how. */
#pragma once

#include <stdint.h>

#include "proto/base/assert.h"

#define PN_INF 0xffff0000u

enum {
	NUM_ANY_PATH = 1,            /* unranked outcomes: true on every path */
	NUM_PATH_DEPENDENT = 0xfff0, /* unranked: minus the depth of the highest node that the result depends on */
	NUM_CUT_OFF = 0xfffe         /* all outcomes: the path could not be continued; nothing is known */
};

static inline bool num_solved(const uint32_t num[2])
{
	return num[0] == 0 || num[1] == 0;
}

/* Whether a pair obeys P1: solved with a rank within its limit, or two finite numbers. */
static inline bool num_sound(const uint32_t num[2])
{
	if (num[0] && num[1])
		return num[0] < PN_INF && num[1] < PN_INF;
	return (num[0] | num[1]) >= PN_INF && (num[0] | num[1]) - PN_INF <= NUM_CUT_OFF;
}

/* The rank of a solved pair. */
static inline unsigned num_rank(const uint32_t num[2])
{
	PD_DEBUG_ASSERT(num_solved(num) && num_sound(num));
	return (num[0] ? num[0] : num[1]) - PN_INF;
}

static inline void num_set_solved(uint32_t num[2], bool proved, unsigned rank)
{
	PD_ASSERT(rank <= NUM_CUT_OFF);
	num[0] = proved ? 0 : PN_INF + rank;
	num[1] = proved ? PN_INF + rank : 0;
}

static inline void num_copy(uint32_t to[2], const uint32_t from[2])
{
	to[0] = from[0];
	to[1] = from[1];
}

static inline uint32_t num_clamp(uint64_t sum)
{
	return sum < PN_INF ? (uint32_t)sum : PN_INF - 1;
}

/* The numbers of a node from those of its children, gathered one child at a time. */
struct num_sum {
	uint64_t sum;       /* of num[1 - k] of the children that are not solved */
	uint32_t most;      /* the greatest of these */
	uint32_t open;      /* how many there are */
	uint32_t min;       /* of num[k] */
	unsigned best;      /* index of the first child with that minimum, of winning children the one of least rank */
	uint32_t win_rank;  /* least rank of the children that win for the mover */
	uint32_t loss_rank; /* greatest rank of the children that lose for the mover */
};

static inline void num_sum_init(struct num_sum *s)
{
	*s = (struct num_sum){.min = UINT32_MAX, .win_rank = UINT32_MAX};
}

static inline void num_sum_add(struct num_sum *s, unsigned k, const uint32_t num[2], unsigned index)
{
	uint32_t m = num[k];
	PD_DEBUG_ASSERT(num_sound(num));
	if (__builtin_expect(m == 0, 0)) {
		uint32_t rank = num[1 - k] - PN_INF;
		if (rank < s->win_rank) {
			s->win_rank = rank;
			s->best = index;
		}
		s->min = 0;
		return;
	}
	if (m >= PN_INF) {
		uint32_t rank = m - PN_INF;
		if (rank > s->loss_rank)
			s->loss_rank = rank;
		return;
	}
	if (m < s->min) {
		s->min = m;
		s->best = index;
	}
	s->sum += num[1 - k];
	s->open++;
	if (num[1 - k] > s->most)
		s->most = num[1 - k];
}

/* Weak PN search (Ueda et al. 2008), before the backup: instead of the sum the maximum child number plus the number of
 * other unsolved children, but not less than `least`. Where many paths lead to the same positions, a sum counts the
 * same leaves once for each path and grows without bound; this number does not. */
static inline void num_sum_weaken(struct num_sum *s, uint64_t least)
{
	uint64_t weak = s->open ? (uint64_t)s->most + s->open - 1 : 0;
	s->sum = weak > least ? weak : least;
}

/* The node's numbers; at least one child must have been added. ranked[0]: proofs have ranks in plies; ranked[1]:
 * disproofs do. */
static inline void num_sum_backup(const struct num_sum *s, unsigned k, const bool ranked[2], uint32_t num[2])
{
	if (s->min && s->min != UINT32_MAX) {
		num[k] = s->min;
		num[1 - k] = num_clamp(s->sum);
		PD_DEBUG_ASSERT(num_sound(num)); /* P2 */
		return;
	}
	unsigned winner = s->min ? 1 - k : k;
	uint32_t rank = s->min ? s->loss_rank : s->win_rank;
	if (ranked[winner])
		rank += rank < NUM_CUT_OFF;
	else if (rank == 0)
		rank = NUM_ANY_PATH;
	PD_DEBUG_ASSERT(rank <= NUM_CUT_OFF);
	num[winner] = 0;
	num[1 - winner] = PN_INF + rank;
}
