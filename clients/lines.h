/* Lines: lines of stdin, read without blocking. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { CL_LINE_MAX = 64 << 10 }; /* bytes of a line; a longer one is cut */

struct cl_lines {
	char *in;    /* owned */
	size_t from; /* what has arrived and has not been returned: in[from..from + count) */
	size_t count;
	bool ended;   /* there will be no more */
	int error;    /* errno of the read that failed; 0: the input ended normally */
	bool begun;   /* a line was taken */
	bool partial; /* the last line was cut; the next one is its rest */
	bool zero;    /* the last line contains a zero byte */
};

/* False if memory runs out. */
bool cl_lines_init(struct cl_lines *lines);
void cl_lines_fini(struct cl_lines *lines);
/* The next line, without its end, within wait_ms milliseconds (-1: no limit); valid until the next call. NULL: none
 * yet, or no more. */
char *cl_lines_next(struct cl_lines *lines, int wait_ms);
/* Takes the next word off *text; words are separated by blanks. NULL if there is none. */
char *cl_word_next(char **text);
