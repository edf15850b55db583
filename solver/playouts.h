/* Playouts: initial numbers of a leaf from random games (after Saito, Chaslot, Uiterwijk and van den Herik,
 * "Monte-Carlo proof-number search for computer Go", CG 2006).
 *
 * Of N games at random the claim holds in w: pn = 1 + round(c (N - w) / N), dn = 1 + round(c w / N), halves upwards, in
 * whole numbers. With c = 0 both are 1. The paper uses real numbers 1 - p and p of the share p = w / N.
 *
 * The games begin at the canonical position of the leaf's exact key, and that key is the seed. So a position has the
 * same numbers on every path, in every symmetric form, under every identity key, and in every build (P4). */
#pragma once

#include "solver/question.h"
#include "solver/tunables.h"

enum {
	PLAYOUT_PLIES_MAX = 512 /* in games in which positions can come back: then it counts as infinite play */
};

/* Sets the numbers of a position that is not over, each 1..1 + frontier->playout_weight; frontier->playouts > 0. `room`
 * holds all moves of any position. */
void pn_playouts_set_numbers(const struct question *question, const struct pn_frontier *frontier, const void *state,
			     game_move *room, uint32_t num[2]);
