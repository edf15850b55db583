/* Fast path: the one request that comes by the thousand, read without a JSON parser.
 *
 *   {"jsonrpc":"2.0","id":N,"method":"fact.query","params":{"game":"...","position":"..."}}
 *
 * or with "positions":["...",...] in place of the last member. The members stand in this order, with any blanks between
 * tokens; N is an integer; the texts are plain ASCII without escapes. Every other line, a faulty one included, is left
 * to the general reader (rpc.h), which alone reports errors. So a line that is read here is one that the general reader
 * accepts, with the same meaning; tests/proto/test_fastpath.c compares the two. */
#ifndef PR_FASTPATH_H
#define PR_FASTPATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/out.h"

enum {
	PR_FAST_GAME = 96,  /* room for the game's name, the zero included */
	PR_FAST_TEXT = 2048 /* room for a position's text, the zero included */
};

struct pr_fastpath {
	int64_t id;
	char game[PR_FAST_GAME];
	bool many;        /* `positions`; else there is one, `position` */
	size_t count;     /* of positions, at least 1 */
	const char *next; /* in the line: behind the opening quote of the text that comes next */
	size_t left;      /* texts from there on */
};

/* False when the line (the newline not included) is no fast query; *out is undefined then. It borrows the line. */
bool pr_fastpath_read(const char *line, size_t size, struct pr_fastpath *out);
/* Copies the next position to `text` (PR_FAST_TEXT bytes of room); false when there is none left. */
bool pr_fastpath_next(struct pr_fastpath *query, char *text);
/* Begins the reply that the general writer would give. What follows is a value with the key "result", and pr_close. */
void pr_fastpath_open(const struct pr_fastpath *query, struct pr_out *out);

#endif
