/* Session: lines in, replies out.
 *
 * A line that is a quick query is answered as one (quick.c). Any other becomes an exchange, a long one by a thread, for
 * reading it takes long. Its calls are carried out in order, and each is answered exactly once, at once or from
 * sv_core_pump (V1). The first call of a line is carried out when the line comes; what a batch holds besides waits in
 * the session's queue, and the sessions that have something there take turns, a call each, for a millisecond a turn of
 * the loop: so nobody waits for the end of somebody else's batch (V3). A session that closes leaves the calls that are
 * under way to be answered and thrown away.
 *
 * Where there is no memory to say anything at all, the session asks for the end of its connection. */
#ifndef SV_SESSION_H
#define SV_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "proto/base/buf.h"
#include "server/api/inflight.h"
#include "server/api/read_queue.h"
#include "server/api/sink.h"

struct sv_watch;

struct sv_session {
	struct sv_core *core;
	struct sv_sink sink;
	uint64_t number;  /* from 1 on, never used again */
	unsigned pending; /* calls not answered */
	unsigned begun;   /* those of them that are carried out */
	LIST_HEAD(, sv_inflight) inflights;
	STAILQ_HEAD(, sv_inflight) queue; /* those with calls that are not begun, in their order */
	bool ready;                       /* in the core's list of sessions that have something to carry out */
	TAILQ_ENTRY(sv_session) turn;
	uint64_t turns[SV_READ_QUEUES]; /* of its last errand at each desk; under the lock */
	LIST_HEAD(, sv_watch) watches;  /* watch.h */
	TAILQ_ENTRY(sv_session) link;
};

/* All sessions: the loop thread's, but for `connections`. */
struct sv_sessions {
	TAILQ_HEAD(, sv_session) list;
	TAILQ_HEAD(, sv_session) ready; /* have calls to be carried out; in turn */
	uint64_t count;                 /* since the start */
	unsigned watch_round;    /* sessions, from the first on, whose watches are still to be looked at since the
					   last tick */
	bool pumping;            /* sv_core_pump is under way, and wakes the loop itself when there is more */
	struct pd_buf fast_line; /* room for a reply of fast_query.c */
	unsigned connections;    /* under the lock */
};

void sv_sessions_init(struct sv_sessions *sessions);
void sv_sessions_fini(struct sv_sessions *sessions);
/* For the loop thread: answers, and sends the reply line when the exchange is done. */
void sv_reply(struct sv_core *core, struct sv_inflight *pending, struct pr_call *call, const struct pd_buf *json);
void sv_refuse(struct sv_core *core, struct sv_inflight *pending, struct pr_call *call, const struct pd_fail *fail);
/* A line that is no quick query, or could not be answered as one. */
void sv_session_general(struct sv_session *session, const char *line, size_t size);
/* Carries out what sessions have waiting, one call of each in turn, until `until_ns`. True when there is more. */
bool sv_sessions_go_on(struct sv_core *core, uint64_t until_ns);
/* PD_E_UNSUPPORTED or PD_E_PARAMS with field "token" when the client may not stop the server; `token` may be NULL. */
int sv_session_may_stop(const struct sv_session *session, const char *token, struct pd_fail *fail);
/* A long line is read. */
void sv_session_read(struct sv_core *core, struct sv_call_completion *completion);

#endif
