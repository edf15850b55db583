#include "server/api/session.h"

#include <stdlib.h>

#include "proto/base/assert.h"
#include "server/api/access.h"
#include "server/api/call_state.h"
#include "server/api/position_watch.h"
#include "server/api/request_lines.h"
#include "server/api/session_state.h"
#include "server/api/watch.h"
#include "server/common/core_parts.h"

struct sv_session *sv_session_new(struct sv_core *core, const struct sv_sink *sink)
{
	struct sv_session *session = calloc(1, sizeof *session);
	if (!session)
		return NULL;
	session->core = core;
	session->sink = *sink;
	session->client.number = ++sv_sessions(core)->count;
	sv_access_init(session);
	STAILQ_INIT(&session->queue);
	TAILQ_INSERT_TAIL(&sv_sessions(core)->list, session, link);
	sv_lock(core);
	sv_sessions(core)->connections++;
	sv_unlock(core);
	return session;
}

void sv_session_free(struct sv_session *session)
{
	struct sv_core *core = session->core;
	PD_ASSERT(sv_sessions(core)->connections);
	sv_position_watch_end(session);
	sv_calls_leave(session);
	sv_request_lines_leave(session);
	sv_access_fini(session);
	if (session->ready)
		TAILQ_REMOVE(&sv_sessions(core)->ready, session, turn);
	while (!LIST_EMPTY(&session->watches))
		sv_watch_remove(session, LIST_FIRST(&session->watches)->job);
	TAILQ_REMOVE(&sv_sessions(core)->list, session, link);
	sv_read_queues_forget(core, &session->client);
	sv_lock(core);
	sv_sessions(core)->connections--;
	sv_unlock(core);
	free(session);
}

bool sv_session_line(struct sv_session *session, const char *line, size_t size)
{
	return sv_request_line(session, line, size, true);
}

unsigned sv_session_inflight(const struct sv_session *session)
{
	return session->begun + session->waiting;
}

void sv_session_suspend(struct sv_session *session, bool suspended)
{
	sv_read_queues_suspend(session->core, &session->client, suspended);
}

bool sv_session_waiting(const struct sv_session *session)
{
	return sv_session_queues(session);
}

bool sv_session_known(const struct sv_session *session)
{
	return session->role != PR_ROLE_NONE;
}

bool sv_session_idle(const struct sv_session *session)
{
	return !sv_session_inflight(session) && LIST_EMPTY(&session->watches) && !session->position;
}
