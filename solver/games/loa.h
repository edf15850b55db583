/* Lines of Action, between its two files: loa.c has the rules, the key and the inner loop, loa_text.c reads and writes
 * moves and positions. */
#pragma once

#include "solver/games/game.h"

enum {
	SIDE_MIN = 4,
	SIDE_MAX = 8,
	SQUARES_MAX = 64,
	LINES = 4,                   /* directions of lines: rows, columns, the two diagonals */
	WAYS = 8,                    /* directions of movement: two a line, way / 2 is the line */
	MOVES_MAX = 4 * SQUARES_MAX, /* of a line's L squares at most L / 2 have men that can move one way */
	SYMMETRIES = 8,
	MIRROR_COLUMNS = 1,
	MIRROR_ROWS = 2,
	SWAP = 4,
	WORDS = 2 * SYMMETRIES, /* of the images: 2 * symmetry is the first word of one, 2 * symmetry + 1 the second */
	NEAR = 4,               /* cells that two moves can make up for */
	PASS = 0xfffe
};

enum { BLACK, WHITE };
enum { OPEN, WON, DRAWN = WON + 2 }; /* WON + side: that side has won */

/* No padding: equal states are equal bytes. */
struct loa_state {
	uint64_t men[2];        /* Black's and White's */
	uint64_t counts[LINES]; /* men on every line, four bits each */
	uint64_t image[WORDS];
	uint32_t side; /* to move: BLACK or WHITE */
	uint32_t end;  /* OPEN, or how the game ended */
};

struct loa {
	struct game game;
	unsigned n, squares, bytes; /* bytes of the cells in a key */
	bool mover_wins;            /* simultaneous=mover */
	bool stuck_loses;           /* nomove=loss */
	uint64_t not_first_column, not_last_column;
	int step[WAYS];
	uint8_t reach[SQUARES_MAX][WAYS];         /* squares between a square and the edge */
	uint64_t ray[SQUARES_MAX][WAYS];          /* those squares */
	uint8_t shift[SQUARES_MAX][LINES];        /* where the count of a square's line stands in its word */
	uint64_t bit[SQUARES_MAX][WORDS];         /* the low bit of a square's cell in every image */
	uint8_t map[SYMMETRIES][SQUARES_MAX];     /* where a symmetry takes a square */
	uint8_t inverse[SYMMETRIES][SQUARES_MAX]; /* where it came from */
};

static inline const struct loa *loa_of(const struct game *game)
{
	return (const struct loa *)game;
}

static inline uint64_t loa_bit(unsigned square)
{
	return UINT64_C(1) << square;
}

/* The square of the i-th cell of a key, and of a board's text. */
static inline unsigned loa_square(const struct loa *m, unsigned i)
{
	return (m->n - 1 - i / m->n) * m->n + i % m->n;
}

/* Fills in what follows from boards and side. In loa.c. */
void loa_complete(const struct loa *m, struct loa_state *s);

/* As in struct game_rules; the first three in loa.c. */
void loa_start(const struct game *game, void *state);
unsigned loa_moves(const struct game *game, const void *state, game_move *out);
void loa_play(const struct game *game, void *state, game_move move);
int loa_parse(const struct game *game, const char *text, void *state, struct pd_fail *fail);
size_t loa_print(const struct game *game, const void *state, char *out, size_t size);
int loa_move_parse(const struct game *game, const void *state, const char *text, game_move *out, struct pd_fail *fail);
size_t loa_move_print(const struct game *game, const void *state, game_move move, char *out, size_t size);
void loa_board(const struct game *game, struct game_board *out);
void loa_diagram(const struct game *game, const void *state, struct game_diagram *out);
unsigned loa_move_places(const struct game *game, const void *state, game_move move,
			 uint16_t out[GAME_MOVE_PLACES_MAX]);
int loa_set_up(const struct game *game, const struct game_diagram *diagram, void *state, struct pd_fail *fail);
