/* Game rules: a two-player game of perfect information, as the solver sees it.
 *
 * A game is a C file that fills one `struct game_rules`. Search, persistence, resume, queries, boards and clients
 * follow from it. Built-in games are in solver/games (CONTRIBUTING.md lists what else such a game needs). A game from
 * outside is a shared object, compiled with this header alone (installed as proofd/game.h, with proto/base/fail.h in
 * it), that exports a `struct game_plugin`; clients/plugins/README.md explains how.
 *
 * The laws that every game must obey (tests/games/ tests them on random walks, `proofctl game-test` tests a plug-in):
 *  1. A state is `state_size` plain bytes owned by the caller: it holds no pointers and is copied with memcpy. The
 * caller provides any alignment up to 16.
 *  2. The exact key is a byte string that identifies the position, including the side to move, and nothing else: two
 * positions have the same key exactly if the rules cannot tell them apart (up to symmetry). It is never a hash. The
 * state unkey(key(s)) has the same key as s.
 *  3. Positions with the same key have the same value, and their moves correspond through `canon`.
 *  4. `moves` lists every legal move once, in a fixed order (two moves may have the same text if they lead to the same
 * position). A state has no moves exactly if `terminal` returns true for it (a game with passes has a pass move).
 *  5. A game marked as acyclic never repeats a position, and ends within `plies_max` plies.
 *  6. All functions are pure: they use no clock and no randomness, and do not change the game. They may be called from
 * several threads at once.
 *
 * Versions: `abi` is GAME_ABI at compile time. New members are only added at the end of the structs, and `size` is the
 * size at compile time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/fail.h"

#define GAME_ABI 1u

enum {
	GAME_NAME_MAX = 96,       /* bytes of a game's full name, with its terminating zero */
	GAME_KEY_MAX = 256,       /* bytes of an exact key */
	GAME_STATE_MAX = 1024,    /* bytes of a state */
	GAME_MOVES_MAX = 4000,    /* legal moves of one position */
	GAME_TEXT_MAX = 2048,     /* bytes of any text that a game prints, with its terminating zero */
	GAME_EDGE_COST_MAX = 250, /* of a move, for df-pn+ */
	GAME_ORDER_MAX = 8,       /* bytes of a key's order part */
	/* plies_max of a cyclic game: the solver encodes depths of its paths in 16 bits (numbers.h) */
	GAME_CYCLIC_PLIES_MAX = 8192
};

/* Formats of game records. PDN, which comes with PGN, is PGN with the game's own moves and positions: the side that is
 * First has the moves before those of its opponent in each number. */
enum game_records {
	GAME_RECORD_PGN = 1,
	GAME_RECORD_SGF = 2,
	GAME_RECORD_GGF = 4,
	GAME_RECORD_EPD = 8,
	GAME_RECORD_PDN = 16
};

/* A move: a 16-bit code, whose meaning depends on the position. 0xffff means no move. */
typedef uint16_t game_move;

struct game_rules;
struct pd_graph; /* proto/base/graph.h; only games that read an AND/OR graph need it */

/* One game with its parameters: what `open` returns. A game's own struct begins with it. */
struct game {
	const struct game_rules *rules;
	char name[GAME_NAME_MAX]; /* canonical, as in `connect4:7x6`: equal names are equal games */
	uint64_t rules_version;   /* facts of other versions are not used; a file's digest for a game read from it */
	uint32_t state_size;      /* bytes, 1..GAME_STATE_MAX */
	uint32_t key_size_max;    /* bytes, 1..GAME_KEY_MAX */
	uint32_t moves_max;       /* most legal moves of any position, 1..GAME_MOVES_MAX */
	uint32_t plies_max;       /* most plies of a game from any position; 0: unknown or unbounded */
	int16_t value_min, value_max, value_step; /* the values are value_min, value_min + value_step, ..., value_max */
	bool acyclic;                             /* no position can occur twice in a game */
	int16_t infinite_value;                   /* what infinite play is worth to First; unused when acyclic */
	/* Set by the program: the digest of a plug-in's file. The game leaves it 0. */
	uint64_t plugin_digest;
};

