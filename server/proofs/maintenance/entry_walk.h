/* Entry walk: finds the positions of a job's transposition table, whose entries name them by identities only.
 *
 * The walk begins at the job's position and follows all moves of each position that the table has an entry of, open or
 * solved; then those of all positions that have a fact. It may miss what lies behind positions that the table does not
 * have: overwritten ones, and those that a search was at when it was stopped. */
#pragma once

#include "solver/games/game.h"
#include "store/store.h"

struct pd_identity;

struct sv_entry_walk {
	struct st_store *store;
	uint32_t job, game_id; /* game_id: under which the store has the game's facts; 0: none */
	const struct game *game;
	const struct pd_identity *names; /* makes the identities of the entries */
	int first, last;                 /* thresholds of the job's claims; all values between them count as well */
	const char *position;            /* the job's */
	const uint64_t *wanted;          /* how many more positions are of interest; at 0 the walk ends */
	void *ctx;
	/* Receives a position, once for each threshold, with the identity that its entry has if there is one. */
	void (*entry)(void *ctx, const void *state, int threshold, struct pd_id id);
};

/* PD_E_NO_MEMORY, or the error of a failed read; what was found until then was received. */
int sv_entry_walk(const struct sv_entry_walk *walk, struct pd_fail *fail);
