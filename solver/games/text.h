/* Text: reading numbers, and writing lines. A line also counts the characters that do not fit, so that print functions
 * can behave like snprintf. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/error.h"

struct text_line {
	char *out;     /* owned by the caller; may be NULL when size is 0 */
	size_t size;   /* bytes of out */
	size_t length; /* of the whole text so far, without the final zero; may exceed size */
};

/* Begins a line; out is terminated from here on. */
struct text_line text_line(char *out, size_t size);
/* Append a character, or formatted text. Text that does not fit is only counted in length. */
static inline void text_char(struct text_line *line, char c)
{
	if (line->length + 1 < line->size) {
		line->out[line->length] = c;
		line->out[line->length + 1] = 0;
	}
	line->length++;
}
void text_printf(struct text_line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Reads a decimal number of at most nine digits and advances *text past it; false if there is none. */
bool text_number(const char **text, unsigned *out);

/* An excerpt of a text for messages: the characters that begin in its first `size` bytes, as far as they fit.
 * Characters of UTF-8 are kept whole. A control character or an invalid byte becomes '?'. */
struct text_excerpt {
	char text[65];
};
struct text_excerpt text_excerpt(const char *text, size_t size);

/* Number of set bits. Not for inner loops, because processors without an instruction for it are supported. */
static inline unsigned text_count(uint64_t bits)
{
	return (unsigned)__builtin_popcountll(bits);
}
