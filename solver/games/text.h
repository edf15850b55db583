/* Text: what the games share in reading and writing.
 *
 * A line is a bounded output that counts what it could not hold, so that the print functions of a game can behave like
 * snprintf. The board form is one way of writing down any board with stones of two players on at most 64 squares: rows
 * from the top, separated by
 * '/', x for First, o for Second, a number for a run of empty squares, as in `3/1x1/o2`. It is recognised by its slash,
 * which no list of moves has, so a board of one row carries a slash at its end. Squares are numbered row by row from
 * the bottom left: square = row * width + column. */
#ifndef GAMES_TEXT_H
#define GAMES_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/error.h"

struct text_line {
	char *out;     /* of the caller; may be NULL when size is 0 */
	size_t size;   /* bytes of out */
	size_t length; /* wanted so far, the terminating zero not counted; may be size and more */
};

/* Begins a line; out is terminated from here on. */
struct text_line text_line(char *out, size_t size);
void text_printf(struct text_line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Reads a decimal number of at most nine digits at *text and moves behind it; false when there is none. */
bool text_number(const char **text, unsigned *out);

/* The first bytes of a text (at most size, and 64) fit for a message: what is not plain ASCII becomes '?', so that
 * cutting never leaves half a character. */
struct text_excerpt {
	char text[65];
};
struct text_excerpt text_excerpt(const char *text, size_t size);

/* A board of width * height <= 64 squares; the stones of First and of Second, bit = square. */
struct text_board {
	unsigned width, height;
	uint64_t stones[2];
};

/* True when a position's text is a board and not a list of moves. */
bool text_is_board(const char *text);
/* Reads the board form into board->stones; width and height are given. PD_E_POSITION with field "position", naming the
 * index of the character at fault. Nothing is said about the number of stones. */
int text_board_parse(struct text_board *board, const char *text, struct pd_fail *fail);
size_t text_board_print(const struct text_board *board, char *out, size_t size);
/* Several lines for people. name_column writes a column's name (at most 3 characters and a zero); rows are numbered
 * when number_rows is set. */
size_t text_board_picture(const struct text_board *board, void (*name_column)(unsigned column, char out[4]),
			  bool number_rows, char *out, size_t size);

/* Number of set bits; processors without an instruction for it are supported, so this is not for inner loops. */
static inline unsigned text_count(uint64_t bits)
{
	return (unsigned)__builtin_popcountll(bits);
}

#endif
