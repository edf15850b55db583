/* Checker rules: a game as proofcheck sees it.
 *
 * Built-in games and plug-ins are written against this header alone. Installed, it is part of proofd/checker.h;
 * clients/plugins/README.md explains how to write such rules. They share no code with the solver's game, only the
 * definitions in the comment at the top of that game's file: name, rules version, scale of values, notation, bytes of a
 * key, codes of moves.
 *
 * The laws of rules:
 *  1. All functions are pure: no clock, no randomness, no writing to the game. Several threads call them at once.
 *  2. `decode` takes any bytes. It accepts only positions that `moves` and `over` can handle, and only keys that
 *     `encode` writes.
 *  3. `read` reads the text of `print` as a position with the same key.
 *  4. `moves` lists every legal move once; a position that is not over has a move. `over` gives the value to First.
 *  5. A game without `repeats` never returns to a position.
 *  6. `card` takes any bytes as a witness and accepts only what a theorem proves. It accepts what `find_card` finds.
 *
 * All games use one plain struct for positions. Each game's file defines the values of `at`; 0 is always an empty
 * square. Squares are numbered row by row from the bottom left, in Hex from the top left: square = row * width +
 * column. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/fail.h"

#define CK_ABI 1u

enum {
	CK_SQUARES_MAX = 400,  /* squares of a board */
	CK_NAME_MAX = 96,      /* bytes of a game's full name including the zero */
	CK_KEY_MAX = 256,      /* bytes of a key; equal to GAME_KEY_MAX of proofd/game.h */
	CK_MOVES_MAX = 4000,   /* legal moves of one position */
	CK_TEXT_MAX = 2048,    /* bytes of a printed position including the zero */
	CK_MOVE_TEXT = 160,    /* bytes of a move's name including the zero */
	CK_PICTURE_MAX = 8192, /* bytes of a picture including the zero */
	CK_WITNESS_MAX = 512,  /* bytes of a card's witness */
	CK_CLASS_NAME = 32,    /* bytes of the name of a class of positions including the zero */
	CK_NO_RANK = 0,        /* plies of a card whose bound holds by infinite play */
	CK_TABLE = 101,        /* a table that is cited by its digest (table_check.h) */
	CK_DOMINANCE = 102,    /* the theorem of `dominates` */
	CK_ORDER_MAX = 8,      /* bytes of its witness */
	CK_PASS_MOVE = 0xfffe  /* the code of a pass, in games that have one */
};

struct ck_position {
	uint8_t at[CK_SQUARES_MAX];
	uint8_t turn;    /* side to move: 0 the side that moves first in the initial position, 1 the other */
	uint8_t first;   /* the side that is First, as in `turn`; always 0 except in chess-mate */
	uint8_t castle;  /* chess: castling rights, bits K Q k q */
	uint8_t passant; /* chess: 1 + the file of a pawn that can be captured en passant; 0: none */
	uint32_t node;   /* andor: index of the node; uttt: see rules_uttt.c; chess: see chessmen.h */
	int16_t score;   /* in games with points: First's points minus Second's */
};

struct ck_rules;
struct pd_graph; /* of AND/OR graphs only: proto/base/graph.h */

/* An open game. The members below the line are private to its rules. */
struct ck_game {
	const struct ck_rules *rules;
	char name[CK_NAME_MAX];
	uint64_t version; /* of the rules; the header's `rules` must equal it */
	int worst, best;  /* the scale of values for First: worst, worst + step, ..., best */
	int step;
	int infinite;     /* the value of infinite play to First */
	bool repeats;     /* positions can be repeated */
	unsigned key_max; /* bytes of the longest key */
	/* ------------------------------------------------------------------------------------------------------------
	 */
	unsigned width, height, line; /* boards; length of a winning line */
	bool option_a, option_b;      /* see the game */
	unsigned turn, opening;       /* mnk: stones per turn; stones on the first turn */
	struct pd_graph *graph;       /* andor: owned */
	void *own;                    /* for plug-ins; freed by their `close` */
};

/* How `proofcheck --show` draws a board of width * height squares. Moves have the names of their squares, as in b3. */
struct ck_grid {
	const char *letters; /* one for each value of `at`, the first for an empty square */
	bool from_top;       /* square 0 is at the top */
	bool shifted;        /* each row is shifted half a square to the right of the one above it */
	bool digits;         /* columns are named 1 to 9, then a, b, ...; moves have the names of their columns */
};

/* A card: by a theorem of solver/games/THEOREMS.md First gets at least (`upper`: at most) `bound`. */
struct ck_card {
	bool upper;
	int64_t bound;          /* one of the values that the game can end with */
	unsigned theorem;       /* its number, from 1; 100 is of no game: strategies by weights (strategy.h) */
	const uint8_t *witness; /* borrowed; in the frame of the position */
	unsigned size;          /* bytes of the witness, at most CK_WITNESS_MAX */
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
	/* Decodes a key; false for other bytes. ck_decode also requires the key to be canonical. */
	bool (*decode)(const struct ck_game *game, const uint8_t *key, size_t size, struct ck_position *out);
	/* True when the position is terminal; *value is then the value to First. */
	bool (*over)(const struct ck_game *game, const struct ck_position *p, int *value);
	bool (*first_moves)(const struct ck_game *game, const struct ck_position *p);
	/* The codes of all legal moves of a position that is not terminal; at least one. */
	unsigned (*moves)(const struct ck_game *game, const struct ck_position *p, uint16_t out[CK_MOVES_MAX]);
	/* Plays a legal move. */
	void (*play)(const struct ck_game *game, struct ck_position *p, uint16_t move);
	/* A value in words; NULL: the usual words of ck_outcome. */
	const char *(*outcome)(int64_t value);
	/* Frees game->own, also after a failed `open`. May be NULL. */
	void (*close)(struct ck_game *game);

