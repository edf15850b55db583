/* Session: what the daemon and the client programs see of a session (core.h). Requests are calls (call.h) or lines of
 * calls. */
#pragma once

#include "server/api/sink.h"

struct sv_core;
struct sv_session;

/* NULL when memory runs out. One sink prints notifications for every framing, at most one per interval and job, so
 * clients in the same process parse them again. */
struct sv_session *sv_session_new(struct sv_core *core, const struct sv_sink *sink);
/* Nothing more is sent. Calls that have begun continue, except queries that wait for a thread; the others are
 * dropped. */
void sv_session_free(struct sv_session *session);
/* One request line without its newline. Its calls are carried out in order: the first at once, the others of a batch by
 * sv_core_pump, which goes from session to session. A long line is parsed by another thread first. True if it was so
 * little work (an answered fast query) that the caller need not read the clock afterwards. */
bool sv_session_line(struct sv_session *session, const char *line, size_t size);
/* Whether it has a role: it needs no token, or has shown one. */
bool sv_session_known(const struct sv_session *session);
/* Calls of this session that are not answered yet. */
unsigned sv_session_inflight(const struct sv_session *session);
/* The client leaves replies unread, or has read them. While it leaves them unread, none of its long calls is begun. */
void sv_session_suspend(struct sv_session *session, bool suspended);
/* True while some calls of its lines have not begun; meanwhile the daemon takes no more lines of this client. */
bool sv_session_waiting(const struct sv_session *session);
/* True when it waits for nothing: no calls, no watches. */
bool sv_session_idle(const struct sv_session *session);
