/* SGF on boards: points, sizes, stones that a record sets up, and the swap of Hex. */
#pragma once

#include "solver/games/record.h"

/* The place that a value names, in the game's own way or by two letters; GAME_PLACES_MAX when it names none. */
unsigned game_sgf_place(const struct game *game, const char *text, size_t size);
/* Writes the two letters of a place: column and row from the top left, a to z and then A to Z. */
void game_sgf_letters(const struct game_board *b, unsigned place, char out[3]);
void game_sgf_size(const struct game_board *b, unsigned *columns, unsigned *rows);

/* A position that is set up before the first move, on top of the initial one. Black is First. */
struct game_sgf_setup {
	const char *at; /* the first property that is not applied yet; NULL: none */
	bool begun;     /* the record has set-up properties */
	bool turn;      /* PL has named the side to move */
	struct game_diagram diagram;
};
/* Takes a value of AB, AW, AE or PL; `kind` is the second letter of the first three, or 'P'. */
int game_sgf_setup_value(struct record *r, struct game_sgf_setup *setup, char kind, const char *text, size_t size);
/* Makes the set-up diagram the position. `turn` is the side to move unless PL named it: the colour of the first move
 * (enum game_side), or GAME_NO_SIDE where no move follows. */
int game_sgf_setup_apply(struct record *r, struct game_sgf_setup *setup, unsigned turn);

/* The swap of Hex, which is not a move here (solver/games/RULES.md). `swap-pieces`, or `swap`, replaces the first stone
 * by one of the other colour on the mirror image of its cell under the reflection that exchanges the colours' edges.
 * `swap-sides` leaves the board as it is: the players exchange colours, and the colour that did not open moves next. */
bool game_sgf_is_swap(const struct game *game, const char *text, size_t size);
int game_sgf_swap(struct record *r, const char *text, size_t size);
