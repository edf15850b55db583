/* Game rules: a two-player game of perfect information, as the solver sees it.
 *
 * A game is a C file that fills one `struct game_rules`. Search, persistence, resume, queries, boards and clients
 * follow from it. Built-in games lie in solver/games (CONTRIBUTING.md lists what else such a game needs). A game from
 * outside is a shared object, compiled with this header alone (installed as proofd/game.h, with proto/base/fail.h in
 * it), that exports a `struct game_plugin`; clients/plugins/README.md tells how.
 *
 * What a game must keep to (tests/games/ tests these laws on random walks, `proofctl game-test` those of a plug-in):
 *  1. A state is `state_size` plain bytes owned by the caller: no pointers, copied with memcpy, any alignment up to 16
 * given.
 *  2. The exact key is a byte string that stands for the position, side to move included, and for nothing else: two
 * positions have the same key exactly if the rules cannot tell them apart (up to symmetry). It is never a hash.
 * unkey(key(s)) has the key of s.
 *  3. Positions with one key have one value, and their moves correspond through `canon`.
 *  4. `moves` lists every legal move once, in a fixed order (two may share a text if they lead to the same position); a
 * state has no moves exactly if `terminal` says it is over (a game with passes has a pass move).
 *  5. A game that calls itself acyclic never comes back to a position, and ends within `plies_max` plies.
 *  6. All functions are pure: no clock, no randomness, no writing to the game. They may be called from several threads
 * at once.
 *
 * Versions: `abi` is GAME_ABI at the time of compiling. The structs only grow at the end, and `size` says how far they
 * reach. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/fail.h"

#define GAME_ABI 1u

enum {
	GAME_NAME_MAX = 96,    /* bytes of a game's full name, the zero included */
	GAME_KEY_MAX = 256,    /* bytes of an exact key */
	GAME_STATE_MAX = 1024, /* bytes of a state */
	GAME_MOVES_MAX = 4000, /* legal moves of one position */
	GAME_TEXT_MAX = 2048,  /* bytes of any text that a game prints, the zero included */
	/* plies_max of a cyclic game: the solver encodes depths of its paths in 16 bits (numbers.h) */
	GAME_CYCLIC_PLIES_MAX = 8192
};

/* Formats of records of games. */
enum game_records { GAME_RECORD_PGN = 1, GAME_RECORD_SGF = 2, GAME_RECORD_GGF = 4, GAME_RECORD_EPD = 8 };

/* A move: a 16-bit code that means something in its position. 0xffff is no move. */
typedef uint16_t game_move;

struct game_rules;
struct pd_graph; /* of AND/OR graphs only: proto/base/graph.h */

/* One game with its parameters: what `open` returns. The rules' own struct has this as its first member. */
struct game {
	const struct game_rules *rules;
	char name[GAME_NAME_MAX]; /* canonical, as in `connect4:7x6`: equal names are equal games */
	uint64_t rules_version;   /* facts found under another version are not used. For games read from a file: its
				     digest */
	uint32_t state_size;      /* bytes, 1..GAME_STATE_MAX */
	uint32_t key_size_max;    /* bytes, 1..GAME_KEY_MAX */
	uint32_t moves_max;       /* legal moves of any position at most, 1..GAME_MOVES_MAX */
	uint32_t plies_max;       /* of a game from any position at most; 0: unknown or unbounded */
	int16_t value_min, value_max, value_step; /* the values are value_min, value_min + value_step, ..., value_max */
	bool acyclic;                             /* no position can come back */
	int16_t infinite_value;                   /* what infinite play is worth to First; unused when acyclic */
	/* Set by the program, 0 at first: of a plug-in, the digest of its file. */
	uint64_t plugin_digest;
};

/* What a game may ask for while it is opened. */
struct game_host {
	void *ctx;
	/* The graph of that name, to be freed with pd_graph_free by the game; an error with field "game" when there is
	 * none. NULL where graphs are not to be had. */
	int (*graph)(void *ctx, const char *name, struct pd_graph **out, struct pd_fail *fail);
};

/* What a game knows of a position beyond its rules. */
struct game_static {
	int value;
	unsigned plies;  /* within which the game can be made to end so; at least 2 */
	uint32_t effort; /* nodes that a search by the rules alone takes to find it, but for a small factor; at least 1
			  */
};

