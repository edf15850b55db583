#include "server/api/session.h"

#include <stdlib.h>

#include "proto/base/assert.h"
#include "proto/rpc.h"
#include "server/common/core_state.h"
#include "server/common/mutex.h"

struct sv_read_client *sv_session_client(struct sv_session *session)
{
	return session ? &session->client : NULL;
}

void sv_session_suspend(struct sv_session *session, bool suspended)
{
	sv_read_queues_suspend(session->core, &session->client, suspended);
}

/* --- out ---------------------------------------------------------------------------------- */

void sv_session_send(struct sv_session *session, const struct pd_buf *line)
{
	if (line->failed)
		session->sink.hang_up(session->sink.ctx);
	else if (line->size)
		session->sink.send(session->sink.ctx, line->data, line->size);
}

void sv_session_refuse(struct sv_session *session, const struct pd_fail *fail)
{
	struct pd_buf refusal;
	session->core->sessions->counts.refused++;
	pd_buf_init(&refusal, 4096);
	pr_refusal(&refusal, fail);
	sv_session_send(session, &refusal);
	pd_buf_fini(&refusal);
}

/* Frees the exchange: a long line's on a reader thread, for it takes long, too. */
static void free_exchange(struct sv_core *core, struct sv_inflight *inflight)
{
	struct sv_line_request *reading = (struct sv_line_request *)inflight->reading;
	if (reading && inflight->exchange) {
		reading->exchange = inflight->exchange;
		reading->base.base.deliver = NULL;
		reading->base.run = sv_line_request_free;
		if (sv_read_request_send_last(core, &reading->base))
			return;
	}
	pr_exchange_free(inflight->exchange);
	free(reading);
}

void sv_line_request_free(struct sv_core *core, struct st_reader **reader, struct sv_read_request *request,
			  bool cancelled)
{
	struct sv_line_request *reading = (struct sv_line_request *)request;
	(void)core, (void)reader, (void)cancelled;
	pr_exchange_free(reading->exchange);
	free(reading);
}

void sv_inflight_settle(struct sv_core *core, struct sv_inflight *inflight)
{
	struct sv_session *session = inflight->session;
	PD_ASSERT(inflight->exchange);
	if (!pr_exchange_done(inflight->exchange))
		return;
	if (session) {
		struct pd_buf line;
		pd_buf_init(&line, PR_REPLY_MAX + 4096);
		pr_exchange_reply(inflight->exchange, &line);
		sv_session_send(session, &line);
		pd_buf_fini(&line);
		LIST_REMOVE(inflight, link);
	}
	free_exchange(core, inflight);
	free(inflight);
}

void sv_inflight_drop(struct sv_core *core, struct sv_inflight *inflight)
{
	free_exchange(core, inflight);
	free(inflight);
}

/* --- turns -------------------------------------------------------------------------------- */

bool sv_session_may_go_on(const struct sv_session *session)
{
	const struct sv_inflight *first = STAILQ_FIRST(&session->queue);
	return first && first->exchange && session->begun < SV_INFLIGHT_MAX && !session->penalty.call;
}

void sv_session_make_ready(struct sv_session *session)
{
	struct sv_core *core = session->core;
	if (session->ready || !sv_session_may_go_on(session))
		return;
	PD_ASSERT(!STAILQ_EMPTY(&session->queue));
	session->ready = true;
	TAILQ_INSERT_TAIL(&core->sessions->ready, session, turn);
	if (core->wake && !core->sessions->pumping)
		core->wake(core->wake_ctx);
}

/* --- answers ------------------------------------------------------------------------------ */

static void answered(struct sv_core *core, struct sv_inflight *inflight)
{
	struct sv_session *session = inflight->session;
	if (session) {
		PD_ASSERT(session->open_calls && session->begun);
		session->open_calls--;
		session->begun--;
	}
	sv_inflight_settle(core, inflight);
	if (session)
		sv_session_make_ready(session);
}

void sv_reply(struct sv_core *core, struct sv_inflight *inflight, struct pr_call *call, const struct pd_buf *json)
{
	PD_ASSERT(call->exchange == inflight->exchange);
	core->sessions->counts.answered[call->method][sv_result_row(json->failed ? PD_E_LIMIT : PD_OK)]++;
	if (json->failed) {
		struct pd_fail fail;
		pd_fail_set(&fail, PD_E_LIMIT, "", "the reply would be too long; ask for less");
		pr_call_error(call, &fail);
	} else {
		pr_call_result(call, json->data, json->size);
	}
	answered(core, inflight);
}

void sv_refuse(struct sv_core *core, struct sv_inflight *inflight, struct pr_call *call, const struct pd_fail *fail)
{
	core->sessions->counts.answered[call->method][sv_result_row(fail->code)]++;
	pr_call_error(call, fail);
	answered(core, inflight);
}

/* --- all sessions ------------------------------------------------------------------------- */

void sv_sessions_init(struct sv_sessions *sessions)
{
	*sessions = (struct sv_sessions){0};
	TAILQ_INIT(&sessions->list);
	TAILQ_INIT(&sessions->ready);
}

void sv_sessions_fini(struct sv_sessions *sessions)
{
	pd_buf_fini(&sessions->fast_line);
}
