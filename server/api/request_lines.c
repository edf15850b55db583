#include "server/api/request_lines.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/rpc.h"
#include "server/api/access.h"
#include "server/api/dispatch.h"
#include "server/api/fast_query.h"
#include "server/api/session.h"
#include "server/api/watch.h"
#include "server/common/core_state.h"
#include "server/common/mutex.h"

enum {
	LINE_INLINE = 16 << 10, /* bytes; longer lines are read by a thread. A millisecond's work at most */
	LINE_SMALL = 256        /* bytes; a fast query of that size takes a microsecond or two */
};

/* --- sessions ----------------------------------------------------------------------------- */

struct sv_session *sv_session_new(struct sv_core *core, const struct sv_sink *sink)
{
	struct sv_session *session = calloc(1, sizeof *session);
	if (!session)
		return NULL;
	session->core = core;
	session->sink = *sink;
	session->client.number = ++core->sessions->count;
	sv_access_init(session);
	STAILQ_INIT(&session->queue);
	TAILQ_INSERT_TAIL(&core->sessions->list, session, link);
	sv_mutex_lock(&core->lock);
	core->sessions->connections++;
	sv_mutex_unlock(&core->lock);
	return session;
}

/* The calls of a closed session that are not begun are not carried out. */
static void drop_queue(struct sv_session *session)
{
	struct pd_fail fail;
	pd_fail_set(&fail, PD_E_SHUTDOWN, "", "the connection is closed");
	while (!STAILQ_EMPTY(&session->queue)) {
		struct sv_inflight *inflight = STAILQ_FIRST(&session->queue);
		STAILQ_REMOVE_HEAD(&session->queue, queue);
		inflight->session = NULL;
		if (!inflight->exchange) /* it is being read */
			continue;
		for (; inflight->unserved; inflight->next++) {
			struct pr_call *call = pr_exchange_call(inflight->exchange, inflight->next);
			if (!call)
				continue;
			inflight->unserved--;
			pr_call_error(call, &fail);
		}
		sv_inflight_settle(session->core, inflight);
	}
}

void sv_session_free(struct sv_session *session)
{
	struct sv_core *core = session->core;
	PD_ASSERT(core->sessions->connections);
	while (!LIST_EMPTY(&session->inflights)) {
		struct sv_inflight *inflight = LIST_FIRST(&session->inflights);
		LIST_REMOVE(inflight, link);
		inflight->session = NULL;
	}
	drop_queue(session);
	sv_access_fini(session);
	if (session->ready)
		TAILQ_REMOVE(&core->sessions->ready, session, turn);
	while (!LIST_EMPTY(&session->watches))
		sv_watch_remove(session, LIST_FIRST(&session->watches)->job);
	TAILQ_REMOVE(&core->sessions->list, session, link);
	sv_read_queues_forget(core, &session->client);
	sv_mutex_lock(&core->lock);
	core->sessions->connections--;
	sv_mutex_unlock(&core->lock);
	free(session);
}

unsigned sv_session_inflight(const struct sv_session *session)
{
	return session->open_calls;
}

bool sv_session_waiting(const struct sv_session *session)
{
	return !STAILQ_EMPTY(&session->queue) || session->penalty.call;
}

bool sv_session_known(const struct sv_session *session)
{
	return session->role != PR_ROLE_NONE;
}

bool sv_session_idle(const struct sv_session *session)
{
	return !session->open_calls && LIST_EMPTY(&session->watches);
}

/* --- calls in their order ----------------------------------------------------------------- */

/* Carries out the next call. Its exchange may be gone afterwards. */
static void go_on(struct sv_session *session)
{
	struct sv_inflight *inflight = STAILQ_FIRST(&session->queue);
	struct pr_call *call;
	PD_ASSERT(inflight && inflight->unserved && inflight->session == session);
	while (!(call = pr_exchange_call(inflight->exchange, inflight->next)))
		inflight->next++; /* answered when it was read */
	inflight->next++;
	if (!--inflight->unserved)
		STAILQ_REMOVE_HEAD(&session->queue, queue);
	session->begun++;
	sv_dispatch(session->core, inflight, call);
}

bool sv_sessions_go_on(struct sv_core *core, uint64_t until_ns)
{
	struct sv_session *session;
	bool late = false;
	while (!late && (session = TAILQ_FIRST(&core->sessions->ready)) != NULL) {
		TAILQ_REMOVE(&core->sessions->ready, session, turn);
		session->ready = false;
		if (sv_session_may_go_on(session))
			go_on(session);
		sv_session_make_ready(session);
		late = pd_now_ns() > until_ns;
	}
	return !TAILQ_EMPTY(&core->sessions->ready);
}

