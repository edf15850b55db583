/* Chess variants: the state of a position, and its text and diagram (chess_variant_text.c), of chess_variant.c. */
#pragma once

#include "solver/games/chess_text.h"

enum { VARIANT_MEN_MAX = 64 /* on the board and in hand together */, VARIANT_CHECKS = 3 };

/* No padding: equal states are equal bytes. `board.rights` is 0. */
struct chess_variant_state {
	struct chess_state board;
	uint64_t castling;  /* the rooks with which their side may castle */
	uint64_t promoted;  /* crazyhouse: men that become pawns when taken */
	uint8_t hand[2][5]; /* crazyhouse: what each side has in hand, by kind from pawn to queen */
	uint8_t left[2];    /* 3check: checks that each side must still give; else 0 */
	uint8_t unused[4];
};

/* How a variant differs from chess. */
struct chess_variant {
	const char *name;   /* the parameter */
	const char *start;  /* the initial position */
	bool hands, checks; /* crazyhouse; 3check */
	bool explodes;      /* atomic */
	bool quiet;         /* racingkings: a move may not give check */
	bool horde;         /* White has pawns instead of a king */
	uint64_t goal[2];   /* squares on which a side's king wins; 0: none */
};

struct chess_variant_game {
	struct chess_game chess;
	const struct chess_variant *variant;
};

static inline const struct chess_variant_game *chess_variant_of(const struct game *game)
{
	return (const struct chess_variant_game *)game;
}

/* Completes a position with men, turn and marks: derives what follows from them. Returns what is wrong with it, or
 * NULL. */
const char *chess_variant_complete(const struct game *game, struct chess_variant_state *s);

/* Members of game_rules. */
int chess_variant_parse(const struct game *game, const char *text, void *state, struct pd_fail *fail);
size_t chess_variant_print(const struct game *game, const void *state, char *out, size_t size);
void chess_variant_board(const struct game *game, struct game_board *out);
void chess_variant_diagram(const struct game *game, const void *state, struct game_diagram *out);
int chess_variant_set_up(const struct game *game, const struct game_diagram *diagram, void *state,
			 struct pd_fail *fail);
