/* libproofd-probe: proven facts read from a data directory, without a server.
 *
 *	struct proofd_probe *probe;
 *	struct proofd_probe_game *game;
 *	struct proofd_probed known;
 *	struct proofd_error error;
 *	if (proofd_probe_open("DIR", NULL, &probe, &error) || proofd_probe_game(probe, "connect4:7x6", &game, &error))
 *		... error.message ...
 *	if (proofd_probe_position(game, "4455", &known, &error) == 1 && known.lo > 0)
 *		... First wins within known.rank plies ...
 *	proofd_probe_close(probe);
 *
 * The directory may be in use by a server, which never waits for a probe. This library only reads.
 *
 * WHAT IS SEEN. A fact that the server has committed (with a job's checkpoint, every 2 seconds) is seen after the next
 * refresh. A look-up refreshes first when the last refresh is `refresh_ms` ago; proofd_probe_refresh refreshes at once.
 * A refresh reads what was committed since the last one: microseconds if nothing was, a second for a million facts.
 * Each answer is one whole fact, as it was on disk at a moment between the last refresh and the answer; facts only
 * grow, so answers of different moments are consistent. Only `proofctl taint`, with the server stopped, and a server
 * that learns that a worker lied retract facts; the next refresh sees that. While a retraction is pending, every
 * look-up fails, because facts may be false.
 *
 * THREADS. Any number of threads may use one struct proofd_probe and its games. Opening a directory that this process
 * already has open returns the same struct (with the options of the first open); each open needs a close. A probe must
 * not be used after fork().
 *
 * MEMORY. This process also keeps in memory the facts that the server has not yet moved to its sorted runs: usually
 * some MB, at most about three times what the server keeps (a million facts, or 256 MiB).
 *
 * PERMISSIONS. LMDB records readers in work.mdb-lock and facts.mdb-lock, so that the server keeps the pages that they
 * read: this process needs the right to write these two files. Without that right a directory opens only while no
 * server uses it, and no server can use it until it is closed. A process that is stopped in the middle of a probe (by a
 * debugger) makes the files grow; one that was killed does not.
 *
 * DAMAGE is an error, never an answer and never "nothing is proved": every record is verified by its checksum. Access
 * to a missing page would end the process with a signal, so the library installs handlers for SIGSEGV, SIGBUS and
 * SIGFPE when the first directory is opened. They handle only faults of its own calls in its own maps, and pass all
 * others to the earlier handlers. A program with its own handlers must install them before that.
 *
 * THE PROCESS keeps these handlers: dlclose does not unload the library. The library also keeps the list of open
 * directories; it starts no threads and installs no allocation functions. LMDB prints errors to stderr. Graphs in JSON
 * are read by jansson: a program with its own allocation functions (json_set_alloc_funcs) must set them before it opens
 * a graph. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "clients/libproofd/error.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct proofd_probe;      /* an open directory */
struct proofd_probe_game; /* a game with its parameters; lives as long as the probe that it came from */

struct proofd_probe_options {
	/* Directory of the graphs of games `andor:NAME`; NULL: such games cannot be probed. */
	const char *graphs;
	/* Milliseconds between two refreshes: 0 means 1000; UINT32_MAX: only proofd_probe_refresh refreshes. */
	uint32_t refresh_ms;
};

enum {
	PROOFD_PROBE_KEY_MAX = 256,    /* bytes of a packed position */
	PROOFD_PROBE_MOVES_MAX = 4000, /* moves of a position */
	PROOFD_NO_MOVE = 0xffff,
	PROOFD_NO_RANK = 0xffff
};

/* What the bounds rest on. */
enum proofd_probe_source {
	PROOFD_BY_NONE,  /* nothing is proved: lo and hi are the ends of the game's scale */
	PROOFD_BY_RULES, /* the game is over (rank 0), or moves that end it give the bound */
	PROOFD_BY_FACT
};

/* What is proved about a position, with the meaning that it has in fact.query. The value is what First, the player who
 * moves first in the initial position, gets with best play: usually -1, 0 or 1. */
struct proofd_probed {
	int lo, hi;      /* lo <= value <= hi */
	uint32_t source; /* enum proofd_probe_source */
	/* The game is decided within that many plies: the rank of the winner's bound, or for a draw the larger rank of
	 * the two bounds. PROOFD_NO_RANK where nothing is proved or the bound rests on infinite play. */
	uint32_t rank;
	/* The quickest known move that gives the player to move the bound, or PROOFD_NO_MOVE. Its code (top of the
	 * game's file in solver/games) is in the frame of the position asked for; proofd_probe_move_text prints it. */
	uint32_t move;
	uint32_t effort; /* 0: the fact can be checked one ply down; else nodes of a search that finds it again */
	uint32_t job;    /* the job that found it; 0: none; 2^31 and above: the worker that delivered it (FORMAT.md) */
};

