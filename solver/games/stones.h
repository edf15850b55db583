/* Stones: what NoGo and Atari Go share: stones that stay where they are put, blocks of them, and their liberties.
 *
 * Stones of one colour that are next to each other, in rows and columns but not diagonally, form a block. The free
 * points next to a block are its liberties. Points may be blocked: they belong to no one and are no liberties, so a sum
 * of boards is one board on which blocked points separate them.
 *
 * Notation. x is a stone of First (Black), o one of Second (White), # a blocked point. A position is a board
 * (solver/games/cells.h) and behind it x or o, the player to move: `2x/1ox/3 o`; or the points played from the start,
 * separated by blanks or commas. A move is a point, and its code the point's number.
 *
 * Key. The numbers of First's stones and of Second's, bit = point, both with the blocked points, smallest among the
 * images under the symmetries of the board (eight for a square board, else four); then one bit, set when Second is to
 * move (grid_pack). */
#pragma once

#include "solver/games/game.h"
#include "solver/games/cells.h"
#include "solver/games/grid.h"

/* A position: what it is, and what follows from that (`derive`). */
struct stones {
	uint64_t on[2]; /* First's and Second's */
	uint64_t blocked;
	uint64_t side; /* to move: 0 First, 1 Second */
	/* --- derived ------------------------------------------------------------------------- */
	uint64_t legal[2]; /* where each side may play if it is to move */
	uint64_t mark;     /* of the game */
};

struct stones_game {
	struct game game;
	struct grid grid;
	struct cells_form form;
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
	uint64_t last[2];  /* liberties that are the only one of some block */
	uint64_t among[2]; /* liberties of blocks that have two or more */
};

static inline uint64_t stones_free(const struct grid *g, const struct stones *s)
{
	return g->full & ~(s->on[0] | s->on[1] | s->blocked);
}

struct stones_blocks stones_scan(const struct grid *g, const struct stones *s);

/* Opens a board; rules and params as in game_rules.h. */
int stones_open(const struct game_rules *rules, const char *params, struct stones_game **out, struct pd_fail *fail);
void stones_close(struct game *game);

/* Members of struct game_rules. */
void stones_start(const struct game *game, void *state);
int stones_parse(const struct game *game, const char *text, void *state, struct pd_fail *fail);
size_t stones_print(const struct game *game, const void *state, char *out, size_t size);
int stones_move_parse(const struct game *game, const void *state, const char *text, game_move *out,
		      struct pd_fail *fail);
size_t stones_move_print(const struct game *game, const void *state, game_move move, char *out, size_t size);
bool stones_first_to_move(const struct game *game, const void *state);
unsigned stones_moves(const struct game *game, const void *state, game_move *out);
unsigned stones_unique(const struct game *game, const void *state, game_move *out);
unsigned stones_count(const struct game *game, const void *state);
void stones_play(const struct game *game, void *state, game_move move);
size_t stones_key(const struct game *game, const void *state, uint8_t *out);
int stones_unkey(const struct game *game, const uint8_t *key, size_t size, void *state);
game_move stones_canon(const struct game *game, const void *state, game_move move, bool back);
void stones_board(const struct game *game, struct game_board *out);
void stones_diagram(const struct game *game, const void *state, struct game_diagram *out);
unsigned stones_move_places(const struct game *game, const void *state, game_move move,
			    uint16_t out[GAME_MOVE_PLACES_MAX]);
int stones_set_up(const struct game *game, const struct game_diagram *diagram, void *state, struct pd_fail *fail);
