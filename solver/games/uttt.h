/* Ultimate tic-tac-toe, between its two files: uttt.c has the rules, the key and the inner loop, uttt_text.c reads and
 * writes positions and says what they must keep to. */
#pragma once

#include "solver/games/game.h"

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
	uint16_t near[2];             /* open boards that a side would win with one more mark */
	uint32_t status;              /* the smallest image of the states of all boards, as in a key */
	uint8_t frames;               /* bit = symmetry that gives it */
	uint8_t forced;               /* the open board to play in, or FREE */
	uint8_t side;                 /* to move */
	uint8_t empty;                /* squares of all open boards */
	uint8_t over;                 /* the game is, with `value` for First */
	int8_t value;
};

struct uttt {
	struct game game;
	bool line[SETS];                     /* there are three in line */
	uint16_t gap[SETS];                  /* places that complete a line */
	uint8_t map[SYMMETRIES][BOARDS + 1]; /* where a symmetry takes a place; FREE stays */
	uint8_t inverse[SYMMETRIES][BOARDS]; /* where it came from */
	uint16_t code[SYMMETRIES][SETS];     /* of the image of a set: the sum of its powers of 3 */
	uint32_t spread[SETS][SYMMETRIES];   /* of the image of a set of boards: 1 in each board's two bits */
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

/* The state of a board as in a key. */
unsigned uttt_state_of(const struct uttt_state *s, unsigned board);

/* Fills in what follows from the marks in open boards, the boards won and drawn, the side to move and the board to play
 * in (which becomes FREE when the game is over); all else is 0 before. In uttt.c. */
void uttt_complete(const struct uttt *u, struct uttt_state *s);

/* What is wrong with a complete position, whatever the marks in decided boards; NULL when nothing is. */
const char *uttt_fault(const struct uttt *u, const struct uttt_state *s);
/* Puts marks in the decided boards of a position without fault, so that the numbers of all marks are right. */
void uttt_make_up_marks(struct uttt_state *s);

/* As in struct game_rules. */
int uttt_parse(const struct game *game, const char *text, void *state, struct pd_fail *fail);
size_t uttt_print(const struct game *game, const void *state, char *out, size_t size);
size_t uttt_picture(const struct game *game, const void *state, char *out, size_t size);
int uttt_move_parse(const struct game *game, const void *state, const char *text, game_move *out, struct pd_fail *fail);
size_t uttt_move_print(const struct game *game, const void *state, game_move move, char *out, size_t size);
void uttt_board(const struct game *game, struct game_board *out);
void uttt_diagram(const struct game *game, const void *state, struct game_diagram *out);
unsigned uttt_move_places(const struct game *game, const void *state, game_move move,
			  uint16_t out[GAME_MOVE_PLACES_MAX]);
int uttt_set_up(const struct game *game, const struct game_diagram *diagram, void *state, struct pd_fail *fail);
