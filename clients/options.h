/* Options: the words of a command line, parsed against one table.
 *
 * Parsing, checks, `proofctl help` and the messages all come from CL_OPTIONS; each command says which of them it takes
 * (commands.def). An option may stand anywhere; `--` ends the options; a single `-` is a word. A number may be written
 * 1000000, 1e6 or 1M (powers of 1000; a CL_SIZE takes powers of 1024). A CL_LIST may be given several times, and so
 * may CL_LINES. A CL_FILE is a text, or @FILE. */
#ifndef CL_OPTIONS_H
#define CL_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/error.h"
#include "proto/job_states.h"
#include "server/core.h"
#include "solver/solver.h"

enum cl_type { CL_FLAG, CL_TEXT, CL_FILE, CL_LIST, CL_DIRS, CL_INT, CL_JOBS, CL_LINES, CL_REAL, CL_SIZE };

#define CL_ALGORITHM(name, text, ...) " " text
#define CL_STATE(name, text, over)    " " text

/* X(enumerator, name, name of the value or NULL, type, minimum, maximum, help); the bounds of CL_REAL are in
 * thousandths. */
#define CL_OPTIONS(X)                                                                                                  \
	X(POSITION, "position", "TEXT", CL_TEXT, 0, 0, "start position; default: the initial position of the game")    \
	X(CLAIM, "claim", "CLAIM", CL_TEXT, 0, 0,                                                                      \
	  "value (default), first-wins, second-wins, first-draws, second-draws or first-at-least-N (N may be "         \
	  "negative; first>=N is the same and needs quotes in a shell)")                                               \
	X(ALGORITHM, "algorithm", "NAME", CL_TEXT, 0, 0,                                                               \
	  "search algorithm, default pds-pn; one of" PN_ALGORITHMS(CL_ALGORITHM))                                      \
	X(OPTION, "option", "NAME=VALUE", CL_LIST, 0, 0, "search option (see below); may be repeated; short form -O")  \
	X(DETAIL, "detail", "WHICH", CL_TEXT, 0, 0,                                                                    \
	  "positions of a proof to keep: all (full) or its upper part (frontier); default: frontier for a search, "    \
	  "full for export")                                                                                           \
	X(COMPRESS, "compress", NULL, CL_FLAG, 0, 0, "compress the certificate, to about a third of its size")         \
	X(NODES, "nodes", "N", CL_INT, 1, INT64_MAX, "node budget")                                                    \
	X(SECONDS, "seconds", "S", CL_REAL, 1, INT64_C(1000000000000), "time budget in seconds of search")             \
	X(CPU, "cpu", "S", CL_REAL, 1, INT64_C(1000000000000),                                                         \
	  "budget of processor time in seconds, all threads together")                                                 \
	X(DISK, "disk", "SIZE", CL_SIZE, 1, INT64_C(1) << 50,                                                          \
	  "budget of disk for the job's transposition table, e.g. 4G")                                                 \
	X(MEMORY, "memory", "SIZE", CL_SIZE, 1 << 20, INT64_C(1) << 50,                                                \
	  "memory of the search, e.g. 512M or 8G: transposition table, level-2 trees and cache")                       \
	X(THREADS, "threads", "N", CL_INT, 1, 1024,                                                                    \
	  "number of threads; default: 1 for solve and compare, whose runs then repeat node for node, as many as are " \
	  "free for submit, else one per processor")                                                                   \
	X(SEED, "seed", "N", CL_INT, 0, INT64_MAX,                                                                     \
	  "seed of the order of equal moves; default 0: the move order of the game")                                   \
	X(SHORTEN, "shorten", "N", CL_INT, 0, INT64_MAX,                                                               \
	  "nodes to spend on shorter wins once the answer is known; default 0")                                        \
	X(PRIORITY, "priority", "N", CL_INT, -100, 100, "jobs of higher priority run first; default 0")                \
	X(KEY, "key", "NAME", CL_TEXT, 0, 0, "idempotency key: the same question under the same key is the same job")  \
	X(GROUP, "group", "NAME", CL_TEXT, 0, 0,                                                                       \
	  "group of the job; `proofctl group` limits how many of it run at once")                                      \
	X(AFTER, "after", "JOBS", CL_JOBS, 0, 0,                                                                       \
	  "run it when these jobs are solved: their numbers, with commas between them")                                \
	X(UNDER, "under", "JOB", CL_INT, 1, UINT32_MAX,                                                                \
	  "job that this one serves: same game, position from there unless --position is given")                       \
	X(FIRST, "first", "MOVES", CL_LINES, 0, 0,                                                                     \
	  "after these moves but the last, try the last one first; may be repeated")                                   \
	X(DATA, "data", "DIR", CL_TEXT, 0, 0, "work on this data directory, without a server")                         \
	X(GRAPHS, "graphs", "DIR", CL_TEXT, 0, 0,                                                                      \
	  "directory of the graphs of andor:NAME, a file NAME.graph or NAME.json each")                                \
	X(GAME_DIR, "game-dir", "DIR", CL_DIRS, 0, 0,                                                                  \
	  "directory of plug-ins, games in *.so files; may be repeated; default: $PROOFD_GAME_DIR")                    \
	X(SERVER, "server", "HOST:PORT", CL_TEXT, 0, 0,                                                                \
	  "address of the server; default: $PROOFD_SERVER, then 127.0.0.1:4590")                                       \
	X(SOCKET, "socket", "PATH", CL_TEXT, 0, 0, "Unix socket of the server, instead of --server")                   \
	X(TIMEOUT, "timeout", "S", CL_REAL, 0, INT64_C(1000000000),                                                    \
	  "seconds to wait for a server that does not respond; default 10, 0: no limit")                               \
	X(TOKEN_FILE, "token-file", "FILE", CL_TEXT, 0, 0,                                                             \
	  "file of the token for a server over TCP; default: $PROOFD_TOKEN_FILE")                                      \
	X(TLS, "tls", NULL, CL_FLAG, 0, 0, "reach the server by TLS")                                                  \
	X(TLS_CA, "tls-ca", "FILE", CL_TEXT, 0, 0,                                                                     \
	  "certificates to trust, a PEM file, instead of the system's; implies --tls")                                 \
	X(JOB, "job", "N", CL_INT, 1, UINT32_MAX, "job number")                                                        \
	X(MOVES, "moves", NULL, CL_FLAG, 0, 0, "also show what is proved about each move")                             \
	X(RECORD, "moves", "LIST", CL_FILE, 0, 0,                                                                      \
	  "moves played from the position: \"e3 e5\", a transcript like c3b3, PGN or SGF; @FILE: what is in "          \
	  "that file, @-: on stdin")                                                                                   \
	X(GAME_NUMBER, "game-number", "N", CL_INT, 1, 1 << 20, "of --moves with several games: the one that is meant") \
	X(NOTATION, "notation", "NAME", CL_TEXT, 0, 0,                                                                 \
	  "notation of the moves that are shown; see `notations` of proofctl games GAME; default: the game's own")     \
	X(SVG, "svg", "FILE", CL_TEXT, 0, 0, "also write a drawing, an SVG document; -: to stdout, and nothing else")  \
	X(DEPTH, "depth", "N", CL_INT, 0, 1000, "plies below the position at most; default 4, of tree 2")              \
	X(ALL, "all", NULL, CL_FLAG, 0, 0, "also moves that are no part of the proof, where their value is known")     \
	X(DOT, "dot", "FILE", CL_TEXT, 0, 0, "also write the graph for Graphviz; -: to stdout, and nothing else")      \
	X(PGN, "pgn", NULL, CL_FLAG, 0, 0, "print a PGN file, and nothing else; see `records` of proofctl games GAME") \
	X(SGF, "sgf", NULL, CL_FLAG, 0, 0,                                                                             \
	  "print an SGF file, and nothing else; see `records` of proofctl games GAME")                                 \
	X(VARIATIONS, "variations", "N", CL_INT, 0, 100,                                                               \
	  "moves as good as those of the line to show in the file; default 0")                                         \
	X(LIMIT, "limit", "N", CL_INT, 1, 10000, "maximum number of entries to show")                                  \
	X(WATCH, "watch", NULL, CL_FLAG, 0, 0, "show it again and again, see --interval")                              \
	X(STATE, "state", "STATE", CL_TEXT, 0, 0, "only jobs in this state; one of" PR_JOB_STATES(CL_STATE))           \
	X(INTERVAL, "interval", "S", CL_REAL, 100, 60000, "seconds between two updates")                               \
	X(SORT, "sort", "ORDER", CL_TEXT, 0, 0, "order of the jobs: state (default), rate or priority")                \
	X(ALGORITHMS, "algorithms", "NAMES", CL_TEXT, 0, 0,                                                            \
	  "algorithms to compare, with commas between them; default pds-pn,df-pn")                                     \
	X(SEEDS, "seeds", "NUMBERS", CL_TEXT, 0, 0, "seeds to run each of them with, with commas between; default 0")  \
	X(CSV, "csv", NULL, CL_FLAG, 0, 0, "comma-separated values, a line for each run, and nothing else")            \
	X(CHECKPOINT, "checkpoint", "S", CL_REAL, 50, 3600000, "seconds between checkpoints; default 2")               \
	X(GAME, "game", "NAME", CL_TEXT, 0, 0, "game by its full name, e.g. connect4:7x6")                             \
	X(RULES, "rules", "V", CL_TEXT, 0, 0, "version of the game's rules, as `proofctl games GAME --json` shows it") \
	X(ENGINE, "engine", "VERSION", CL_TEXT, 0, 0, "version of this program, e.g. 0.1.0")                           \
	X(WORKER, "worker", "NUMBER", CL_TEXT, 0, 0,                                                                   \
	  "worker of another machine, as `proofctl workers` shows it; or all")                                         \
	X(DRY_RUN, "dry-run", NULL, CL_FLAG, 0, 0, "report what would change; change nothing")                         \
	X(NO_VERIFY, "no-verify", NULL, CL_FLAG, 0, 0, "do not check the facts by the rules of their games")           \
	X(RETRY, "retry", "FILE", CL_TEXT, 0, 0, "load this plug-in again, although it has crashed")                   \
	X(JSON, "json", NULL, CL_FLAG, 0, 0, "JSON on stdout, one object per line, and nothing else")                  \
	X(HELP, "help", NULL, CL_FLAG, 0, 0, "show this text (-h)")                                                    \
	X(VERSION, "version", NULL, CL_FLAG, 0, 0, "show the version")

