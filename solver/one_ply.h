/* One ply down: what is known of a position by its own fact and by what is known after each of its moves.
 *
 * A stored fact says what one search found. The positions after the moves may say more: by the rules, or by facts that
 * other searches found since. Here they are combined into one fact, which is true whenever they are (F1): the player to
 * move has the best of what the moves give, and the other player has what all of them give. It has the same form as a
 * stored one, with the move that gives each bound of the player to move, the smallest rank of each bound, effort 0 for
 * bounds from the positions below, and the job of the reason from which each bound came. A bound that infinite play can
 * give has no rank (F3). If the bound of the player to move comes from a leaf, the best of the moves is named if the
 * leaf names no move, or if the best move's rank is no larger than that of the fact as a whole.
 *
 * 	pn_one_ply_begin(&look, game, state, &fact);          the position's own fact, or an empty one; it grows
 * 	for each legal move
 * 		pn_one_ply_move(&look, move, child, &below);  `below`: the fact of the position after it; NULL: none
 * 	if (!pn_one_ply_end(&look, &fail)) ...                `fact` says all
 *
 * Nothing is looked up here: the server, its lines of best play and libproofd-probe read facts in their own ways. */
#pragma once

#include "proto/base/fact.h"
#include "solver/games/game.h"

struct pn_one_ply {
	const struct game *game;
	const void *state;
	struct pd_fact *known; /* borrowed: the position's */
	struct pd_fact reply;  /* what the player not to move has after every move so far; ranks count from there */
	struct pd_reason best; /* the best that a move so far gives the player to move, with the move; rank 0: none */
	enum pd_side own;      /* of the player to move */
	unsigned moves;        /* so far */
	int rc;                /* the first error: what pd_fact_add returned */
};

/* The game must not be over at `state`. `state` and `known` are borrowed until pn_one_ply_end. pn_reason_wrong must
 * find nothing wrong with the reasons of `known` and of the facts below. */
void pn_one_ply_begin(struct pn_one_ply *look, const struct game *game, const void *state, struct pd_fact *known);
void pn_one_ply_move(struct pn_one_ply *look, game_move move, const void *child, const struct pd_fact *below);
/* To be called after the last move; it may also be called earlier, to give up. PD_E_CORRUPT: two of the facts
 * contradict each other, and `known` must not be used; PD_E_NO_MEMORY. */
int pn_one_ply_end(struct pn_one_ply *look, struct pd_fail *fail);
