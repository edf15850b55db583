/* Strategy play: plays out cards of theorem 100 against every legal move of M (strategy.h).
 *
 * Positions with M to move that were played out are remembered by strategy and by all that the rules can tell apart,
 * and compared in full. Memory is bounded: when there might not be room for one card more, everything is forgotten. */
#pragma once

#include "clients/proofcheck/strategy.h"

enum { CK_STRATEGY_WHY = 300 /* bytes of a sentence, including the zero */ };

/* Plays strategies out for one thread, and remembers what was played out with the same weights and bound. */
struct ck_strategies;

/* NULL if there is not enough memory. The game is borrowed. `stop` is asked now and then; may be NULL. */
struct ck_strategies *ck_strategies_new(const struct ck_game *game, bool (*stop)(void *ctx), void *ctx);
void ck_strategies_free(struct ck_strategies *s);
/* Plays out a card of theorem 100, any bytes, at a position that is not over. CK_PLAY_HOLDS: the bound is reached
 * within *plies plies, at least 1. CK_PLAY_FAILS: `why` says in a sentence why the card does not hold. */
enum ck_play ck_strategy_play(struct ck_strategies *s, const struct ck_position *p, const struct ck_card *card,
			      unsigned *plies, char why[CK_STRATEGY_WHY]);
/* Positions with M to move that were played out so far, without those that were remembered. */
uint64_t ck_strategies_played(const struct ck_strategies *s);
