/* Compare: compares the two implementations of a game's rules, solver/games for the search and clients/proofcheck for
 * the checker, position by position. They share no code.
 *
 * For a position it compares: the key; the key of the canonical image; the text that each side prints, read by the
 * other; whether the game is over, and its value; the side to move; the legal moves as sets, in the frame of the
 * position and of its key; key, end and value of the children; the names of some moves; whether a key with a changed
 * bit is accepted. For a walk: its moves as a text. The test proofcheck.differential does a part, `./dev lab games`
 * more. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "clients/proofcheck/rules.h"
#include "solver/games/game.h"

enum { COMPARE_TEXT_MAX = 4 * GAME_TEXT_MAX };

/* One variant of a game, on both sides. */
struct compare {
	struct game *game;
	struct ck_game mine;
	uint64_t random;       /* source of random numbers (walk.h) */
	unsigned children_max; /* of more children, a random choice is compared; moves are always all compared */
	uint64_t positions;    /* different ones, compared */
	uint64_t ends;         /* of these, terminal ones */
	uint64_t children;     /* compared */
	uint64_t games;        /* walked */
	uint64_t differences;
	char wrong[COMPARE_TEXT_MAX]; /* the last difference; "" if there was none */
	/* --- private --- */
	uint64_t *seen; /* keys of compared positions, hashed; owned */
	uint64_t room;
};

/* Opens a game on both sides, with a graph (bytes of a file) if it is an AND/OR graph, and compares what they say of
 * its scale, version and cycles. False, with `wrong`, when one of them does not open it; then there is nothing to
 * close. */
bool compare_open(struct compare *c, const char *name, const char *graph, size_t graph_size, uint64_t seed);
void compare_close(struct compare *c);

/* How a walk chooses its moves. */
enum compare_way {
	COMPARE_ANY,  /* at random */
	COMPARE_SOON, /* prefers moves that end the game */
	COMPARE_LATE, /* avoids moves that end the game: boards fill up */
	COMPARE_WAYS
};

/* Walks from the position of that text ("": the initial one), to the end of the game or for at most `plies` plies, and
 * compares every position that was not compared before. When one side alone refuses the text, that is a difference.
 * Ends at the first difference, and returns false. */
bool compare_walk(struct compare *c, const char *text, unsigned plies, enum compare_way way);
/* The same from a position that is set up: the board of a position of a random walk, where a few places are given other
 * pieces and either side is to move. True without a walk when the game does not take it. */
bool compare_set_up(struct compare *c, unsigned plies, enum compare_way way);
