/* m,n,k: what boards of all sizes and turns of all lengths share. RULES.md has the rules and the notation.
 *
 * A move is one stone: a turn of P stones is P moves of one player. An immediate win is therefore a win by the next
 * stone; a win that takes two stones of a turn is found by a search two plies deep. The order of the stones of a turn
 * does not matter for a position, so all orders lead to one key.
 *
 * Boards (solver/games/cells.h). A board is reached in a game if it has the stones that the turns give each side, no
 * line of the side that did not put the last stone, and, where the other side has lines, one stone that is part of all
 * of them: its last move. Without `exact` these are exactly the boards that moves lead to; with it some of them may not
 * be. Where a turn is one stone (P = Q = 1) any other position may be set up as well: any stones, either side to move;
 * only one side may have lines, and then the game is over and the other side counts as the one to move.
 *
 * A move's code is its square = row * width + column. Symmetries are numbered as in grid.h.
 *
 * Key. The pair (x, o) of the smallest image, compared as numbers, bit = square, x first; x and o are written one after
 * the other, `squares` bits each, little-endian, in as many bytes as that needs. The side to move and the stones left
 * in its turn follow from the number of stones. A position that is set up and cannot be reached in a game with this
 * side to move has one byte more: 0 when First is to move, 1 when Second is. If several symmetries give the same pair,
 * the one with the smallest number is used, so a canonical position is its own frame.
 *
 * mnk_board.h holds everything that depends on the number of bits of a board and on the length of turns. mnk_plain.c
 * (up to 64 squares, one stone a turn), mnk_turns.c (up to 64 squares) and mnk_wide.c (up to 400) are its instances. */
#pragma once

#include "solver/games/cells.h"

enum {
	MNK_SIDE_MAX = 64,   /* columns, rows, and stones in a row */
	MNK_NARROW_MAX = 64, /* squares of mnk_plain.c and mnk_turns.c */
	MNK_WIDE_MAX = CELLS_MAX,
	MNK_POINTS_FROM = 9 /* boards with both sides this long are drawn with stones on points */
};

struct mnk_shape {
	unsigned width, height, k;
	unsigned turn, opening; /* stones a turn; stones of the first turn */
	bool exact;             /* longer lines do not win */
};

/* True if a turn is one stone: then positions may be set up that cannot be reached in a game. */
static inline bool mnk_alternates(const struct mnk_shape *shape)
{
	return shape->turn == 1 && shape->opening == 1;
}

/* The beginning of the games of all instances. */
struct mnk {
	struct cells_game base;
	struct mnk_shape shape;
	unsigned squares;
	unsigned key_size; /* bytes of the key of a position that can be reached in a game */
};

extern const struct game_rules game_mnk_rules, game_mnk_turns_rules, game_mnk_wide_rules;

/* Allocate a game of each instance; mnk_open fills in the rest. NULL and an error if out of memory. */
struct mnk *mnk_plain_new(const struct mnk_shape *shape, struct pd_fail *fail);
struct mnk *mnk_turns_new(const struct mnk_shape *shape, struct pd_fail *fail);
struct mnk *mnk_wide_new(const struct mnk_shape *shape, struct pd_fail *fail);

/* Members of game_rules. */
int mnk_open(const struct game_rules *rules, const char *params, const struct game_host *host, struct game **out,
	     struct pd_fail *fail);
void mnk_board(const struct game *game, struct game_board *out);

#define MNK_PARAMS                                                                                                     \
	"W,H,K[,P,Q][,exact]: columns and rows (1 to 64 each, together at most 400 squares), how many stones in a "    \
	"row win, or more (1 to 64); stones a turn and on the first turn (1 each unless given, at most 400; "          \
	"19,19,6,2,1 is Connect6); with exact, lines of more than K stones do not win"
#define MNK_NOTATION                                                                                                   \
	"A position is the squares played from the start, separated by blanks or commas, as in b2 a1 c3, row 1 being " \
	"the lowest; or a board, rows from the top separated by /, x for First, o for Second, numbers for runs of "    \
	"empty squares, as in 2x/1x1/o2 (a board of one row has a / at its end), and x or o for the side to move, "    \
	"which may be left out where it follows from the stones; where turns are of one stone, any stones may be set " \
	"up. A move is a square, also where a turn has several."
