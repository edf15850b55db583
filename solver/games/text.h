/* Text: what the games share in reading and writing.
 *
 * A line is a bounded output that counts what it could not hold, so that the print functions of a game can behave like
 * snprintf. Boards as text are in solver/games/cells.h. */
#pragma once

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
/* Appends one character, or what the format says. What has no room is counted in length and left out. */
static inline void text_char(struct text_line *line, char c)
{
	if (line->length + 1 < line->size) {
		line->out[line->length] = c;
		line->out[line->length + 1] = 0;
	}
	line->length++;
}
void text_printf(struct text_line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Reads a decimal number of at most nine digits at *text and moves behind it; false when there is none. */
bool text_number(const char **text, unsigned *out);

/* The characters that begin in the first `size` bytes of a text, which ends with a zero: as many as there is room for,
 * in a form for messages. Characters of UTF-8 are whole. A control character, or a byte that belongs to no character,
 * becomes '?'. */
struct text_excerpt {
	char text[65];
};
struct text_excerpt text_excerpt(const char *text, size_t size);

/* True when a position's text is a board and not a list of moves. */
bool text_is_board(const char *text);

/* Number of set bits; processors without an instruction for it are supported, so this is not for inner loops. */
static inline unsigned text_count(uint64_t bits)
{
	return (unsigned)__builtin_popcountll(bits);
}