/* Opens the data directory `dir`. options may be NULL. 0, or -1: "not-found", "locked" (see PERMISSIONS), "format",
 * "corrupt", "io", "no-memory", "wrong-state" while a retraction is pending. */
int proofd_probe_open(const char *dir, const struct proofd_probe_options *options, struct proofd_probe **out,
		      struct proofd_error *error);
/* No thread may be inside a call on the probe. NULL is allowed. */
void proofd_probe_close(struct proofd_probe *probe);
/* Makes everything committed until now visible. 0, or -1: "corrupt"; "wrong-state" while a retraction is pending; "io",
 * also when the files were removed or replaced, after which the directory has to be closed and opened again. While
 * refreshing fails, every look-up fails with that error. */
int proofd_probe_refresh(struct proofd_probe *probe, struct proofd_error *error);

/* Opens a built-in game, such as "connect4:7x6". -1: "bad-game" with field "game". Positions of a game about which the
 * directory knows nothing are unknown. */
int proofd_probe_game(struct proofd_probe *probe, const char *name, struct proofd_probe_game **out,
		      struct proofd_error *error);
/* The game's name as the server has it, and the ends of its scale. */
const char *proofd_probe_game_name(const struct proofd_probe_game *game);
void proofd_probe_game_scale(const struct proofd_probe_game *game, int *min, int *max);

/* What is known of a position, which is given as text in the game's notation; "" is the initial one. The answer comes
 * from its own fact and from what is known after each of its moves (PROTOCOL.md, "What is known of a position"), so
 * that it is not weaker than the best of proofd_probe_moves. This takes one look-up for the position and one for each
 * move. 1 when anything is known, 0 when nothing is proved, -1: "bad-position" with field "position", "corrupt" (also
 * where facts contradict each other), "io", "no-memory". *out is written unless it fails. */
int proofd_probe_position(struct proofd_probe_game *game, const char *position, struct proofd_probed *out,
			  struct proofd_error *error);
/* The same for a packed position, its exact key: the bytes that proofd_probe_pack writes, or that an engine writes as
 * the game's file in solver/games specifies. Moves are in the frame of the key. "bad-position" if the bytes are not a
 * key. */
int proofd_probe_key(struct proofd_probe_game *game, const void *key, size_t size, struct proofd_probed *out,
		     struct proofd_error *error);
/* Packs a position into `key`, PROOFD_PROBE_KEY_MAX bytes of room; its size, or -1: "bad-position". Positions that are
 * mirror images have one key, and one fact. */
int proofd_probe_pack(struct proofd_probe_game *game, const char *position, void *key, struct proofd_error *error);

/* Looks up the positions' own facts, many at once, as fact.query does with `depth` 0: moves are not examined, which is
 * much faster. Positions are looked up in groups of at most 32, each in one view of the files, which is released before
 * the next. Answer i is out[i]. 0, or -1 as above with one of the errors that occurred; then nothing in `out` is
 * valid. */
int proofd_probe_positions(struct proofd_probe_game *game, const char *const *positions, size_t count,
			   struct proofd_probed *out, struct proofd_error *error);
struct proofd_packed {
	const void *key;
	size_t size;
};
int proofd_probe_keys(struct proofd_probe_game *game, const struct proofd_packed *keys, size_t count,
		      struct proofd_probed *out, struct proofd_error *error);

/* A legal move, and what the rules and its own fact say about the position after it. */
struct proofd_probed_move {
	uint32_t move; /* in the frame of the position that was asked for */
	struct proofd_probed after;
};
/* Up to `room` legal moves of a position, in the game's order. Returns the number of all legal moves, which may be more
 * than `room`; -1 as above. */
int proofd_probe_moves(struct proofd_probe_game *game, const char *position, struct proofd_probed_move *out,
		       size_t room, struct proofd_error *error);
/* Prints a move of a position, cut to `size` bytes including the zero. Returns the length of the whole text, or -1:
 * "bad-position", "bad-move" for PROOFD_NO_MOVE and illegal moves. */
int proofd_probe_move_text(struct proofd_probe_game *game, const char *position, uint32_t move, char *out, size_t size,
			   struct proofd_error *error);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
