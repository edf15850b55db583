/* Bridges: T8 of solver/games/THEOREMS.md, chains in Hex that the other side cannot break. */
#pragma once

#include "clients/proofcheck/rules.h"

/* Members of the rules of Hex. */
bool ck_bridges_card(const struct ck_game *game, const struct ck_position *p, const struct ck_card *card,
		     unsigned *plies);
/* Finds a chain with the fewest pairs, unless the search becomes too long. */
bool ck_bridges_find(const struct ck_game *game, const struct ck_position *p, bool upper, int64_t bound,
		     struct ck_card *out, uint8_t *room);
