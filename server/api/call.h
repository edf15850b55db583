/* Call: the one door of a core. Request lines, WebSockets, /query, logins and a client that embeds a core all ask by
 * calls; what they add is the framing.
 *
 * A call is checked against the method table, carried out, and completed exactly once: before the function returns or
 * later, always on the loop thread. It is not behind the calls of lines that wait (sv_session_waiting). When its
 * session ends it is cancelled if it has not begun; in any case it is still completed, by the close of the core at the
 * latest, so that the caller can free what it gave. */
#ifndef SV_CALL_H
#define SV_CALL_H

#include <stdbool.h>
#include <stddef.h>

#include "proto/base/error.h"
#include "proto/methods.h"
#include "proto/ref.h"

struct sv_session;

/* What a call came to; borrowed for the completion. */
struct sv_result {
	const char *json; /* the result object as text; NULL: the call failed */
	size_t size;
	const struct pd_fail *fail; /* why; NULL: it succeeded */
	bool unread;                /* it failed because the text of its parameters could not be read */
	bool ended;                 /* the session has ended: free your own, and touch nothing else */
};

/* Must not end the session. */
typedef void sv_completed(void *ctx, const struct sv_result *result);

/* `params` is an object, or NULL; borrowed until the completion. */
void sv_call(struct sv_session *session, enum pr_method method, pr_ref params, sv_completed *done, void *ctx);
/* The same with parameters as text, which is copied where need be; a long text is read by another thread. `member`:
 * the text is the value of that parameter, the only one; NULL: it is the whole object. */
void sv_call_text(struct sv_session *session, enum pr_method method, const char *member, const char *text, size_t size,
		  sv_completed *done, void *ctx);

#endif
