/* Strategy learn: strategies by weights for the tests of the checker (strategies: theorem 100).
 *
 * Policy 1 as its text says it, without any shortcut; and a learner that finds weights: it plays a strategy out, asks
 * at each choice whether the move keeps the bound, and changes the weights of two squares where it does not. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "clients/proofcheck/rules.h"

/* A strategy in the making. */
struct lesson {
	const struct ck_game *game;
	bool upper;
	int64_t bound;
	uint8_t witness[1 + CK_SQUARES_MAX]; /* policy and weights */
	/* Whether First gets at least (`upper`: at most) the bound at a position. */
	bool (*holds)(void *ctx, const struct ck_position *p, bool upper, int64_t bound);
	void *ctx;
	uint64_t seed; /* walk.h */
};

struct ck_card lesson_card(const struct lesson *l);
/* The moves that are left before the last step of policy 1, in ascending order; none: the strategy fails. */
unsigned policy_moves_left(const struct lesson *l, const struct ck_position *p, uint16_t out[CK_MOVES_MAX]);
/* The move that policy 1 plays; false when there is none. */
bool policy_move(const struct lesson *l, const struct ck_position *p, uint16_t *move);
/* Plays a strategy out without a memory; *plies is that of the longest line, *positions counts those with the other
 * side to move. It gives up, as if the strategy failed, after `most` positions. */
bool policy_holds(const struct lesson *l, const struct ck_position *p, unsigned *plies, uint64_t *positions,
		  uint64_t most);

/* Sets random weights. */
void lesson_begin(struct lesson *l);
/* Changes the weights until the strategy makes no mistake at a position where the bound holds, or `passes` are over. */
bool lesson_learn(struct lesson *l, const struct ck_position *p, unsigned passes);
