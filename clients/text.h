/* Text: numbers, sizes and times as people read them, the colours of a terminal, and lines that fit it.
 *
 * The functions for numbers write into the caller's struct cl_text and return its characters, so that several fit into
 * one format. Text for people is printed by pd_print (proto/base/print.h) and by the functions here and in table.h and
 * screen.h, which replace control characters as it does. Columns are counted as bytes: all is ASCII, except for names
 * from outside. */
#pragma once

#include <stdio.h>

#include "proto/base/buf.h"
#include "proto/doc.h"

struct cl_text {
	char at[96];
};

/* 1,234,567 */
const char *cl_count(struct cl_text *out, int64_t n);
/* 999, 12.3 k, 4.56 M, 7.89 G: four figures at most */
const char *cl_short(struct cl_text *out, double n);
/* The same two with a noun: "1 node", "1,234 nodes", "12.3 M nodes", "7 plies". */
const char *cl_counted(struct cl_text *out, int64_t n, const char *noun);
const char *cl_short_of(struct cl_text *out, double n, const char *noun);
/* 999 B, 12.3 KiB, ... */
const char *cl_bytes(struct cl_text *out, double n);
/* 0.012 s, 9.87 s, 2 min 05 s, 3 h 02 min, 2 d 03 h */
const char *cl_duration(struct cl_text *out, double seconds);
/* 2026-01-31 12:00:05 in the local time zone; "-" for 0 */
const char *cl_when(struct cl_text *out, int64_t wall_ms);
/* A proof or disproof number of a reply: digits, "inf", or "-" when there is none. */
const char *cl_number(struct cl_text *out, pr_ref number);

/* Escape sequences, all empty if the stream is not a terminal, NO_COLOR is set or TERM is dumb. */
struct cl_ink {
	const char *bold, *dim, *good, *bad, *warm, *off;
};

/* True when the stream is a terminal that can move its cursor. */
bool cl_is_terminal(FILE *stream);
struct cl_ink cl_ink_of(FILE *stream);
/* A format for the warning that two servers use the same prefix; its argument is the number of the other server. */
#define CL_OTHER_COORDINATOR                                                                                           \
	"another server, coordinator %s, uses the same prefix: each loses most of the workers' time to the other. "    \
	"Give "                                                                                                        \
	"each a prefix of its own, nats://HOST/PREFIX, in --workers and in --join of its workers"

/* Columns of the terminal, at least CL_WIDTH_MIN; 80 if the stream is not a terminal. */
unsigned cl_width(FILE *stream);
/* Lines of the terminal; 24 if unknown. */
unsigned cl_height(FILE *stream);
/* The same, but CL_NO_LIMIT if the stream is not a terminal: a file or a pipe gets whole lines. */
unsigned cl_limit(FILE *stream);

enum { CL_WIDTH_MIN = 20, CL_NO_LIMIT = 1 << 20 };

/* Prints text as a field of a CSV file, quoted: clients' names may have commas and quotes. An apostrophe goes before a
 * first =, + or @, with which a formula of a spreadsheet begins. */
void cl_print_field(FILE *file, const char *text);
/* Prints text and a newline, broken at blanks so that no line is longer than `width` columns, where that is possible.
 * `column`: where the first line begins; `indent`: blanks before the others. */
void cl_wrap(FILE *file, const char *text, unsigned column, unsigned indent, unsigned width);
/* The same for text of the program itself: its line breaks are kept, and nothing in it is replaced. */
void cl_wrap_lines(FILE *file, const char *text, unsigned column, unsigned indent, unsigned width);
/* As cl_wrap_lines, but `used` columns of the current line are filled: the text begins at column `at`, or on the next
 * line when this one is too full or too narrow for that. */
void cl_wrap_at(FILE *file, const char *text, unsigned used, unsigned at, unsigned width);
/* One row of a report: two blanks, the label, and the text from column 12 on, wrapped on a terminal. */
void cl_row(FILE *file, const char *label, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Appends what is left of a file. The text in `out` ends with a zero, also when the file is empty. PD_E_IO with the
 * field, PD_E_NO_MEMORY. */
int cl_read_all(FILE *file, const char *field, const char *name, struct pd_buf *out, struct pd_fail *fail);
