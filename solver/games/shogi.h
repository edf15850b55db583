/* Shogi: the board, the legal moves and the check that they give, from the rules of the game alone (tsume.c: the
 * problem).
 *
 * All is seen by the side that attacks, side 0, which moves towards rank 0 (a); the other is side 1. A square is
 * file * 9 + rank, files and ranks from 0 as USI counts them from 1 and a. A piece is its kind, plus SHOGI_SECOND for
 * side 1. A direction is 0 ahead for side 0, then clockwise; d ^ 4 is its opposite, for either side.
 *
 * Move code. from | to << 7 | promotes << 14; a drop has from = 81 + kind - 1. */
#pragma once

#include "solver/game_rules.h"

enum { SHOGI_SQUARES = 81, SHOGI_HAND = 7, SHOGI_MOVES_MAX = 600, SHOGI_SECOND = 16, SHOGI_PROMOTED = 8 };

/* The kinds up to gold may be in hand; the first six have a promoted kind, which is SHOGI_PROMOTED more. */
enum shogi_kind {
	SHOGI_PAWN = 1,
	SHOGI_LANCE,
	SHOGI_KNIGHT,
	SHOGI_SILVER,
	SHOGI_BISHOP,
	SHOGI_ROOK,
	SHOGI_GOLD,
	SHOGI_KING,
	SHOGI_KINDS = 15 /* with the promoted ones */
};

struct shogi_state {
	uint8_t at[SHOGI_SQUARES];
	uint8_t hand[2][SHOGI_HAND]; /* by kind, from pawn */
	uint8_t king[2];             /* their squares; SHOGI_SQUARES: none */
	uint8_t side;                /* to move */
	uint8_t flipped;             /* texts and pictures show side 0 as White */
	uint16_t work;               /* of its replies; kept by tsume.c */
	uint16_t count;              /* of its moves; kept by tsume.c */
};

/* The geometry of the board; each game has a copy. */
struct shogi_lines {
	uint8_t next[8][SHOGI_SQUARES + 1];           /* the square in that direction; SHOGI_SQUARES: off the board */
	uint8_t toward[SHOGI_SQUARES][SHOGI_SQUARES]; /* 1 + the direction from one to the other; 0: not on a line */
	uint8_t leap[2][SHOGI_SQUARES + 1][2];        /* where a knight of that side goes */
};

extern const uint8_t shogi_full[SHOGI_HAND]; /* how many of each kind a set has, from pawn */

void shogi_lines_init(struct shogi_lines *l);
/* The board of the beginning of a game of shogi, all hands empty, side 0 to move. */
void shogi_start(struct shogi_state *s);
/* What is wrong with board, hands and kings, or NULL; finds both kings. */
const char *shogi_complete(const struct shogi_lines *l, struct shogi_state *s);
/* The legal moves of the side to move, or of these those that give check. Returns their number; `out` (room for
 * SHOGI_MOVES_MAX) NULL: only counts them. */
unsigned shogi_moves(const struct shogi_lines *l, const struct shogi_state *s, bool checks, game_move *out);
/* How many pieces of a side attack a square, whatever stands on it. */
unsigned shogi_attackers(const struct shogi_lines *l, const struct shogi_state *s, unsigned square, unsigned by);
/* Plays a legal move; leaves `count` as it is. */
void shogi_play(struct shogi_state *s, game_move move);

static inline unsigned shogi_side(unsigned piece)
{
	return piece >> 4;
}

static inline unsigned shogi_kind(unsigned piece)
{
	return piece & 15;
}

/* The kind that a piece has in hand. */
static inline unsigned shogi_base(unsigned piece)
{
	return shogi_kind(piece) > SHOGI_KING ? shogi_kind(piece) - SHOGI_PROMOTED : shogi_kind(piece);
}

/* The rows that a side's piece has passed or stands on, from its last one, 0. */
static inline unsigned shogi_depth(unsigned square, unsigned side)
{
	return side ? 8 - square % 9 : square % 9;
}

/* True where an unpromoted piece of that kind would never move again. */
static inline bool shogi_dead_end(unsigned kind, unsigned square, unsigned side)
{
	return (kind == SHOGI_PAWN || kind == SHOGI_LANCE || kind == SHOGI_KNIGHT) &&
	       shogi_depth(square, side) < (kind == SHOGI_KNIGHT ? 2u : 1u);
}
