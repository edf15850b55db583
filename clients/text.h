/* Text: numbers, sizes and times as people read them, and the colours of a terminal.
 *
 * Each function writes into the caller's struct cl_text and returns its characters, so that several fit into one
 * printf. */
#ifndef CL_TEXT_H
#define CL_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "proto/doc.h"

struct cl_text {
	char at[96];
};

/* 1,234,567 */
const char *cl_count(struct cl_text *out, int64_t n);
/* 999, 12.3 k, 4.56 M, 7.89 G: four figures at most */
const char *cl_short(struct cl_text *out, double n);
/* 999 B, 12.3 KiB, ... */
const char *cl_bytes(struct cl_text *out, double n);
/* 0.012 s, 9.87 s, 2 min 05 s, 3 h 02 min, 2 d 03 h */
const char *cl_duration(struct cl_text *out, double seconds);
/* 2026-01-31 12:00:05 in the local time zone; "-" for 0 */
const char *cl_when(struct cl_text *out, int64_t wall_ms);
/* A proof or disproof number of a reply: digits, "inf", or "-" when there is none. */
const char *cl_number(struct cl_text *out, pr_ref number);

/* Escape sequences, all empty when the stream is no terminal, NO_COLOR is set or TERM is dumb. */
struct cl_ink {
	const char *bold, *dim, *good, *bad, *warm, *off;
};

/* True when the stream is a terminal that can move its cursor. */
bool cl_is_terminal(FILE *stream);
struct cl_ink cl_ink_of(FILE *stream);
/* Columns of the terminal, 80 when it does not say. */
unsigned cl_width(FILE *stream);

#endif
