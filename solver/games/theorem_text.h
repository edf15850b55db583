/* What the theorems of a game say of a position, for people: the bound, why it holds in one sentence (theorems.def),
 * and the groups of the witness with a mark for each. */
#pragma once

#include "solver/games/game.h"

/* A bound that a theorem gives at a position. */
struct game_told {
	struct game_theorem theorem;
	struct game_interval bounds; /* of the value, for First; the other end is that of the scale */
	uint8_t witness[GAME_WITNESS_MAX];
};

/* A group of the witness. */
struct game_group {
	char mark;         /* a digit or a letter that no piece has; '*' when there are no more of them */
	unsigned count;    /* of its places, at least 1 */
	const uint8_t *at; /* the places, two bytes each, lowest first; borrowed from the witness */
};

static inline unsigned game_group_place(const struct game_group *group, unsigned index)
{
	return group->at[2 * index] | (unsigned)group->at[2 * index + 1] << 8;
}

enum { GAME_GROUPS_MAX = GAME_WITNESS_MAX / 3, GAME_SQUARE_NAME = 24 };

/* Asks the theorems of a game about a position, whatever searches may use: the strongest lower bound that they give,
 * then the strongest upper bound. Returns how many of the two there are. None where the game is over or the mover wins
 * at once, and in games whose scale has more than 256 values, because each value is a question of its own. */
unsigned game_theorems(const struct game *game, const void *state, struct game_told out[2]);

/* Reads the groups of a witness; room for GAME_GROUPS_MAX. Returns how many: 0 when the witness is not a list of groups
 * of places of the board, as that of a strategy or of a plug-in may be. */
unsigned game_theorem_groups(const struct game_board *board, const struct game_told *told, struct game_group *out);

/* Writes the name of a place: that of the game, or column and row as in "4.3", counted from 1 at the bottom left. */
void game_square_name(const struct game_board *board, unsigned place, char out[GAME_SQUARE_NAME]);

/* The name of the theorem, such as "follow-up"; "" for a theorem without a row in theorems.def. Lives for ever. */
const char *game_theorem_title(const struct game *game, const struct game_told *told);

/* Writes why the bound holds, a sentence; `board` NULL: the game has none. Returns what snprintf returns. */
size_t game_theorem_text(const struct game *game, const struct game_board *board, const struct game_told *told,
			 char *out, size_t size);
