/* Book: the positions of games and of opening books, for `proofctl submit --file`: PGN or SGF with variations, and the
 * binary books of Polyglot and Edax. */
#pragma once

#include "solver/games/game.h"

/* A position of a book. The texts are borrowed during the call. */
struct cl_book_position {
	const char *position; /* in the game's notation */
	const char *label;    /* the moves that lead to it; of many the last 20, after "..."; for Edax: the score */
};

/* What is wanted of a book. */
struct cl_book_order {
	const struct game *game;
	const char *position; /* where records without an initial position of their own begin; NULL: the game's */
	unsigned depth;       /* only positions after at most that many moves; 0: all */
	int (*each)(void *ctx, const struct cl_book_position *position, struct pd_fail *fail);
	void *ctx;
};

/* Calls order->each for every position after a move of the games in `text`, variations included: once for those with
 * the same exact key, and not for those where the game is over. An error of `each` ends it. PD_E_MOVE with field
 * "file", the number of the game, line and column; PD_E_NO_MEMORY. */
int cl_book_read(const struct cl_book_order *order, const char *text, struct pd_fail *fail);
/* The same for a binary book: one of Edax, which has positions of othello:8, or else one of Polyglot, for any game with
 * the men of chess and positions in Forsyth-Edwards Notation. A Polyglot book has keys in place of positions, so its
 * positions are found by playing its moves from the initial position. PD_E_PARSE, PD_E_MOVE with field "file" and the
 * byte; PD_E_GAME; PD_E_USAGE. */
int cl_book_read_binary(const struct cl_book_order *order, const uint8_t *data, size_t size, struct pd_fail *fail);
