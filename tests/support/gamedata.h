/* Game data: what the tests know of each built-in game, from tests/data/games/NAME.tsv.
 *
 * A file belongs to one game and has one row a line, columns separated by tabs; lines that begin with # are comments.
 * The first column is the kind of the row, the second a full name of the game (of its parameters, too):
 *
 *   open    GAME                              a variant that has to keep the laws of solver/game_rules.h
 *   name    TYPED CANONICAL                   a way to write a name, and how the game calls itself then
 *   refuse  TYPED                             a name that must not open
 *   perft   GAME POSITION N1 N2 ...           positions after 1, 2, ... plies, by an independent source (0 ends a list
 *                                             when games are over by then); both implementations are held to it
 *   walk    GAME WALKS PLIES                  random walks on which solver and checker rules are compared
 *   proof   GAME POSITION CLAIM LEAVES [slow] a true certificate to make, check and corrupt: one in LEAVES reasons is
 *                                             left to a bounded search (0: none); slow: in long runs only
 *   draw    GAME POSITION MOVES CAPTION       what clients/GALLERY.md shows of it, if it has a board
 *
 * Every built-in game must have at least one row of every kind: gamedata_read ends the program otherwise, so no test
 * that iterates over games can pass one over. */
#pragma once

#include <stddef.h>

#include "solver/games/game.h"

enum { GAMEDATA_COLUMNS_MAX = 16, GAMEDATA_ROWS_MAX = 256 };

struct gamedata_row {
	unsigned game;                            /* index of the game: game_builtin(game) */
	unsigned columns;                         /* without the kind */
	const char *column[GAMEDATA_COLUMNS_MAX]; /* column[0]: the game's full name; NULL from `columns` on */
};

struct gamedata {
	unsigned count;
	struct gamedata_row row[GAMEDATA_ROWS_MAX]; /* in the order of the registry */
};

/* All rows of that kind. Never NULL and never freed; the texts live as long as the program. Ends the program with a
 * message when a file is missing or malformed, when a game lacks a kind of row, or when a file belongs to no game. */
const struct gamedata *gamedata_read(const char *kind);

/* Built-in games. */
unsigned gamedata_games(void);

/* Opens a game of a row. andor:NAME gets its graph from tests/data/andor/NAME.json. Ends the program on failure. */
struct game *gamedata_open(const char *name);

/* The bytes of tests/data/andor/NAME.json for the game andor:NAME, to be freed; NULL for other games. */
char *gamedata_graph(const char *name, size_t *size);
