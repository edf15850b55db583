/* Strategies: theorem 100 (solver/games/THEOREMS.md), the same in all games without repetition that say the square of a
 * move.
 *
 * A strategy is a number for each square, its weight. It tells the side that a bound favours, W, its move at every
 * position: a policy of a few steps, of which the last takes the move to the square of the greatest weight. The checker
 * plays the strategy out: against every legal move of the other side, M, by the rules of the game alone. Nothing about
 * weights has to be believed.
 *
 * A position is *reached* when the game is over with a value within the bound, and *lost* when it is over with another
 * value. */
#pragma once

#include "clients/proofcheck/rules.h"

enum {
	CK_STRATEGY = 100,               /* the number of the theorem */
	CK_STRATEGY_POSITIONS = 65536,   /* with M to move that playing out one card may add */
	CK_STRATEGY_WHY = 300          /* bytes of a reason, including the zero */
};

/* The legal moves at a position that is not over and whose mover wants the bound: the safe ones first, in ascending
 * order of their codes, then the others, in the same order. A move is safe when it does not lose and leaves M no move
 * that ends the game with a value outside the bound (policy 1, step 2). Returns the number of moves, at least 1; *safe
 * is the number of safe ones. Any game; `moves` of the game is called for M as well. */
unsigned ck_list_safe_first(const struct ck_game *game, const struct ck_position *p, bool upper, int64_t bound,
			    uint16_t out[CK_MOVES_MAX], unsigned *safe);

/* Plays strategies out for one thread, and remembers what was played out with the same weights and bound. */
struct ck_strategies;

enum ck_play {
	CK_PLAY_HOLDS,
	CK_PLAY_FAILS,
	CK_PLAY_STOPPED, /* `stop` returned true */
	CK_PLAY_MEMORY
};

/* NULL if there is not enough memory. The game is borrowed. `stop` is asked now and then; may be NULL. */
struct ck_strategies *ck_strategies_new(const struct ck_game *game, bool (*stop)(void *ctx), void *ctx);
void ck_strategies_free(struct ck_strategies *s);
/* Plays out a card of theorem 100, any bytes, at a position that is not over. CK_PLAY_HOLDS: the bound is reached within
 * *plies plies, at least 1. CK_PLAY_FAILS: `why` says in a sentence why the card does not hold. */
enum ck_play ck_strategy_play(struct ck_strategies *s, const struct ck_position *p, const struct ck_card *card,
			      unsigned *plies, char why[CK_STRATEGY_WHY]);
/* Positions with M to move that were played out so far, those that were remembered not among them. */
uint64_t ck_strategies_played(const struct ck_strategies *s);
