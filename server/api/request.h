/* Request: a call while its handler carries it out. */
#pragma once

#include "proto/out.h"
#include "proto/rpc.h"
#include "server/api/result.h"

struct st_reader;
struct sv_call;
struct sv_core;
struct sv_job;
struct sv_job_set;
struct sv_read_request;
struct sv_session;

struct sv_request {
	struct sv_core *core;
	struct sv_session *session; /* NULL on a reader thread, and when the session has closed */
	struct sv_call *call;       /* NULL on a reader thread */
	const char *client;         /* name of the client, borrowed; "": it has no token */
	pr_ref params;
	struct st_reader **reader;            /* the thread's; for sv_request_reader */
	const struct sv_read_request *queued; /* on a reader thread: the queued request; else NULL */
	struct pd_buf json;                   /* the result, when it is answered at once */
	struct pr_out out;                    /* prints into json */
	struct sv_answers answers;            /* in that result */
	struct pd_fail fail;
	bool on_loop;  /* false: on a reader thread */
	bool later;    /* set by the handler: the answer comes from elsewhere */
	bool to_queue; /* set by a PR_LOOP_OR_QUERIES handler on the loop: it is too much work for the loop */
	bool again;    /* it was deferred, and its turn has come */
};

/* The thread's reader of the store, opened when it is first needed. */
int sv_request_reader(struct sv_request *r, struct st_reader **out);
/* The job of the request's parameter `job`; the lock is held on success. PD_E_NO_JOB. */
int sv_request_job(struct sv_request *r, struct sv_job **out);
/* The jobs of the request's parameter `tag` or `group`, or all of them: borrowed, under the lock, which is held on
 * success. PD_E_PARAMS when both are given, or there is no such job and no such group. */
int sv_request_set(struct sv_request *r, const struct sv_job_set **out);
/* Whether the client still waits for the answer and the server is not stopping. Handlers on a reader thread ask it,
 * with the request as ctx. */
bool sv_request_wanted(void *request);
/* Bytes of the store's files. */
uint64_t sv_disk_bytes(const struct sv_core *core);