/* What a game may request while it is opened. */
struct game_host {
	void *ctx;
	/* Loads the graph of that name, which the game frees with pd_graph_free. Fails with field "game" when there is
	 * no such graph. NULL: no graphs are available. */
	int (*graph)(void *ctx, const char *name, struct pd_graph **out, struct pd_fail *fail);
};

/* What a game knows of a position beyond its rules. */
struct game_static {
	int value;
	unsigned plies;  /* plies within which the winner can force this end; at least 2 */
	uint32_t effort; /* nodes that a search by the rules alone needs to find it, up to a small factor; at least 1 */
};

enum {
	GAME_WITNESS_MAX = 512, /* bytes of a witness */
	GAME_STRATEGY = 100,    /* strategies by weights: the witness is not a list of groups, and no game returns it */
	GAME_TABLE =
		101, /* a table: the witness is its digest; a game with tables returns it (solver/table_theorem.h) */
	GAME_DOMINANCE = 102, /* dominance, not returned by a game either: the witness is an order part */
	GAME_NO_RANK = 0      /* `plies` of a bound that holds by infinite play */
};

/* A bound that a theorem gives for the claim "First gets at least threshold". solver/games/THEOREMS.md states and
 * proves the theorems of the built-in games, and describes their witnesses. */
struct game_theorem {
	bool proved;      /* First gets at least the threshold; false: First gets less */
	uint16_t number;  /* of the theorem; at least 1; a game's own is none of 100 to 103 */
	uint16_t plies;   /* most plies within which the game is decided; at least 2. GAME_NO_RANK where the game can go
			     on for ever and infinite play serves the bound */
	uint16_t witness; /* bytes of the witness, if one was wanted; at most GAME_WITNESS_MAX */
	uint32_t effort;  /* as in game_static */
};

/* Tables by retrograde analysis (server/proofs/tables): a game may divide positions with little material into classes
 * and number the positions of each. A table then has one entry for each number. */
enum {
	GAME_CLASS_NAME = 32,    /* bytes of the name of a class, with its terminating zero */
	GAME_CLASS_NEXT_MAX = 64 /* classes that the moves of one class lead to, besides the class itself */
};

struct game_class {
	char name[GAME_CLASS_NAME]; /* canonical; letters, digits and hyphens only, because files are named by it */
	uint64_t id;                /* no other class of the game has it; not 0 */
	uint64_t size;              /* the class has numbers below that; 1 .. 2^32 - 1 */
	uint64_t own[4];            /* private to the game */
};

/* How a game without `acyclic` numbers its positions. There is at most one value above the value of infinite play, and
 * at most one below it.
 *
 * All positions of one number have the same value in the view of the player to move, within the same number of plies,
 * and their moves lead to the same numbers. So positions that differ by a symmetry of the board may share a number, and
 * those that differ by the colours too, if the game is the same for both sides. A number to which no position belongs
 * is a hole. A class holds positions with either side to move, also such as are over.
 *
 * proofcheck implements the same names and numbers a second time (clients/proofcheck/checker_rules.h): the comment at
 * the top of the game's file defines them. */
struct game_classes {
	/* Reads the name of a class, not necessarily the canonical one. PD_E_PARAMS with field "material". */
	int (*open)(const struct game *game, const char *name, struct game_class *out, struct pd_fail *fail);
	/* Writes class number n, from 0, of those with that many men; false after the last. */
	bool (*at)(const struct game *game, unsigned men, unsigned n, struct game_class *out);
	/* Writes the classes that legal moves of its positions can lead to, without the class itself. No class leads
	 * back to one that leads to it. Classes in which every position is over may be left out if they have no id
	 * (see there). Returns how many. */
	unsigned (*next)(const struct game *game, const struct game_class *c,
			 struct game_class out[GAME_CLASS_NEXT_MAX]);
	/* The id of the class of a position; 0: it belongs to none, such as one with too many men. A position that
	 * a legal move of a class leads to has one, unless it is over. */
	uint64_t (*id)(const struct game *game, const void *state);
	/* The number of a position of the class. */
	uint64_t (*index)(const struct game *game, const struct game_class *c, const void *state);
	/* Writes a position of that number; false for a hole. For a position that is written, `id` returns the id of
	 * the class, and `index` the number. */
	bool (*position)(const struct game *game, const struct game_class *c, uint64_t index, void *state);
};

