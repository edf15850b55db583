/* Pictures of positions in plain text, drawn from a game's board and diagram (game_rules.h). */
#pragma once

#include "solver/games/game.h"

/* True when the game describes its board. */
static inline bool game_has_board(const struct game *g)
{
	return g->rules->board && g->rules->diagram;
}

static inline bool game_place_is_edge(const struct game_place *p)
{
	return p->shape == GAME_EDGE_ACROSS || p->shape == GAME_EDGE_DOWN;
}

/* Writes a position as several lines that end with a newline: the game's own picture, or one drawn from its board.
 * Returns what snprintf returns; GAME_TEXT_MAX bytes always suffice. */
size_t game_picture(const struct game *game, const void *state, char *out, size_t size);
/* Writes a position like game_picture, but always draws it from the board. `marks`: for each place the character to
 * draw when it is empty, 0: none; NULL: no marks. */
size_t game_board_picture(const struct game_board *board, const struct game_diagram *diagram, const char *marks,
			  char *out, size_t size);
