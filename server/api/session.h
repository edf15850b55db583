/* Session: what the daemon and the clients see of one (core.h). Requests are calls (call.h) or lines of calls. */
#ifndef SV_SESSION_H
#define SV_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "server/api/sink.h"

struct sv_core;
struct sv_session;

/* NULL when memory runs out. */
struct sv_session *sv_session_new(struct sv_core *core, const struct sv_sink *sink);
/* Nothing is sent any more from the call on. What was begun for it goes on, but for queries that wait for a thread;
 * what was not begun is dropped. */
void sv_session_free(struct sv_session *session);
/* One request line, the newline not included. Its calls are carried out in their order: the first at once, the others
 * of a batch by sv_core_pump, which goes from session to session. A long line is read by another thread first. True
 * when it was so little work (a fast query, answered) that the clock need not be asked after each. */
bool sv_session_line(struct sv_session *session, const char *line, size_t size);
/* Whether it has a role: it need not show a token, or has shown one. */
bool sv_session_known(const struct sv_session *session);
/* Calls of this session that are not answered yet; the daemon stops reading above SV_INFLIGHT_MAX. */
unsigned sv_session_inflight(const struct sv_session *session);
/* The client leaves replies unread, or has read them: what its calls would take long for is not begun meanwhile. */
void sv_session_suspend(struct sv_session *session, bool suspended);
/* True while some of them are not even begun: the daemon takes no more lines of this client meanwhile. */
bool sv_session_waiting(const struct sv_session *session);
/* True when it waits for nothing: no calls, no watches. */
bool sv_session_idle(const struct sv_session *session);

#endif