/* Words for results. A member may be NULL when no result needs it. */
struct game_words {
	const char *first, *draw, *second;  /* for a value above 0, of 0, below 0 */
	const char *not_second, *not_first; /* for a value known only to be at least 0, at most 0 */
};

/* --- boards as data ------------------------------------------------------------------------------
 *
 * A game that describes its board once, and a position as pieces on its places, is drawn without code of its own: as
 * ASCII, as SVG, in a browser. Coordinates count twelfths of a cell, x to the right and y down. On boards of hexagons
 * (points up) a cell is 12 wide, rows are 12 apart, and each row is shifted by 6 against the next; a drawing scales y
 * by sqrt(3)/2. The six corners of a hexagon are then at (0,-8), (6,-4), (6,4), (0,8), (-6,4), (-6,-4) from its
 * centre. */

enum {
	GAME_PLACES_MAX = 512,    /* places of a board */
	GAME_PIECES_MAX = 64,     /* kinds of pieces */
	GAME_STROKES_MAX = 512,   /* lines drawn under the pieces */
	GAME_LABELS_MAX = 128,    /* labels at the border */
	GAME_MOVE_PLACES_MAX = 64 /* places that one move names */
};

/* What is drawn for an empty place. */
enum game_shape {
	GAME_SQUARE,      /* a square cell of side 12 */
	GAME_HEXAGON,     /* a hexagonal cell */
	GAME_POINT,       /* a crossing of lines (see strokes) */
	GAME_EDGE_ACROSS, /* the line from (x - 6, y) to (x + 6, y), drawn when a piece is on it */
	GAME_EDGE_DOWN    /* likewise from (x, y - 6) to (x, y + 6) */
};

/* How a piece is drawn. */
enum game_look {
	GAME_DISC,  /* a stone in its side's colour */
	GAME_CROSS, /* an x, as in tic-tac-toe */
	GAME_RING,  /* an o, as in tic-tac-toe */
	GAME_GLYPH, /* its glyph, such as a chess piece */
	GAME_FILL,  /* fills the cell, or draws the edge, in its side's colour */
	GAME_LETTER /* its letter */
};

enum game_side { GAME_FIRST, GAME_SECOND, GAME_NO_SIDE };

/* Where a piece can stand. */
struct game_place {
	int16_t x, y;   /* of its centre */
	uint8_t shape;  /* enum game_shape */
	uint8_t shade;  /* 0 light, 1 dark, like the squares of a chessboard */
	uint8_t region; /* places with the same number form one part of the board; 0: the board has no parts */
	char name[9];   /* as players write it, such as "b3"; "" when they do not name it */
};

struct game_piece {
	char letter;       /* in ASCII pictures and position.show; unique, and neither '.' nor a space */
	uint8_t side;      /* enum game_side: its owner */
	uint8_t look;      /* enum game_look */
	const char *name;  /* such as "black knight"; lives as long as the game */
	const char *glyph; /* UTF-8 text of a GAME_GLYPH; NULL otherwise */
};

struct game_stroke {
	int16_t x1, y1, x2, y2;
	uint8_t side;  /* enum game_side: the side in whose colour it is drawn, as the edges of a Hex board are */
	uint8_t heavy; /* 0 a thin line, 1 a heavy one */
};

struct game_label {
	int16_t x, y; /* of its centre */
	char text[6];
};

struct game_board {
	const char *side[2];   /* names of the sides, such as "White" and "Black"; live as long as the game */
	const char *colour[2]; /* colours of the sides, in SVG syntax; NULL: black and white stones */
	uint16_t places, pieces, strokes, labels;
	bool hands; /* pieces may be in hand */
	struct game_place place[GAME_PLACES_MAX];
	struct game_piece piece[GAME_PIECES_MAX];
	struct game_stroke stroke[GAME_STROKES_MAX];
	struct game_label label[GAME_LABELS_MAX];
};

/* Fills an empty board with width * height places of one shape, row by row from the bottom left (place = row * width +
 * column), named a1, b1, ... as on a chessboard, with labels on the left and below, and with lines through GAME_POINTs.
 * At most GAME_PLACES_MAX places, 64 columns and 64 rows. */
