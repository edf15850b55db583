/* Methods: the one table of what can be asked.
 *
 * Dispatch, parameter checks, rpc.discover, PROTOCOL.md and its test all come from methods.c. Parameters are given by
 * name. */
#ifndef PR_METHODS_H
#define PR_METHODS_H

#include <stdbool.h>
#include <stdint.h>

/* X(enumerator, name, one-line summary) */
#define PR_METHODS(X)                                                                                                  \
	X(PR_DISCOVER, "rpc.discover", "this description of the protocol, as an OpenRPC document")                     \
	X(PR_HELLO, "server.hello", "versions, features and limits")                                                   \
	X(PR_STATS, "server.stats", "what the server is doing: jobs, nodes, facts, disk")                              \
	X(PR_SHUTDOWN, "server.shutdown", "checkpoint everything and stop")                                            \
	X(PR_GAME_LIST, "game.list", "the games this server knows")                                                    \
	X(PR_GAME_DESCRIBE, "game.describe", "one game: parameters, notation, value scale")                            \
	X(PR_POSITION_SHOW, "position.show", "a position: board, side to move, legal moves")                           \
	X(PR_JOB_SUBMIT, "job.submit", "hand in a job; the reply comes when it is on disk")                            \
	X(PR_JOB_GET, "job.get", "one job: state, progress, result")                                                   \
	X(PR_JOB_LIST, "job.list", "jobs, newest first")                                                               \
	X(PR_JOB_PAUSE, "job.pause", "stop a job for now, keeping its work")                                           \
	X(PR_JOB_RESUME, "job.resume", "queue a paused or exhausted job again")                                        \
	X(PR_JOB_CANCEL, "job.cancel", "end a job; its facts stay")                                                    \
	X(PR_JOB_SET, "job.set", "change priority or budgets")                                                         \
	X(PR_JOB_REMOVE, "job.remove", "forget a job that is over; its facts stay")                                    \
	X(PR_JOB_WATCH, "job.watch", "be told of progress by job.progress notifications")                              \
	X(PR_JOB_UNWATCH, "job.unwatch", "be told no more")                                                            \
	X(PR_JOB_HISTORY, "job.history", "the points of a progress plot")                                              \
	X(PR_FACT_QUERY, "fact.query", "what is proved about positions")                                               \
	X(PR_FACT_LINE, "fact.line", "the winning line from a proved position")                                        \
	X(PR_PROOF_EXPORT, "proof.export", "make the certificate of an answer; the reply comes when it is whole")      \
	X(PR_PROOF_READ, "proof.read", "a piece of a certificate")

enum pr_method {
#define X(name, text, summary) name,
	PR_METHODS(X)
#undef X
		PR_METHOD_COUNT
};

enum pr_type {
	PR_T_STRING,
	PR_T_INT, /* a number without fraction: 1000000 or 1e6 */
	PR_T_REAL,
	PR_T_BOOL,
	PR_T_STRINGS, /* an array of strings */
	PR_T_OBJECT,
	PR_T_OPTIONS, /* an object whose members, numbers and booleans, are not checked here: who takes them knows them
		       */
	PR_T_SIZE     /* bytes: an integer, or text like "512M" (pr_get_size reads both) */
};

struct pr_param {
	const char *name; /* NULL ends a list */
	enum pr_type type;
	bool required;
	int64_t min,
		max; /* of integers and sizes; of reals: in thousandths; of strings: bytes; of string lists: items */
	const char *doc;                /* one phrase */
	const struct pr_param *members; /* of objects */
	const char *const *choices;     /* of strings: all that is allowed, ended by NULL; NULL: anything */
};

struct pr_method_info {
	const char *name;
	const char *summary;
	const struct pr_param *params; /* ended by a NULL name */
	const char *result;            /* what the result object holds, one sentence */
};

/* Looks a method up by name; false when there is none. */
bool pr_method_find(const char *name, enum pr_method *out);

/* The entry of a method; `method` < PR_METHOD_COUNT. */
const struct pr_method_info *pr_method_info(enum pr_method method);

#endif
