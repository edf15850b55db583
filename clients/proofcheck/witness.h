/* Witness: the groups of squares that the witness of a card lists (solver/games/THEOREMS.md, proto/CERTIFICATE.md).
 *
 * Each group is one byte with its number of squares, from 1, and two bytes for each square, lowest first. What the
 * groups mean is for the theorem to say. */
#pragma once

#include "clients/proofcheck/rules.h"

enum {
	CK_GROUPS_MAX = CK_WITNESS_MAX / 3,
	CK_GROUP_SQUARES_MAX = CK_WITNESS_MAX / 2 /* of all groups together */
};

/* Group i has size[i] squares, from square[first[i]] on. Owned by the caller. */
struct ck_groups {
	unsigned count;
	uint8_t size[CK_GROUPS_MAX];
	uint16_t first[CK_GROUPS_MAX];
	uint16_t square[CK_GROUP_SQUARES_MAX];
	unsigned squares; /* of all groups together */
};

/* Reads any bytes. False unless they are whole groups of squares of a board with that many squares. */
bool ck_groups_read(const struct ck_card *card, unsigned board, struct ck_groups *out);
/* True when all squares of the groups are empty, and none occurs twice. */
bool ck_groups_are_apart(const struct ck_groups *groups, const struct ck_position *p);
/* Appends a group of 1 to 255 squares to a witness of card->size bytes in `room` (CK_WITNESS_MAX bytes). False when it
 * does not fit. */
bool ck_group_add(struct ck_card *card, uint8_t *room, const uint16_t *square, unsigned count);
