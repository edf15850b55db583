/* Zones: theorem 103 (solver/games/THEOREMS.md), the same in all games with theorems.
 *
 * A zone stands at a position where M, the side against the bound, is to move. Its witness lists answers, each a
 * theorem of the game with a witness of its own. A reply of M needs no record if one of them gives the bound at the
 * position after it: usually each reply that leaves the squares of an answer alone. The theorem is asked at that
 * very position, with its own side to move: no position after a pass is ever considered. */
#pragma once

#include "clients/proofcheck/rules.h"

enum { CK_ZONE = 103, CK_ZONE_ANSWERS_MAX = 32 };

struct ck_zone {
	unsigned count; /* at least 1 */
	struct ck_card answer[CK_ZONE_ANSWERS_MAX];
};

/* Reads any bytes. False unless they list 1 to 32 theorems below 100 or above 103 with their witnesses. The witnesses
 * stay in the card. */
bool ck_zone_read(const struct ck_card *card, struct ck_zone *out);
/* The plies, from 1, of the first answer that gives the bound at the position within fewer than `below` plies; 0: none
 * does, or the game is over there. */
unsigned ck_zone_plies(const struct ck_game *game, const struct ck_zone *zone, const struct ck_position *p,
		       uint64_t below);
/* Looks for a zone at a position that is not over, with M to move; the witness goes to `room` (CK_WITNESS_MAX bytes).
 * False unless it answers more replies than it has answers. */
bool ck_zone_find(const struct ck_game *game, const struct ck_position *p, bool upper, int64_t bound,
		  struct ck_card *out, uint8_t *room);
