/* Board: the text of a board, common to all games that have one.
 *
 * Rows from the top, separated by '/'; a letter stands for a man, a number for a run of empty squares: `3/1x1/o2`. A
 * board of one row ends with a '/'. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads the first `size` bytes of the text. The i-th letter of `letters` becomes i + 1; blanks in `letters` stand for
 * numbers that have no letter. Returns NULL on success, else an error message. `at` has room for the board, at most
 * CK_SQUARES_MAX squares (rules.h). */
const char *ck_board_read(const char *text, size_t size, unsigned width, unsigned height, const char *letters,
			  uint8_t *at);
/* Writes the board and a terminating zero; returns the number of bytes before the zero. At most
 * width * height + height + 1 bytes are written. */
size_t ck_board_print(const uint8_t *at, unsigned width, unsigned height, const char *letters, char *out);

/* Reads a decimal number from 1 to 999 without leading zeros and advances *text past it; false when there is none. */
bool ck_number(const char **text, unsigned *out);

/* Writes the name of a square, b3, and returns the end of it. */
char *ck_square_name(char *out, unsigned column, unsigned row);
/* The same of a column, b; behind z follow aa, ab, ... */
char *ck_column_name(char *out, unsigned column);

/* True when `line` or more men of that kind form an unbroken line in a row, a column or a diagonal. */
bool ck_row_of(const uint8_t *at, unsigned width, unsigned height, unsigned line, unsigned kind);