static inline void game_board_grid(struct game_board *b, unsigned width, unsigned height, enum game_shape shape)
{
	for (unsigned column = 0; column < width; column++) {
		struct game_label *l = &b->label[b->labels++];
		*l = (struct game_label){.x = (int16_t)(12 * column), .y = (int16_t)(12 * height - 2)};
		if (column >= 26)
			l->text[0] = (char)('a' + column / 26 - 1);
		l->text[column >= 26] = (char)('a' + column % 26);
	}
	for (unsigned row = 0; row < height; row++) {
		struct game_label *l = &b->label[b->labels++];
		*l = (struct game_label){.x = -10, .y = (int16_t)(12 * (height - 1 - row))};
		if (row + 1 >= 10)
			l->text[0] = (char)('0' + (row + 1) / 10);
		l->text[row + 1 >= 10] = (char)('0' + (row + 1) % 10);
		for (unsigned column = 0; column < width; column++) {
			struct game_place *p = &b->place[b->places++];
			*p = (struct game_place){.x = (int16_t)(12 * column), .y = l->y, .shape = (uint8_t)shape};
			p->shade = (row + column) % 2 == 0;
			unsigned n = 0;
			for (const char *c = b->label[column].text; *c; c++)
				p->name[n++] = *c;
			for (const char *c = l->text; *c; c++)
				p->name[n++] = *c;
		}
	}
	int16_t right = (int16_t)(12 * (width - 1)), bottom = (int16_t)(12 * (height - 1));
	for (unsigned i = 0; shape == GAME_POINT && i < width; i++)
		b->stroke[b->strokes++] =
			(struct game_stroke){(int16_t)(12 * i), 0, (int16_t)(12 * i), bottom, GAME_NO_SIDE, 0};
	for (unsigned i = 0; shape == GAME_POINT && i < height; i++)
		b->stroke[b->strokes++] =
			(struct game_stroke){0, (int16_t)(12 * i), right, (int16_t)(12 * i), GAME_NO_SIDE, 0};
}

/* A position on its board. */
struct game_diagram {
	uint8_t on[GAME_PLACES_MAX];       /* for each place: 0 if it is empty, otherwise 1 + the index of its piece */
	uint8_t playable[GAME_PLACES_MAX]; /* 1: to be marked, for example because the player must move there */
	uint8_t hand[2][GAME_PIECES_MAX];  /* how many of each piece are in hand */
	uint8_t to_move;                   /* enum game_side; GAME_NO_SIDE when the game is over */
	char note[96]; /* what the board does not show, such as "castling KQkq, en passant e3"; "" if nothing */
};

/* Game records in SGF, FF[4]; Black is First. */
struct game_sgf {
	unsigned number; /* the number of the game in the SGF specification (GM) */
	bool letters;    /* points are written as two letters, column and row from the top left; else like moves */
	bool read_only;  /* records are only read, because a move is more than a point */
	bool swap;       /* for Hex: the first move may be answered by swap-pieces or swap-sides */
};

/* A name for a game with certain parameters in the PGN tag Variant, besides the name and title of its rules. */
struct game_variant {
	const char *params; /* as in the full name of the game, which must match; "": no parameters */
	const char *name;   /* case does not matter when it is read */
	bool written;       /* written in a Variant tag; without such a row none is written, as for chess */
};

struct game_rules {
	uint32_t abi;         /* GAME_ABI */
	uint32_t size;        /* sizeof(struct game_rules) */
	const char *name;     /* the part of a full name before the colon, such as "connect4" */
	const char *title;    /* "Connect Four" */
	const char *params;   /* one sentence with the ranges, such as "WxH: columns and rows, ..." */
	const char *notation; /* how positions and moves are written, one or two sentences */
	const char *example;  /* a valid full name, such as "connect4:7x6" */

	/* Opens the game with its parameters (the part after the colon; "" when there is none). On success the caller
	 * closes *out with `close`. Fails with PD_E_GAME and field "game" for bad parameters. host may be NULL. */
	int (*open)(const struct game_rules *rules, const char *params, const struct game_host *host, struct game **out,
		    struct pd_fail *fail);
	void (*close)(struct game *game);