enum cl_option {
#define X(id, name, argument, type, min, max, help) CL_OPT_##id,
	CL_OPTIONS(X)
#undef X
		CL_OPTION_COUNT
};

_Static_assert(CL_OPTION_COUNT <= 64, "a bit for each");

#define CL_BIT(id) (UINT64_C(1) << CL_OPT_##id)

struct cl_option_info {
	const char *name, *argument; /* argument: NULL for flags */
	enum cl_type type;
	int64_t min, max;
	const char *help;
};

struct cl_options {
	uint64_t given;                    /* a bit for each option that was given */
	const char *text[CL_OPTION_COUNT]; /* as given, borrowed from argv; NULL when it was not */
	int64_t whole[CL_OPTION_COUNT];    /* of CL_INT and CL_SIZE */
	double real[CL_OPTION_COUNT];      /* of CL_REAL */
	const char **list; /* of CL_LIST (there is one), in order; owned, its texts borrowed from argv */
	unsigned list_count;
	const char **lines; /* of CL_LINES (there is one), in order; owned, its texts borrowed from argv */
	unsigned line_count;
	struct sv_game_dirs game_dirs; /* of CL_DIRS (there is one) */
	char *file;                    /* of CL_FILE (there is one), when it names a file: its text; owned */
	const char **words;            /* what is no option, in order; owned, its texts borrowed from argv */
	unsigned word_count;
};

const struct cl_option_info *cl_option_info(enum cl_option option);

/* Reads argv[1..argc). PD_E_USAGE with the option as field. *out is to be given to cl_options_fini whatever is
 * returned. */
int cl_options_parse(int argc, char **argv, struct cl_options *out, struct pd_fail *fail);
void cl_options_fini(struct cl_options *options);

/* PD_E_NO_MEMORY. */
int cl_no_memory(struct pd_fail *fail);
/* --threads, by default one per processor. */
unsigned cl_threads(const struct cl_options *options);

/* Reads 1000000, 1e6, 1M or 0.25; false when the text is no finite number. */
bool cl_number_parse(const char *text, double *out);

/* Refuses options that are not in `allowed`; `command` is for the message. */
int cl_options_allow(const struct cl_options *options, uint64_t allowed, const char *command, struct pd_fail *fail);

static inline bool cl_given(const struct cl_options *options, enum cl_option option)
{
	return options->given >> option & 1;
}

#endif
