/* Quick: the one request that comes by the thousand, read without a parser.
 *
 *   {"jsonrpc":"2.0","id":N,"method":"fact.query","params":{"game":"...","position":"..."}}
 *
 * or with "positions":["...",...] in place of the last member. Members in this order, blanks between tokens as one
 * likes, the texts plain ASCII without escapes. Whatever differs, and whatever is wrong, is no quick query: the general
 * reader (rpc.h) has to see it, and decides alone what to say. So a quick query is always one that the general reader
 * accepts, and means the same; tests/proto/test_quick.c holds the two together. */
#ifndef PR_FASTPATH_H
#define PR_FASTPATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/out.h"

enum {
	PR_QUICK_GAME = 96,  /* room for the game's name, the zero included */
	PR_QUICK_TEXT = 2048 /* room for a position's text, the zero included */
};

struct pr_fastpath {
	int64_t id;
	char game[PR_QUICK_GAME];
	bool many;        /* `positions`; else there is one, `position` */
	size_t count;     /* of positions, at least 1 */
	const char *next; /* in the line: behind the opening quote of the text that comes next */
	size_t left;      /* texts from there on */
};

/* False when the line (the newline not included) is no quick query; *out is undefined then. It borrows the line. */
bool pr_fastpath_read(const char *line, size_t size, struct pr_fastpath *out);
/* Copies the next position to `text` (PR_QUICK_TEXT bytes of room); false when there is none left. */
bool pr_fastpath_next(struct pr_fastpath *query, char *text);
/* Begins the reply that the general writer would give. What follows is a value with the key "result", and pr_close. */
void pr_fastpath_open(const struct pr_fastpath *query, struct pr_out *out);

#endif
