/* Cells: text of boards with any kinds of pieces, and the names of their squares.
 *
 * The board form: rows from the top, separated by '/'; a letter for a piece, a number for a run of empty squares:
 * `3/1x1/o2`. It is recognised by its slash, which no list of moves has, so a board of one row carries a slash at its
 * end. Behind it, after a blank, stands a letter for the side to move. Squares are numbered row by row from the bottom
 * left, square = row * width + column, and named by column and row: a1, ..., z1, aa1, ... Readers take the text at
 * *text and move behind what they read; they return NULL, or what is wrong at *text. */
#pragma once

#include "solver/games/game.h"
#include "solver/games/text.h"

enum { CELLS_COLUMNS_MAX = 702 }; /* a to zz */

struct cells_form {
	unsigned width, height;
	const char *letters; /* the i-th stands for i + 1 in a cell; 0 is empty */
};

/* Reads a board into width * height cells. */
const char *cells_read(const struct cells_form *form, const char **text, uint8_t *cells);
void cells_print(const struct cells_form *form, const uint8_t *cells, struct text_line *line);

const char *cells_square_read(const struct cells_form *form, const char **text, unsigned *square);
void cells_square_print(const struct cells_form *form, unsigned square, struct text_line *line);

/* Reads blanks, one of two letters and the end of the text; *side is which letter. */
const char *cells_side_read(const char **text, const char letters[2], unsigned *side);

/* Boards of x (First) and o (Second). */

enum { CELLS_XO_MAX = 400, CELLS_XO_FIRST = 1, CELLS_XO_SECOND = 2 };

struct cells_xo {
	unsigned width, height;
	bool from_top;            /* rows are numbered from the top */
	uint8_t turn;             /* enum game_side, to move; GAME_NO_SIDE when it is not said */
	uint8_t at[CELLS_XO_MAX]; /* 0: empty; as the pieces of a diagram whose board has x and o in this order */
};

/* Reads the board form, with or without x or o for the side to move behind it, into turn and at; the other members are
 * given. PD_E_POSITION with field "position", naming the index of the character at fault. Nothing is said about the
 * number of stones. */
int cells_xo_parse(struct cells_xo *b, const char *text, struct pd_fail *fail);
/* The side to move is left out where turn is GAME_NO_SIDE. Like snprintf. */
size_t cells_xo_print(const struct cells_xo *b, char *out, size_t size);
/* From and to the places of a diagram (where turn does not count). */
int cells_xo_from(struct cells_xo *b, const struct game_diagram *diagram, struct pd_fail *fail);
void cells_xo_show(const struct cells_xo *b, struct game_diagram *out);

/* PD_E_POSITION, field "position", unless the side that is said to be to move (enum game_side) is that of the state
 * (any will do where the game is over, and GAME_NO_SIDE always). */
int cells_check_turn(const struct game *game, unsigned said, const void *state, struct pd_fail *fail);
/* Who is to move, for diagrams: First is GAME_FIRST. */
uint8_t cells_turn(const struct game *game, const void *state);

/* What stands between two moves of a list. */
bool cells_blank(char c);

/* PD_E_POSITION about the place `at` in a text. */
int cells_fail(struct pd_fail *fail, const char *text, const char *at, const char *wrong);
