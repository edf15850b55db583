/* Session: lines in, replies out.
 *
 * A line that is a quick query is answered as one (quick.c). Any other becomes an exchange; its calls are carried out in order, and each is
 * answered exactly once, at once or from sv_core_pump (V1). A session that closes leaves its exchanges to be answered and thrown away. */
#include "server/core/internal.h"

#include <assert.h>
#include <stdlib.h>

struct sv_session *sv_session_new(struct sv_core *core, const struct sv_sink *sink)
{
	struct sv_session *session = calloc(1, sizeof *session);
	if (!session)
		return NULL;
	session->core = core;
	session->sink = *sink;
	LIST_INSERT_HEAD(&core->sessions, session, link);
	pthread_mutex_lock(&core->lock);
	core->connections++;
	pthread_mutex_unlock(&core->lock);
	return session;
}

void sv_session_free(struct sv_session *session)
{
	struct sv_core *core = session->core;
	while (!LIST_EMPTY(&session->pendings)) {
		struct sv_pending *pending = LIST_FIRST(&session->pendings);
		LIST_REMOVE(pending, link);
		pending->session = NULL;
	}
	while (!LIST_EMPTY(&session->watches))
		sv_watch_remove(session, LIST_FIRST(&session->watches)->job);
	LIST_REMOVE(session, link);
	pthread_mutex_lock(&core->lock);
	core->connections--;
	pthread_mutex_unlock(&core->lock);
	free(session);
}

unsigned sv_session_pending(const struct sv_session *session)
{
	return session->pending;
}

/* Sends the reply line when all calls are answered, and forgets the exchange. */
static void settle(struct sv_pending *pending)
{
	struct sv_session *session = pending->session;
	if (!pr_exchange_done(pending->exchange))
		return;
	if (session) {
		struct pd_buf line;
		pd_buf_init(&line, PR_REPLY_MAX + 4096);
		pr_exchange_reply(pending->exchange, &line);
		if (line.size && !line.failed)
			session->sink.send(session->sink.ctx, line.data, line.size);
		pd_buf_fini(&line);
		LIST_REMOVE(pending, link);
	}
	pr_exchange_free(pending->exchange);
	free(pending);
}

static void answered(struct sv_pending *pending)
{
	if (pending->session)
		pending->session->pending--;
	settle(pending);
}

void sv_reply(struct sv_core *core, struct sv_pending *pending, struct pr_call *call, const struct pd_buf *json)
{
	(void)core;
	if (json->failed) {
		struct pd_fail fail;
		pd_fail_set(&fail, PD_E_LIMIT, "", "the reply would be too long; ask for less");
		pr_call_error(call, &fail);
	} else {
		pr_call_result(call, json->data, json->size);
	}
	answered(pending);
}

void sv_refuse(struct sv_core *core, struct sv_pending *pending, struct pr_call *call, const struct pd_fail *fail)
{
	(void)core;
	pr_call_error(call, fail);
	answered(pending);
}

void sv_session_line(struct sv_session *session, const char *line, size_t size)
{
	if (!sv_quick(session, line, size))
		sv_session_general(session, line, size);
}

void sv_session_general(struct sv_session *session, const char *line, size_t size)
{
	struct sv_pending *pending = calloc(1, sizeof *pending);
	struct pr_exchange *exchange = pending ? pr_exchange_new(line, size) : NULL;
	if (!exchange) {
		struct pd_fail fail;
		struct pd_buf refusal;
		free(pending);
		pd_fail_set(&fail, PD_E_NO_MEMORY, "", "no memory for the request");
		pd_buf_init(&refusal, 4096);
		pr_refusal(&refusal, &fail);
		if (!refusal.failed)
			session->sink.send(session->sink.ctx, refusal.data, refusal.size);
		pd_buf_fini(&refusal);
		return;
	}
	pending->exchange = exchange;
	pending->session = session;
	LIST_INSERT_HEAD(&session->pendings, pending, link);
	unsigned count = pr_exchange_count(exchange), open = 0;
	for (unsigned i = 0; i < count; i++)
		open += pr_exchange_call(exchange, i) != NULL;
	session->pending += open;
	if (!open)
		settle(pending);
	/* The exchange lives until its last call is answered, which may be in the middle of this loop's last turn. */
	for (unsigned i = 0; i < count && open; i++) {
		struct pr_call *call = pr_exchange_call(exchange, i);
		if (!call)
			continue;
		open--;
		sv_serve(session->core, session, pending, call);
	}
}
