/* m,n,k: what boards of all sizes and turns of all lengths share. RULES.md has the rules and the notation.
 *
 * A move is one stone: a turn of P stones is P moves of one player. An immediate win is therefore a win by the next
 * stone; one that takes two stones of a turn is found by a search two plies deep. The order of the stones of a turn
 * does not matter for a position, so all orders lead to one key.
 *
 * Notation. A square is a column (a, b, ..., z, aa, ab, ...) and a row from the bottom, as in b3. A position is the
 * squares played from the start, separated by blanks or commas, or a board (solver/games/cells.h), behind which x or o,
 * the side to move, may stand. A board comes up in a game if it has the stones that the turns give each side; no line
 * of the side that did not put the last stone; and if the other has lines, one stone without which it has none: its
 * last move. Without `exact` these are exactly the boards that moves lead to. With it, nothing is said about whether
 * some order of moves leads to the board.
 *
 * Where a turn is one stone (P = Q = 1) any other position may be set up as well: any stones, either side to move; only
 * one side may have lines, and then the game is over and the other side counts as the one to move.
 *
 * A move's code is its square = row * width + column.
 *
 * Symmetries are numbered by three bits: 1 mirrors the columns, 2 then mirrors the rows, 4 then swaps columns and rows
 * (square boards only).
 *
 * Key. The pair (x, o) of the smallest image, compared as numbers, bit = square, x first; x and o are written one
 * after the other, `squares` bits each, little-endian, in as many bytes as that needs. The side to move and the stones
 * left in its turn follow from the number of stones. A position that is set up and does not come up in a game, with
 * this side to move, has one byte more: 0 when First is to move, 1 when Second is. Of symmetries that give the same
 * pair the one with the smallest number counts, so a canonical position is its own frame.
 *
 * mnk_board.h holds all that depends on how many bits a board has and on the length of turns. mnk.c (up to 64 squares,
 * one stone a turn), mnk_turns.c (up to 64 squares) and mnk_wide.c (up to 400) are one instance of it each. Text and
 * the board as data are in mnk.c, for all. */
#pragma once

#include "solver/games/game.h"
#include "solver/games/cells.h"

enum {
	MNK_SIDE_MAX = 64,   /* columns, rows, and stones in a row */
	MNK_NARROW_MAX = 64, /* squares that mnk.c and mnk_turns.c have room for */
	MNK_WIDE_MAX = CELLS_XO_MAX,
	MNK_POINTS_FROM = 9 /* boards with both sides this long are drawn with stones on points */
};

struct mnk_shape {
	unsigned width, height, k;
	unsigned turn, opening; /* stones a turn; on the first turn */
	bool exact;             /* longer lines do not win */
};

/* A turn is one stone: then positions may be set up that do not come up in a game. */
static inline bool mnk_alternates(const struct mnk_shape *shape)
{
	return shape->turn == 1 && shape->opening == 1;
}

/* The beginning of all instances' games. */
struct mnk {
	struct game game;
	struct mnk_shape shape;
	unsigned squares;
	unsigned key_size; /* bytes of the key of a position that comes up in a game */
	/* The stones of a state, and back; NULL on success, otherwise why the board cannot come up (*state is then not
	 * written). */
	void (*letters)(const struct mnk *m, const void *state, struct cells_xo *out);
	const char *(*from_letters)(const struct mnk *m, const struct cells_xo *letters, void *state);
};

extern const struct game_rules game_mnk_rules, game_mnk_turns_rules, game_mnk_wide_rules;

/* A game of mnk_turns.c or mnk_wide.c, the struct game in it left to mnk_open but for rules and state_size; NULL
 * without memory. To be freed with free. */
struct mnk *mnk_plain_new(const struct mnk_shape *shape);
struct mnk *mnk_turns_new(const struct mnk_shape *shape);
struct mnk *mnk_wide_new(const struct mnk_shape *shape);

/* What game_rules asks of the members of these names, for all instances. */
int mnk_open(const struct game_rules *rules, const char *params, const struct game_host *host, struct game **out,
	     struct pd_fail *fail);
void mnk_close(struct game *game);
int mnk_parse(const struct game *game, const char *text, void *state, struct pd_fail *fail);
size_t mnk_print(const struct game *game, const void *state, char *out, size_t size);
int mnk_move_parse(const struct game *game, const void *state, const char *text, game_move *out, struct pd_fail *fail);
size_t mnk_move_print(const struct game *game, const void *state, game_move move, char *out, size_t size);
void mnk_board(const struct game *game, struct game_board *out);
void mnk_diagram(const struct game *game, const void *state, struct game_diagram *out);
unsigned mnk_move_places(const struct game *game, const void *state, game_move move,
			 uint16_t out[GAME_MOVE_PLACES_MAX]);
int mnk_set_up(const struct game *game, const struct game_diagram *diagram, void *state, struct pd_fail *fail);

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
