/* Numbers: proof and disproof numbers.
 *
 * A pair num[2] = {pn, dn} says how far a claim is from proved and from disproved. Sums saturate below infinity (P2). A
 * number is infinite from PN_INF on, and then its low 16 bits are the rank of the solved position: the plies within
 * which the game is decided. So a solved pair is {0, PN_INF + rank} (proved) or {PN_INF + rank, 0} (disproved), and
 * nothing else is (P1).
 *
 * Code that treats OR and AND nodes alike uses k, 0 at an OR node and 1 at an AND node: num[k] is then the number that
 * is the minimum of the children's (phi in the negamax form of the literature, seen from the parent: delta of the
 * child), num[1 - k] the one that is their sum.
 *
 * Cycles. Where positions can come back, one of the two outcomes is *counted*: its side has to make progress, and its
 * solved pairs carry ranks as above. The other outcome holds by going on for ever, too: a position that stands on the
 * path already is solved that way at once. Such a solved pair *leans* on its ancestor and is true on this path only,
 * until the search is back at that ancestor, where the circle closes (F1). Its low 16 bits say how far: 0 the game is
 * over; 1 true on every path; NUM_PATH_DEPENDENT - d it leans on the node at depth d, and on none above; NUM_CUT_OFF a search
 * was cut off. So of two ways the mover takes the one with the smaller number, and of all replies the greatest counts:
 * as with ranks. */
#ifndef PN_NUMBERS_H
#define PN_NUMBERS_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#define PN_INF 0xffff0000u

enum {
	NUM_ANY_PATH = 1,            /* of an outcome that is not counted: true on every path */
	NUM_PATH_DEPENDENT = 0xfff0, /* less the depth of the highest node that is leaned on */
	NUM_CUT_OFF = 0xfffe         /* of any outcome: worth nothing, because the search was cut off at a depth */
};

static inline bool num_solved(const uint32_t num[2])
{
	return num[0] == 0 || num[1] == 0;
}

/* P1: one number is 0 exactly if the other is infinite. */
static inline bool num_valid(const uint32_t num[2])
{
	return (num[0] == 0) == (num[1] >= PN_INF) && (num[1] == 0) == (num[0] >= PN_INF);
}

/* Of a solved pair. */
static inline unsigned num_rank(const uint32_t num[2])
{
	return (num[0] ? num[0] : num[1]) - PN_INF;
}

static inline void num_set_solved(uint32_t num[2], bool proved, unsigned rank)
{
	assert(rank < 0xffff);
	num[0] = proved ? 0 : PN_INF + rank;
	num[1] = proved ? PN_INF + rank : 0;
}

static inline uint32_t num_clamp(uint64_t sum)
{
	return sum < PN_INF ? (uint32_t)sum : PN_INF - 1;
}

/* The numbers of a node from those of its children, gathered one child at a time. */
struct num_sum {
	uint64_t sum;       /* of num[1 - k] of the children that are not solved */
	uint32_t most;      /* the greatest of them */
	uint32_t open;      /* how many they are */
	uint32_t min;       /* of num[k] */
	unsigned best;      /* index of the first child with that minimum, of winning children the one of least rank */
	uint32_t win_rank;  /* least rank of the children that win for the mover */
	uint32_t loss_rank; /* greatest rank of those that lose */
};

static inline void num_sum_init(struct num_sum *s)
{
	*s = (struct num_sum){.min = UINT32_MAX, .win_rank = UINT32_MAX};
}

static inline void num_sum_add(struct num_sum *s, unsigned k, const uint32_t num[2], unsigned index)
{
	uint32_t m = num[k];
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

/* Before closing: instead of the sum the greatest number and one for each other child, or `least` when that is more.
 * Where paths meet again and again, sums count what they share every time and grow without bound; these do not ("weak"
 * proof-number search; Ueda et al. 2008). */
static inline void num_sum_weaken(struct num_sum *s, uint64_t least)
{
	uint64_t weak = s->open ? (uint64_t)s->most + s->open - 1 : 0;
	s->sum = weak > least ? weak : least;
}

/* At least one child must have been added. ranked[0]: proofs are counted in plies; ranked[1]: refutations are. */
static inline void num_sum_backup(const struct num_sum *s, unsigned k, const bool ranked[2], uint32_t num[2])
{
	if (s->min && s->min != UINT32_MAX) {
		num[k] = s->min;
		num[1 - k] = num_clamp(s->sum);
		return;
	}
	unsigned winner = s->min ? 1 - k : k;
	uint32_t rank = s->min ? s->loss_rank : s->win_rank;
	if (ranked[winner])
		rank += rank < NUM_CUT_OFF;
	else if (rank == 0)
		rank = NUM_ANY_PATH;
	num[winner] = 0;
	num[1 - winner] = PN_INF + rank;
}

#endif
