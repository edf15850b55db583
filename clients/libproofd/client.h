/* libproofd: a blocking client of a proof server.
 *
 *	struct proofd *server;
 *	struct proofd_fact fact;
 *	struct proofd_error error;
 *	if (proofd_open(NULL, &server, &error) || proofd_query(server, "connect4:7x6", "4455", &fact, &error))
 *		return fprintf(stderr, "%s\n", error.message), 1;
 *	printf("%s\n", fact.text);
 *	proofd_close(server);
 *
 * Functions return 0, or -1 and fill *error, which may be NULL. A connection, with its calls and watches, belongs to
 * one thread at a time; connections share nothing, so threads may have one each. Replies do not belong to the
 * connection: any thread may read and free them, also after proofd_close.
 *
 * THE PROCESS. No signal handler, thread or allocation function is installed, and nothing is printed but by an
 * assertion that fails. Memory is malloc's, and jansson's for JSON: a program that gives jansson allocation functions
 * of its own (json_set_alloc_funcs) does so before its first call here, as before any other use of jansson, and gets
 * all JSON of this library through them. When memory runs out inside jansson, what is read may be taken for
 * "protocol", and jansson itself may fail. OpenSSL, where TLS is used, sets itself up. dlclose leaves the library
 * where it is.
 *
 * TIME. A function that waits has no limit of time unless proofd_timeout sets one. The limit holds for each request,
 * with making a lost connection again: proofd_query_many, proofd_query_each, proofd_jobs and proofd_certificate make
 * several. The look-up of a host's name is the system's and keeps to no limit.
 *
 * WHEN THE CONNECTION IS LOST it is made again, and watches go on. Requests that only read, and job.submit with a
 * `key`, are sent again. Of any other request that was under way it is unknown whether it was carried out: it fails
 * with "unknown-fate", and is not repeated.
 *
 * ERRORS that are not replies of the server: "usage" (an address or an option), "unreachable", "unknown-fate",
 * "timeout", "closed" (the call was cancelled), "protocol" (what answers there is no proofd), "no-memory", "limit" (a
 * request longer than the server reads). */
#ifndef PROOFD_CLIENT_H
#define PROOFD_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clients/libproofd/error.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* --- connecting --------------------------------------------------------------------------- */

struct proofd; /* a connection */

/* All members may be 0, which stands for what is said behind them. Strings are copied. */
struct proofd_options {
	const char *address;      /* HOST:PORT or the path of a Unix socket; $PROOFD_SERVER, or 127.0.0.1:4590 */
	const char *token;        /* of `proofd --token-file`, sent on every connection; none */
	bool tls;                 /* speak TLS (1.2 or later) */
	const char *tls_ca;       /* PEM file of certificates to trust; those of the system. Implies tls */
	double timeout_s;         /* seconds that a request may take; as long as it takes */
	double connect_timeout_s; /* seconds that one try to connect may take, greeting included; 10 */
	double reconnect_s;       /* seconds for which a lost connection is tried again, with growing pauses; 60.
			     * Negative: not at all; INFINITY: for ever */
};

/* Connects; options may be NULL. One try: "unreachable" when no server answers, or what the server refuses with. */
int proofd_open(const struct proofd_options *options, struct proofd **out, struct proofd_error *error);
/* Ends the connection. What was started has to be finished before, and watches ended. NULL is fine. */
void proofd_close(struct proofd *server);
/* Sets the time limit of the requests that follow; 0: none. */
void proofd_timeout(struct proofd *server, double seconds);

/* --- values of JSON ----------------------------------------------------------------------- */

struct proofd_reply; /* owns what a call has returned */
/* A part of it, borrowed; NULL, a missing one, may be passed as well. */
typedef const struct proofd_part *proofd_value;

enum proofd_kind {
	PROOFD_MISSING,
	PROOFD_NULL,
	PROOFD_BOOL,
	PROOFD_INT,
	PROOFD_REAL,
	PROOFD_STRING,
	PROOFD_ARRAY,
	PROOFD_OBJECT
};

void proofd_reply_free(struct proofd_reply *reply); /* NULL is fine */
/* The result. */
proofd_value proofd_result(const struct proofd_reply *reply);
/* A value as one line of JSON, to be freed with free(); NULL when memory runs out. */
char *proofd_json(proofd_value value);

enum proofd_kind proofd_kind(proofd_value value);
proofd_value proofd_get(proofd_value object, const char *member);
size_t proofd_count(proofd_value array_or_object);
proofd_value proofd_at(proofd_value array, size_t index);
/* What the value holds, or `missing` when it is of another kind. */
const char *proofd_text(proofd_value value, const char *missing);
int64_t proofd_int(proofd_value value, int64_t missing);
double proofd_real(proofd_value value, double missing);
bool proofd_bool(proofd_value value, bool missing);

/* --- calls -------------------------------------------------------------------------------- */

/* Calls a method of PROTOCOL.md. `params` is a JSON object as text, or NULL. *out (which may be NULL) is to be freed
 * with proofd_reply_free. */
int proofd_call(struct proofd *server, const char *method, const char *params, struct proofd_reply **out,
		struct proofd_error *error);

struct proofd_pending; /* a call under way */
/* Sends a request without waiting for its reply: any number may be under way, and be finished in any order. Blocks
 * while the server has as many as it takes (64), and as many wait here: after the time limit with "timeout", and the
 * request is not sent. */
int proofd_start(struct proofd *server, const char *method, const char *params, struct proofd_pending **out,
		 struct proofd_error *error);