/* What results are called. A member may be NULL where no result is called so. */
struct game_words {
	const char *first, *draw, *second;  /* the value is above 0, is 0, is below 0 */
	const char *not_second, *not_first; /* at least 0, at most 0, and not known better */
};

/* --- boards as data ------------------------------------------------------------------------------
 *
 * A game that describes its board once, and a position as pieces on its places, is drawn without code of its own:
 * as ASCII, as SVG, in a browser. Coordinates count twelfths of a cell, x to the right and y down. On boards of
 * hexagons (points up) a cell is 12 wide, rows are 12 apart and stand 6 to the side of each other; a drawing scales
 * y by sqrt(3)/2. The six corners of a hexagon are then at (0,-8), (6,-4), (6,4), (0,8), (-6,4), (-6,-4) from its
 * centre. */

enum {
	GAME_PLACES_MAX = 512,    /* places of a board */
	GAME_PIECES_MAX = 64,     /* kinds of pieces */
	GAME_STROKES_MAX = 512,   /* lines drawn under the pieces */
	GAME_LABELS_MAX = 128,    /* texts at the border */
	GAME_MOVE_PLACES_MAX = 64 /* places that one move names */
};

/* What is drawn for an empty place. */
enum game_shape {
	GAME_SQUARE,      /* a square cell of side 12 */
	GAME_HEXAGON,     /* a hexagonal cell */
	GAME_POINT,       /* a crossing of lines (see strokes) */
	GAME_EDGE_ACROSS, /* the line between (x - 6, y) and (x + 6, y), which a piece draws */
	GAME_EDGE_DOWN    /* the line between (x, y - 6) and (x, y + 6) */
};

/* How a piece is drawn. */
enum game_look {
	GAME_DISC,  /* a stone in its side's colour */
	GAME_CROSS, /* x, as in tic-tac-toe */
	GAME_RING,  /* o, likewise */
	GAME_GLYPH, /* its glyph, a chessman say */
	GAME_FILL,  /* the whole cell, or the edge, in its side's colour */
	GAME_LETTER /* its letter */
};

enum game_side { GAME_FIRST, GAME_SECOND, GAME_NO_SIDE };

/* Where a piece can stand. */
struct game_place {
	int16_t x, y;   /* of its centre */
	uint8_t shape;  /* enum game_shape */
	uint8_t shade;  /* 0 light, 1 dark, as the squares of a chess board */
	uint8_t region; /* places of one number lie in one part of the board; 0: the board has no parts */
	char name[9];   /* as players write it, "b3"; "" when they do not */
};

struct game_piece {
	char letter;       /* in ASCII pictures and in position.show; no two pieces share it; not '.', not a blank */
	uint8_t side;      /* enum game_side: whose it is */
	uint8_t look;      /* enum game_look */
	const char *name;  /* "black knight"; lives as long as the game */
	const char *glyph; /* UTF-8 text of a GAME_GLYPH; NULL otherwise */
};

struct game_stroke {
	int16_t x1, y1, x2, y2;
	uint8_t side;  /* enum game_side: drawn in this side's colour, as an edge of a Hex board */
	uint8_t heavy; /* 0 a thin line, 1 a heavy one */
};

struct game_label {
	int16_t x, y; /* of its centre */
	char text[6];
};

struct game_board {
	const char *side[2];   /* what players call the sides, "White", "Black"; live as long as the game */
	const char *colour[2]; /* of the sides, as SVG writes colours; NULL: black and white stones */
	uint16_t places, pieces, strokes, labels;
	bool hands; /* pieces may be in hand */
	struct game_place place[GAME_PLACES_MAX];
	struct game_piece piece[GAME_PIECES_MAX];
	struct game_stroke stroke[GAME_STROKES_MAX];
	struct game_label label[GAME_LABELS_MAX];
};

/* Fills an empty board with width * height places of one shape, row by row from the bottom left (place = row * width +
 * column), named a1, b1, ... as on a chess board, with labels at the left and below, and lines through GAME_POINTs.
 * At most GAME_PLACES_MAX places and 64 columns and rows. */
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
	uint8_t on[GAME_PLACES_MAX];       /* of each place: 0 empty, otherwise 1 + the index of the piece on it */
	uint8_t playable[GAME_PLACES_MAX]; /* 1: worth marking, the part of the board where one must play, say */
	uint8_t hand[2][GAME_PIECES_MAX];  /* how many of each piece are in hand */
	uint8_t to_move;                   /* enum game_side; GAME_NO_SIDE when the game is over */
	char note[96]; /* what the board does not show: "castling KQkq, en passant e3"; "" for nothing */
};

