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
 * one thread at a time; connections share nothing, so each thread may have its own. Replies do not belong to the
 * connection: any thread may read and free them, even after proofd_close.
 *
 * THE PROCESS. The library installs no signal handlers, threads or allocation functions, and prints nothing except
 * when an assertion fails. Memory comes from malloc, and from jansson for JSON: a program with its own allocation
 * functions (json_set_alloc_funcs) must set them before its first call here, as before any other use of jansson. When
 * memory runs out inside jansson, the error may be "protocol", and jansson itself may fail. OpenSSL
 * initializes itself if TLS is used. dlclose does not unload the library.
 *
 * TIME. A function that waits has no time limit unless proofd_timeout sets one. The limit holds for each request,
 * reconnecting included; proofd_query_many, proofd_query_each, proofd_jobs and proofd_certificate make several
 * requests. The system looks host names up, without a limit.
 *
 * WHEN THE CONNECTION IS LOST it is made again, and watches continue. Requests that only read, and job.submit with a
 * `key`, are sent again. Any other request that was in flight may or may not have been carried out: it fails with
 * "unknown-fate" and is not repeated.
 *
 * ERRORS that are not replies of the server: "usage" (an address or an option), "unreachable", "unknown-fate",
 * "timeout", "closed" (the call was cancelled), "protocol" (the peer is not a proofd), "no-memory", "limit" (a request
 * longer than the server reads). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clients/libproofd/error.h"
#include "clients/libproofd/types.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* --- connecting --------------------------------------------------------------------------- */

/* A member that is 0 has its default, which its comment names last. Strings are copied. */
struct proofd_options {
	const char *address; /* HOST:PORT or the path of a Unix socket; default $PROOFD_SERVER, else 127.0.0.1:4590 */
	const char *token;   /* of `proofd --token-file`, sent on every connection; default none */
	bool tls;            /* speak TLS (1.2 or later) */
	const char *tls_ca;  /* PEM file of certificates to trust; default the system's. Implies tls */
	double timeout_s;    /* seconds that a request may take; default no limit */
	double connect_timeout_s; /* seconds for one attempt to connect, including server.hello; default 10 */
	double reconnect_s;       /* seconds of attempts to reconnect; default 60. Negative: none; INFINITY: no limit */
};

/* Connects, in one attempt; options may be NULL. "unreachable" if no server answers, else the server's refusal. */
int proofd_open(const struct proofd_options *options, struct proofd **out, struct proofd_error *error);
/* Ends the connection. All started calls must have been finished, and all watches ended. NULL is fine. */
void proofd_close(struct proofd *server);
/* Sets the time limit of the requests that follow; 0: none. */
void proofd_timeout(struct proofd *server, double seconds);

/* --- values of JSON ----------------------------------------------------------------------- */

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
/* The value, or `missing` if it is of another kind. */
const char *proofd_text(proofd_value value, const char *missing);
int64_t proofd_int(proofd_value value, int64_t missing);
double proofd_real(proofd_value value, double missing);
bool proofd_bool(proofd_value value, bool missing);

/* --- calls -------------------------------------------------------------------------------- */

/* Calls a method of PROTOCOL.md. `params` is a JSON object as text, or NULL. *out (which may be NULL) is to be freed
 * with proofd_reply_free. */
int proofd_call(struct proofd *server, const char *method, const char *params, struct proofd_reply **out,
		struct proofd_error *error);

/* Sends a request without waiting for its reply; any number may be in flight and be finished in any order. Blocks while
 * 64 requests, the limit of the server, are in flight and 64 more wait here; after the time limit it fails with
 * "timeout", and the request is not sent. */
int proofd_start(struct proofd *server, const char *method, const char *params, struct proofd_pending **out,
		 struct proofd_error *error);
/* Waits for the reply, and frees `pending` in success and failure alike. */
int proofd_finish(struct proofd_pending *pending, struct proofd_reply **out, struct proofd_error *error);
/* Drops the reply; proofd_finish, which must still be called, fails with "closed". The server may still carry out the
 * request. */
void proofd_cancel(struct proofd_pending *pending);

/* --- queries ------------------------------------------------------------------------------ */

