/* Rules: the games once more, for the checker alone.
 *
 * What a certificate says is checked against these rules, so they are written from the rules' text and share no line
 * with solver/games: boards are arrays with one byte a square, everything is found by looking at square after square.
 * Slow, and to be read by somebody who doubts. What they have to agree on with the other side is fixed by the essays of
 * solver/games: the notation, the bytes of a key, the code of a move. tests/proofcheck/test_differential.c compares the
 * two.
 *
 * All games share one plain position. What the numbers of `at` mean, the game's file says; 0 is an empty square always.
 * Squares are numbered row by row from the bottom left, in hex from the top left: square = row * width + column. */
#ifndef CK_RULES_H
#define CK_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/error.h"
#include "proto/base/graph.h"

enum {
	CK_SQUARES_MAX = 128, /* squares of a board */
	CK_NAME_MAX = 96,     /* bytes of a game's full name, the zero included */
	CK_KEY_MAX = 64,      /* bytes of a key */
	CK_MOVES_MAX = 4000,  /* legal moves of one position */
	CK_TEXT_MAX = 512,    /* bytes of a position as printed, the zero included */
	CK_PASS_MOVE = 0xfffe /* the code of a pass, where there is one */
};

struct ck_position {
	uint8_t at[CK_SQUARES_MAX];
	uint8_t turn;    /* who moves: 0 the side that opens the game from its initial position, 1 the other */
	uint8_t first;   /* which side is First: 0 or 1, as in turn. 0 but in chess-mate */
	uint8_t castle;  /* chess: rights, bits K Q k q */
	uint8_t passant; /* chess: 1 + the file where a pawn can be taken in passing now; 0: none */
	uint32_t node;   /* andor: index of the node; uttt: see there */
};

struct ck_rules;

/* An open game. Only its rules look at what stands below the line. */
struct ck_game {
	const struct ck_rules *rules;
	char name[CK_NAME_MAX];
	uint64_t version; /* of the rules: what a certificate must name */
	int worst, best;  /* the scale of values, First's view: worst, worst + step, ..., best */
	int step;
	int infinite;     /* what infinite play is worth to First */
	bool repeats;     /* a position can come back */
	unsigned key_max; /* bytes of the longest key */
	/* ------------------------------------------------------------------------------------------------------------
	 */
	unsigned width, height, line; /* boards; stones in a row that win */
	bool option_a, option_b;      /* see the game */
	struct pd_graph *graph;       /* andor: owned */
	uint32_t *by_name;            /* andor: owned; node indices, sorted by name */
};

struct ck_rules {
	const char *name; /* the part of the full name before the colon */
	/* Opens the game of that full name; `params` is the part behind the colon, "" when there is none. `graph` is
	 * the graph of the certificate, of no bytes when it has none. game->rules and game->name are filled in already.
	 * PD_E_GAME, field "game". */
	int (*open)(struct ck_game *game, const char *params, const char *graph, size_t graph_size,
		    struct pd_fail *fail);
	/* Reads a position; "" is the initial one. Returns NULL, or what is wrong with the text. */
	const char *(*read)(const struct ck_game *game, const char *text, struct ck_position *out);
	/* Writes the position as text that `read` takes. */
	void (*print)(const struct ck_game *game, const struct ck_position *p, char out[CK_TEXT_MAX]);
	/* Writes the key of the position, canonical among its symmetric images; returns its size. */
	size_t (*encode)(const struct ck_game *game, const struct ck_position *p, uint8_t out[CK_KEY_MAX]);
	/* The position of a key; false when it is none. ck_decode adds that the key must be the canonical one. */
	bool (*decode)(const struct ck_game *game, const uint8_t *key, size_t size, struct ck_position *out);
	/* True when the game is over; *value is then what First gets. */
	bool (*over)(const struct ck_game *game, const struct ck_position *p, int *value);
	bool (*first_moves)(const struct ck_game *game, const struct ck_position *p);
	/* The codes of all legal moves of a position in which the game is not over; at least one. */
	unsigned (*moves)(const struct ck_game *game, const struct ck_position *p, uint16_t out[CK_MOVES_MAX]);
	/* Plays a legal move. */
	void (*play)(const struct ck_game *game, struct ck_position *p, uint16_t move);
	/* What a game that ends with that value is called; NULL: ck_outcome says it. */
	const char *(*outcome)(int64_t value);
};

/* Opens a game by its full name; to be closed with ck_close on success. PD_E_GAME with field "game". */
int ck_open(struct ck_game *game, const char *name, const char *graph, size_t graph_size, struct pd_fail *fail);
void ck_close(struct ck_game *game);

/* True when a game can end with that value; a bound is one of these values. */
static inline bool ck_is_value(const struct ck_game *game, int64_t value)
{
	return value >= game->worst && value <= game->best && (value - game->worst) % game->step == 0;
}

/* A value that is known, in words: "first wins", "draw", "second wins", or the game's own. NULL on other scales than -1
 * to 1. */
const char *ck_outcome(const struct ck_game *game, int64_t value);

/* The position of a key, if it is the canonical key of one. */
bool ck_decode(const struct ck_game *game, const uint8_t *key, size_t size, struct ck_position *out);

/* Positions after exactly `depth` plies, every legal move counted; games that end before count nothing. */
uint64_t ck_perft(const struct ck_game *game, const struct ck_position *p, unsigned depth);

#endif
