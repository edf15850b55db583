#include "server/api/access.h"

#include <stdlib.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "server/api/call_state.h"
#include "server/api/rate.h"
#include "server/api/request.h"
#include "server/api/session_state.h"
#include "server/api/watch.h"
#include "server/common/core_state.h"
#include "server/common/tokens.h"

#define SECOND_NS UINT64_C(1000000000)

static void set_role(struct sv_session *session, enum pr_role role, const struct sv_token *token)
{
	session->role = role;
	session->token = token;
	session->unhindered = role >= PR_ROLE_QUERY && !session->core->config.rate;
}

void sv_access_init(struct sv_session *session)
{
	set_role(session,
		 session->sink.owner            ? PR_ROLE_ADMIN
		 : session->core->config.public ? PR_ROLE_PUBLIC
		 : session->core->tokens        ? PR_ROLE_NONE
						: PR_ROLE_SUBMIT,
		 NULL);
	session->counted_ns = &session->rate_ns;
}

int sv_access_refuse(enum pr_method method, enum pr_role role, struct pd_fail *fail)
{
	const struct pr_method_info *info = pr_method_info(method);
	PD_ASSERT(info->role > role);
	if (role == PR_ROLE_PUBLIC)
		return pd_fail_set(fail, PD_E_FORBIDDEN, "method",
				   "%s needs the role %s, and this server only shows what is proved: everybody has the "
				   "role public",
				   info->name, pr_role_text(info->role));
	return pd_fail_set(fail, PD_E_FORBIDDEN, "method",
			   "%s needs the role %s, and this connection has the role %s; give server.hello a token of "
			   "that role, or use the server's Unix socket",
			   info->name, pr_role_text(info->role), pr_role_text(role));
}

/* Whether the handler itself decides if the call is allowed: server.shutdown with a token, or on a server without
 * tokens. */
static bool judges_itself(const struct sv_session *session, const struct sv_call *call)
{
	return call->method == PR_SHUTDOWN && session->role != PR_ROLE_PUBLIC &&
	       (!session->core->tokens || pr_has(call->params, "token"));
}

bool sv_access_may(const struct sv_call *call, struct pd_fail *fail)
{
	struct sv_session *session = call->session;
	PD_ASSERT(session); /* this is checked before the call is carried out */
	bool public = session->role == PR_ROLE_PUBLIC;
	if (!sv_rate_allows(session)) {
		pd_fail_set(fail, PD_E_LIMIT, "",
			    "a %s may make %u requests a second (limits.rate of server.hello, proofd --rate)",
			    public ? "client" : "connection", session->core->config.rate);
		return false;
	}
	if (public && pr_count(pr_get(call->params, "positions")) > SV_PUBLIC_POSITIONS) {
		pd_fail_set(fail, PD_E_LIMIT, "positions", "this server answers %d positions at a time",
			    (int)SV_PUBLIC_POSITIONS);
		return false;
	}
	if (session->role >= pr_method_info(call->method)->role || judges_itself(session, call))
		return true;
	sv_access_refuse(call->method, session->role, fail);
	return false;
}

const struct sv_token *sv_access_token(struct sv_request *r, const char *given)
{
	const struct sv_token *token = sv_tokens_find(r->core->tokens, given);
	if (token)
		return token;
	PD_ASSERT(!r->session->penalty.call); /* a session takes no call while an answer is delayed */
	r->core->sessions->wrong_tokens++;
	r->core->sessions->counts.wrong_tokens++;
	r->later = true;
	r->session->penalty = (struct sv_penalty){r->call, pd_now_ns() + SV_HOLD_MS * UINT64_C(1000000)};
	return NULL;
}

bool sv_access_login(struct sv_request *r, const char *given)
{
	if (r->session->sink.owner || !r->core->tokens)
		return true;
	const struct sv_token *token = sv_access_token(r, given);
	if (token)
		set_role(r->session, token->role, token);
	return token != NULL;
}

static void answer_wrong(struct sv_session *session)
{
	struct sv_call *call = session->penalty.call;
	struct pd_fail fail;
	PD_ASSERT(call);
	session->penalty = (struct sv_penalty){0};
	pd_fail_set(&fail, PD_E_PARAMS, "token", "that is not a token of this server (proofd --token-file)");
	sv_call_refuse(call, &fail);
}

void sv_access_fini(struct sv_session *session)
{
	if (session->penalty.call)
		answer_wrong(session);
}

void sv_access_tick(struct sv_core *core)
{
	struct sv_sessions *sessions = core->sessions;
	struct sv_session *session;
	uint64_t now = pd_now_ns();
	if (!core->tokens)
		return;
	TAILQ_FOREACH(session, &sessions->list, link)
		if (session->penalty.call && now >= session->penalty.due_ns)
			answer_wrong(session);
	if (!sessions->wrong_tokens || (sessions->told_ns && now - sessions->told_ns < SV_TOKEN_LOG_S * SECOND_NS))
		return;
	pd_log(PD_LOG_WARN, "%u wrong token%s since the last such line", sessions->wrong_tokens,
	       sessions->wrong_tokens == 1 ? "" : "s");
	sessions->wrong_tokens = 0;
	sessions->told_ns = now;
}

static const struct sv_token *find_again(const struct sv_tokens *tokens, const struct sv_token *old)
{
	for (unsigned i = 0; i < tokens->count; i++)
		if (tokens->item[i].size == old->size && !memcmp(tokens->item[i].text, old->text, old->size))
			return &tokens->item[i];
	return NULL;
}

bool sv_access_replace(struct sv_core *core, const struct sv_tokens *tokens)
{
	struct sv_tokens *fresh = malloc(sizeof *fresh), *old = core->tokens;
	struct sv_session *session;
	if (!fresh)
		return false;
	*fresh = *tokens;
	core->tokens = fresh;
	TAILQ_FOREACH(session, &core->sessions->list, link) {
		const struct sv_token *token = session->token ? find_again(fresh, session->token) : NULL;
		if (session->sink.owner)
			continue;
		set_role(session, token ? token->role : PR_ROLE_NONE, token);
		while (!token && !LIST_EMPTY(&session->watches))
			sv_watch_remove(session, LIST_FIRST(&session->watches)->job);
	}
	free(old);
	return true;
}
