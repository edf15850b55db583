/* Card attack: cards of one small board, honest and forged, held against the truth about its positions.
 *
 * The truth is retrograde analysis (tests/support/retro.h) of every reachable position. Honest cards come from the
 * solver's `theorem` and from the checker's `find_card`. Forged ones are honest ones of this or another position with a
 * byte, a square, a group, the theorem, the side or the bound changed, and groups of random empty squares. A forged
 * card may be accepted when it is true; one that is false, or true with fewer plies than it says, must be refused. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "clients/proofcheck/rules.h"
#include "solver/games/game.h"

typedef bool card_verifier(const struct ck_game *game, const struct ck_position *p, const struct ck_card *card,
			   unsigned *plies);

struct card_attack {
	struct game *game;
	struct ck_game mine;
	struct retro *truth;
	unsigned claim[2]; /* of the analysis, for "at least 0" and "at least 1" */
	uint64_t seed;     /* walk.h */
	uint64_t positions;
	uint64_t honest, refused;  /* cards of the solver; of these, not accepted */
	uint64_t found, more;      /* cards of find_card; of these, where the solver has none */
	uint64_t missed;           /* cards of the solver where find_card has none */
	uint64_t forged, accepted; /* forged cards; of these, accepted, because true */
	uint64_t wrong;            /* cards accepted that are false */
	uint64_t card_ns, cards;   /* processor time of all calls of `card`, and how many */
	uint64_t find_ns, finds;   /* of find_card */
	char fault[400];           /* the last fault; "" */
	/* --- private --- */
	uint8_t other[CK_WITNESS_MAX]; /* a witness of another position */
	unsigned other_size;
};

/* Opens the game on both sides and analyses all its positions, at most `cap`. */
void card_attack_open(struct card_attack *a, const char *game, uint32_t cap, uint64_t seed);
void card_attack_close(struct card_attack *a);

/* Asks both implementations about the position with that number, of retro_positions(a->truth), and judges their cards;
 * then `forge` forged ones, by `verify` (NULL: the checker's). */
void card_attack_position(struct card_attack *a, uint32_t position, unsigned forge, card_verifier *verify);
