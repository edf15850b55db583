/* Access: what a session may do, and how fast.
 *
 * A session's role (proto/methods.h) is admin when it comes by the owner's way (sv_sink). Else it is submit when the
 * core has no tokens, and none until a token was given when it has. A call above the session's role is refused with
 * PD_E_FORBIDDEN, one beyond the rate with PD_E_LIMIT. The answer to a wrong token waits SV_HOLD_MS, and the session
 * takes nothing else meanwhile. All of this belongs to the loop thread. */
#pragma once

#include "proto/methods.h"

struct pd_fail;
struct sv_call;
struct sv_core;
struct sv_request;
struct sv_session;
struct sv_token;
struct sv_tokens;

enum {
	SV_HOLD_MS = 200,   /* for which the answer to a wrong token waits, and up to a tick more */
	SV_TOKEN_LOG_S = 60 /* between two lines of the log about wrong tokens */
};

void sv_access_init(struct sv_session *session);
/* Its lines are forgotten (sv_session_free). */
void sv_access_fini(struct sv_session *session);

/* Whether a call may be carried out. */
bool sv_access_may(const struct sv_call *call, struct pd_fail *fail);
/* The error for a call of a method above the role. */
int sv_access_refuse(enum pr_method method, enum pr_role role, struct pd_fail *fail);
/* The token that was given with a call; NULL for a wrong one, and the call is answered later. The core has tokens. */
const struct sv_token *sv_access_token(struct sv_request *r, const char *given);
/* Gives the session the role of a token, where it needs one; false for a wrong one, as above. */
bool sv_access_login(struct sv_request *r, const char *given);

/* sv_core_tokens. */
bool sv_access_replace(struct sv_core *core, const struct sv_tokens *tokens);
/* Sends the answers that have waited, and tells the log of wrong tokens. */
void sv_access_tick(struct sv_core *core);
