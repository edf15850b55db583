/* Fast path: the most frequent request, read without a JSON parser.
 *
 *   {"jsonrpc":"2.0","id":N,"method":"fact.query","params":{"game":"...","position":"..."}}
 *
 * or with "positions":["...",...] in place of the last member. The members are in this order, with any blanks between
 * tokens; N is an integer; the texts are plain ASCII without escapes. That is the usual shape, which is tried first.
 * The same query in another order, with an id that is a text or null, with `moves` or `each_move`, takes a little
 * longer. Every other line, a faulty one included, is left to the general reader (rpc.h), which alone
 * reports errors. So a line that is read here is one that the general reader accepts, with the same meaning;
 * tests/proto/test_fastpath.c compares the two. */
#pragma once

#include "proto/out.h"

enum {
	PR_FAST_GAME = 96,   /* room for the game's name, the zero included */
	PR_FAST_TEXT = 2048, /* room for a position's text or a record of moves, the zero included */
	PR_FAST_MOVE = 64    /* room for a move's text, the zero included */
};

/* What `moves` is. */
enum pr_fast_moves { PR_FAST_NONE, PR_FAST_RECORD, PR_FAST_LIST };

struct pr_fastpath {
	int64_t id;
	char game[PR_FAST_GAME];
	bool many;           /* `positions`; else there is one, `position` */
	size_t count;        /* of positions, at least 1 */
	const char *next;    /* in the line: after the opening quote of the next text */
	size_t left;         /* texts from there on */
	bool usual;          /* the line has the usual shape; the members below are then unused */
	bool each;           /* the query also asks about each move, by `moves` or by `each_move` */
	bool each_move;      /* it does so by `each_move` */
	const char *id_text; /* the id as it is in the line; NULL: it is the integer `id` */
	size_t id_size;
	enum pr_fast_moves moves; /* played from `position` */
	const char *moves_next;   /* as `next`; a record is one text */
	size_t moves_left;        /* of a list */
};

/* False when the line (the newline not included) is not a fast query; *out is undefined then. It borrows the line. */
bool pr_fastpath_read(const char *line, size_t size, struct pr_fastpath *out);
/* Copies the next position to `text` (PR_FAST_TEXT bytes of room); false when there is none left. */
bool pr_fastpath_next(struct pr_fastpath *query, char *text);
/* For a query that plays moves: copies the record to `text` (PR_FAST_TEXT bytes), or the next move of a list
 * (PR_FAST_MOVE bytes); false when there is none left. */
void pr_fastpath_record(const struct pr_fastpath *query, char *text);
bool pr_fastpath_move(struct pr_fastpath *query, char *text);
/* Begins the reply that the general writer would give. The caller then puts the value with the key "result" and calls
 * pr_close. */
void pr_fastpath_open(const struct pr_fastpath *query, struct pr_out *out);
