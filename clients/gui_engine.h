/* Engine: what proofctl uci and proofctl usi share: the conversation, positions, and searches with a time limit, which
 * `info` lines report.
 *
 * The moves come from facts, or from a search. With `searchmoves` each named move has a search of its own, and they
 * take turns; the answer is the best of these moves. With MultiPV there is a line for each of the best moves. The score
 * is the moves to mate if the value is known, otherwise 100 log2(dn / pn) for the side to move as centipawns, which
 * compares proof numbers and not material. */
#pragma once

#include "clients/candidates.h"
#include "clients/lines.h"

enum { CL_ENGINE_LINES_MAX = 256, CL_ENGINE_HASH_MAX = 1 << 20 };

struct cl_engine;

/* What one protocol adds. */
struct cl_engine_protocol {
	const char *hash; /* name of the option that sets the memory */
	/* Carries out a command of this protocol alone; false when it has none of that name. */
	bool (*obey)(struct cl_engine *e, const char *word, char *rest);
	/* Sets an option of this protocol alone, or prints what is wrong with its value; false when it has none of that
	 * name. */
	bool (*set)(struct cl_engine *e, const char *name, const char *value);
	/* Sets the position that `kind` and `rest` name, before moves are played; false: it has printed an error. */
	bool (*place)(struct cl_engine *e, const char *kind, char *rest);
	/* Plays a move; an error otherwise. */
	int (*play)(struct cl_engine *e, const char *move, struct pd_fail *fail);
	/* Prints the answer to `go`. */
	void (*answer)(struct cl_engine *e);
};

/* The search of one of `searchmoves`. */
struct cl_engine_search {
	char move[32];
	struct cl_adviser adviser; /* borrows the link */
};

struct cl_engine {
	const struct cl_engine_protocol *protocol;
	const struct cl_options *options;
	struct cl_adviser adviser;
	struct cl_player player;
	struct cl_lines lines;
	struct cl_engine_search *each; /* owned; of `searchmoves`, `each_count` of them; 0: all moves are searched */
	unsigned each_count, multipv;  /* lines that are shown */
	struct cl_candidates moves;    /* as last read, the best first; may be empty */
	int64_t hash_mib, threads;     /* as set; 0: the default */
	bool searching;                /* a `go` has not been answered */
	bool infinite;                 /* the `go` must not be answered before `stop` */
	bool refused;                  /* the last `position`: there is nothing to search until one is accepted */
	bool none_legal;               /* `searchmoves` names moves, and none is legal: there is nothing to search */
	bool cut;                      /* the last line: the next one is its rest */
	bool quit;
	uint64_t start_ns, deadline_ns, info_ns; /* deadline 0: none */
	char position[GAME_TEXT_MAX];            /* the one searched */
};

/* Runs a conversation about a game. */
int cl_engine_run(struct cl_engine *e, const char *game, struct pd_fail *fail);
void cl_engine_complain(const char *what, const struct pd_fail *fail);
/* Reads a whole number; false: it is not one from `min` to `max`, and an error that names `what` has been printed.
 * `max` INT64_MAX: no bound, larger numbers are read as that. */
bool cl_engine_number(const char *what, const char *text, int64_t min, int64_t max, int64_t *out);
/* The position as the game writes it; without ` first=`, so that the side to move is First. */
void cl_engine_position(const struct cl_engine *e, char out[GAME_TEXT_MAX]);
/* Ends the search that is going on, and forgets its `searchmoves`: the first thing to do for `go`. */
void cl_engine_prepare(struct cl_engine *e);
/* Takes a word of `go` that is a move of `searchmoves`; false: it does not look like a move. */
bool cl_engine_take_move(struct cl_engine *e, const char *word);
/* Begins a search that ends after so many milliseconds (0: none) or nodes (0: none). */
void cl_engine_go(struct cl_engine *e, uint64_t ms, int64_t nodes);
/* Ends the search and answers. */
void cl_engine_finish(struct cl_engine *e);
/* What the search says of the position: of the best move that was searched. */
const struct cl_advice *cl_engine_advice(const struct cl_engine *e);
/* The best move that was searched; "" if there is none, or nothing to search. */
void cl_engine_choose(const struct cl_engine *e, char out[32]);
