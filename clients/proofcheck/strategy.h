/* Strategies: theorem 100 (solver/games/THEOREMS.md), the same in all games without repetition that give the square of
 * a move.
 *
 * A strategy is a number for each square, its weight. It gives W, the side that a bound favours, its move at every
 * position, by a policy of a few steps, of which the last takes the move to the square of the greatest weight. The
 * checker plays the strategy out against every legal move of the other side, M, by the rules of the game alone. Nothing
 * about weights has to be trusted.
 *
 * A position is *reached* when the game is over with a value within the bound, and *lost* when it is over with another
 * value. */
#pragma once

#include "clients/proofcheck/rules.h"

enum {
	CK_STRATEGY = 100,            /* the number of the theorem */
	CK_STRATEGY_POSITIONS = 65536 /* that one card may add, with M to move */
};

/* The result of playing a card out. */
enum ck_play {
	CK_PLAY_HOLDS,
	CK_PLAY_FAILS,
	CK_PLAY_STOPPED, /* `stop` returned true */
	CK_PLAY_MEMORY
};

/* A strategy and its bound. */
struct ck_policy {
	const struct ck_game *game;
	bool upper;
	int64_t bound;
	const uint8_t *weight; /* of each square, as in a witness; borrowed; ck_policy_choose alone needs it */
	/* Moves that decided last: they are tried first, which saves time and changes no answer. */
	uint16_t losing, reaching;
};

enum ck_state { CK_GOES_ON, CK_REACHED, CK_LOST };

enum ck_state ck_policy_state(const struct ck_policy *y, const struct ck_position *p);
/* Whether W is to move at a position that is not over. */
bool ck_policy_moves(const struct ck_policy *y, const struct ck_position *p);
/* The move that policy 1 plays where W is to move; false when it has none. */
bool ck_policy_choose(struct ck_policy *y, const struct ck_position *p, uint16_t *move);

/* The legal moves at a position that is not over, where the mover wants the bound: the safe ones first, in ascending
 * order of their codes, then the others, in the same order. A move is safe when it does not lose and leaves M no move
 * that ends the game with a value outside the bound (policy 1, step 2). Returns the number of moves, at least 1; *safe
 * is the number of safe ones. Any game. */
unsigned ck_list_safe_first(const struct ck_game *game, const struct ck_position *p, bool upper, int64_t bound,
			    uint16_t out[CK_MOVES_MAX], unsigned *safe);
