/* Read queues: threads for work that would hold up the event loop (V3).
 *
 * There are five queues, so that short requests do not wait for long ones: queries (large fact queries, histories, long
 * request lines, game files, questions of campaigns), best play and trees (which may run searches again), exports,
 * trees of searches (which wait for them), and certificates that are checked. The clients of a queue take turns: the
 * turn of a request is one more than that of the client's previous request or than the turn served now, whichever is
 * later. Where requests take long (all but queries) a client occupies one thread at most. While a client leaves replies
 * unread, none of its requests except exports is begun, so that the replies that wait for it are bounded however many
 * requests it sends ahead (V2).
 *
 * A request is part of a larger struct that says what to do. Its completion is also part of it, so that an answer
 * cannot fail for lack of memory (V1). */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "proto/base/error.h"
#include "proto/ref.h"
#include "server/common/completion.h"

struct st_reader;
struct sv_core;

enum { SV_QUERIES, SV_LINES, SV_PROOFS, SV_TREES, SV_CHECKS, SV_READ_QUEUES };
enum { SV_READERS_MAX = 2 }; /* threads of a queue */

/* A client of the queues: a session. */
struct sv_read_client {
	uint64_t number;                /* counts from 1; numbers are not reused */
	uint64_t turns[SV_READ_QUEUES]; /* of its last request in each queue; under the lock */
	bool suspended;                 /* it leaves replies unread; under the lock */
};

struct sv_read_request;
/* On a reader thread. *reader: the thread's, NULL until one is opened. `cancelled`: the client has gone or the server
 * stops, so that nothing needs to be done. */
typedef void sv_read_run(struct sv_core *core, struct st_reader **reader, struct sv_read_request *request,
			 bool cancelled);

struct sv_read_request {
	struct sv_completion base; /* posted after `run`; without `deliver` it is not, and `run` frees the request */
	sv_read_run *run;
	pr_ref params;   /* borrowed from the call that it answers; NULL: it answers none */
	uint64_t client; /* its number; 0: none */
	uint64_t turn;   /* smaller ones come first */
	bool gone;       /* the client has gone; under the lock, as is the next */
	bool suspended;  /* the client leaves replies unread */
	bool cancelled;  /* the client wants no answer */
	TAILQ_ENTRY(sv_read_request) link;
};
TAILQ_HEAD(sv_read_requests, sv_read_request);

struct sv_read_queue { /* under the lock, except the first five */
	struct sv_core *core;
	unsigned number;                  /* SV_QUERIES... */
	unsigned count_max;               /* requests that may wait; each client may always have one */
	bool single;                      /* a client occupies one thread at most */
	pthread_cond_t come;              /* a request has come or may be taken now, or the threads must stop */
	unsigned count;                   /* requests waiting */
	struct sv_read_requests requests; /* in the order of their turns */
	uint64_t turn;                    /* the turn that is served now */
	uint64_t served[SV_READERS_MAX];  /* the clients that are served now; 0: none */
	struct sv_read_request *serving[SV_READERS_MAX]; /* their requests; NULL: none, or one that is not delivered */
};

/* All queues and their threads. */
struct sv_read_queues {
	struct sv_read_queue queue[SV_READ_QUEUES];
	pthread_t threads[SV_READ_QUEUES * SV_READERS_MAX];
	unsigned thread_count;
};

void sv_read_queues_init(struct sv_core *core);
/* The queues must be empty and the threads joined. */
void sv_read_queues_fini(struct sv_core *core);
/* Starts the threads; false when one cannot be started. They end when the core closes and the queues are empty. */
bool sv_read_queues_start(struct sv_core *core);
/* Queues a request with `run` and `deliver` set; it stays the caller's when this fails: PD_E_BUSY when too many wait.
 * `client` may be NULL. */
int sv_read_request_send(struct sv_core *core, unsigned number, struct sv_read_client *client,
			 struct sv_read_request *request, struct pd_fail *fail);
/* Has `run` free the struct of a request that is over, on a reader thread if there is one. */
void sv_read_request_free(struct sv_core *core, struct sv_read_request *request, sv_read_run *run);
/* For the reader thread that serves the request: false when the client has gone or the server stops. */
bool sv_read_request_wanted(struct sv_core *core, const struct sv_read_request *request);
/* The client no longer wants answers to its exports and checks. Returns their number. */
unsigned sv_read_queues_cancel(struct sv_core *core, const struct sv_read_client *client);
/* For a reader thread: true when the client no longer wants the answer to this request. */
bool sv_read_request_cancelled(struct sv_core *core, const struct sv_read_request *request);
/* True when a wanted request with the same parameters as this one, which is being served, waits in the queue. */
bool sv_read_request_awaited(struct sv_core *core, unsigned number, const struct sv_read_request *request);
/* The number of requests that wait in a queue. */
unsigned sv_read_queue_waiting(struct sv_core *core, unsigned number);
/* The client leaves replies unread, or has read them: its requests wait, or are served again. */
void sv_read_queues_suspend(struct sv_core *core, struct sv_read_client *client, bool suspended);
/* The client has gone: its requests are cancelled, except exports, which others may use. */
void sv_read_queues_forget(struct sv_core *core, const struct sv_read_client *client);
