/* Methods: the table. PROTOCOL.md says the same in prose; tests/proto/test_protocol_page.c holds the two together.
 * Limits on text are generous bounds that keep nonsense out early; what is legal inside them, the games and the core
 * say. */
#include "proto/methods.h"

#include <string.h>

enum {
	GAME_BYTES = 95, /* a full name, as games have it at most */
	POSITION_BYTES = 2047,
	LIMIT_MAX = 10000,
	PRIORITY_MAX = 100
};

/* Too large for an enum. */
#define JOB_MAX     UINT32_MAX
#define MEMORY_MIN  (INT64_C(1) << 20)
#define MEMORY_MAX  (INT64_C(1) << 50)
#define SECONDS_MAX INT64_C(1000000000)

static const char *const job_states[] = {"queued",    "running",   "paused", "solved",
					 "exhausted", "cancelled", "failed", NULL};
static const char *const details[] = {"frontier", "full", NULL};

static const struct pr_param budget_members[] = {
	{"nodes", PR_T_INT, false, 0, INT64_MAX, "nodes of both levels; 0: no bound"},
	{"seconds", PR_T_REAL, false, 0, SECONDS_MAX * 1000, "search time, restarts included; 0: no bound"},
	{0},
};

#define GAME_PARAM                                                                                                     \
	{                                                                                                              \
		"game", PR_T_STRING, true, 1, GAME_BYTES, "full name, like connect4:7x6"                               \
	}
#define POSITION_PARAM                                                                                                 \
	{                                                                                                              \
		"position", PR_T_STRING, false, 0, POSITION_BYTES,                                                     \
			"in the game's notation; default the initial position"                                         \
	}
#define JOB_PARAM                                                                                                      \
	{                                                                                                              \
		"job", PR_T_INT, true, 1, JOB_MAX, "number of the job"                                                 \
	}
#define BUDGET_PARAM                                                                                                   \
	{                                                                                                              \
		"budget", PR_T_OBJECT, false, 0, 0, "when to give up", budget_members                                  \
	}
#define PRIORITY_PARAM                                                                                                 \
	{                                                                                                              \
		"priority", PR_T_INT, false, -PRIORITY_MAX, PRIORITY_MAX, "larger runs first; default 0"               \
	}
#define LIMIT_PARAM(what)                                                                                              \
	{                                                                                                              \
		"limit", PR_T_INT, false, 1, LIMIT_MAX, what                                                           \
	}

static const struct pr_param none[] = {{0}};
static const struct pr_param hello[] = {
	{"token", PR_T_STRING, false, 0, 256, "for servers that want one"},
	{0},
};
static const struct pr_param shutdown_params[] = {
	{"token", PR_T_STRING, false, 0, 256, "of proofd --token-file; not needed on the Unix socket"},
	{0},
};
static const struct pr_param game_describe[] = {GAME_PARAM, {0}};
static const struct pr_param position_show[] = {GAME_PARAM, POSITION_PARAM, {0}};
static const struct pr_param job_submit[] = {
	GAME_PARAM,
	POSITION_PARAM,
	{"claim", PR_T_STRING, false, 1, 23,
	 "value (default), first-wins, second-wins, first-draws, second-draws or first-at-least-N"},
	{"algorithm", PR_T_STRING, false, 1, 31, "default pds-pn"},
	{"detail", PR_T_STRING, false, 0, 31, "which solved positions become facts; default frontier",
	 .choices = details},
	{"options", PR_T_OPTIONS, false, 0, 0, "of the search, by name; each has a default"},
	BUDGET_PARAM,
	{"memory", PR_T_SIZE, false, MEMORY_MIN, MEMORY_MAX, "bytes for the job's tables"},
	{"threads", PR_T_INT, false, 0, 1024,
	 "workers that may search it together; 0, the default: as many as are free"},
	{"seed", PR_T_INT, false, 0, INT64_MAX, "mixed into the order of equal children; default 0"},
	{"shorten", PR_T_INT, false, 0, INT64_MAX, "nodes for shorter wins once the answer is known; default 0"},
	PRIORITY_PARAM,
	{"key", PR_T_STRING, false, 1, 128, "the client's own name for the job: the same key gives the same job again"},
	{0},
};
static const struct pr_param job_only[] = {JOB_PARAM, {0}};
static const struct pr_param job_list[] = {
	{"state", PR_T_STRING, false, 0, 31, "only jobs in that state", .choices = job_states},
	LIMIT_PARAM("jobs at most; default 100; a call gives no more than server.hello's limit `jobs`"),
	{"before", PR_T_INT, false, 1, JOB_MAX, "only jobs with a smaller number, for the next page"},
	{0},
};
static const struct pr_param job_set[] = {JOB_PARAM, PRIORITY_PARAM, BUDGET_PARAM, {0}};
static const struct pr_param job_watch[] = {
	JOB_PARAM,
	{"interval", PR_T_REAL, false, 100, 60000, "seconds between notifications; default 1"},
	{0},
};
static const struct pr_param job_history[] = {JOB_PARAM, LIMIT_PARAM("points at most; default 1000"), {0}};
static const struct pr_param fact_query[] = {
	GAME_PARAM,
	POSITION_PARAM,
	{"positions", PR_T_STRINGS, false, 0, LIMIT_MAX, "many positions, instead of position"},
	{"moves", PR_T_BOOL, false, 0, 0, "what is known of each move as well; default false"},
	{0},
};
static const struct pr_param fact_line[] = {GAME_PARAM, POSITION_PARAM, LIMIT_PARAM("moves at most; default 200"), {0}};