/* What is proved about a position (fact.query of PROTOCOL.md has more about each). */
struct proofd_fact {
	int lo, hi;    /* lo <= value <= hi; the value is what First gets with best play */
	bool known;    /* something is proved; else lo and hi are the ends of the game's scale */
	bool ranked;   /* `rank` is valid */
	unsigned rank; /* the game is decided within that many plies */
	char text[64]; /* the bounds in words, "first wins" */
	char move[64]; /* the recorded move that keeps the bound; "" if there is none */
	uint64_t effort;
	uint32_t job;      /* the job that found it; 0: none */
	int code;          /* not 0: the code of an error, because the position cannot be read */
	char message[192]; /* the message of that error; all other members are 0 */
};
/* One position; "" is the initial one. "bad-game", "bad-position" and so on. */
int proofd_query(struct proofd *server, const char *game, const char *position, struct proofd_fact *out,
		 struct proofd_error *error);
/* Any number of positions, in several requests of up to 1000 positions at a time: out[i] for positions[i]. A position
 * that cannot be read has a `code`; the others are answered. */
int proofd_query_many(struct proofd *server, const char *game, const char *const *positions, size_t count,
		      struct proofd_fact *out, struct proofd_error *error);

/* Calls each(ctx, index, fact) in order; `fact` (shape *fact* of PROTOCOL.md) is valid until it returns. A non-zero
 * return ends the query early, with success. */
int proofd_query_each(struct proofd *server, const struct proofd_asked *asked,
		      int (*each)(void *ctx, size_t index, proofd_value fact), void *ctx, struct proofd_error *error);
/* Reads a fact of the protocol. */
void proofd_fact_of(proofd_value fact, struct proofd_fact *out);

/* --- jobs --------------------------------------------------------------------------------- */

/* What is to be solved. Members may be NULL except `game`; the defaults are in PROTOCOL.md (job.submit). */
struct proofd_question {
	const char *game, *position, *claim, *memory;
	const char *key;  /* the same key gives the same job; NULL: a unique one */
	const char *more; /* other parameters, as a JSON object */
};
/* Submits a job durably, and only once even if the connection is lost. */
int proofd_submit(struct proofd *server, const struct proofd_question *question, uint32_t *job,
		  struct proofd_error *error);

/* Follows a job until it is over. */
struct proofd_follow {
	double interval_s; /* seconds between two states, 0.1 to 60; 0: 1 */
	/* Called with each state (shape *job*); may be NULL. A non-zero return ends the wait, with success and *out
	 * NULL. */
	int (*progress)(void *ctx, proofd_value job);
	void *ctx;
};
/* Waits until the job is over; *out has its last state, with its `result`. `out` and `follow` may be NULL. Continues
 * after a restart of the server. */
int proofd_wait(struct proofd *server, uint32_t job, const struct proofd_follow *follow, struct proofd_reply **out,
		struct proofd_error *error);

/* A state of a job, as proofd_call("job.get"), proofd_wait and watches have it. */
struct proofd_job {
	uint32_t job;
	char state[16]; /* "queued", "running", "paused", "solved", "exhausted", "cancelled", "failed" */
	bool over;      /* `state` is one of the last four */
	int lo, hi;     /* bounds of the value so far */
	char text[64];  /* in words */
	double pn, dn;  /* proof number and disproof number of the root; INFINITY if the claim is decided */
	double nodes, seconds, rate; /* nodes searched, search time, recent nodes per second */
	uint64_t facts;              /* facts found */
	char reason[192];            /* why it is paused, exhausted or failed; else "" */
};
void proofd_job_of(proofd_value job, struct proofd_job *out);

/* `interval_s` as in struct proofd_follow. The server's refusals ("no-such-job"; "invalid-params" for a bad interval)
 * come from proofd_watch_next. */
int proofd_watch(struct proofd *server, uint32_t job, double interval_s, struct proofd_watch **out,
		 struct proofd_error *error);
/* Waits for the next state. Returns 1 and the newest state, 0 after the last one, or -1. The watch survives "timeout".
 */
int proofd_watch_next(struct proofd_watch *watch, struct proofd_reply **out, struct proofd_error *error);
/* Ends it and frees it. NULL is fine. */
void proofd_watch_end(struct proofd_watch *watch);

/* Calls each(ctx, job) for all jobs, newest first; unless `state` is NULL, only for those in that state. A non-zero
 * return ends it early, with success. */
int proofd_jobs(struct proofd *server, const char *state, int (*each)(void *ctx, proofd_value job), void *ctx,
		struct proofd_error *error);
/* Makes the certificate of an answer (`params`: as for proof.export) and passes it to `write` piece by piece. A
 * non-zero return of `write` ends it early, with success. */
int proofd_certificate(struct proofd *server, const char *params,
		       int (*write)(void *ctx, const void *bytes, size_t size), void *ctx, struct proofd_error *error);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
