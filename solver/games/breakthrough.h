/* Breakthrough: what its rules and its texts share; see the essay of breakthrough.c. */
#pragma once

#include "proto/base/assert.h"
#include "solver/games/game.h"
#include "solver/games/text.h"

enum {
	SQUARES_MAX = 64,
	MEN_MAX = 32,            /* of a side: two rows of at most 16, on four rows or more */
	MOVES_MAX = 3 * MEN_MAX, /* of a position */
	SIDES = 2,               /* First is 0 */
	DIRECTIONS = 3,          /* to the column before, straight, to the column behind */
	STRAIGHT = 1,
	RUN_MAX = 4, /* rows to go, of runners that are looked for */
	EFFORT_MAX = 1000000
};

struct breakthrough_state {
	uint64_t men[SIDES];
	uint64_t mirror[SIDES];
	uint64_t side; /* to move */
};

_Static_assert(sizeof(struct breakthrough_state) <= GAME_STATE_MAX, "a state fits the room of searches");
_Static_assert((int)MOVES_MAX <= (int)GAME_MOVES_MAX, "game.h has room for the moves");

struct breakthrough {
	struct game game;
	unsigned width, height, squares;
	uint64_t full;
	uint64_t far[SIDES];       /* the row that a side wants to reach */
	uint64_t begin[SIDES];     /* where its men begin */
	uint64_t from[DIRECTIONS]; /* squares from which a step leads to a column of the board */
	uint8_t shift[DIRECTIONS]; /* of First's steps; Second's lead back: its step to the column before is First's
				       step to the column behind, taken back */
	uint8_t row[SQUARES_MAX];
	uint8_t mirrored[SQUARES_MAX];
	uint64_t ahead[SIDES][SQUARES_MAX]; /* squares of the column in front of a man */
	uint64_t cone[SIDES][SQUARES_MAX];  /* where an enemy man, to move, stops a man that runs from there */
};

static inline const struct breakthrough *breakthrough_of(const struct game *game)
{
	return (const struct breakthrough *)game;
}

static inline uint64_t bit_of(unsigned square)
{
	return UINT64_C(1) << square;
}

static inline bool has_several(uint64_t set)
{
	return (set & (set - 1)) != 0;
}

/* --- steps -------------------------------------------------------------------------------- */

/* Where the men of a set come by a step in that direction. */
static inline uint64_t step_men(const struct breakthrough *b, unsigned side, unsigned direction, uint64_t men)
{
	men &= b->from[direction];
	return side ? men >> b->shift[2 - direction] : men << b->shift[direction];
}

/* The same back: from where a step in that direction leads to the squares of a set. */
static inline uint64_t stepped_back(const struct breakthrough *b, unsigned side, unsigned direction, uint64_t squares)
{
	return (side ? squares << b->shift[2 - direction] : squares >> b->shift[direction]) & b->from[direction];
}

static inline unsigned target_of(const struct breakthrough *b, unsigned side, unsigned from, unsigned direction)
{
	return side ? from - b->shift[2 - direction] : from + b->shift[direction];
}

/* Squares that a side's man may step onto in that direction. */
static inline uint64_t open_to(const struct breakthrough *b, const struct breakthrough_state *s, unsigned side,
			       unsigned direction)
{
	return b->full & ~(direction == STRAIGHT ? s->men[0] | s->men[1] : s->men[side]);
}

/* The side's men that can step in that direction. */
static inline uint64_t men_that_step(const struct breakthrough *b, const struct breakthrough_state *s,
				     unsigned direction)
{
	unsigned side = (unsigned)s->side;
	return s->men[side] & stepped_back(b, side, direction, open_to(b, s, side, direction));
}

/* Squares onto which men can step diagonally: what they attack, men of their own included. */
static inline uint64_t attacked_squares(const struct breakthrough *b, unsigned side, uint64_t men)
{
	return step_men(b, side, 0, men) | step_men(b, side, 2, men);
}

/* Steps that the foremost man of a side needs to reach its far row. */
static inline unsigned least_distance(const struct breakthrough *b, unsigned side, uint64_t men)
{
	return side ? b->row[__builtin_ctzll(men)] : b->height - 1 - b->row[63 - __builtin_clzll(men)];
}

/* The side that has just moved has won. */
static inline bool has_lost(const struct breakthrough *b, const struct breakthrough_state *s)
{
	return !s->men[s->side] || (s->men[!s->side] & b->far[!s->side]);
}

void breakthrough_start(const struct game *game, void *state);
void breakthrough_play(const struct game *game, void *state, game_move move);
/* What is wrong with a position; NULL when nothing is. */
const char *breakthrough_fault(const struct breakthrough *b, const struct breakthrough_state *s);
/* Fills in the mirror images. */
void breakthrough_complete(const struct breakthrough *b, struct breakthrough_state *s);

/* Members of struct game_rules. */
int breakthrough_parse(const struct game *game, const char *text, void *state, struct pd_fail *fail);
size_t breakthrough_print(const struct game *game, const void *state, char *out, size_t size);
int breakthrough_move_parse(const struct game *game, const void *state, const char *text, game_move *out,
			    struct pd_fail *fail);
size_t breakthrough_move_print(const struct game *game, const void *state, game_move move, char *out, size_t size);
void breakthrough_board(const struct game *game, struct game_board *out);
void breakthrough_diagram(const struct game *game, const void *state, struct game_diagram *out);
unsigned breakthrough_move_places(const struct game *game, const void *state, game_move move,
				  uint16_t out[GAME_MOVE_PLACES_MAX]);
int breakthrough_set_up(const struct game *game, const struct game_diagram *diagram, void *state, struct pd_fail *fail);
