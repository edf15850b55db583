/* Session state: one client's state, for the files of this folder (session.h is for others).
 *
 * Input consists of calls (call.h), most of them in lines (request_lines.h). Output lines go to the session's sink; if
 * there is no memory for one, the connection is asked to close (V1). All of this is the loop thread's. */
#pragma once

#include "proto/base/buf.h"
#include "server/api/read_queue.h"
#include "server/api/request_counts.h"
#include "server/api/sink.h"

struct pr_exchange;
struct sv_call;
struct sv_line_request;
struct sv_position_watch;
struct sv_token;
struct sv_watch;

/* The answer to a wrong token, which is delayed. */
struct sv_penalty {
	struct sv_call *call; /* NULL: there is none */
	uint64_t due_ns;
};

/* A line that is not answered yet (request_lines.c). */
struct sv_inflight {
	struct pr_exchange *exchange;    /* NULL for a fast query, and for a long line until it is delivered */
	struct sv_line_request *reading; /* of a long line that was read, owned; else NULL */
	struct sv_session *session;      /* NULL: it has ended */
	unsigned next, unserved;         /* the next call to be carried out; how many calls remain */
	LIST_ENTRY(sv_inflight) link;    /* of the session's lines */
	STAILQ_ENTRY(sv_inflight) queue; /* of those with calls that are not begun */
};

struct sv_session {
	struct sv_core *core;
	struct sv_sink sink;
	struct sv_read_client client;       /* in the read queues */
	unsigned begun;                     /* calls being carried out; at most SV_INFLIGHT_MAX of a batch */
	unsigned waiting;                   /* calls of lines that are not begun, and lines that a reader thread has */
	LIST_HEAD(, sv_call) calls;         /* those begun */
	LIST_HEAD(, sv_inflight) inflights; /* lines that are not answered (request_lines.h) */
	STAILQ_HEAD(, sv_inflight) queue;   /* those with calls that are not begun, in their order */
	bool ready;                         /* in the core's list of sessions that have something to carry out */
	enum pr_role role;                  /* access.h */
	const struct sv_token *token;       /* the token that gave it the role, in the core's list; NULL: none */
	bool unhindered;           /* no call can be refused for its role or the rate: fast queries may be tried */
	uint64_t rate_ns;          /* when the next request would be due, if all came evenly */
	uint64_t *counted_ns;      /* the same of all requests that count with its own: rate_ns, unless others' too;
				      NULL: its calls do not count */
	struct sv_penalty penalty; /* access.h */
	TAILQ_ENTRY(sv_session) turn;
	LIST_HEAD(, sv_watch) watches;      /* watch.h */
	struct sv_position_watch *position; /* position_watch.h; NULL: none */
	TAILQ_ENTRY(sv_session) link;
};

/* All sessions: the loop thread's, except `connections`. */
struct sv_sessions {
	TAILQ_HEAD(, sv_session) list;
	TAILQ_HEAD(, sv_session) ready; /* have calls to be carried out; they take turns */
	uint64_t count;                 /* since the start */
	unsigned watch_round;    /* sessions, from the first, whose watches have not been visited since the last tick */
	bool pumping;            /* sv_core_pump is under way, and wakes the loop itself when there is more */
	unsigned submitting;     /* jobs that are being submitted and not on disk yet */
	unsigned wrong_tokens;   /* not logged yet */
	uint64_t told_ns;        /* when they were last logged; 0: never */
	struct pd_buf fast_line; /* room for a reply of fast_query.c */
	struct sv_request_counts counts;
	unsigned connections; /* under the lock */
};

void sv_sessions_init(struct sv_sessions *sessions);
void sv_sessions_fini(struct sv_sessions *sessions);
/* What sv_session_waiting says. */
static inline bool sv_session_queues(const struct sv_session *session)
{
	return !STAILQ_EMPTY(&session->queue) || session->penalty.call;
}

/* Sends a line with its newline, or nothing if it is empty; if the buffer has failed, asks to close the connection. */
void sv_session_send(struct sv_session *session, const struct pd_buf *line);
/* Sends an error for a line that never became an exchange. */
void sv_session_refuse(struct sv_session *session, const struct pd_fail *fail);
/* True when a call of its lines can be carried out now. */
bool sv_session_may_go_on(const struct sv_session *session);
/* Puts the session into the list of those that take turns, if a call of its lines can be carried out. */
void sv_session_make_ready(struct sv_session *session);
