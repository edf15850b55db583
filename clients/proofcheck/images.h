/* Images: keys of boards that are the same when they are mirrored or turned.
 *
 * A position is one or two sets of squares. Each becomes a number, bit = square; the key is the numbers one after the
 * other, one bit for each square, then one more bit, lowest first, in as few bytes as hold them. Of all images of the
 * position the one counts in which the number of the first set is smallest, among those the one in which that of the
 * second is. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CK_IMAGE_SQUARES_MAX = 64 };

/* Sets of squares, 0 or 1 a square; squares are numbered as in rules.h. */
struct ck_sets {
	unsigned width, height, count; /* at most 64 squares; count is 1 or 2 */
	bool turns;                    /* columns may become rows, if there are as many */
	uint8_t set[2][CK_IMAGE_SQUARES_MAX];
};

/* Writes the key and returns its size. */
size_t ck_images_key(const struct ck_sets *sets, bool last, uint8_t *out);
/* Reads one, width, height and count being given; false when it has another size, or bits behind the end. */
bool ck_images_read(struct ck_sets *sets, const uint8_t *key, size_t size, bool *last);
unsigned ck_images_key_size(unsigned squares, unsigned count);

/* --- text of such boards ------------------------------------------------------------------- */

/* "WxH" with 1 to 63 columns and 1 to 64 squares. */
bool ck_size_read(const char *params, unsigned *width, unsigned *height);
/* A square, as in b3 or ab12; moves *text behind it. */
bool ck_square_read(const char **text, unsigned width, unsigned height, unsigned *square);
