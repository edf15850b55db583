/* Cells: how games on boards write moves and positions.
 *
 * The board form: rows from the top, separated by '/'; a letter for a piece, a number for a run of empty squares:
 * `3/1x1/o2`. On boards of up to 9 columns each digit is a run of its own. The slash tells a board from a list of
 * moves, so a board of one row has a slash at its end. A blank and a letter for the side to move follow. Places are
 * numbered row by row, place = row * width + column, and named by column and row: a1, ..., z1, aa1, ... Row 1 is the
 * lowest one, or the uppermost one with `from_top`.
 *
 * Readers read from *text and advance it past what they have read. They return NULL, or what is wrong at *text. */
#pragma once

#include "solver/games/game.h"
#include "solver/games/text.h"

enum { CELLS_COLUMNS_MAX = 702 /* a to zz */, CELLS_MAX = 400, CELLS_FIRST = 1, CELLS_SECOND = 2 };

struct cells {
	uint8_t turn;          /* enum game_side; GAME_NO_SIDE: not stated */
	uint8_t at[CELLS_MAX]; /* 0: empty; otherwise the number of a letter of the form, from 1, as in diagrams */
};

/* What a game adds to the functions below. */
struct cells_form {
	const char *letters, *sides; /* of the pieces, and of First and Second as the side to move */
	bool from_top;
	bool side_optional; /* the side to move may be left out */
	bool second_first;  /* in a finished game without a stated side, Second is to move if possible, not First */
	bool no_blanks;     /* moves of a list need no blanks or commas between them */
	/* Reads a legal move. */
	const char *(*read_move)(const struct game *game, const void *state, const char **text, game_move *out);
	/* Describes a state. */
	void (*to_cells)(const struct game *game, const void *state, struct cells *out);
	/* Makes a state from a description. PD_E_POSITION if the position does not exist in the game. */
	int (*from_cells)(const struct game *game, const struct cells *cells, void *state, struct pd_fail *fail);
	/* Optional: plays moves that a list leaves out before its next move. */
	void (*play_omitted)(const struct game *game, const char *text, void *state);
	/* Optional: reads what follows the side to move. */
	const char *(*read_rest)(const char **text);
	/* For games with another form of positions: recognises such a text, and reads it. */
	bool (*is_board)(const char *text);
	const char *(*read_board)(const struct game *game, const char **text, void *state);
};

/* The beginning of the struct of each game that uses this form. */
struct cells_game {
	struct game game;
	const struct cells_form *form;
	unsigned width, height;
};

/* --- members of game_rules ---------------------------------------------------------------- */

int cells_parse(const struct game *game, const char *text, void *state, struct pd_fail *fail);
size_t cells_print(const struct game *game, const void *state, char *out, size_t size);
int cells_move_parse(const struct game *game, const void *state, const char *text, game_move *out,
		     struct pd_fail *fail);
void cells_diagram(const struct game *game, const void *state, struct game_diagram *out);
int cells_set_up(const struct game *game, const struct game_diagram *diagram, void *state, struct pd_fail *fail);
void cells_close(struct game *game);
#define CELLS_TEXT                                                                                                     \
	.abi = GAME_ABI, .size = sizeof(struct game_rules), .close = cells_close, .parse = cells_parse,                \
	.move_parse = cells_move_parse
/* The members that every game has, named after it or after its board. */
#define CELLS_RULES(name)                                                                                              \
	.start = name##_start, .first_to_move = name##_first_to_move, .terminal = name##_terminal,                     \
	.moves = name##_moves, .play = name##_play, .key = name##_key, .unkey = name##_unkey
#define CELLS_BOARD CELLS_TEXT, .print = cells_print, .diagram = cells_diagram, .set_up = cells_set_up

/* For games whose moves are places: read_move of the form, and three members of game_rules. */
const char *cells_read_place_move(const struct game *game, const void *state, const char **text, game_move *out);
size_t cells_move_print(const struct game *game, const void *state, game_move move, char *out, size_t size);
unsigned cells_move_places(const struct game *game, const void *state, game_move move,
			   uint16_t out[GAME_MOVE_PLACES_MAX]);
unsigned cells_move_square(const struct game *game, const void *state, game_move move);
/* move_square for other games: the last of the places that a move names. */
unsigned cells_last_place(const struct game *game, const void *state, game_move move);

/* --- opening ------------------------------------------------------------------------------ */

/* Allocates a game of `size` bytes that begins with a struct cells_game. Everything is zero except rules, form, version
 * 1 and the values -1 to 1 in steps of 1; the game is acyclic. If out of memory, returns NULL, with PD_E_NO_MEMORY in
 * fail. */
void *cells_new(const struct game_rules *rules, const struct cells_form *form, size_t size, struct pd_fail *fail);
/* Fails with PD_E_GAME and field "game", for parameters that the rules do not take. */
int cells_refuse_params(const struct game_rules *rules, const char *params, struct pd_fail *fail);
/* Reads columns and rows, "7x6"; false unless there are at least one of each and nothing follows. */
bool cells_size_read(const char *params, unsigned *width, unsigned *height);

/* --- parts -------------------------------------------------------------------------------- */

const char *cells_read(const struct cells_game *g, const char **text, uint8_t *at);
void cells_print_rows(const struct cells_game *g, const uint8_t *at, struct text_line *line);
const char *cells_place_read(const struct cells_game *g, const char **text, unsigned *place);
void cells_place_print(const struct cells_game *g, unsigned place, struct text_line *line);
/* True for a character that may separate two moves of a list. */
bool cells_blank(char c);
/* PD_E_POSITION with field "position" and the sentence `wrong`; PD_OK if that is NULL. */
int cells_refuse(struct pd_fail *fail, const char *wrong);
/* The side to move, as in diagrams: GAME_NO_SIDE when the game is over. */
uint8_t cells_turn(const struct game *game, const void *state);