	/* Writes the initial position. */
	void (*start)(const struct game *game, void *state);
	/* Reads a position; "" is the initial one. Fails with PD_E_POSITION, field "position" and a sentence that says
	 * where the error is. *state is written only on success. A position in which the game is over is legal. */
	int (*parse)(const struct game *game, const char *text, void *state, struct pd_fail *fail);
	/* Writes text from which `parse` makes a state with the same exact key. Like snprintf, it always terminates the
	 * text and returns the length of the full text. */
	size_t (*print)(const struct game *game, const void *state, char *out, size_t size);
	/* A picture of the position for people, several lines, ending with a newline. Like snprintf. NULL: the picture
	 * is drawn from `board`; a game needs `picture` or `board`. */
	size_t (*picture)(const struct game *game, const void *state, char *out, size_t size);
	/* Moves as text. move_parse accepts only legal moves of the state; otherwise it fails with PD_E_MOVE and field
	 * "move". */
	int (*move_parse)(const struct game *game, const void *state, const char *text, game_move *out,
			  struct pd_fail *fail);
	size_t (*move_print)(const struct game *game, const void *state, game_move move, char *out, size_t size);

	/* True when First is to move. Meaningless in terminal positions. */
	bool (*first_to_move)(const struct game *game, const void *state);
	/* True when the game is over; *value is then its value for First. */
	bool (*terminal)(const struct game *game, const void *state, int *value);
	/* Writes all legal moves (room for moves_max) and returns how many; 0 when the game is over. */
	unsigned (*moves)(const struct game *game, const void *state, game_move *out);
	/* Plays a legal move in place. */
	void (*play)(const struct game *game, void *state, game_move move);
	/* Writes the exact key (room for key_size_max) and returns its size in bytes. */
	size_t (*key)(const struct game *game, const void *state, uint8_t *out);
	/* Writes the canonical position of a key: the one whose frame is the key's frame. PD_E_CORRUPT when it is not a
	 * key of this game. */
	int (*unkey)(const struct game *game, const uint8_t *key, size_t size, void *state);

	/* --- optional members: NULL when the game has nothing to say ------------------------------ */

