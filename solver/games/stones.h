/* Stones: what NoGo and Atari Go share, namely stones that stay where they are put, their blocks and liberties.
 *
 * Stones of one colour that are adjacent in rows or columns form a block. The free points adjacent to a block are its
 * liberties. Points may be blocked: they belong to neither side and are not liberties, so a sum of boards is one board
 * on which blocked points separate them. A move's code is the number of its point.
 *
 * Key. The numbers of First's stones and of Second's, bit = point, both with the blocked points, smallest among the
 * images under the symmetries of the board (eight for a square board, else four); then one bit, set when Second is to
 * move (grid_pack). */
#pragma once

#include "solver/games/cells.h"
#include "solver/games/grid.h"

/* A position. */
struct stones {
	uint64_t on[2]; /* First's and Second's */
	uint64_t blocked;
	uint64_t side; /* to move: 0 First, 1 Second */
	/* Filled in by `derive`: */
	uint64_t legal[2]; /* points where each side may play if it is to move */
	uint64_t mark[2];  /* for the game's own use */
};

struct stones_game {
	struct cells_game base;
	struct grid grid;
	/* Fills in the rest of a position. */
	void (*derive)(const struct grid *grid, struct stones *s);
	/* What is wrong with a position; NULL when nothing is. */
	const char *(*fault)(const struct grid *grid, const struct stones *s);
};

static inline const struct stones_game *stones_of(const struct game *game)
{
	return (const struct stones_game *)game;
}

/* The blocks of both sides by their liberties. */
struct stones_blocks {
	uint64_t none[2];  /* stones without a liberty */
	uint64_t last[2];  /* the liberties of blocks that have one */
	uint64_t among[2]; /* the liberties of blocks that have two or more */
};

static inline uint64_t stones_free(const struct grid *g, const struct stones *s)
{
	return g->full & ~(s->on[0] | s->on[1] | s->blocked);
}

struct stones_blocks stones_scan(const struct grid *g, const struct stones *s);

/* Opens a game with `derive` and `fault` of *how; the rest as `open` of game_rules.h. */
int stones_open(const struct game_rules *rules, const char *params, const struct stones_game *how, struct game **out,
		struct pd_fail *fail);

/* Members of struct game_rules. */
void stones_start(const struct game *game, void *state);
bool stones_first_to_move(const struct game *game, const void *state);
bool stones_terminal(const struct game *game, const void *state, int *value);
unsigned stones_moves(const struct game *game, const void *state, game_move *out);
unsigned stones_unique(const struct game *game, const void *state, game_move *out);
unsigned stones_count(const struct game *game, const void *state);
void stones_play(const struct game *game, void *state, game_move move);
size_t stones_key(const struct game *game, const void *state, uint8_t *out);
int stones_unkey(const struct game *game, const uint8_t *key, size_t size, void *state);
game_move stones_canon(const struct game *game, const void *state, game_move move, bool back);
void stones_board(const struct game *game, struct game_board *out);

/* The members that are the same in NoGo and Atari Go. */
#define STONES_RULES                                                                                                   \
	CELLS_BOARD, .params = "WxH: columns and rows, at most 64 points",                                             \
		     .notation = "A position is the points played from the start, separated by blanks or commas, as "  \
				 "in c3 b2; or a "                                                                     \
				 "board, rows from the top separated by /, x for First, o for Second, # for a "        \
				 "blocked point, numbers "                                                             \
				 "for runs of free points, and x or o for the player to move, as in 2x/1ox/3 o (a "    \
				 "board of one row "                                                                   \
				 "has a / at its end). A move is a point.",                                            \
		     CELLS_RULES(stones), .move_print = cells_move_print, .canon = stones_canon,                       \
		     .unique_moves = stones_unique, .count = stones_count, .board = stones_board,                      \
		     .move_places = cells_move_places, .move_square = cells_move_square, .records = GAME_RECORD_SGF,   \
		     .sgf = &(const struct game_sgf)                                                                   \
	{                                                                                                              \
		.number = 1, .letters = true                                                                           \
	}
