/* Sink: the side of a session that the daemon and the clients see (core.h). */
#ifndef SV_SINK_H
#define SV_SINK_H

#include <stdbool.h>
#include <stddef.h>

struct sv_core;
struct sv_session;

/* Where a session's lines go. `send` takes a complete reply or notification with its newline (copied by the callee).
 * `backlog` says how many bytes wait unsent: notifications are held back while there are any (newest wins). `hang_up`:
 * there was no memory for a reply, so the connection must close (V1). None of them may close the session before it
 * returns. */
struct sv_sink {
	void *ctx;
	void (*send)(void *ctx, const char *line, size_t size);
	size_t (*backlog)(void *ctx);
	void (*hang_up)(void *ctx);
	bool owner; /* it comes by a way that only the owner of this process can go: it may stop the server */
};

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

enum { SV_INFLIGHT_MAX = 64 };

#endif
