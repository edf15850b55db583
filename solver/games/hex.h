/* Hex: what boards of all sizes share. RULES.md has the rules and the notation.
 *
 * Cells are numbered row by row from the top left: cell = row * width + column. Rows are shifted to the right as they
 * go down. Neighbours of c2 are b2 and d2, c1 and d1 above, c3 and b3 below:
 *
 *      a b c d
 *     1 . . * *
 *      2 . * x *
 *       3 . * * .
 *
 * A position that moves can reach is printed as one order of moves that leads to it: First's and Second's cells in
 * turn, each by number; if the game is over, a stone that all chains need comes last. Any other position is printed as
 * a board (solver/games/cells.h). In a board the side to move may be left out if First has as many stones as Second, or
 * one more. A move's code is its cell.
 *
 * Key. First's stones as a number, bit = cell, then Second's in as many bits again; one string of bits, lowest first,
 * in as few bytes as hold it. Of the position and its image turned by 180 degrees, the key uses the one whose number
 * for First is smaller, or, if these are equal, whose number for Second is smaller. The reflection that exchanges the
 * colours is not a symmetry here, because First moves first. In positions that moves can reach, the side to move
 * follows from the number of stones. The key of any other position has one byte more: 0 when First is to move, 1 when
 * Second is. Moves cannot reach two kinds of positions: those in which First does not have as many stones as Second
 * (one more where Second is to move); and those in which the game went on after a chain, so that no stone is part of
 * all the winner's chains. A move changes neither property.
 *
 * hex_board.h holds everything that depends on the number of bits of a board; hex_narrow.c, hex_wide.c and hex_large.c
 * are its instances. */
#pragma once

#include "solver/games/cells.h"

enum {
	HEX_SIDE_MAX = 19,
	HEX_CELLS_MAX = HEX_SIDE_MAX * HEX_SIDE_MAX,
	HEX_NARROW_MAX = 64, /* cells of boards of hex_narrow.c */
	HEX_WIDE_MAX = 128   /* of hex_wide.c; larger boards are those of hex_large.c */
};

/* The beginning of the games of all instances. */
struct hex {
	struct cells_game base;
	unsigned cells;
	unsigned key_size;             /* bytes of the key of a position that moves can reach */
	uint16_t order[HEX_CELLS_MAX]; /* cells in the order of moves, nearest to the centre first */
};

extern const struct game_rules game_hex_rules, game_hex_wide_rules, game_hex_large_rules;

/* Writes a board as moves from the start that lead to it. `last` is the cell of the last move, or any number of at
 * least h->cells when that does not matter. Returns what snprintf returns. */
size_t hex_print_moves(const struct hex *h, const struct cells *cells, unsigned last, char *out, size_t size);

/* Members of game_rules. */
void hex_board(const struct game *game, struct game_board *out);
int hex_open(const struct game_rules *rules, const char *params, const struct game_host *host, struct game **out,
	     struct pd_fail *fail);

/* Allocate a game of each instance; hex_open fills in the rest. NULL and an error if out of memory. */
struct hex *hex_narrow_new(unsigned width, unsigned height, struct pd_fail *fail);
struct hex *hex_wide_new(unsigned width, unsigned height, struct pd_fail *fail);
struct hex *hex_large_new(unsigned width, unsigned height, struct pd_fail *fail);

#define HEX_PARAMS "N: a board of N by N cells, or WxH: columns and rows; each side 1 to 19"
#define HEX_NOTATION                                                                                                   \
	"A position is the cells played from the start, separated by blanks or commas, as in c3 b3; or a board with "  \
	"any stones, rows from the top separated by /, x for First, o for Second, numbers for runs of empty cells, "   \
	"and the side to move, as in 5/5/2x2/5/5 x. Column a and row 1 meet in the top left corner, which has two "    \
	"neighbours. First (Black, x) joins the top row and the bottom row, Second (White, o) the first column and "   \
	"the last. A move is a cell."