	/* --- optional: display. No verdict depends on it. --- */

	const struct ck_grid *grid; /* draws the board and names the moves; the next two members override it */
	/* Draws the position as lines, each ending with a newline. */
	void (*picture)(const struct ck_game *game, const struct ck_position *p, char out[CK_PICTURE_MAX]);
	/* The name of a legal move. Without it and without a grid the name is #CODE. */
	void (*move_name)(const struct ck_game *game, const struct ck_position *p, uint16_t move,
			  char out[CK_MOVE_TEXT]);
	bool graph; /* the game's parameters name a graph, which the certificate holds */

	/* --- optional: theorems. Both members, or neither. --- */

	/* True when the theorem with that witness gives the bound, or a stronger one of that side, at a position that
	 * is not over. *plies is then the number of plies within which the game reaches it, at least 1; CK_NO_RANK
	 * where infinite play serves the bound. */
	bool (*card)(const struct ck_game *game, const struct ck_position *p, const struct ck_card *card,
		     unsigned *plies);
	/* Looks for a card of that side and bound at a position that is not over, and writes its witness to `room`
	 * (CK_WITNESS_MAX bytes), to which out->witness then points. False when it finds none. It finds at least what
	 * the search of the solver finds. */
	bool (*find_card)(const struct ck_game *game, const struct ck_position *p, bool upper, int64_t bound,
			  struct ck_card *out, uint8_t *room);

	/* --- optional: strategies by weights (theorem 100), in games without `repeats` --- */

	/* The square of the board, below width * height, that a legal move fills or goes to; -1 for a pass. NULL: cards
	 * of this theorem are refused. */
	int (*square)(const struct ck_game *game, const struct ck_position *p, uint16_t move);
	/* True for a game of lines, whose strategies are then played out faster. Each move puts a stone, `at` 1 of
	 * First's (turn 0) or 2 of Second's (turn 1), on an empty square, which is the code of the move; with *falls
	 * the code is a column, and the stone lands on its lowest empty square. The sides take turns. *length or more
	 * stones of a side in a row, a column or a diagonal win (1 or -1); a full board is a draw (0). NULL: no such
	 * game. */
	bool (*lines)(const struct ck_game *game, unsigned *length, bool *falls);

	/* --- optional: classes of positions, for tables. All three members, or none. --- */

	/* How many numbers the class of that canonical name has; 0: there is no such class. */
	uint64_t (*class_size)(const struct ck_game *game, const char *name);
	/* Decodes a number of the class; false for a hole. */
	bool (*class_position)(const struct ck_game *game, const char *name, uint64_t index, struct ck_position *out);
	/* The class and the number of a position; false if it belongs to none. All positions of one number are the same
	 * by a symmetry of the game, so that what a table says of one of them holds for all. */
	bool (*class_index)(const struct ck_game *game, const struct ck_position *p, char name[CK_CLASS_NAME],
			    uint64_t *index);
	/* --- optional: dominance (theorem 102) --- */

	/* True when First, who gets at least `bound` at `b` (`upper`: Second, who keeps First to at most `bound`), gets
	 * it at `a` too, in at most as many plies, because it can play at `a` as if it were at `b`. The positions have
	 * the same board and the same side to move, and differ in hands or counters. A partial order for each side and
	 * bound. NULL: cards of this theorem are refused. */
	bool (*dominates)(const struct ck_game *game, const struct ck_position *a, const struct ck_position *b,
			  int64_t bound, bool upper);
};

/* The symbol `proofd_checker_plugin` of a shared object with rules for the checker. The sizes identify the header that
 * it was compiled with. */
struct ck_plugin {
	uint32_t abi;                        /* CK_ABI */
	uint32_t size;                       /* sizeof(struct ck_plugin) */
	uint32_t rules_size;                 /* sizeof(struct ck_rules), which grows at its end */
	uint32_t game_size;                  /* sizeof(struct ck_game) */
	uint32_t position_size;              /* sizeof(struct ck_position) */
	uint32_t fail_size;                  /* sizeof(struct pd_fail) */
	const char *author;                  /* contact; may be "" */
	const struct ck_rules *const *rules; /* the games; NULL ends the list */
};
#define CK_PLUGIN(list, who)                                                                                           \
	extern const struct ck_plugin proofd_checker_plugin;                                                           \
	const struct ck_plugin proofd_checker_plugin = {CK_ABI,                                                        \
							sizeof(struct ck_plugin),                                      \
							sizeof(struct ck_rules),                                       \
							sizeof(struct ck_game),                                        \
							sizeof(struct ck_position),                                    \
							sizeof(struct pd_fail),                                        \
							who,                                                           \
							list}