/* Waits for the reply, and frees `pending` in success and failure alike. */
int proofd_finish(struct proofd_pending *pending, struct proofd_reply **out, struct proofd_error *error);
/* The reply is not wanted any more: it is dropped, and proofd_finish, which still has to be called, fails with
 * "closed". The server may carry the request out all the same. */
void proofd_cancel(struct proofd_pending *pending);

/* --- queries ------------------------------------------------------------------------------ */

/* What is proved about a position (fact.query of PROTOCOL.md has more about each). */
struct proofd_fact {
	int lo, hi;    /* lo <= value <= hi; the value is what First gets with best play */
	bool known;    /* something is proved; else lo and hi are the ends of the game's scale */
	bool ranked;   /* `rank` says something */
	unsigned rank; /* the game is decided within that many plies */
	char text[64]; /* the bounds in words, "first wins" */
	char move[64]; /* the recorded move that keeps the bound; "" when there is none */
	uint64_t effort;
	uint32_t job;      /* the job that found it; 0: none */
	int code;          /* not 0: the position cannot be read, and this is the error's code; */
	char message[192]; /* and this its message. All else is 0 then */
};
/* One position; "" is the initial one. "bad-game", "bad-position" and so on. */
int proofd_query(struct proofd *server, const char *game, const char *position, struct proofd_fact *out,
		 struct proofd_error *error);
/* Any number of positions, in requests of up to 1000, several of them under way: out[i] for positions[i]. A position
 * that cannot be read has a `code`, and the others are answered. */
int proofd_query_many(struct proofd *server, const char *game, const char *const *positions, size_t count,
		      struct proofd_fact *out, struct proofd_error *error);

/* The same as the server says it, with what is proved about each move. */
struct proofd_asked {
	const char *game;
	const char *const *positions;
	size_t count;
	bool each_move;       /* member `moves` of each fact */
	const char *notation; /* of moves; NULL: the game's own */
};
/* Calls each(ctx, index, fact) in order; `fact` (shape *fact* of PROTOCOL.md) is good until it returns. Non-zero ends
 * the query early, with success. */
int proofd_query_each(struct proofd *server, const struct proofd_asked *asked,
		      int (*each)(void *ctx, size_t index, proofd_value fact), void *ctx, struct proofd_error *error);
/* Reads a fact as the server says it. */
void proofd_fact_of(proofd_value fact, struct proofd_fact *out);

/* --- jobs --------------------------------------------------------------------------------- */

/* What is to be solved. Members may be NULL but for `game`; the server's defaults are in PROTOCOL.md (job.submit). */
struct proofd_question {
	const char *game, *position, *claim, *memory;
	const char *key;  /* the same key gives the same job; NULL: one that no other job has */
	const char *more; /* other parameters, as a JSON object */
};
/* Submits a job, durably, and only once however often the connection is lost. */
int proofd_submit(struct proofd *server, const struct proofd_question *question, uint32_t *job,
		  struct proofd_error *error);

/* Follows a job until it is over. */
struct proofd_follow {
	double interval_s; /* seconds between two states, 0.1 to 60; 0: 1 */
	/* Called with each state (shape *job*); NULL: not. Non-zero ends the wait, with success and *out NULL. */
	int (*progress)(void *ctx, proofd_value job);
	void *ctx;
};
/* Waits until the job is over: *out, which may be NULL, has its last state, with its `result`. `follow` may be NULL.
 * Goes on after a restart of the server. */
int proofd_wait(struct proofd *server, uint32_t job, const struct proofd_follow *follow, struct proofd_reply **out,
		struct proofd_error *error);

/* A state of a job, as proofd_call("job.get"), proofd_wait and watches have it. */
struct proofd_job {
	uint32_t job;
	char state[16]; /* "queued", "running", "paused", "solved", "exhausted", "cancelled", "failed" */
	bool over;      /* the last four of them */
	int lo, hi;     /* bounds of the value so far */
	char text[64];  /* in words */
	double pn, dn;  /* proof number and disproof number of the root; INFINITY when the claim is decided */
	double nodes, seconds, rate; /* nodes searched, search time, nodes a second lately */
	uint64_t facts;              /* facts found */
	char reason[192];            /* why it is paused, exhausted or failed; "" */
};
void proofd_job_of(proofd_value job, struct proofd_job *out);

struct proofd_watch; /* of one job; a slow reader misses states, never the last one */
/* `interval_s` as in struct proofd_follow. What the server refuses ("no-such-job", "invalid-params" for an interval
 * that it does not take) proofd_watch_next says. */
int proofd_watch(struct proofd *server, uint32_t job, double interval_s, struct proofd_watch **out,
		 struct proofd_error *error);
/* Waits for the next state: 1 and the newest one, 0 when the last one was taken, -1. "timeout" ends nothing. */
int proofd_watch_next(struct proofd_watch *watch, struct proofd_reply **out, struct proofd_error *error);
/* Ends it and frees it. NULL is fine. */
void proofd_watch_end(struct proofd_watch *watch);

/* Calls each(ctx, job) for all jobs, newest first, those in `state` alone unless it is NULL. Non-zero ends it early,
 * with success. */
int proofd_jobs(struct proofd *server, const char *state, int (*each)(void *ctx, proofd_value job), void *ctx,
		struct proofd_error *error);
/* Makes the certificate of an answer (`params`: as for proof.export) and passes it on piece by piece. Non-zero of
 * `write` ends it early, with success. */
int proofd_certificate(struct proofd *server, const char *params,
		       int (*write)(void *ctx, const void *bytes, size_t size), void *ctx, struct proofd_error *error);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
