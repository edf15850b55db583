/* Keys: the key of a board, the smallest among the keys of its mirrored and turned images.
 *
 * Bit 0 of a square's value puts the square into the first set, bit 1 into the second. A set is a number with bit i for
 * square i. The key is the numbers one after the other, then perhaps a bit for the turn, lowest bit first, in the
 * fewest bytes that hold them. The image with the smallest first number gives the key; among several, the one with the
 * smallest second number. */
#pragma once

#include "clients/proofcheck/rules.h"

/* Sets of symmetries. Bit s stands for symmetry s: bit 0 of s mirrors columns, bit 1 mirrors rows, bit 2 then swaps
 * columns and rows, which needs a square board. */
enum { CK_MIRROR = 0x03, CK_HALF_TURN = 0x09, CK_MIRRORS = 0x0f, CK_ALL_SYMMETRIES = 0xff };

struct ck_key_form {
	unsigned sets;       /* 1 or 2 */
	unsigned symmetries; /* bits as above */
	unsigned most;       /* the largest value of a square */
	bool turn;           /* the key has one more bit: Second is to move */
};

/* Bytes of a key. */
unsigned ck_key_size(const struct ck_game *game, const struct ck_key_form *form);
/* Writes the key and returns its size. */
size_t ck_key_write(const struct ck_game *game, const struct ck_key_form *form, const struct ck_position *p,
		    uint8_t *out);
/* Reads a key into an empty position; false when it has another size, bits after its end, or a value above `most`. */
bool ck_key_read(const struct ck_game *game, const struct ck_key_form *form, const uint8_t *key, size_t size,
		 struct ck_position *p);
/* The image of a board that gives the key. */
void ck_smallest_image(const struct ck_game *game, const uint8_t *at, unsigned symmetries,
		       uint8_t best[CK_SQUARES_MAX]);
