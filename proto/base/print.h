/* Print: text for people, on a terminal or in a log.
 *
 * Names, keys, positions and messages come from clients, files, servers and plug-ins. A terminal would obey control
 * characters in them, and a line break would forge a row. So `%s` and `%c` show their argument with escapes: C0 and C1
 * control characters, DEL, line and paragraph separators and characters that override the direction of text become
 * \u001b, and a byte that is not UTF-8 becomes \xff. The format and inks are the program's own and printed unchanged.
 * JSON may be printed in this way, because these are its escapes.
 *
 * The conversions are those of printf, without %n, long double and wide characters. A precision of `%s` counts shown
 * bytes, and does not split a character. */
#pragma once

#include <stdarg.h>
#include <stdio.h>

#include "proto/base/buf.h"

enum { PD_SHOWN_MAX = 8 }; /* bytes of a shown character, with a zero */

/* Shows the first character of `text`, of which `limit` bytes (at least one) may be read. Returns its bytes in the
 * text. */
size_t pd_show_character(const char *text, size_t limit, char shown[PD_SHOWN_MAX]);

/* Appends the formatted text; sets buf->failed when it does not fit. */
void pd_buf_show(struct pd_buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
void pd_buf_vshow(struct pd_buf *buf, const char *format, va_list args) __attribute__((format(printf, 2, 0)));

/* Prints to a stream. Returns the bytes printed. */
int pd_print(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
int pd_vprint(FILE *file, const char *format, va_list args) __attribute__((format(printf, 2, 0)));
/* Prints a text of several lines, such as a board, with its line breaks. */
void pd_print_lines(FILE *file, const char *text);

/* The colours of a terminal, as escape sequences. */
enum pd_ink { PD_INK_BOLD, PD_INK_DIM, PD_INK_GOOD, PD_INK_BAD, PD_INK_WARM, PD_INK_OFF, PD_INK_COUNT };
const char *pd_ink(enum pd_ink ink);
