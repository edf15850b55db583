/* Drawings of boards as SVG. */
#pragma once

#include "proto/base/buf.h"
#include "solver/games/game.h"

/* What a drawing shows besides the board. */
struct game_svg {
	const uint16_t *last; /* places of the last move */
	unsigned last_count;
	const char *title;  /* above the board; NULL: none */
	const char *result; /* below a position in which the game is over; NULL: none */
	const char *marks;  /* for each place the mark of its group, a digit or a letter, 0: none; NULL: no marks */
};
/* Outlines as SVG paths: the chessmen in the order of their characters, king to pawn, and what is below a man that was
 * promoted. Made of clients/web/chessmen.mjs. */
extern const char *const game_outlines[];

/* Appends an SVG document without an XML header, so that it can be embedded. */
void game_board_svg(const struct game_board *board, const struct game_diagram *diagram, const struct game_svg *how,
		    struct pd_buf *out);
