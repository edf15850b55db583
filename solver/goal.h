/* Goals of bounded searches, and their verdicts. */
#pragma once

#include "proto/base/fact.h"
#include "solver/games/game.h"

enum pn_verdict { PN_OPEN, PN_PROVED, PN_DISPROVED };

/* The goal: First gets at least `threshold` (proof), or less than that (not proof); within `plies` if that is not 0. */
struct pn_goal {
	int16_t threshold;
	bool proof;
	uint16_t plies; /* 0 unless the outcome is ranked (ghi.h) */
};

/* The goal that a stored reason claims to have reached. */
static inline struct pn_goal pn_goal_of(const struct game *game, const struct pd_reason *reason)
{
	bool proof = reason->side == PD_LO;
	return (struct pn_goal){
		.threshold = (int16_t)(proof ? reason->bound : reason->bound + game->value_step),
		.proof = proof,
		.plies = reason->rank == PD_RANK_NONE ? 0 : reason->rank,
	};
}

/* The verdict that reaches the goal. The opposite verdict refutes a goal only when the goal has no plies: a search that
 * missed the deadline says nothing about a longer win. */
static inline enum pn_verdict pn_goal_reached(const struct pn_goal *goal)
{
	return goal->proof ? PN_PROVED : PN_DISPROVED;
}
