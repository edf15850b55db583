/* Writing records: lines of play with variations, as programs for the game read them.
 *
 *  - moves: any game; moves in a notation of the game with blanks in between, variations in parentheses;
 *  - PGN: games with the notation `san`; tags, SAN, variations. A start other than the initial position becomes a FEN
 *    tag. PDN for games that have it (game_rules.h); its result is always *;
 *  - SGF (FF[4]): games whose `sgf` is not read-only. Black is First. Points are named as the game's moves are, or by
 *    letters of column and row from the top left. A start other than the initial position is set up by AB, AW and PL.
 *
 * PGN and SGF have the comments and marks of the nodes. PGN has no braces in comments: they become parentheses.
 * record.h reads them back, except lists of moves with variations. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/buf.h"
#include "solver/games/record_tree.h"

enum game_form { GAME_FORM_MOVES, GAME_FORM_PGN, GAME_FORM_SGF, GAME_FORMS };

/* "moves", "pgn", "sgf". */
const char *game_form_name(enum game_form form);
/* True if the game has records of that form. */
bool game_has_form(const struct game *game, enum game_form form);

struct game_line_tree {
	const void *start;                  /* a state */
	const struct game_line_node *nodes; /* borrowed */
	const char *title;                  /* what the record is; NULL: best play of the game */
	const char *notation;               /* for GAME_FORM_MOVES; NULL: the game's own */
};
/* Appends the record, which ends with a newline. game_has_form must be true for the form. */
void game_record_write(const struct game *game, const struct game_line_tree *tree, enum game_form form,
		       struct pd_buf *out);
