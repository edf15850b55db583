/* Proof step: what a walk down a proof does at each position, for an export and for a tree that is shown.
 *
 * A walk begins with the bounds that a claim needs of its root. At each position it takes a reason for each bound that
 * is needed there, and needs the same bound one ply down: of the child of the reason's move where the mover wants the
 * bound, else of all children. */
#pragma once

#include "proto/base/fact.h"
#include "solver/games/game.h"

/* A bound that is needed of a position. */
struct sv_need {
	uint8_t side; /* enum pd_side */
	int16_t bound;
	uint16_t below; /* a rank smaller than this is needed (F3); PD_RANK_NONE: any reason will do */
	uint16_t size;  /* of the position's key, bytes */
};

/* The bounds that answer a claim. */
struct sv_claim_needs {
	char claim[24];  /* in its normal form */
	char status[12]; /* proved, disproved or solved */
	bool lo, hi;     /* the bounds that the answer consists of; one at the end of the scale is trivial */
};

/* `claim` NULL: the strongest claim that `known` answers. PD_E_CLAIM; PD_E_STATE with field "position" when `known`
 * answers no claim, or not the given one. */
int sv_claim_needs(const struct game *game, const char *claim, struct game_interval known, struct sv_claim_needs *out,
		   struct pd_fail *fail);

/* Chooses a reason for a need: one justified one ply down before a leaf, then the one of smallest rank. NULL when none
 * meets the need. Borrowed from the fact. */
const struct pd_reason *sv_need_choose(const struct pd_fact *fact, const struct sv_need *need);