/* Records in SGF, FF[4]; Black is First. */
struct game_sgf {
	unsigned number; /* GM of the SGF specification */
	bool letters;   /* points are written as letters of column and row, from the top left; otherwise as moves are */
	bool read_only; /* records are read and not written: a move is more than a point */
	bool swap;      /* of Hex: the first move may be answered by swap-pieces or swap-sides */
};

/* What the tag Variant of PGN calls a game with certain parameters, besides the name and title of its rules. */
struct game_variant {
	const char *params; /* as in the game's full name; "": none. Others have their own variants only */
	const char *name;   /* read in upper or lower case */
	bool written;       /* in a Variant tag; without such a row a record has no such tag, as in standard chess */
};

struct game_rules {
	uint32_t abi;         /* GAME_ABI */
	uint32_t size;        /* sizeof(struct game_rules) */
	const char *name;     /* "connect4": the part before the colon */
	const char *title;    /* "Connect Four" */
	const char *params;   /* "WxH: columns and rows, ..." one sentence with ranges */
	const char *notation; /* how positions and moves are written, one or two sentences */
	const char *example;  /* a full name that opens, "connect4:7x6" */

	/* Opens the game with its parameters (the part after the colon; "" when there is none). On success *out is to
	 * be closed with `close`. PD_E_GAME with field "game" for bad parameters. host may be NULL. */
	int (*open)(const struct game_rules *rules, const char *params, const struct game_host *host, struct game **out,
		    struct pd_fail *fail);
	void (*close)(struct game *game);

	/* Writes the initial position. */
	void (*start)(const struct game *game, void *state);
	/* Reads a position; "" is the initial one. PD_E_POSITION with field "position" and a sentence that names the
	 * place. *state is written only on success. A position in which the game is over is legal. */
	int (*parse)(const struct game *game, const char *text, void *state, struct pd_fail *fail);
	/* Writes text that `parse` reads back to a state with the same exact key. Like snprintf: always terminated,
	 * returns the length that was wanted. */
	size_t (*print)(const struct game *game, const void *state, char *out, size_t size);
	/* A picture of the position for people, several lines, ending with a newline. Like snprintf. NULL: it is drawn
	 * from the board; a game needs one of the two. */
	size_t (*picture)(const struct game *game, const void *state, char *out, size_t size);
	/* Moves as text. move_parse accepts only legal moves of the state: PD_E_MOVE with field "move". */
	int (*move_parse)(const struct game *game, const void *state, const char *text, game_move *out,
			  struct pd_fail *fail);
	size_t (*move_print)(const struct game *game, const void *state, game_move move, char *out, size_t size);

	/* True when First is to move. Meaningless in terminal positions. */
	bool (*first_to_move)(const struct game *game, const void *state);
	/* True when the game is over; *value is then what First gets. */
	bool (*terminal)(const struct game *game, const void *state, int *value);
	/* Writes all legal moves (room for moves_max) and returns how many; 0 when the game is over. */
	unsigned (*moves)(const struct game *game, const void *state, game_move *out);
	/* Plays a legal move in place. */
	void (*play)(const struct game *game, void *state, game_move move);
	/* Writes the exact key (room for key_size_max) and returns its size in bytes. */
	size_t (*key)(const struct game *game, const void *state, uint8_t *out);
	/* The canonical position of a key: the one whose frame is the key's frame. PD_E_CORRUPT when it is no key of
	 * this game. */
	int (*unkey)(const struct game *game, const uint8_t *key, size_t size, void *state);

	/* --- optional members: NULL when the game has nothing to say ------------------------------ */

