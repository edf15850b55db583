/* Board: what board games share: squares, stones, and the text of boards and of moves.
 *
 * The text of a board is its rows from the top, separated by '/'; a letter is a man, and a number is a run of empty
 * squares: `3/1x1/o2`. A board of one row ends with a '/'. */
#pragma once

#include "clients/proofcheck/rules.h"

/* --- squares and stones --- */

/* The square in that column and row; -1 off the board. */
int ck_square_at(const struct ck_game *game, int column, int row);
/* The number of squares among the first `size` that have that value. */
unsigned ck_count_kind(const uint8_t *at, unsigned size, unsigned kind);
/* True when `line` or more men of that kind form an unbroken line in a row, a column or a diagonal. */
bool ck_row_of(const uint8_t *at, unsigned width, unsigned height, unsigned line, unsigned kind);

/* `moves` and `play` of games in which a move puts a stone, 1 of First's or 2 of Second's, on an empty square. */
unsigned ck_empty_squares(const struct ck_game *game, const struct ck_position *p, uint16_t out[CK_MOVES_MAX]);
void ck_put_stone(const struct ck_game *game, struct ck_position *p, uint16_t move);
/* `square` of games in which the code of a move is a square. A pass has none. */
int ck_move_is_square(const struct ck_game *game, const struct ck_position *p, uint16_t move);

/* --- reading --- */

/* Reads a decimal number from 1 to 999 without leading zeros and advances *text past it; false when there is none. */
bool ck_number(const char **text, unsigned *out);
/* The same for a number from 0 to 999. */
bool ck_number_or_0(const char **text, unsigned *out);
/* Reads "WxH" and advances *text past it. */
bool ck_size_read(const char **text, unsigned *width, unsigned *height);
/* Reads the name of a square, as in b3 or ab12, and advances *text past it. */
bool ck_square_read(const char **text, unsigned width, unsigned height, unsigned *square);

/* Reads the first `size` bytes of the text. The i-th letter of `letters` becomes i + 1; blanks in `letters` stand for
 * numbers that have no letter. Returns NULL on success, else an error message. `at` has room for the board, at most
 * CK_SQUARES_MAX squares. */
const char *ck_board_read(const char *text, size_t size, unsigned width, unsigned height, const char *letters,
			  uint8_t *at);

/* The two letters for the side to move, and the error message for a text that has neither. */
struct ck_sides {
	const char *letters, *wrong;
};
#define CK_SIDES(a, b) (&(const struct ck_sides){a b, "the side to move, " a " or " b ", must follow the board"})

/* Reads a board and the side to move, separated by blanks, into an empty position. Unless `side` is NULL the side may
 * be missing; *side is then 2, otherwise the side to move. Returns NULL on success, else an error message. */
const char *ck_rows_read(const struct ck_game *game, const char *text, const char *letters,
			 const struct ck_sides *sides, struct ck_position *out, unsigned *side);

/* Reads a move and advances *text past it; false when there is none. The move need not be legal. */
typedef bool ck_move_reader(const struct ck_game *game, const struct ck_position *p, const char **text, unsigned *move);
/* Plays the moves of a text, separated by blanks or commas. `read` NULL: a move is the name of a square. Returns NULL
 * on success, else an error message. */
const char *ck_moves_read(const struct ck_game *game, const char *text, struct ck_position *p, ck_move_reader *read);

/* --- writing --- */

/* Writes the board and a terminating zero; returns the number of bytes before the zero. At most
 * width * height + height + 1 bytes are written. */
size_t ck_board_print(const uint8_t *at, unsigned width, unsigned height, const char *letters, char *out);
/* Writes the name of a square, b3, and returns the end of the name. */
char *ck_square_name(char *out, unsigned column, unsigned row);
/* Writes the name of a column, b, and returns the end of the name; aa, ab, ... follow z. */
char *ck_column_name(char *out, unsigned column);
