/* Boards: what follows from a game's board and diagrams (game_rules.h), with no code of the game's own. */
#pragma once

#include "proto/base/buf.h"
#include "solver/game.h"

/* True when the game describes its board. */
static inline bool game_has_board(const struct game *g)
{
	return g->rules->board && g->rules->diagram;
}

/* A position for people, several lines, ending with a newline: the game's own picture, or one drawn from its board.
 * Like snprintf; at most GAME_TEXT_MAX bytes with the terminating zero are wanted. */
size_t game_picture(const struct game *game, const void *state, char *out, size_t size);
/* The picture from the board, whether the game has one of its own or not. */
size_t game_board_picture(const struct game_board *board, const struct game_diagram *diagram, char *out, size_t size);

/* What a drawing shows besides the board. */
struct game_svg {
	const uint16_t *last; /* places of the last move */
	unsigned last_count;
	const char *title;  /* above the board; NULL: none */
	const char *result; /* said below a position in which the game is over; NULL: nothing */
};
/* Appends a drawing of a position: an SVG document without an XML header, so that it can be put into another. */
void game_board_svg(const struct game_board *board, const struct game_diagram *diagram, const struct game_svg *how,
		    struct pd_buf *out);
