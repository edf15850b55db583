/* Game: the rules of a two-player game of perfect information, as the solver sees them.
 *
 * A game is one C file in solver/games/ that fills one `struct game_rules`; CONTRIBUTING.md lists what else it needs.
 * Search, persistence, resume, queries and clients follow from it.
 *
 * What a game must keep to (tests/games/ tests these laws on random walks):
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
#ifndef GAME_H
#define GAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/error.h"
#include "proto/base/graph.h"

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

/* A move: a 16-bit code that means something in its position. 0xffff is no move. */
typedef uint16_t game_move;

struct game_rules;

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
	/* A picture of the position for people, several lines, ending with a newline. Like snprintf. */
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
};

/* The part of a full name before and after the colon are looked up and opened: "connect4:7x6". PD_E_GAME with field
 * "game" when there is no such game; the message lists those there are. *out is to be closed with game_close. host may
 * be NULL. */
int game_open(const char *name, const struct game_host *host, struct game **out, struct pd_fail *fail);
/* The same for given rules, and their parameters alone. Every game is opened by this function; it refuses, with
 * PD_E_UNSUPPORTED and field "game", a cyclic game that has more plies than a path can have (GAME_CYCLIC_PLIES_MAX). */
int game_open_rules(const struct game_rules *rules, const char *params, const struct game_host *host, struct game **out,
		    struct pd_fail *fail);
void game_close(struct game *game);

/* The built-in rules, `index` from 0; NULL behind the last. */
const struct game_rules *game_builtin(unsigned index);

extern const struct game_words game_usual_words;
/* The words of a game; and of the one with that full name, which need not be open (the usual ones for a name that no
 * game has). */
static inline const struct game_words *game_words(const struct game *g)
{
	return g->rules->words ? g->rules->words : &game_usual_words;
}
const struct game_words *game_words_named(const char *name);
/* Values from lo to hi. */
struct game_interval {
	int lo, hi;
};
/* The values that a game has. */
static inline struct game_interval game_scale(const struct game *g)
{
	return (struct game_interval){g->value_min, g->value_max};
}
/* What is known of a value on a scale, in words: "first wins", "second wins or draw", "unknown"; on other scales than
 * -1 to 1 and parts of it "first wins by 3" or "between -2 and 4". */
void game_value_text(const struct game_words *words, struct game_interval scale, struct game_interval known, char *out,
		     size_t size);

/* How many moves a position has; room for all of them. */
static inline unsigned game_count(const struct game *g, const void *state, game_move *room)
{
	return g->rules->count ? g->rules->count(g, state) : g->rules->moves(g, state, room);
}

/* The key's frame for a move, and back; the same move for games without symmetry. */
static inline game_move game_canon(const struct game *g, const void *state, game_move move, bool back)
{
	return g->rules->canon ? g->rules->canon(g, state, move, back) : move;
}

/* The legal move that `move`, in the key's frame, names; what comes from disk may be any number. False when there is
 * none. */
static inline bool game_legal_from_key(const struct game *g, const void *state, game_move move, game_move *out)
{
	game_move moves[GAME_MOVES_MAX];
	unsigned count = g->rules->moves(g, state, moves);
	*out = game_canon(g, state, move, true);
	for (unsigned i = 0; i < count; i++)
		if (moves[i] == *out)
			return game_canon(g, state, *out, false) == move;
	return false;
}

/* Number of positions after exactly `depth` plies, every legal move counted: for checking rules against published
 * counts. UINT64_MAX when memory cannot be had. */
uint64_t game_perft(const struct game *game, const void *state, unsigned depth);

#endif
