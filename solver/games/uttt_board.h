/* Ultimate tic-tac-toe: states, the tables of a game, and what positions must satisfy. uttt.c describes both. */
#pragma once

#include "solver/games/cells.h"
#include "solver/games/grid.h"

enum {
	BOARDS = 9,
	SETS = 512, /* sets of the squares of a local board, or of local boards: bit = place */
	ALL = SETS - 1,
	SYMMETRIES = 8,
	FREE = BOARDS, /* in `forced` */
	CODES = 19683, /* 3^9 */
	HEADER = 3,    /* bytes */
	DRAWN = 3      /* as the state of a board in a key */
};

/* X is 0 and O is 1, everywhere. */
struct uttt_state {
	uint16_t stones[2][BOARDS];
	uint16_t won[2], drawn, open; /* local boards */
	uint16_t near[2];             /* open boards that a side can win with one more mark */
	uint16_t hope[2];             /* open boards with a line without a mark of the other side */
	uint32_t status;              /* the smallest image of the states of all boards, as in a key */
	uint8_t frames;               /* bit = symmetry that gives it */
	uint8_t forced;               /* the open board to play in, or FREE */
	uint8_t side;                 /* to move */
	uint8_t empty;                /* squares of all open boards */
	uint8_t over;                 /* the game is over; First gets `value` */
	int8_t value;
};

struct uttt {
	struct cells_game base;
	bool line[SETS];                     /* there are three in line */
	uint16_t gap[SETS];                  /* places that complete a line */
	uint8_t map[SYMMETRIES][BOARDS + 1]; /* the image of a place; FREE is its own image */
	uint8_t inverse[SYMMETRIES][BOARDS]; /* the place with that image */
	uint16_t code[SYMMETRIES][SETS];     /* of the image of a set: the sum of its powers of 3 */
	uint32_t spread[SETS][SYMMETRIES];   /* of the image of a set of boards: 01 in the two bits of each */
};

static inline const struct uttt *uttt_of(const struct game *game)
{
	return (const struct uttt *)game;
}

static inline unsigned uttt_taken(const struct uttt_state *s, unsigned board)
{
	return s->stones[0][board] | s->stones[1][board];
}

/* The local boards in which the side to move may play. */
static inline unsigned uttt_allowed(const struct uttt_state *s)
{
	return s->forced == FREE ? s->open : 1u << s->forced;
}

/* Finds the smallest image of the states of the boards, and the symmetries that give it. */
static inline void uttt_find_frames(const struct uttt *u, struct uttt_state *s)
{
	const uint32_t *low = u->spread[s->won[0] | s->drawn], *high = u->spread[s->won[1] | s->drawn];
	uint32_t image[SYMMETRIES], least = UINT32_MAX;
	for (unsigned i = 0; i < SYMMETRIES; i++) {
		image[i] = low[i] | high[i] << 1;
		least = image[i] < least ? image[i] : least;
	}
	unsigned frames = 0;
	for (unsigned i = 0; i < SYMMETRIES; i++)
		frames |= (unsigned)(image[i] == least) << i;
	s->status = least;
	s->frames = (uint8_t)frames;
}

/* The state of a local board as in a key. */
unsigned uttt_state_of(const struct uttt_state *s, unsigned board);

/* Completes a state in which the marks in open boards, the boards won and drawn, the side to move and the board to play
 * in are set and all else is 0. The board to play in becomes FREE when the game is over. */
void uttt_complete(const struct uttt *u, struct uttt_state *s);

/* What is wrong with a complete position, whatever the marks in decided boards; NULL if nothing is. */
const char *uttt_fault(const struct uttt *u, const struct uttt_state *s);
/* Puts marks in the decided boards of a position without faults, so that the total numbers of marks are right. */
void uttt_make_up_marks(struct uttt_state *s);

/* True if all lines of a set share a place, so that one move can have made them. */
bool uttt_one_move_made(const struct uttt *u, unsigned set);
/* Reads a local board of nine characters; false if one is not X, O or '.'; *place is then its place. */
bool uttt_read_marks(const char *text, struct uttt_state *s, unsigned board, unsigned *place);
/* Fills in the tables of a game that is all zero. */
void uttt_prepare(struct uttt *u);
