/* Read queues: threads for what would hold up the event loop (V3).
 *
 * There are five queues, so that short requests do not wait for long ones: queries (large fact queries, histories,
 * long request lines, game files), best play and trees (which may run searches again), exports, trees of searches
 * (which wait for them), and certificates that are checked. In a queue the clients take turns: the turn of a request
 * is one more than that of the client's previous request, or than the turn that is served now. Where requests take
 * long (all but queries) a client occupies one thread at most. While a client leaves replies unread, no request of it
 * is begun but exports, so that what waits for it is bounded however many requests it sends ahead (V2).
 *
 * A request is part of a larger struct that says what to do. Its completion is part of it, too, so that an answer
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
	uint64_t number;                /* from 1 on, never used again */
	uint64_t turns[SV_READ_QUEUES]; /* of its last request in each queue; under the lock */
	bool suspended;                 /* it leaves replies unread; under the lock */
};

struct sv_read_request;
/* On a reader thread. *reader: the thread's, NULL until one is opened. `cancelled`: the client has gone or the server
 * stops, so that nothing need be done. */
typedef void sv_read_run(struct sv_core *core, struct st_reader **reader, struct sv_read_request *request,
			 bool cancelled);

struct sv_read_request {
	struct sv_completion base; /* posted when `run` has returned. `deliver` NULL: nothing is; `run` frees it all */
	sv_read_run *run;
	pr_ref params;   /* borrowed: of the call that it answers; NULL: of none */
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
	unsigned count_max;               /* requests that may wait; each client may have one here in any case */
	bool single;                      /* a client occupies one thread at most */
	pthread_cond_t come;              /* a request has come, may be taken now, or the threads are to stop */
	unsigned count;                   /* requests waiting */
	struct sv_read_requests requests; /* in the order of their turns */
	uint64_t turn;                    /* that is served now */
	uint64_t served[SV_READERS_MAX];  /* the clients that are served now; 0: none */
	struct sv_read_request *serving[SV_READERS_MAX]; /* their requests; NULL: none that is delivered */
};

/* All queues and their threads. */
struct sv_read_queues {
	struct sv_read_queue queue[SV_READ_QUEUES];
	pthread_t threads[SV_READ_QUEUES * SV_READERS_MAX];
	unsigned thread_count;
};

void sv_read_queues_init(struct sv_core *core);
/* The queues are empty, the threads joined. */
void sv_read_queues_fini(struct sv_core *core);
/* Starts the threads; false when one cannot be started. They end when the core closes and the queues are empty. */
bool sv_read_queues_start(struct sv_core *core);
/* Queues a request with `run` and `deliver` set; it stays the caller's when this fails: PD_E_BUSY when too many wait.
 * `client` may be NULL. */
int sv_read_request_send(struct sv_core *core, unsigned number, struct sv_read_client *client,
			 struct sv_read_request *request, struct pd_fail *fail);
/* Has `run` free the struct of a request that is over, on a reader thread where there is one. */
void sv_read_request_free(struct sv_core *core, struct sv_read_request *request, sv_read_run *run);
/* A reader thread asks, while it serves the request: false when the client has gone or the server stops. */
bool sv_read_request_wanted(struct sv_core *core, const struct sv_read_request *request);
/* The client wants no answer to its exports and checks any more. Returns how many there are. */
unsigned sv_read_queues_cancel(struct sv_core *core, const struct sv_read_client *client);
/* A reader thread asks: true when the client does not want the answer to this request any more. */
bool sv_read_request_cancelled(struct sv_core *core, const struct sv_read_request *request);
/* True when a request with the same parameters as this one, which is served, waits in the queue and is wanted. */
bool sv_read_request_awaited(struct sv_core *core, unsigned number, const struct sv_read_request *request);
/* The requests that wait in a queue. */
unsigned sv_read_queue_waiting(struct sv_core *core, unsigned number);
/* The client leaves replies unread, or has read them: its requests wait, or are served again. */
void sv_read_queues_suspend(struct sv_core *core, struct sv_read_client *client, bool suspended);
/* The client has gone: its requests are cancelled, except exports, which others may use. */
void sv_read_queues_forget(struct sv_core *core, const struct sv_read_client *client);