static const struct pr_param proof_export[] = {
	{"job", PR_T_INT, false, 1, JOB_MAX, "the job whose answer it is; or else game, position and claim"},
	{"game", PR_T_STRING, false, 1, GAME_BYTES, "full name, like connect4:7x6"},
	POSITION_PARAM,
	{"claim", PR_T_STRING, false, 1, 23, "as for job.submit; default the strongest that is known"},
	{"detail", PR_T_STRING, false, 0, 31,
	 "full (default): the whole proof; frontier: leaves are searched again by whoever checks it",
	 .choices = details},
	{0},
};
static const struct pr_param proof_read[] = {
	{"proof", PR_T_STRING, true, 1, 64, "its name, from proof.export"},
	{"offset", PR_T_INT, false, 0, INT64_MAX, "first byte; default 0"},
	{"size", PR_T_INT, false, 1, 1 << 19, "bytes at most; default 524288"},
	{0},
};

static const struct pr_method_info table[PR_METHOD_COUNT] = {
#define X(method, text, what) [method].name = text, [method].summary = what,
	PR_METHODS(X)
#undef X
#define ROW(method, list, holds) [method].params = list, [method].result = holds
		ROW(PR_DISCOVER, none, "the OpenRPC document"),
	ROW(PR_HELLO, hello, "server, version, protocol, features, limits, socket"),
	ROW(PR_STATS, none, "version, uptime, jobs by state, rates, facts, disk, connections, memory"),
	ROW(PR_SHUTDOWN, shutdown_params, "stopping: true"),
	ROW(PR_GAME_LIST, none, "games: name, title, params and example of each"),
	ROW(PR_GAME_DESCRIBE, game_describe,
	    "title, params, notation, example, rules_version, values, moves_max, plies_max"),
	ROW(PR_POSITION_SHOW, position_show,
	    "position, board, first_to_move, terminal, value and text if over, moves, key"),
	ROW(PR_JOB_SUBMIT, job_submit, "job: its number"),
	ROW(PR_JOB_GET, job_only, "the job with its progress, and its result once it ended"),
	ROW(PR_JOB_LIST, job_list,
	    "jobs: each as job.get gives it, without result; next: `before` of the next page, if there is one"),
	ROW(PR_JOB_PAUSE, job_only, "job and its state, sent when it is durable"),
	ROW(PR_JOB_RESUME, job_only, "job and its state, sent when it is durable"),
	ROW(PR_JOB_CANCEL, job_only, "job and its state, sent when it is durable"),
	ROW(PR_JOB_SET, job_set, "job and its state, sent when it is durable"),
	ROW(PR_JOB_REMOVE, job_only, "job: its number, sent when it is gone from the disk"),
	ROW(PR_JOB_WATCH, job_watch, "the job as of now; job.progress notifications follow until it ends"),
	ROW(PR_JOB_UNWATCH, job_only, "job: its number"),
	ROW(PR_JOB_HISTORY, job_history, "points: t, event, nodes, pn, dn, entries, facts of each"),
	ROW(PR_FACT_QUERY, fact_query, "facts: lo, hi, text, source, rank, move, effort of each, in the order asked"),
	ROW(PR_FACT_LINE, fact_line, "position, value, line, complete"),
	ROW(PR_PROOF_EXPORT, proof_export, "proof: its name; file, claim, status, positions, reasons, leaves, bytes"),
	ROW(PR_PROOF_READ, proof_read, "offset, size, bytes of the whole, data: base64"),
#undef ROW
};

bool pr_method_find(const char *name, enum pr_method *out)
{
	for (unsigned i = 0; i < PR_METHOD_COUNT; i++)
		if (!strcmp(table[i].name, name)) {
			*out = (enum pr_method)i;
			return true;
		}
	return false;
}

const struct pr_method_info *pr_method_info(enum pr_method method)
{
	return &table[method];
}
