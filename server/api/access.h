/* Access: what a session may do, and how fast.
 *
 * A session's role (proto/methods.h) is admin when its sink is the owner's (sv_sink). Otherwise it is public if the
 * core is, and submit if the core has no tokens. If the core has tokens, the session has no role until the client gives
 * one. A call above the session's role is refused with PD_E_FORBIDDEN; one beyond the rate, or of the role public for
 * more than SV_PUBLIC_POSITIONS, with PD_E_LIMIT. The answer to a wrong token is delayed by SV_HOLD_MS; meanwhile the
 * session takes nothing else. All of this belongs to the loop thread. */
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
	SV_HOLD_MS = 200,         /* delay of the answer to a wrong token; up to a tick longer */
	SV_TOKEN_LOG_S = 60,      /* between two log lines about wrong tokens */
	SV_PUBLIC_POSITIONS = 100 /* of one call */
};

void sv_access_init(struct sv_session *session);
/* The session's lines must have been dropped (sv_session_free). */
void sv_access_fini(struct sv_session *session);

/* Whether a call may be carried out. */
bool sv_access_may(const struct sv_call *call, struct pd_fail *fail);
/* The error for a call of a method above the role. */
int sv_access_refuse(enum pr_method method, enum pr_role role, struct pd_fail *fail);
/* The token given with a call; NULL if it is wrong: the call is then answered later. The core must have tokens. */
const struct sv_token *sv_access_token(struct sv_request *r, const char *given);
/* Gives the session the role of a token, if it needs one; false if the token is wrong, as above. */
bool sv_access_login(struct sv_request *r, const char *given);

/* sv_core_tokens. */
bool sv_access_replace(struct sv_core *core, const struct sv_tokens *tokens);
/* Sends the delayed answers that are due, and logs wrong tokens. */
void sv_access_tick(struct sv_core *core);
