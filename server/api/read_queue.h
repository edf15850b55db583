/* Read queue: where what would hold up the loop waits for a thread.
 *
 * There are three desks, so that short things do not wait for long ones: large queries and long lines of input, best
 * play (which may run searches again), certificates. At a desk the clients take turns, however much one of them asks:
 * an errand's turn is one more than that of the client's last one, or than the turn that is served now. Where errands
 * take long, one client has one thread at most.
 *
 * Every errand ends with a mail, had beforehand, so that no call is forgotten for want of memory (V1). */
#ifndef SV_READ_QUEUE_H
#define SV_READ_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "proto/base/error.h"
#include "server/api/inflight.h"

struct sv_core;

/* What a reader thread is to do: to answer a call, to read a long line, or to free what came of one. */
struct sv_read_request {
	struct sv_call_completion *completion; /* the reply to be; names the call. NULL: `exchange` is to be freed */
	struct pr_exchange *exchange;
	uint64_t client; /* the session's number */
	uint64_t turn;   /* smaller ones come first */
	bool gone;       /* the session has closed */
	TAILQ_ENTRY(sv_read_request) link;
};
TAILQ_HEAD(sv_read_requests, sv_read_request);

enum { SV_QUERIES, SV_LINES, SV_PROOFS, SV_READ_QUEUES };
enum { SV_READERS_MAX = 2 }; /* threads at one desk */

/* Where errands wait for the threads that serve there (desk.c). */
struct sv_read_queue {
	struct sv_core *core;
	unsigned number;                       /* SV_QUERIES... */
	unsigned count, count_max;             /* errands waiting */
	bool single;                           /* of one client one at a time */
	struct sv_read_requests read_requests; /* in the order of their turns */
	uint64_t turn;                         /* of the errand taken last */
	uint64_t served[SV_READERS_MAX];       /* the clients whose errands are carried out; 0: none */
	pthread_cond_t come;
};

/* All queues and their threads. */
struct sv_read_queues {
	struct sv_read_queue queue[SV_READ_QUEUES];
	pthread_t threads[SV_READ_QUEUES * SV_READERS_MAX];
	unsigned thread_count;
};

void sv_read_queues_init(struct sv_core *core, const pthread_condattr_t *attr);
void sv_read_queues_fini(struct sv_core *core);
/* Starts the threads at the desks; false when one cannot be had. */
bool sv_read_queues_start(struct sv_core *core);
/* Leaves a call (or a line, without one) with the threads of a desk; PD_E_BUSY when too many wait there,
 * PD_E_NO_MEMORY. */
int sv_read_request_send(struct sv_core *core, unsigned read_queue, enum sv_completion_kind kind,
			 struct sv_inflight *pending, struct pr_call *call, struct pd_fail *fail);
/* Frees an exchange and the errand that read it: a long line's by a thread, for it takes long as well. Both may be
 * NULL. */
void sv_read_request_free_exchange(struct sv_core *core, struct sv_read_request *read_request,
				   struct pr_exchange *exchange);
/* Nobody waits any more for what a closed session asked. */
void sv_read_queues_forget(struct sv_core *core, const struct sv_session *session);

#endif
