/* Records: games as people write them down, played move by move on any game's rules.
 *
 * The format of a record is recognised at its beginning. A record is read to its last byte: whatever cannot be read is
 * an error that names line, column and text. After an optional UTF-8 byte order mark comes one of:
 *  - a list of moves in a notation of the game, with blanks or commas between them (`e3 e5`, `c1-c3, a3xc1`) or without
 *    (`4453`, `c3b3`, `f5d6c3`): each move is then the longest legal one at the beginning of the rest. Upper-case
 *    letters are accepted unless a notation of the game gives them a meaning;
 *  - PGN, which begins with a tag, a comment or a move number. Tags, comments, variations, NAGs, marks and the result
 *    are skipped; a tree takes comments, variations, NAGs and marks. Move numbers must match the moves read;
 *    [FEN "..."] is the initial position of the record, and a [Variant "..."] that names another game is refused;
 *  - SGF, which begins with `(;`: the main line. B and W hold moves in the game's notation, as HexGui writes them, or
 *    two letters, column and row from the top left. The colour that moves first is the side to move, and the colours
 *    follow the game; a resignation ends the moves. Before the first move AB, AW, AE and PL set up a position, in
 *    which Black is First. In Hex the first move may be answered by swap-pieces, swap or swap-sides
 *    (solver/games/RULES.md). Boards of another size (SZ) and other games (GM) are refused;
 *  - GGF, which begins with `(;GM[Othello]`;
 *  - a FEN or an EPD, on a line of its own: a position without moves.
 * The rules of a game list which of the last four it has (game_rules.records). A text in one of these may hold several
 * games. Each format has a file of its own, record_*.c; record.c chooses the format and reads lists of moves. */
#pragma once

#include "solver/games/record_tree.h"

enum {
	GAME_RECORD_BYTES = 1 << 20,         /* of a text */
	GAME_RECORD_MOVES = GAME_TREE_MOVES, /* of one record */
	GAME_RECORD_ATTEMPTS = 16384         /* to read a move; bounds the time for a malformed list */
};

/* What a record played; filled in by the functions below. */
struct game_played {
	unsigned number; /* set by the caller: which game of a text to play, from 1; 0: the only one */
	unsigned games;  /* in the text */
	unsigned count, attempts;
	unsigned places; /* of the last move, on the game's board; 0 when there is none */
	uint16_t place[GAME_MOVE_PLACES_MAX];
	game_move *list; /* owned by the caller; receives the moves, at most GAME_RECORD_MOVES. NULL: not wanted */
	/* The caller's, initialized; receives all moves, with variations, comments and marks. NULL: not wanted, and
	 * variations are not played. With a tree `count` is that of all moves, and *state any position of them. */
	struct game_tree *tree;
};

/* Reads the move that a text names in a position. PD_E_MOVE with field "moves" and the text. */
int game_read_move(const struct game *game, const char *text, const void *state, game_move *out, struct pd_fail *fail);
/* Plays the move that a text names as the next of *played. PD_E_MOVE with field "moves", the number of the move,
 * counted from 1, and the text. */
int game_play_move(const struct game *game, const char *text, void *state, struct game_played *played,
		   struct pd_fail *fail);
/* Plays a record from *state on. `start`: the record may have its own initial position. The caller sets *played to
 * zero, except `list`, `tree` and `number`. PD_E_MOVE with field "moves"; *state is then the last position reached. */
int game_play_record(const struct game *game, const char *text, bool start, void *state, struct game_played *played,
		     struct pd_fail *fail);

/* --- for the readers of formats --------------------------------------------------------------- */

/* A text while it is read; lives as long as game_play_record. */
struct record {
	const struct game *game;
	void *state;
	struct game_played *played;
	struct pd_fail *fail;
	const char *text; /* its first line: errors count lines and columns from here */
	bool start;       /* the record may have its own initial position */
	bool idle;        /* this is not the game to be played: only its syntax is checked */
};

struct game_record_format {
	const char *begins_with; /* for messages: how a record of the format begins */
	uint32_t bit;            /* of game_rules.records */
	/* True if a text, whose first byte is neither blank nor zero, is meant as a record of the format. */
	bool (*begins)(const char *text);
	/* Reads one game from *text on and advances *text past it. */
	int (*read)(struct record *r, const char **text);
};
extern const struct game_record_format game_record_pgn, game_record_sgf, game_record_ggf, game_record_epd;

/* PD_E_MOVE with field "moves": "line 3, column 5: " and the sentence; `at` points into the text. */
int game_record_fail(struct record *r, const char *at, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same for a bracket or quotation that is not closed. */
int game_record_unclosed(struct record *r, const char *opened, const char *what);
/* The same for text that is not a legal move, with the number of the move; `why` is what the rules say. */
int game_record_illegal(struct record *r, const char *text, size_t size, const struct pd_fail *why);
/* The same for a move of the side that is not to move. */
int game_record_wrong_turn(struct record *r, const char *text, size_t size, bool black);
/* PD_E_MOVE when the record exceeds the limits on moves or attempts. */
int game_record_room(struct record *r);

/* The tree that this game is read into; NULL: none. */
struct game_tree *game_record_tree(const struct record *r);
/* Finds the legal move that exactly these bytes name; false if there is none. */
bool game_record_is_move(struct record *r, const char *text, size_t size, game_move *out, struct pd_fail *why);
void game_record_step(struct record *r, game_move move);
/* Plays the move that exactly these bytes name, unless the record is idle. */
int game_record_move(struct record *r, const char *text, size_t size);
/* Sets the initial position that the record has. */
int game_record_start(struct record *r, const char *at, const char *text, size_t size);

bool game_record_blank(char c);
const char *game_record_skip(const char *text);
/* True if `size` bytes are this word; `any_case` ignores the case of letters. */
bool game_record_is(const char *text, size_t size, const char *word, bool any_case);
