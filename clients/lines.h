/* Lines: the commands that a program writes to our stdin, one a line, read without waiting for them. */
#ifndef CL_LINES_H
#define CL_LINES_H

#include <stdbool.h>
#include <stddef.h>

enum { CL_LINE_MAX = 64 << 10 }; /* bytes of a line; a longer one is cut */

struct cl_lines {
	char *in;    /* owned */
	size_t from; /* what has arrived and was not returned yet: in[from..from + count) */
	size_t count;
	bool ended;   /* there will be no more */
	int error;    /* why, when it is an error: an errno; else 0 */
	bool begun;   /* a line was taken */
	bool partial; /* the last line was cut: the next one is the rest of it */
	bool zero;    /* a byte of the last line is zero: it reads as if it ended there */
};

/* False when memory cannot be had. */
bool cl_lines_init(struct cl_lines *lines);
void cl_lines_fini(struct cl_lines *lines);
/* The next line, without its end, within wait_ms milliseconds (-1: however long it takes); valid until the next call.
 * NULL: there is none yet, or no more. */
char *cl_lines_next(struct cl_lines *lines, int wait_ms);
/* Cuts the next word off *text: words are separated by blanks. NULL when there is none. */
char *cl_word_next(char **text);

#endif
