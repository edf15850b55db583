/* Writing records: lines of play with variations, as programs for the game read them.
 *
 *  - moves: any game; moves in a notation of the game with blanks in between, variations in parentheses;
 *  - PGN: games with the notation `san`; tags, SAN, variations. A start other than the initial position becomes a FEN
 *    tag. PDN for games that have it (game_rules.h); its result is always *;
 *  - SGF (FF[4]): games whose `sgf` is not read-only. Black is First. Points are named as the game's moves are, or by
 *    letters of column and row from the top left. A start other than the initial position is set up by AB, AW and PL.
 *
 * record.h reads them back, except lists of moves with variations. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/buf.h"
#include "solver/games/game.h"

enum game_form { GAME_FORM_MOVES, GAME_FORM_PGN, GAME_FORM_SGF, GAME_FORMS };

/* A move of a tree of play. The node 0 is the start and has no move and no sibling. */
struct game_line_node {
	game_move move;
	uint32_t child;   /* index of the next move in its line; 0: none */
	uint32_t sibling; /* index of an alternative to this move; 0: none */
};

/* "moves", "pgn", "sgf". */
const char *game_form_name(enum game_form form);
/* True if the game has records of that form. */
bool game_has_form(const struct game *game, enum game_form form);

struct game_line_tree {
	const void *start;                  /* a state */
	const struct game_line_node *nodes; /* borrowed */
	const char *remark;                 /* a comment on the start: one line of text without braces; NULL: none */
	const char *notation;               /* for GAME_FORM_MOVES; NULL: the game's own */
};
/* Appends the record, which ends with a newline. game_has_form must be true for the form. */
void game_record_write(const struct game *game, const struct game_line_tree *tree, enum game_form form,
		       struct pd_buf *out);
