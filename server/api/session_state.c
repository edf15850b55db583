#include "server/api/session_state.h"

#include "proto/rpc.h"
#include "server/common/core_parts.h"

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
	sv_sessions(session->core)->counts.refused++;
	pd_buf_init(&refusal, 4096);
	pr_refusal(&refusal, fail);
	sv_session_send(session, &refusal);
	pd_buf_fini(&refusal);
}

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
	session->ready = true;
	TAILQ_INSERT_TAIL(&sv_sessions(core)->ready, session, turn);
	if (!sv_sessions(core)->pumping)
		sv_wake(core);
}

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
