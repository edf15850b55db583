/* Records: games as people write them down, played move by move on any game's rules.
 *
 * A record has one format, which is recognised at its beginning, and is read to its last byte: what cannot be read is
 * an error that names its place. After a byte order mark of UTF-8 comes one of:
 *  - a list: moves in a notation of the game, with blanks or commas between (`e3 e5`, `c1-c3, a3xc1`), or without
 *    (`4453`, `c3b3`, `f5d6c3`): each is then the longest legal one that the rest begins with. Letters may be upper
 *    case where no notation of the game gives them a meaning;
 *  - PGN, which begins with a tag, a comment or a move number: tags, comments, variations, NAGs, marks and the result
 *    are passed over. Move numbers must be those of the moves that were read; [FEN "..."] is the position that the
 *    record begins with, and [Variant "..."] of another game is refused;
 *  - SGF, which begins with `(;`: the main line. B and W hold moves in the game's notation, as HexGui writes them, or
 *    two letters, column and row from the top left. The colour that moves first is the side to move, and the colours
 *    follow the game; a resignation ends the moves. Before the first move AB, AW, AE and PL set up a position, in
 *    which Black is First. In Hex the first move may be answered by swap-pieces, or swap, or swap-sides
 *    (solver/games/RULES.md). Boards of another size (SZ) and other games (GM) are refused;
 *  - GGF, which begins with `(;GM[Othello]`;
 *  - a FEN or an EPD, a line of its own: a position without moves.
 * The rules of a game say which of the last four it has (game_rules.records). A text in one of these may have several
 * games. */
#pragma once

#include "solver/game.h"

enum {
	GAME_RECORD_BYTES = 1 << 20, /* of a text */
	GAME_RECORD_MOVES = 4096,    /* of one record */
	GAME_RECORD_ATTEMPTS = 16384 /* at reading a move: more is no record of a game, but work for nothing */
};

/* What was played. */
struct game_played {
	unsigned number; /* the caller's: which game of a text is played, from 1; 0: there must be one only */
	unsigned games;  /* in the text */
	unsigned count, attempts;
	unsigned places; /* of the last move, on the game's board; 0 when there is none */
	uint16_t place[GAME_MOVE_PLACES_MAX];
	game_move *list; /* the caller's; gets the moves, GAME_RECORD_MOVES at most. NULL: they are not wanted */
};

/* Reads one move of a position that a text names. PD_E_MOVE with field "moves" and the text. */
int game_read_move(const struct game *game, const char *text, const void *state, game_move *out, struct pd_fail *fail);
/* Plays one move that a text names, from *state on, as the next of *played. PD_E_MOVE with field "moves": its number,
 * counted from 1, and the text. */
int game_play_move(const struct game *game, const char *text, void *state, struct game_played *played,
		   struct pd_fail *fail);
/* Plays a record from *state on; `start`: a position in the record counts, because no other is given. *played
 * is all zero before, except `list` and `number`. PD_E_MOVE with field "moves"; *state is then what was reached. */
int game_play_record(const struct game *game, const char *text, bool start, void *state, struct game_played *played,
		     struct pd_fail *fail);