	/* Translates a move between the state's own frame and the frame of its exact key: into the key's frame, or back
	 * with `back`. NULL: the frames are the same. */
	game_move (*canon)(const struct game *game, const void *state, game_move move, bool back);
	/* Like `moves`, less the moves whose child has the same key as an earlier move's child (mirror twins). */
	unsigned (*unique_moves)(const struct game *game, const void *state, game_move *out);
	/* A cheap true look at a position that is not over (it may not be called for one that is): true when it knows
	 * that the player to move wins immediately; then some legal move ends the game with *value, the best value on
	 * the mover's side of the scale. */
	bool (*immediate_win)(const struct game *game, const void *state, int *value);
	/* First values for the claim "First gets at least threshold" at a leaf: num[0] proof number, num[1] disproof
	 * number, each 1..1000000. NULL: 1 and the number of moves, by node type (mobility). */
	void (*initial_numbers)(const struct game *game, const void *state, int threshold, uint32_t num[2]);
	/* How many moves `moves` would list, without listing them; 0 when the game is over. */
	unsigned (*count)(const struct game *game, const void *state);
	/* The same one ply on: out[i] is how many moves the position after the legal move moves[i] has, `count` of
	 * them. Only for games in which the players take turns, so that anyone who counts knows who moves there. */
	void (*replies)(const struct game *game, const void *state, const game_move *moves, unsigned count,
			uint16_t *out);
	/* True when no position from before the legal move can come back after it: a capture, say. A search for
	 * repetitions stops there. It may be false where that is hard to say. NULL: always false. */
	bool (*irreversible)(const struct game *game, const void *state, game_move move);
	/* What the game knows by a theorem: a cheap true look at a position that is not over and not won at once, true
	 * when it knows who wins; the value is then the best on that side of the scale. Searches and the check of their
	 * leaves believe it; certificates show it from the rules. Only for acyclic games. NULL: nothing. */
	bool (*static_solve)(const struct game *game, const void *state, struct game_static *out);
	/* Words for results, where the usual ones would mislead ("draw" for a game that ends without a mate). NULL: the
	 * usual ones. */
	const struct game_words *words;
	/* Describes the board; *out is all zero before. NULL: the game has no board. The next two follow it. */
	void (*board)(const struct game *game, struct game_board *out);
	/* The position on that board; *out is all zero before. */
	void (*diagram)(const struct game *game, const void *state, struct game_diagram *out);
	/* The places that a legal move names, in the order in which a player points at them: where it starts, where it
	 * ends. Returns how many; 0: it names none (a pass). Two moves may name the same (promotions). */
	unsigned (*move_places)(const struct game *game, const void *state, game_move move,
				uint16_t out[GAME_MOVE_PLACES_MAX]);
	/* The state that a diagram shows (its `playable` does not count; a note as `diagram` writes it, or ""): for
	 * those who set up positions. PD_E_POSITION with field "position". NULL: positions cannot be set up. */
	int (*set_up)(const struct game *game, const struct game_diagram *diagram, void *state, struct pd_fail *fail);
	/* Notations for moves besides that of move_print: a list such as {"san", NULL}, NULL for none; and move_print
	 * in one of them. move_parse reads them all. */
	const char *const *notations;
	size_t (*move_print_in)(const struct game *game, const void *state, game_move move, const char *notation,
				char *out, size_t size);
	/* Formats of records that the game's players use, GAME_RECORD_*, besides lists of moves (record.h). */
	uint32_t records;
	const struct game_sgf *sgf;          /* NULL: records in SGF of any GM are read, and none are written */
	const struct game_variant *variants; /* its variants of PGN, name NULL behind the last; NULL: none */
	bool graph;                          /* its parameters name a graph, which `open` asks its host for */
};

/* What a shared object with rules exports as `proofd_game_plugin`: the sizes say with which header it was compiled. */
struct game_plugin {
	uint32_t abi;                          /* GAME_ABI */
	uint32_t size;                         /* sizeof(struct game_plugin) */
	uint32_t game_size;                    /* sizeof(struct game) */
	uint32_t fail_size;                    /* sizeof(struct pd_fail) */
	const char *author;                    /* who to ask about it; may be "" */
	const struct game_rules *const *rules; /* the games, NULL behind the last */
};
#define GAME_PLUGIN(list, who)                                                                                         \
	extern const struct game_plugin proofd_game_plugin;                                                            \
	const struct game_plugin proofd_game_plugin = {                                                                \
		GAME_ABI, sizeof(struct game_plugin), sizeof(struct game), sizeof(struct pd_fail), who, list}
