/* Method table: every method of the protocol, one row each (proto/methods.def).
 *
 * A row names the method, its handler, the thread that serves it, its parameters and its result in full. Everything
 * else is made from the rows: the enumeration below, the parameter check (check.h), rpc.discover (discover.c), the
 * method sections of PROTOCOL.md (tests/support/protocol_page.h), and the server's dispatch, which declares one
 * handler a row, so that a row without a handler does not link (server/api/dispatch.c). The table is constant; all
 * strings are static.
 *
 * Parameters are given by name. Reals are bounded in thousandths, all other numbers in their own unit. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Defaults that handlers share with the table. Macros, because the table prints them. */
#define PR_LIST_DEFAULT    100    /* jobs of one page of job.list */
#define PR_HISTORY_DEFAULT 1000   /* events of job.history */
#define PR_LINE_DEFAULT    200    /* moves of fact.line */
#define PR_READ_DEFAULT    524288 /* bytes of one proof.read */
#define PR_TREE_DEPTH      2      /* plies of job.tree */
#define PR_TREE_POSITIONS  200    /* positions of job.tree */
#define PR_LINE_DEPTH      5      /* plies of position.analyze */
#define PR_PROOF_DEPTH     4      /* plies of proof.tree */
#define PR_PROOF_NODES     200    /* nodes of proof.tree */
#define PR_STORE_DEFAULT   100    /* certificates of proof.list */
#define PR_WORKERS_DEFAULT 100    /* workers of server.workers */
#define PR_ROWS_MAX        1000   /* rows of one campaign.table */

enum {
	PR_POSITIONS_MAX = 10000,   /* positions of one fact.query */
	PR_READ_MAX = 1 << 19,      /* bytes of one proof.read */
	PR_PROOF_DEPTH_MAX = 1000,  /* plies of proof.tree */
	PR_PROOF_NODES_MAX = 10000, /* nodes of proof.tree */
	PR_STORE_MAX = 1000,        /* certificates of proof.list */
	PR_WORKERS_MAX = 2000,      /* workers of server.workers */
	PR_VARIATIONS_MAX = 100,    /* of a record of fact.line */
	PR_TREE_DEPTH_MAX = 6,      /* plies of job.tree */
	PR_TREE_MAX = 1000,         /* positions of job.tree */
	PR_MOVES_MAX = 4096,        /* moves of an array */
	PR_NODES_MAX = 4000,        /* moves of a study */
	PR_SUBMIT_MAX = 250,        /* jobs of one campaign.submit */
	PR_CHANGE_MAX = 250,        /* jobs of one campaign.change */
	PR_LIST_MAX = 250           /* jobs of one page of job.list: about a millisecond's work */
};

enum pr_method {
#define METHOD(id, ...) PR_##id,
#include "proto/methods.def"
#undef METHOD
	PR_METHOD_COUNT
};

/* Where a handler runs. */
enum pr_thread {
	PR_LOOP,            /* on the event loop: it waits for nothing */
	PR_LOOP_OR_QUERIES, /* on the event loop while the request is small, else as PR_QUERIES */
	PR_QUERIES,         /* read queue of large queries, event histories, pieces of certificates, workers */
	PR_LINES,           /* read queue of best play, which may run searches again, and of trees of proofs */
	PR_PROOFS,          /* read queue of exports */
	PR_TREES,           /* read queue of trees of searches, which waits for them */
	PR_CHECKS           /* read queue of certificates that are checked */
};

/* What a connection may do; each role includes those before it. X(enumerator, text) */
#define PR_ROLES(X)                                                                                                    \
	X(PR_ROLE_NONE, "none")     /* learn about the server, and give a token */                                     \
	X(PR_ROLE_PUBLIC, "public") /* read what a server shows to everybody (proofd --public) */                      \
	X(PR_ROLE_QUERY, "query")   /* read whatever it knows */                                                       \
	X(PR_ROLE_SUBMIT, "submit") /* submit jobs and change them */                                                  \
	X(PR_ROLE_ADMIN, "admin")   /* everything */