	/* Translates a move between the state's own frame and the frame of its exact key: into the key's frame, or back
	 * with `back`. NULL: the frames are the same. */
	game_move (*canon)(const struct game *game, const void *state, game_move move, bool back);
	/* Like `moves`, without the moves whose child has the same key as an earlier move's child (mirror twins). */
	unsigned (*unique_moves)(const struct game *game, const void *state, game_move *out);
	/* A cheap test, called only for positions that are not over. True when it knows that the player to move wins
	 * immediately: some legal move ends the game with *value, the best value on the mover's side of the scale. It
	 * may miss wins, but must not report a wrong one. */
	bool (*immediate_win)(const struct game *game, const void *state, int *value);
	/* Initial numbers of a leaf for the claim "First gets at least threshold": num[0] is the proof number, num[1]
	 * the disproof number, each 1..1000000. NULL: 1 and the number of moves, by node type (mobility). */
	void (*initial_numbers)(const struct game *game, const void *state, int threshold, uint32_t num[2]);
	/* How many moves `moves` would list, without listing them; 0 when the game is over. */
	unsigned (*count)(const struct game *game, const void *state);
	/* The same one ply further: for each of `count` legal moves, out[i] is the number of moves of the position
	 * after moves[i]. Only for games in which the players strictly alternate, so that the side to move there is
	 * known. */
	void (*replies)(const struct game *game, const void *state, const game_move *moves, unsigned count,
			uint16_t *out);
	/* True when no position before the legal move can occur again after it, as after a capture. A search for
	 * repetitions stops there. It may return false when that is hard to tell. NULL: always false. */
	bool (*irreversible)(const struct game *game, const void *state, game_move move);
	/* What the game knows by a theorem: a cheap and correct test of a position that is neither over nor an
	 * immediate win. True when it knows who wins; the value is then the best on that side of the scale. Searches
	 * and checks of their leaves trust it; certificates prove it from the rules. Only for acyclic games. No
	 * built-in game has it: `theorem` says as much, of one bound, with a witness. NULL: nothing is known. */
	bool (*static_solve)(const struct game *game, const void *state, struct game_static *out);
	/* Words for results, when the usual ones would mislead ("draw" in a game that ends without a mate). NULL: the
	 * usual words. */
	const struct game_words *words;
	/* Describes the board; *out is all zero before the call. NULL: the game has no board, no diagram and no
	 * move_places. */
	void (*board)(const struct game *game, struct game_board *out);
	/* Writes the position on that board; *out is all zero before the call. */
	void (*diagram)(const struct game *game, const void *state, struct game_diagram *out);
	/* The places that a legal move names, in the order in which a player points at them, such as from and to.
	 * Returns how many; 0: none (a pass). Two moves may name the same places (promotions). */
	unsigned (*move_places)(const struct game *game, const void *state, game_move move,
				uint16_t out[GAME_MOVE_PLACES_MAX]);
	/* Makes the state that a diagram shows, for users who set up positions. It ignores `playable`; the note is as
	 * `diagram` writes it, or "". Fails with PD_E_POSITION and field "position". NULL: positions cannot be set
	 * up. */
	int (*set_up)(const struct game *game, const struct game_diagram *diagram, void *state, struct pd_fail *fail);
	/* Notations for moves besides that of move_print: a list such as {"san", NULL}, or NULL for none. move_print_in
	 * writes a move in one of them; move_parse reads all of them. */
	const char *const *notations;
	size_t (*move_print_in)(const struct game *game, const void *state, game_move move, const char *notation,
				char *out, size_t size);
	/* Formats of game records besides lists of moves (record.h): GAME_RECORD_* flags. */
	uint32_t records;
	const struct game_sgf *sgf;          /* NULL: SGF records with any GM are read, and none are written */
	const struct game_variant *variants; /* its PGN variants, ended by a row with name NULL; NULL: none */
	bool graph;                          /* the parameters name a graph, which `open` requests from its host */
	/* Asks the theorems of the game for the claim "First gets at least threshold", at a position that is neither
	 * over nor an immediate win: a cheap and correct test. True when one of them proves or disproves the claim;
	 * *out is then written, and the witness into `witness` (GAME_WITNESS_MAX bytes) unless it is NULL. Whether a
	 * witness is wanted changes nothing else. Searches and checks of their leaves trust it; a certificate holds the
	 * witness. Games with cycles may have theorems. It is asked before static_solve. NULL: there are
	 * none. */
	bool (*theorem)(const struct game *game, const void *state, int threshold, struct game_theorem *out,
			uint8_t *witness);
	/* For df-pn+: what a move costs beyond the numbers of the position after it, for the claim "First gets at least
	 * threshold". For each of `count` legal moves out[i][0] is added to the proof number, out[i][1] to the disproof
	 * number, each 0..GAME_EDGE_COST_MAX: so a move that rarely leads to a win is tried later. NULL: nothing. */
	void (*edge_costs)(const struct game *game, const void *state, int threshold, const game_move *moves,
			   unsigned count, uint16_t (*out)[2]);
	/* For searches of threats (lambda.h): at the beginning of a turn, hands it to the other side, which then has a
	 * whole turn, as if the player to move passed, in a position that is not over. No pass has to be legal. The
	 * result need not be a position of the game, and its key may be that of another one: only `key`,
	 * `first_to_move`, `terminal`, `moves`, `unique_moves`, `play`, `immediate_win`, `turn_win` and this one are
	 * asked about it and about what moves make of it. NULL: threats are not searched. */
	void (*flip_side)(const struct game *game, void *state);
	/* Like immediate_win, for all moves that the player to move has left in its turn; *plies is how many of them
	 * suffice, at least 1. NULL: a turn is one move. */
	bool (*turn_win)(const struct game *game, const void *state, unsigned *plies);
	/* For the option `alike`: the class of each of `count` legal moves, 1..255 for moves that are likely to be
	 * refuted by the same answers, 0 for a move like no other. The search then takes moves of one class one after
	 * the other (solver/pds_alike.h). *out is all zero before the call. NULL: no moves are alike. */
	void (*alike)(const struct game *game, const void *state, const game_move *moves, unsigned count, uint8_t *out);
	/* For strategies (strategies.h): the square of a legal move, which is the place that it fills or goes to, the
	 * smaller of two; GAME_PLACES_MAX: it has none (a pass). NULL: the game has no strategies. */
	unsigned (*move_square)(const struct game *game, const void *state, game_move move);
	/* The moves that policy 1 of strategies.h leaves to the weights, as pn_strategy_choices says, at a position
	 * that is not over, whatever a draw is worth: true when the game knows them; *count is then their number, and
	 * *plies 1 if the only one wins, 3 if they are double threats, else 0. NULL, or false: they are found by
	 * playing moves. */
	bool (*policy_moves)(const struct game *game, const void *state, game_move *out, unsigned *count,
			     unsigned *plies);
	/* On how many squares the player who has just moved would win if it were to move now or later: to order moves
	 * (claim_oracle.h). NULL: initial_numbers is asked instead. */
	unsigned (*threats)(const struct game *game, const void *state);
	/* The classes of positions of which tables can be built; only for games with cycles. NULL: there are none. */
	const struct game_classes *classes;
	/* At most how many positions can be reached from a position that is not over, itself included, where the game
	 * can tell and they are few; else 0. A search then lists them all (solver/closure.h). Nothing rests on it.
	 * NULL: always 0. */
	uint64_t (*reach)(const struct game *game, const void *state);
	/* Words for a win of First that precede the number of First's moves, such as "mate in"; shown where the plies
	 * are known. NULL: the words for the value. */
	const char *counted;
	/* For dominance (dominance.h): a key is a board part, then an order part of its last `order_part` bytes, 1 to
	 * GAME_ORDER_MAX, like pieces in hand or a counter; 0: the game has no dominance with its parameters.
	 * `dominates` compares two positions with the same board part by their order parts: true if First (`first`),
	 * who gets at least `bound` at `b`, gets it at `a`; else Second, who keeps First to at most `bound`; in at most
	 * as many plies. It is given two different order parts of valid keys, and must be a partial order for each side
	 * and bound: reflexive, transitive, and never true both ways for two that differ. What has to be shown is that
	 * the winner, who gets the bound, can play at `a` as if it were at `b`:
	 *  - a move of the winner at `b` is legal at `a`, and after it the position from `a` dominates that from `b`;
	 *  - where the other side is to move, each of its moves at `a` has one at `b` with the same property;
	 *  - where one of the two games is over, the bound holds at `a` if the winner gets it at `b`;
	 *  - where the game is over at `a` with a value outside the bound, it is over at `b` too, with such a value:
	 *    at `b` the winner might otherwise get a bound without a rank by playing on for ever.
	 * Let more in a hand count for its owner if the other side's hand is equal, or if what is not in one hand is in
	 * the other, and only if nobody is ever saved by having no move. The image of a position that its key describes
	 * is chosen by the board part; where that is symmetric itself, by the order part (law 2). NULL, both: the game
	 * has no dominance. */
	unsigned (*order_part)(const struct game *game);
	bool (*dominates)(const struct game *game, const uint8_t *a, const uint8_t *b, int bound, bool first);
	/* The algorithm (tunables.h) of a job that names none. NULL: pds-pn. */
	const char *algorithm;
};

/* What a plug-in exports as `proofd_game_plugin`. The sizes tell which version of this header it was compiled with. */
struct game_plugin {
	uint32_t abi;                          /* GAME_ABI */
	uint32_t size;                         /* sizeof(struct game_plugin) */
	uint32_t game_size;                    /* sizeof(struct game) */
	uint32_t fail_size;                    /* sizeof(struct pd_fail) */
	const char *author;                    /* whom to ask about the plug-in; may be "" */
	const struct game_rules *const *rules; /* the games, with a NULL after the last */
};
#define GAME_PLUGIN(list, who)                                                                                         \
	extern const struct game_plugin proofd_game_plugin;                                                            \
	const struct game_plugin proofd_game_plugin = {                                                                \
		GAME_ABI, sizeof(struct game_plugin), sizeof(struct game), sizeof(struct pd_fail), who, list}
