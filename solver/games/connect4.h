/* Connect Four: what boards of all sizes share. RULES.md has the rules and the notation.
 *
 * Notation. A move is a column: 1 to 9, then a for the tenth, and so on to z. A position is the columns played from the
 * start, or a board (solver/games/cells.h). What a board must keep to: stones lie on stones, First has as many as
 * Second or one more, the side to move has not won, and if the other has, one of its topmost stones completed every
 * four. Whether some order of moves leads there is not asked.
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
 * the sum lies in 2^h - 1 .. 2^(h+1) - 2, and these ranges are disjoint. It is written for the position or for its
 * mirror image, whichever is the smaller number, little-endian, in as many bytes as width * (height + 1) bits need. The
 * side to move follows from the number of stones. A move's code is its column, from 0.
 *
 * connect4_board.h holds all that depends on how many bits a board has; connect4.c (up to 64), connect4_lanes.c (up to
 * 64, for processors with AVX2) and connect4_wide.c (up to 128) are one instance of it each. Text and the board as data
 * are in connect4.c, for all. */
#pragma once

#include "solver/games/game.h"
#include "solver/games/cells.h"

enum {
	CONNECT4_COLUMNS_MAX = 35, /* columns that have a letter */
	CONNECT4_ROWS_MAX = 64,
	CONNECT4_NARROW_MAX = 64, /* bits, columns * (rows + 1), that connect4.c has room for */
	CONNECT4_BITS_MAX = 128
};

/* The beginning of both instances' games. */
struct connect4 {
	struct game game;
	unsigned width, height;
	unsigned stride; /* bits of a column */
	/* The stones of a state, and back; NULL on success, otherwise why the board cannot come up (*state is then not
	 * written). The stones must lie on stones. */
	void (*letters)(const struct connect4 *c, const void *state, struct cells_xo *out);
	const char *(*from_letters)(const struct connect4 *c, const struct cells_xo *letters, void *state);
	/* Plays the columns that letters name, `most` of them at most, up to the end of the text or to one that cannot
	 * be played: *at is its index then, and what is wrong with it is returned; NULL when all were played. */
	const char *(*drop)(const struct connect4 *c, void *state, const char *letters, size_t most, size_t *at);
};

/* The column of a letter; the board's width when there is none. */
static inline unsigned connect4_column(const struct connect4 *c, char letter)
{
	unsigned column = letter >= '1' && letter <= '9'   ? (unsigned)(letter - '1')
			  : letter >= 'a' && letter <= 'z' ? (unsigned)(letter - 'a') + 9
							   : c->width;
	return column < c->width ? column : c->width;
}

extern const struct game_rules game_connect4_rules, game_connect4_lanes_rules, game_connect4_wide_rules;

/* A game of an instance, of which connect4_open fills in the rest; NULL without memory. To be freed with free. */
struct connect4 *connect4_narrow_new(unsigned width, unsigned height);
struct connect4 *connect4_lanes_new(unsigned width, unsigned height);
struct connect4 *connect4_wide_new(unsigned width, unsigned height);

/* What game_rules asks of the members of these names, for all instances. */
int connect4_open(const struct game_rules *rules, const char *params, const struct game_host *host, struct game **out,
		  struct pd_fail *fail);
void connect4_close(struct game *game);
int connect4_parse(const struct game *game, const char *text, void *state, struct pd_fail *fail);
size_t connect4_print(const struct game *game, const void *state, char *out, size_t size);
int connect4_move_parse(const struct game *game, const void *state, const char *text, game_move *out,
			struct pd_fail *fail);
size_t connect4_move_print(const struct game *game, const void *state, game_move move, char *out, size_t size);
void connect4_board(const struct game *game, struct game_board *out);
void connect4_diagram(const struct game *game, const void *state, struct game_diagram *out);
unsigned connect4_move_places(const struct game *game, const void *state, game_move move,
			      uint16_t out[GAME_MOVE_PLACES_MAX]);
int connect4_set_up(const struct game *game, const struct game_diagram *diagram, void *state, struct pd_fail *fail);

#define CONNECT4_PARAMS "WxH: 1 to 35 columns and 1 to 64 rows, with W * (H + 1) at most 128; four in a row wins"
#define CONNECT4_NOTATION                                                                                              \
	"A position is the columns played from the start, 1 to 9 and then a, b, ..., as in 4453; or a board, rows "    \
	"from the top separated by /, x for First, o for Second, numbers for runs of empty squares, as in "            \
	"7/7/7/7/7/3xo2 (a board of one row has a / at its end). A move is a column."
