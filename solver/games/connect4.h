/* Connect Four: what boards of all sizes share. RULES.md has the rules and the notation.
 *
 * No stone of a position lies on an empty square. First has as many stones as Second or one more. The side to move has
 * no four in a row; if the other side has any, one of its topmost stones completed all of them. Whether some order of
 * moves leads there is not checked.
 *
 * Layout (Tromp, Pons). A column takes height + 1 bits, bottom first; the topmost bit is always empty, so no shift
 * carries a line from one column into the next, and a sum in one column never reaches another:
 *
 *      6 13 20 27 34 41 48      bit of a square = column * (height + 1) + row
 *      5 12 19 26 33 40 47
 *      ...
 *      0  7 14 21 28 35 42
 *
 * Key. mine + mask (Pons), the stones of the side to move and all stones: in a column of h stones mask is 2^h - 1, so
 * the sum lies in 2^h - 1 .. 2^(h+1) - 2, and these ranges are disjoint. The key is the smaller of the sums of the
 * position and of its mirror image, little-endian, in as many bytes as width * (height + 1) bits need. The side to move
 * follows from the number of stones. A move's code is its column, from 0.
 *
 * connect4_board.h holds everything that depends on the number of bits of a board; connect4_narrow.c (up to 64),
 * connect4_lanes.c (up to 64, for processors with AVX2) and connect4_wide.c (up to 128) are its instances. */
#pragma once

#include "solver/games/cells.h"

enum {
	CONNECT4_COLUMNS_MAX = 35, /* columns that have a letter */
	CONNECT4_ROWS_MAX = 64,
	CONNECT4_NARROW_MAX = 64, /* columns * (rows + 1) bits, in connect4_narrow.c and connect4_lanes.c */
	CONNECT4_BITS_MAX = 128
};

/* The beginning of the games of all instances. */
struct connect4 {
	struct cells_game base;
	unsigned stride; /* bits of a column */
	/* As in struct cells_form, when no stone lies on an empty square. Returns NULL, or what is wrong (*state is
	 * then not written). */
	void (*to_cells)(const struct connect4 *c, const void *state, struct cells *out);
	const char *(*from_stones)(const struct connect4 *c, const struct cells *cells, void *state);
	/* Plays at most `most` columns that letters name, up to the end of the text or to one that cannot be played:
	 * its index is then *at, and what is wrong with it is returned. NULL when all were played. */
	const char *(*drop)(const struct connect4 *c, void *state, const char *letters, size_t most, size_t *at);
};

/* The column that a letter names; the board's width if it names none. */
static inline unsigned connect4_column(const struct connect4 *c, char letter)
{
	unsigned width = c->base.width;
	unsigned column = letter >= '1' && letter <= '9'   ? (unsigned)(letter - '1')
			  : letter >= 'a' && letter <= 'z' ? (unsigned)(letter - 'a') + 9
							   : width;
	return column < width ? column : width;
}

extern const struct game_rules game_connect4_rules, game_connect4_lanes_rules, game_connect4_wide_rules;

/* Allocate a game of each instance; connect4_open fills in the rest. NULL and an error if out of memory. */
struct connect4 *connect4_narrow_new(unsigned width, unsigned height, const struct cells_form *form,
				     struct pd_fail *fail);
struct connect4 *connect4_lanes_new(unsigned width, unsigned height, const struct cells_form *form,
				    struct pd_fail *fail);
struct connect4 *connect4_wide_new(unsigned width, unsigned height, const struct cells_form *form,
				   struct pd_fail *fail);

/* Members of game_rules. */
int connect4_open(const struct game_rules *rules, const char *params, const struct game_host *host, struct game **out,
		  struct pd_fail *fail);
int connect4_parse(const struct game *game, const char *text, void *state, struct pd_fail *fail);
size_t connect4_move_print(const struct game *game, const void *state, game_move move, char *out, size_t size);
void connect4_board(const struct game *game, struct game_board *out);
unsigned connect4_move_places(const struct game *game, const void *state, game_move move,
			      uint16_t out[GAME_MOVE_PLACES_MAX]);

#define CONNECT4_PARAMS "WxH: 1 to 35 columns and 1 to 64 rows, with W * (H + 1) at most 128; four in a row wins"
#define CONNECT4_NOTATION                                                                                              \
	"A position is the columns played from the start, 1 to 9 and then a, b, ..., as in 4453; or a board, rows "    \
	"from the top separated by /, x for First, o for Second, numbers for runs of empty squares, as in "            \
	"7/7/7/7/7/3xo2 (a board of one row has a / at its end). A move is a column."
