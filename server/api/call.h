/* Call: the only way into a core. Request lines, WebSockets, /query, logins and a client that embeds a core all make
 * calls; each adds its own framing.
 *
 * A call is checked against the method table, carried out, and completed exactly once: before the function returns or
 * later, always on the loop thread. It is not queued behind the waiting calls of lines (sv_session_waiting). After its
 * session has ended it is still completed, at the latest when the core closes, so that the caller can free what it
 * passed. */
#pragma once

#include "proto/methods.h"
#include "proto/ref.h"
#include "server/api/result.h"

struct sv_session;

/* Parameters as JSON text; copied if necessary. */
struct sv_text {
	const char *at;
	size_t size;
	const char *member; /* the text is the value of this parameter alone; static. NULL: an object of all of them */
};

/* `params` is an object, or NULL; borrowed until the completion. */
void sv_call(struct sv_session *session, enum pr_method method, pr_ref params, sv_completed *done, void *ctx);
/* The same with parameters as text; a long text is read by another thread. */
void sv_call_text(struct sv_session *session, enum pr_method method, const struct sv_text *params, sv_completed *done,
		  void *ctx);
