/* Board: rows of letters and numbers, as all games with a board write them.
 *
 * Rows from the top, separated by '/'; a letter for a man, a number for a run of empty squares: `3/1x1/o2`. A board of
 * one row ends with a '/'. */
#ifndef CK_BOARD_H
#define CK_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads the first `size` bytes of the text. The i-th letter of `letters` becomes i + 1; blanks in `letters` stand for
 * numbers that have no letter. Returns NULL, or what is wrong. */
const char *ck_board_read(const char *text, size_t size, unsigned width, unsigned height, const char *letters,
			  uint8_t at[64]);
/* Writes the board and a zero; returns the bytes before the zero. At most width * height + height + 1 bytes are
 * written. */
size_t ck_board_print(const uint8_t at[64], unsigned width, unsigned height, const char *letters, char *out);

/* Reads a decimal number from 1 to 999 without leading zeros and moves behind it; false when there is none. */
bool ck_number(const char **text, unsigned *out);

/* True when `line` or more men of that kind stand in a row, a column or a diagonal. */
bool ck_row_of(const uint8_t at[64], unsigned width, unsigned height, unsigned line, unsigned kind);

#endif
