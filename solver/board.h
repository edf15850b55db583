/* Boards: what follows from a game's board and diagrams (game_rules.h), with no code of the game's own. */
#ifndef BOARD_H
#define BOARD_H

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

#endif
