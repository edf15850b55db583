/* Fast path, shape: a query as the fast path has read it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
	const char *next;    /* in the line: behind the opening quote of the text that comes next */
	size_t left;         /* texts from there on */
	bool usual;          /* the line has the usual shape: what follows means nothing */
	bool each;           /* what is proved about each move is asked as well, by either of the two names */
	bool each_move;      /* by the name `each_move` */
	const char *id_text; /* the id as it stands in the line, or NULL: it is `id` */
	size_t id_size;
	enum pr_fast_moves moves; /* played from `position` */
	const char *moves_next;   /* as `next`; a record is one text */
	size_t moves_left;        /* of a list */
};