/* --- lines -------------------------------------------------------------------------------- */

/* Counts the calls of an exchange that are open. */
static void open_calls(struct sv_session *session, struct sv_inflight *inflight)
{
	unsigned count = pr_exchange_count(inflight->exchange);
	for (unsigned i = 0; i < count; i++)
		inflight->unserved += pr_exchange_call(inflight->exchange, i) != NULL;
	session->open_calls += inflight->unserved;
	session->core->sessions->counts.refused += count - inflight->unserved;
}

/* On a reader thread. */
static void read_line(struct sv_core *core, struct st_reader **reader, struct sv_read_request *base, bool cancelled)
{
	struct sv_line_request *request = (struct sv_line_request *)base;
	(void)core, (void)reader;
	if (cancelled) {
		pd_fail_set(&request->fail, PD_E_SHUTDOWN, "", "the server is stopping");
		return;
	}
	request->exchange = pr_exchange_new(request->inflight->line, request->inflight->size);
	if (!request->exchange)
		pd_fail_set(&request->fail, PD_E_NO_MEMORY, "", "no memory for the request");
}

/* Leaves a long line to a thread; false when that cannot be. */
static bool read_later(struct sv_session *session, struct sv_inflight *inflight, const char *line, size_t size)
{
	struct sv_line_request *request = calloc(1, sizeof *request);
	inflight->line = malloc(size);
	if (request && inflight->line) {
		memcpy(inflight->line, line, size);
		inflight->size = size;
		request->inflight = inflight;
		request->base.run = read_line;
		request->base.base.deliver = sv_line_read;
		if (!sv_read_request_send(session->core, SV_QUERIES, &session->client, &request->base, NULL)) {
			session->open_calls++;
			return true;
		}
	}
	free(request);
	free(inflight->line);
	inflight->line = NULL;
	return false;
}

void sv_session_general(struct sv_session *session, const char *line, size_t size)
{
	bool first = !sv_session_waiting(session);
	struct sv_inflight *inflight = calloc(1, sizeof *inflight);
	if (inflight)
		inflight->session = session;
	bool later = inflight && size > LINE_INLINE && read_later(session, inflight, line, size);
	if (inflight && !later)
		inflight->exchange = pr_exchange_new(line, size);
	if (!inflight || (!later && !inflight->exchange)) {
		struct pd_fail fail;
		free(inflight);
		pd_fail_set(&fail, PD_E_NO_MEMORY, "", "no memory for the request");
		sv_session_refuse(session, &fail);
		return;
	}
	LIST_INSERT_HEAD(&session->inflights, inflight, link);
	if (!later)
		open_calls(session, inflight);
	if (!later && !inflight->unserved) {
		sv_inflight_settle(session->core, inflight);
		return;
	}
	STAILQ_INSERT_TAIL(&session->queue, inflight, queue);
	if (!later && first)
		go_on(session);
	sv_session_make_ready(session);
}

void sv_line_read(struct sv_core *core, struct sv_completion *completion)
{
	struct sv_line_request *request = (struct sv_line_request *)completion;
	struct sv_inflight *inflight = request->inflight;
	struct sv_session *session = inflight->session;
	free(inflight->line);
	inflight->line = NULL;
	inflight->exchange = request->exchange;
	inflight->reading = &request->base;
	if (session && inflight->exchange) {
		session->open_calls--;
		open_calls(session, inflight);
		if (!inflight->unserved) {
			STAILQ_REMOVE(&session->queue, inflight, sv_inflight, queue);
			sv_inflight_settle(core, inflight);
		}
		sv_session_make_ready(session);
		return;
	}
	if (session) {
		session->open_calls--;
		STAILQ_REMOVE(&session->queue, inflight, sv_inflight, queue);
		LIST_REMOVE(inflight, link);
		sv_session_refuse(session, &request->fail);
		sv_session_make_ready(session);
	}
	sv_inflight_drop(core, inflight);
}

bool sv_session_line(struct sv_session *session, const char *line, size_t size)
{
	if (session->unhindered && !sv_session_waiting(session) &&
	    sv_fast_query(session, line, size, sv_session_general))
		return size < LINE_SMALL;
	sv_session_general(session, line, size);
	return false;
}
