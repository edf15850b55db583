/* Session: one client's state, and the way of its replies.
 *
 * Request lines come in through request_lines.h. Each of their calls is answered exactly once, by sv_reply or
 * sv_refuse, at once or later; when the last call of a line is answered, the reply line goes to the session's sink
 * (V1). Where there is no memory for a reply, the connection is asked to close. The replies of a session that has
 * closed are dropped. Everything here belongs to the loop thread. */
#ifndef SV_SESSION_H
#define SV_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "proto/base/buf.h"
#include "proto/base/error.h"
#include "proto/methods.h"
#include "server/api/inflight.h"
#include "server/api/read_queue.h"
#include "server/api/request_counts.h"
#include "server/api/sink.h"

struct pr_call;
struct pr_exchange;
struct sv_token;
struct sv_watch;

/* The answer to a wrong token, which waits a little. */
struct sv_penalty {
	struct sv_inflight *inflight;
	struct pr_call *call; /* NULL: there is none */
	uint64_t due_ns;
};

struct sv_session {
	struct sv_core *core;
	struct sv_sink sink;
	struct sv_read_client client; /* in the read queues */
	unsigned open_calls;          /* calls not answered */
	unsigned begun;               /* those of them that are carried out; at most SV_INFLIGHT_MAX of a batch */
	LIST_HEAD(, sv_inflight) inflights;
	STAILQ_HEAD(, sv_inflight) queue; /* those with calls that are not begun, in their order */
	bool ready;                       /* in the core's list of sessions that have something to carry out */
	enum pr_role role;                /* access.h */
	const struct sv_token *token;     /* that gave it the role, in the core's list; NULL: none did */
	bool unhindered;           /* no call is refused for its role or for the rate: fast queries may be tried */
	uint64_t rate_ns;          /* when the next request would be due, if all came evenly */
	struct sv_penalty penalty; /* access.h */
	TAILQ_ENTRY(sv_session) turn;
	LIST_HEAD(, sv_watch) watches; /* watch.h */
	TAILQ_ENTRY(sv_session) link;
};

/* All sessions: the loop thread's, but for `connections`. */
struct sv_sessions {
	TAILQ_HEAD(, sv_session) list;
	TAILQ_HEAD(, sv_session) ready; /* have calls to be carried out; they take turns */
	uint64_t count;                 /* since the start */
	unsigned watch_round;    /* sessions, from the first on, whose watches are still to be looked at since the
					   last tick */
	bool pumping;            /* sv_core_pump is under way, and wakes the loop itself when there is more */
	unsigned submitting;     /* jobs that are being submitted and not on disk yet */
	unsigned wrong_tokens;   /* that the log has not told of */
	uint64_t told_ns;        /* when it last did; 0: never */
	struct pd_buf fast_line; /* room for a reply of fast_query.c */
	struct sv_request_counts counts;
	unsigned connections; /* under the lock */
};

void sv_sessions_init(struct sv_sessions *sessions);
void sv_sessions_fini(struct sv_sessions *sessions);
/* A long line that a reader thread reads. */
struct sv_line_request {
	struct sv_read_request base;
	struct sv_inflight *inflight;
	struct pr_exchange
		*exchange;   /* what came of the line; NULL: nothing. Hidden from all others until it is delivered */
	struct pd_fail fail; /* code 0: it went well */
};

/* The session as a client of the read queues; NULL for NULL. */
struct sv_read_client *sv_session_client(struct sv_session *session);
/* Sends a line with its newline, or nothing when it is empty; asks for the end of the connection when it has failed. */
void sv_session_send(struct sv_session *session, const struct pd_buf *line);
/* Sends an error for a line that never became an exchange. */
void sv_session_refuse(struct sv_session *session, const struct pd_fail *fail);
/* Answers a call, and sends the reply line when it was the last of its exchange; `inflight` may be gone then. */
void sv_reply(struct sv_core *core, struct sv_inflight *inflight, struct pr_call *call, const struct pd_buf *json);
void sv_refuse(struct sv_core *core, struct sv_inflight *inflight, struct pr_call *call, const struct pd_fail *fail);
/* Sends the reply line and frees the exchange, when all its calls are answered. */
void sv_inflight_settle(struct sv_core *core, struct sv_inflight *inflight);
/* Frees it, unanswered. */
void sv_inflight_drop(struct sv_core *core, struct sv_inflight *inflight);
/* True when a call of the session can be carried out now. */
bool sv_session_may_go_on(const struct sv_session *session);
/* Puts the session in the list of those that take turns, when a call of it can be carried out. */
void sv_session_make_ready(struct sv_session *session);
/* A read request's `run`: frees the exchange of a long line, and the request. */
void sv_line_request_free(struct sv_core *core, struct st_reader **reader, struct sv_read_request *request,
			  bool cancelled);

#endif
