/* Record SGF: what the reader and the writer of SGF know of games and points, and stones that a record sets up. */
#pragma once

#include "solver/games/record_reader.h"

/* The place that a value names: as the game does, or by letters; GAME_PLACES_MAX when it names none. */
unsigned game_sgf_place(const struct game *game, const char *text, size_t size);

/* A position that is set up before the first move, on top of the one that the record begins with. Black is First. */
struct game_sgf_setup {
	const char *at; /* the first property that is not applied yet; NULL: there is none */
	bool begun;     /* there was one */
	bool turn;      /* PL has said who is to move */
	struct game_diagram diagram;
};
/* A value of AB, AW, AE or PL, by the second letter of the name, or 'P'. */
int game_sgf_setup_value(struct record *r, struct game_sgf_setup *setup, char kind, const char *text, size_t size);
/* What was set up becomes the position. Who is to move, unless PL said it: the colour of the first move (enum
 * game_side), or GAME_NO_SIDE where no move follows. */
int game_sgf_setup_apply(struct record *r, struct game_sgf_setup *setup, unsigned turn);

/* The swap of Hex, which is no move of its rules. With `swap-pieces`, or `swap`, the first stone is replaced by one of
 * the other colour on the cell that the reflection which exchanges the colours' edges takes it to. With `swap-sides`
 * the board stays as it is: the persons exchange the colours, and the colour that did not open moves next. */
bool game_sgf_is_swap(const struct game *game, const char *text, size_t size);
int game_sgf_swap(struct record *r, const char *text, size_t size);
