/* Numbers: proof and disproof numbers.
 *
 * A pair num[2] = {pn, dn} says how far a claim is from proved and from disproved. Sums saturate below infinity (P2). A number is
 * infinite from PN_INF on, and then its low 16 bits are the rank of the solved position: the plies within which the game is decided.
 * So a solved pair is {0, PN_INF + rank} (proved) or {PN_INF + rank, 0} (disproved), and nothing else is (P1).
 *
 * Code that treats OR and AND nodes alike uses k, 0 at an OR node and 1 at an AND node: num[k] is then the number that is the minimum of
 * the children's (phi in the negamax form of the literature, seen from the parent: delta of the child), num[1 - k] the one that is
 * their sum. */
#ifndef PN_NUMBERS_H
#define PN_NUMBERS_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#define PN_INF 0xffff0000u

static inline bool num_solved(const uint32_t num[2])
{
	return num[0] == 0 || num[1] == 0;
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
}

/* At least one child must have been added. */
static inline void num_sum_close(const struct num_sum *s, unsigned k, uint32_t num[2])
{
	if (s->min == 0) {
		num[k] = 0;
		num[1 - k] = PN_INF + s->win_rank + 1;
	} else if (s->min == UINT32_MAX) {
		num[k] = PN_INF + s->loss_rank + 1;
		num[1 - k] = 0;
	} else {
		num[k] = s->min;
		num[1 - k] = num_clamp(s->sum);
	}
}

#endif
