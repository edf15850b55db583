/* Print: text for people, on a terminal or in a log.
 *
 * Names, keys, positions and messages come from others: clients, files, servers, plug-ins. A terminal would obey the
 * control characters in them, and a line break would forge a row. So whatever is put into a format by `%s` or `%c` is
 * shown character by character: C0 and C1 control characters, DEL, line and paragraph separators and characters that
 * override the direction of text become \u001b, and a byte that is not UTF-8 becomes \xff. The format itself is the
 * program's own, and so are inks: both are printed as they are. A line of JSON may be printed in this way as well,
 * because the escapes are those of JSON.
 *
 * The conversions are those of printf, without %n, long double and wide characters. A precision of `%s` counts bytes as
 * they are shown, and does not cut a character. */
#pragma once

#include <stdarg.h>
#include <stdio.h>

#include "proto/base/buf.h"

enum { PD_SHOWN_MAX = 8 }; /* bytes of a character as it is shown, with a zero */

/* The first character of `text`, of which `limit` bytes may be read (one at least), as it is shown. Returns how many
 * bytes of the text it takes up. */
size_t pd_show_character(const char *text, size_t limit, char shown[PD_SHOWN_MAX]);

/* Appends the formatted text; `buf->failed` tells when it did not fit. */
void pd_buf_show(struct pd_buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
void pd_buf_vshow(struct pd_buf *buf, const char *format, va_list args) __attribute__((format(printf, 2, 0)));

/* Prints to a stream. Returns the bytes printed. */
int pd_print(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
int pd_vprint(FILE *file, const char *format, va_list args) __attribute__((format(printf, 2, 0)));
/* Prints a text of several lines, a board for example: its line breaks are kept. */
void pd_print_lines(FILE *file, const char *text);

/* The colours of a terminal, as escape sequences. */
enum pd_ink { PD_INK_BOLD, PD_INK_DIM, PD_INK_GOOD, PD_INK_BAD, PD_INK_WARM, PD_INK_OFF, PD_INK_COUNT };
const char *pd_ink(enum pd_ink ink);
