/* Record SGF: what the reader and the writer of SGF know of games and points, and stones that a record sets up. */
#ifndef RECORD_SGF_H
#define RECORD_SGF_H

#include "solver/games/record_reader.h"

/* A game with records in SGF. */
struct game_sgf {
	const char *name; /* of its rules */
	unsigned number;  /* GM of the SGF specification */
	bool letters;     /* points are written as letters of column and row, from the top left */
	bool written;     /* record_write.c writes it */
};
/* NULL: the game has none. */
const struct game_sgf *game_sgf_of(const struct game *game);

/* The place that a value names: as the game does, or by letters; GAME_PLACES_MAX when it names none. */
unsigned game_sgf_place(const struct game *game, const char *text, size_t size);

/* Stones that a node sets up. */
struct game_sgf_setup {
	const char *at; /* the first of its properties; NULL: it has none */
};
/* A value of AB, AW, AE or PL, by the second letter of the name, or 'P'. */
int game_sgf_setup_value(struct record *r, struct game_sgf_setup *setup, char kind, const char *text, size_t size);
/* All properties of the node are read. */
int game_sgf_setup_end(struct record *r, struct game_sgf_setup *setup);

#endif
