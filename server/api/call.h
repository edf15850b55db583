/* Call: the one door of a core. Request lines, WebSockets, /query, logins and a client that embeds a core all ask by
 * calls; what they add is the framing.
 *
 * A call is checked against the method table, carried out, and completed exactly once: before the function returns or
 * later, always on the loop thread. It is not behind the calls of lines that wait (sv_session_waiting). When its
 * session ends it is cancelled if it has not begun; in any case it is still completed, by the close of the core at the
 * latest, so that the caller can free what it gave. */
#ifndef SV_CALL_H
#define SV_CALL_H

#include <stddef.h>

#include "proto/methods.h"
#include "proto/ref.h"
#include "server/api/result.h"

struct sv_session;

/* Parameters as JSON text; copied where need be. */
struct sv_text {
	const char *at;
	size_t size;
	const char *member; /* the text is the value of this parameter, the only one; static. NULL: all in an object */
};

/* `params` is an object, or NULL; borrowed until the completion. */
void sv_call(struct sv_session *session, enum pr_method method, pr_ref params, sv_completed *done, void *ctx);
/* The same with parameters as text; a long text is read by another thread. */
void sv_call_text(struct sv_session *session, enum pr_method method, const struct sv_text *params, sv_completed *done,
		  void *ctx);

#endif
