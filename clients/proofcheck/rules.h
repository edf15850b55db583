/* Rules: a second implementation of the games, for the checker alone (C2).
 *
 * Certificates are checked against these rules. They are written from the rules' text and share no line with
 * solver/games: a board is an array with one byte for each square, and everything is found by scanning squares. They
 * are slow and easy to audit. What they share with the solver's games is defined at the top of each file in
 * solver/games: the notation, the bytes of a key, the code of a move. tests/proofcheck/test_differential.c compares the
 * two.
 *
 * All games use one plain struct for positions. Each game's file defines the values of `at`; 0 is always an empty
 * square. Squares are numbered row by row from the bottom left, in hex from the top left: square = row * width +
 * column. */
#ifndef CK_RULES_H
#define CK_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/error.h"
#include "proto/base/graph.h"

enum {
	CK_SQUARES_MAX = 400, /* squares of a board */
	CK_NAME_MAX = 96,     /* bytes of a game's full name including the zero */
	CK_KEY_MAX = 128,     /* bytes of a key */
	CK_MOVES_MAX = 4000,  /* legal moves of one position */
	CK_TEXT_MAX = 1024,   /* bytes of a printed position including the zero */
	CK_PASS_MOVE = 0xfffe /* the code of a pass, where there is one */
};

struct ck_position {
	uint8_t at[CK_SQUARES_MAX];
	uint8_t turn;    /* side to move: 0 the side that moves first in the initial position, 1 the other */
	uint8_t first;   /* the side that is First, as in `turn`; always 0 except in chess-mate */
	uint8_t castle;  /* chess: rights, bits K Q k q */
	uint8_t passant; /* chess: 1 + the file where a pawn can be taken in passing now; 0: none */
	uint32_t node;   /* andor: index of the node; uttt: see there */
	int16_t score;   /* of games that count points: First's less Second's */
};

struct ck_rules;

/* An open game. The members below the line are private to its rules. */
struct ck_game {
	const struct ck_rules *rules;
	char name[CK_NAME_MAX];
	uint64_t version; /* of the rules; the header's `rules` must equal it */
	int worst, best;  /* the scale of values, First's view: worst, worst + step, ..., best */
	int step;
	int infinite;     /* the value of infinite play to First */
	bool repeats;     /* positions can be repeated */
	unsigned key_max; /* bytes of the longest key */
	/* ------------------------------------------------------------------------------------------------------------
	 */
	unsigned width, height, line; /* boards; stones in a row that win */
	bool option_a, option_b;      /* see the game */
	struct pd_graph *graph;       /* andor: owned */
};

struct ck_rules {
	const char *name; /* the part of the full name before the colon */
	/* Opens the game; `params` is the part of the full name after the colon, "" when there is none. `graph` is the
	 * certificate's graph, graph_size 0 when it has none. game->rules and game->name are already set. PD_E_GAME
	 * with field "game". */
	int (*open)(struct ck_game *game, const char *params, const char *graph, size_t graph_size,
		    struct pd_fail *fail);
	/* Parses a position; "" is the initial one. Returns NULL on success, else an error message. */
	const char *(*read)(const struct ck_game *game, const char *text, struct ck_position *out);
	/* Prints the position as text that `read` accepts. */
	void (*print)(const struct ck_game *game, const struct ck_position *p, char out[CK_TEXT_MAX]);
	/* Writes the key of the position, canonical among its symmetric images; returns its size. */
	size_t (*encode)(const struct ck_game *game, const struct ck_position *p, uint8_t out[CK_KEY_MAX]);
	/* Decodes a key; false when it is no key. ck_decode also requires the key to be canonical. */
	bool (*decode)(const struct ck_game *game, const uint8_t *key, size_t size, struct ck_position *out);
	/* True when the position is terminal; *value is then the value to First. */
	bool (*over)(const struct ck_game *game, const struct ck_position *p, int *value);
	bool (*first_moves)(const struct ck_game *game, const struct ck_position *p);
	/* The codes of all legal moves of a position that is not terminal; at least one. */
	unsigned (*moves)(const struct ck_game *game, const struct ck_position *p, uint16_t out[CK_MOVES_MAX]);
	/* Plays a legal move. */
	void (*play)(const struct ck_game *game, struct ck_position *p, uint16_t move);
	/* A value in words; NULL: ck_outcome has the usual words. */
	const char *(*outcome)(int64_t value);
};

/* Opens a game by its full name; ck_close follows success. PD_E_GAME with field "game". */
int ck_open(struct ck_game *game, const char *name, const char *graph, size_t graph_size, struct pd_fail *fail);
void ck_close(struct ck_game *game);

/* True when the game can end with that value; every bound is such a value. */
static inline bool ck_is_value(const struct ck_game *game, int64_t value)
{
	return value >= game->worst && value <= game->best && (value - game->worst) % game->step == 0;
}

/* A value in words: "first wins", "draw", "second wins", or the game's own. NULL on scales beyond -1 to 1. */
const char *ck_outcome(const struct ck_game *game, int64_t value);

/* Decodes a key; false unless it is the canonical key of a position. */
bool ck_decode(const struct ck_game *game, const uint8_t *key, size_t size, struct ck_position *out);

/* The number of move sequences of exactly `depth` plies; shorter games count nothing. */
uint64_t ck_perft(const struct ck_game *game, const struct ck_position *p, unsigned depth);

#endif
