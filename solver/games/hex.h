/* Hex: what boards of all sizes share. RULES.md has the rules and the notation.
 *
 * Notation. A cell is a column (a to s) and a row (1 to 19) counted from the top left, as in c2; rows are shifted to
 * the right as they go down. Neighbours of c2 are b2 and d2, c1 and d1 above, c3 and b3 below:
 *
 *      a b c d
 *     1 . . * *
 *      2 . * x *
 *       3 . * * .
 *
 * A position is the cells played from the start, or a board (solver/games/cells.h, row 1 first) and x or o, the side to
 * move: `4/2x1/4/4 o`. The letter may be left out where First has as many stones as Second, or one more: then the side
 * to move is as after moves from the start. What moves can reach is printed as one order of moves that leads to it: by
 * number of the cell, First's and Second's in turn, and where the game is over a stone that all chains need comes last.
 * All other positions are printed as a board.
 *
 * Cells are numbered row by row: cell = row * width + column. A move's code is its cell.
 *
 * Key. First's stones as a number, bit = cell, then Second's in as many bits again; one string of bits, lowest first,
 * in as few bytes as hold it. Of the position and itself turned by 180 degrees the one counts whose First's number is
 * smaller, and if they are equal the one whose Second's is. The reflection that exchanges the colours is no symmetry
 * here, since it is First who moves first. In positions that moves can reach, the side to move follows from the number
 * of stones. Any other position has one byte more in its key: 0 when First is to move, 1 when Second is. Moves cannot
 * reach two kinds of positions: those in which First has not as many stones as Second (one more where Second is to
 * move); and those in which the game went on after a chain, so that the winner has no stone which all his chains need.
 * A move changes neither.
 *
 * hex_board.h holds all that depends on how many bits a board has; hex.c, hex_wide.c and hex_large.c are one
 * instance of it each. */
#pragma once

#include "solver/games/game.h"
#include "solver/games/cells.h"

enum {
	HEX_SIDE_MAX = 19,
	HEX_CELLS_MAX = HEX_SIDE_MAX * HEX_SIDE_MAX,
	HEX_NARROW_MAX = 64, /* cells that fit the boards of hex.c */
	HEX_WIDE_MAX = 128   /* of hex_wide.c; hex_large.c has the larger ones */
};

/* The beginning of all instances' games. */
struct hex {
	struct game game;
	unsigned width, height; /* 1..HEX_SIDE_MAX */
	unsigned cells;
	unsigned key_size;             /* bytes of the key of a position that moves can reach */
	uint16_t order[HEX_CELLS_MAX]; /* cells in the order of moves, nearest to the centre first */
};

/* The rules of boards of more than HEX_NARROW_MAX and HEX_WIDE_MAX cells; title and the like as in game_hex_rules. */
extern const struct game_rules game_hex_rules, game_hex_wide_rules, game_hex_large_rules;

/* Reads a cell at *text and moves behind it. NULL on success, otherwise what is wrong. */
const char *hex_cell_read(const struct hex *h, const char **text, unsigned *cell);
/* Writes a cell's name, as in c2. */
void hex_cell_name(const struct hex *h, unsigned cell, char out[8]);

/* A board as moves from the start that lead to it. `last` is the cell that is printed last, or any number from `cells`
 * on when it does not matter. Like snprintf. */
size_t hex_print_moves(const struct hex *h, const struct cells_xo *board, unsigned last, char *out, size_t size);

/* As in game_rules. */
void hex_board(const struct game *game, struct game_board *out);
unsigned hex_move_places(const struct game *game, const void *state, game_move move,
			 uint16_t out[GAME_MOVE_PLACES_MAX]);

/* True for what may stand between two moves. */
static inline bool hex_blank(char c)
{
	return c == ' ' || c == ',' || c == '\t';
}

/* Opens any instance: what game_rules asks of `open` and `close`. */
int hex_open(const struct game_rules *rules, const char *params, const struct game_host *host, struct game **out,
	     struct pd_fail *fail);
void hex_close(struct game *game);

/* A game of hex_wide.c or hex_large.c. Of the struct game in it only rules and state_size are set; hex_open does the
 * rest. NULL without memory. To be freed with free. */
struct hex *hex_narrow_new(unsigned width, unsigned height);
struct hex *hex_wide_new(unsigned width, unsigned height);
struct hex *hex_large_new(unsigned width, unsigned height);

#define HEX_PARAMS "N: a board of N by N cells, or WxH: columns and rows; each side 1 to 19"
#define HEX_NOTATION                                                                                                   \
	"A position is the cells played from the start, separated by blanks or commas, as in c3 b3; or a board with "  \
	"any stones, rows from the top separated by /, x for First, o for Second, numbers for runs of empty cells, "   \
	"and the side to move, as in 5/5/2x2/5/5 x. Column a and row 1 meet in the top left corner, which has two "    \
	"neighbours. First (Black, x) joins the top row and the bottom row, Second (White, o) the first column and "   \
	"the last. A move is a cell."
