/* Book: the positions of records, PGN or SGF with variations, for `proofctl submit --file`. */
#pragma once

#include "solver/games/game.h"

/* A position of a book. The texts are borrowed during the call. */
struct cl_book_position {
	const char *position; /* in the game's notation */
	const char *label;    /* the moves that lead to it; of many the last 20, after "..." */
};

/* Calls `each` for every position after a move of the games in `text`, variations included: once for those with the
 * same exact key, and not for those where the game is over. `position`: where records without an initial position of
 * their own begin; NULL: the game's. `depth`: only positions after at most that many moves; 0: all. An error of `each`
 * ends it. PD_E_MOVE with field "file", the number of the game, line and column; PD_E_NO_MEMORY. */
int cl_book_read(const struct game *game, const char *text, const char *position, unsigned depth,
		 int (*each)(void *ctx, const struct cl_book_position *position, struct pd_fail *fail), void *ctx,
		 struct pd_fail *fail);