/* What a server can do, in the order of server.hello. X(enumerator, text) */
#define PR_FEATURES(X)                                                                                                 \
	X(PR_F_JOBS, "jobs")                                                                                           \
	X(PR_F_WATCH, "watch")                                                                                         \
	X(PR_F_FACTS, "facts")                                                                                         \
	X(PR_F_LINES, "lines")                                                                                         \
	X(PR_F_PROOFS, "proofs")                                                                                       \
	X(PR_F_THREADS_PER_JOB, "threads-per-job")                                                                     \
	X(PR_F_ROLES, "roles")                                                                                         \
	X(PR_F_GAMES, "games")                                                                                         \
	X(PR_F_GROUPS, "groups")                                                                                       \
	X(PR_F_EXPLAIN, "explain")                                                                                     \
	X(PR_F_BACKUP, "backup")                                                                                       \
	X(PR_F_PROBE, "probe")                                                                                         \
	X(PR_F_TREE, "tree")                                                                                           \
	X(PR_F_PROOF_TREES, "proof-trees")                                                                             \
	X(PR_F_PROOF_STORE, "proof-store")                                                                             \
	X(PR_F_PROOF_CANCEL, "proof-cancel")                                                                           \
	X(PR_F_VERIFY, "verify")                                                                                       \
	X(PR_F_LINE_RECORDS, "line-records")                                                                           \
	X(PR_F_WORKERS, "workers")                                                                                     \
	X(PR_F_ANALYZE, "analyze")                                                                                     \
	X(PR_F_STUDIES, "studies")                                                                                     \
	X(PR_F_CITATIONS, "citations")                                                                                 \
	X(PR_F_CAMPAIGNS, "campaigns")                                                                                 \
	X(PR_F_TABLES, "tables")                                                                                       \
	X(PR_F_EXPERIMENTS, "experiments")                                                                             \
	X(PR_F_SERIES, "series")

enum pr_feature {
#define X(name, text) name,
	PR_FEATURES(X)
#undef X
		PR_FEATURE_COUNT,
	PR_F_NONE = PR_FEATURE_COUNT
};

enum pr_role {
#define X(name, text) name,
	PR_ROLES(X)
#undef X
		PR_ROLE_COUNT
};

enum pr_type {
	PR_T_STRING,
	PR_T_INT, /* a number without fraction: 1000000 or 1e6 */
	PR_T_REAL,
	PR_T_BOOL,
	PR_T_STRINGS, /* an array of strings */
	PR_T_OBJECT,
	PR_T_OPTIONS, /* parameters only: an object of numbers and booleans whose members the server checks */
	PR_T_SIZE,    /* parameters only: bytes, an integer or text like "512M" (pr_get_size reads both) */
	PR_T_MOVES, /* parameters only: a record of moves as one string of at most `max` bytes, or an array of moves */
	PR_T_MOVES_OR_BOOL, /* parameters only: likewise, or true or false */
	PR_T_INTS,          /* an array of integers; of parameters: 1 to 4294967295 each */
	PR_T_OBJECTS,       /* an array of objects */
	/* results only */
	PR_T_PROOF_NUMBER, /* an integer, or "inf" */
	PR_T_DOCUMENT      /* an object that is described elsewhere */
};

/* A parameter, or a member of a parameter. */
struct pr_param {
	const char *name; /* NULL ends a list */
	enum pr_type type;
	bool required;
	int64_t min, max; /* of integers and sizes; of reals: in thousandths; of strings: bytes; of lists: items */
	const char *doc;  /* one phrase */
	const struct pr_param *members; /* of PR_T_OBJECT, and of the items of PR_T_OBJECTS */
	const char *const *choices;     /* of strings: all that is allowed, ended by NULL; NULL: anything */
	const char *preset;             /* the default, as JSON; NULL: none, or `doc` says */
};

/* When a member of a result is there. A set of flags. */
enum {
	PR_ALWAYS = 0,
	PR_OR_NULL = 1,   /* its value may be null */
	PR_SOMETIMES = 2, /* it may be absent */
};

struct pr_shape;

/* A member of a result. */
struct pr_field {
	const char *name; /* NULL ends a list */
	enum pr_type type;
	unsigned presence;            /* PR_ALWAYS, or PR_OR_NULL | PR_SOMETIMES */
	const char *doc;              /* one phrase */
	const struct pr_shape *shape; /* of PR_T_OBJECT, and of the items of PR_T_OBJECTS */
	const char *const *choices;   /* of strings: all that occurs, ended by NULL; NULL: any text */
};

/* What an object holds. A shape with a name occurs in several results and is described once. */
struct pr_shape {
	const char *name, *doc;        /* NULL for an object that occurs in one place */
	const struct pr_field *fields; /* ended by a NULL name */
};

struct pr_method_info {
	const char *name;
	const char *summary; /* one phrase, beginning with a verb */
	enum pr_thread thread;
	enum pr_role role;             /* the least that a connection needs to call it */
	enum pr_feature feature;       /* that it belongs to; PR_F_NONE: every server has it */
	const struct pr_param *params; /* ended by a NULL name */
	const struct pr_shape *result;
	const char *example; /* the params of a good call, as JSON */
	const char *note;    /* whole sentences for PROTOCOL.md; NULL: none */
};

/* Looks a method up by name; false when there is none. */
bool pr_method_find(const char *name, enum pr_method *out);

/* The entry of a method; `method` < PR_METHOD_COUNT. */
const struct pr_method_info *pr_method_info(enum pr_method method);

/* "query", for example. */
const char *pr_role_text(enum pr_role role);
/* The role of that name, which a token may give; "none" is not one. False when there is none. */
bool pr_role_find(const char *text, size_t size, enum pr_role *out);

/* The named shapes, each after those that it contains; NULL after the last. */
const struct pr_shape *pr_shape_at(unsigned index);
