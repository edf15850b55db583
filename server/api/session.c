#include "server/api/session.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/rpc.h"
#include "server/api/fast_query.h"
#include "server/api/service.h"
#include "server/api/watch.h"
#include "server/common/core_state.h"
#include "server/common/mutex.h"

enum {
	LINE_INLINE = 16 << 10, /* longer lines are read by a thread; a millisecond's work at the most */
	LINE_SMALL = 256        /* a quick query of so few bytes takes a microsecond or two */
};

struct sv_session *sv_session_new(struct sv_core *core, const struct sv_sink *sink)
{
	struct sv_session *session = calloc(1, sizeof *session);
	if (!session)
		return NULL;
	session->core = core;
	session->sink = *sink;
	session->number = ++core->sessions->count;
	STAILQ_INIT(&session->queue);
	TAILQ_INSERT_TAIL(&core->sessions->list, session, link);
	sv_mutex_lock(&core->lock);
	core->sessions->connections++;
	sv_mutex_unlock(&core->lock);
	return session;
}

/* Sends the reply line when all calls are answered, and forgets the exchange. */
static void settle(struct sv_core *core, struct sv_inflight *pending)
{
	struct sv_session *session = pending->session;
	if (!pr_exchange_done(pending->exchange))
		return;
	if (session) {
		struct pd_buf line;
		pd_buf_init(&line, PR_REPLY_MAX + 4096);
		pr_exchange_reply(pending->exchange, &line);
		if (line.failed)
			session->sink.hang_up(session->sink.ctx);
		else if (line.size)
			session->sink.send(session->sink.ctx, line.data, line.size);
		pd_buf_fini(&line);
		LIST_REMOVE(pending, link);
	}
	sv_read_request_free_exchange(core, pending->reading, pending->exchange);
	free(pending);
}

/* The calls of a closed session that are not begun are not carried out. */
static void drop_queue(struct sv_session *session)
{
	struct pd_fail fail;
	pd_fail_set(&fail, PD_E_SHUTDOWN, "", "the connection is closed");
	while (!STAILQ_EMPTY(&session->queue)) {
		struct sv_inflight *pending = STAILQ_FIRST(&session->queue);
		STAILQ_REMOVE_HEAD(&session->queue, queue);
		pending->session = NULL;
		if (!pending->exchange) /* it is being read */
			continue;
		for (; pending->unserved; pending->next++) {
			struct pr_call *call = pr_exchange_call(pending->exchange, pending->next);
			if (!call)
				continue;
			pending->unserved--;
			pr_call_error(call, &fail);
		}
		settle(session->core, pending);
	}
}

void sv_session_free(struct sv_session *session)
{
	struct sv_core *core = session->core;
	while (!LIST_EMPTY(&session->inflights)) {
		struct sv_inflight *pending = LIST_FIRST(&session->inflights);
		LIST_REMOVE(pending, link);
		pending->session = NULL;
	}
	drop_queue(session);
	if (session->ready)
		TAILQ_REMOVE(&core->sessions->ready, session, turn);
	while (!LIST_EMPTY(&session->watches))
		sv_watch_remove(session, LIST_FIRST(&session->watches)->job);
	TAILQ_REMOVE(&core->sessions->list, session, link);
	sv_read_queues_forget(core, session);
	sv_mutex_lock(&core->lock);
	core->sessions->connections--;
	sv_mutex_unlock(&core->lock);
	free(session);
}

unsigned sv_session_inflight(const struct sv_session *session)
{
	return session->pending;
}

bool sv_session_waiting(const struct sv_session *session)
{
	return !STAILQ_EMPTY(&session->queue);
}

bool sv_session_idle(const struct sv_session *session)
{
	return !session->pending && LIST_EMPTY(&session->watches);
}

/* --- who may stop the server -------------------------------------------------------------- */

/* In a time that does not tell where they differ. */
static bool is_token(const char *token, const char *given)
{
	size_t size = strlen(token), count = strlen(given);
	unsigned char differ = size != count;
	for (size_t i = 0; i < count; i++)
		differ |= (unsigned char)(given[i] ^ token[i % size]);
	return !differ;
}

/* TCP is open to every program of every user of this machine; the Unix socket only to the owner of this process. */
int sv_session_may_stop(const struct sv_session *session, const char *token, struct pd_fail *fail)
{
	const char *known = session->core->token;
	if (token && known && !is_token(known, token))
		return pd_fail_set(fail, PD_E_PARAMS, "token",
				   "that is not the token of this server (proofd --token-file)");
	if (!session->sink.owner && !(token && known))
		return pd_fail_set(fail, PD_E_UNSUPPORTED, "token",
				   "over TCP this takes the token of proofd --token-file; or use the server's Unix "
				   "socket, or SIGTERM");
	return PD_OK;
}

/* --- calls in their order ----------------------------------------------------------------- */

/* True when a call of the session can be carried out now. */
static bool may_go_on(const struct sv_session *session)
{
	const struct sv_inflight *first = STAILQ_FIRST(&session->queue);
	return first && first->exchange && session->begun < SV_INFLIGHT_MAX;
}

/* Lines the session up for its turn. */
static void make_ready(struct sv_session *session)
{
	struct sv_core *core = session->core;
	if (session->ready || !may_go_on(session))
		return;
	session->ready = true;
	TAILQ_INSERT_TAIL(&core->sessions->ready, session, turn);
	if (core->wake && !core->sessions->pumping)
		core->wake(core->wake_ctx);
}

/* Carries out the next call. Its exchange may be gone afterwards. */
static void go_on(struct sv_session *session)
{
	struct sv_inflight *pending = STAILQ_FIRST(&session->queue);
	struct pr_call *call;
	while (!(call = pr_exchange_call(pending->exchange, pending->next)))
		pending->next++; /* answered when it was read */
	pending->next++;
	if (!--pending->unserved)
		STAILQ_REMOVE_HEAD(&session->queue, queue);
	session->begun++;
	sv_serve(session->core, session, pending, call);
}

bool sv_sessions_go_on(struct sv_core *core, uint64_t until_ns)
{
	struct sv_session *session;
	bool late = false;
	while (!late && (session = TAILQ_FIRST(&core->sessions->ready)) != NULL) {
		TAILQ_REMOVE(&core->sessions->ready, session, turn);
		session->ready = false;
		if (may_go_on(session))
			go_on(session);
		make_ready(session);
		late = pd_now_ns() > until_ns;
	}
	return !TAILQ_EMPTY(&core->sessions->ready);
}

static void answered(struct sv_core *core, struct sv_inflight *pending)
{
	struct sv_session *session = pending->session;
	if (session) {
		session->pending--;
		session->begun--;
	}
	settle(core, pending);
	if (session)
		make_ready(session);
}

void sv_reply(struct sv_core *core, struct sv_inflight *pending, struct pr_call *call, const struct pd_buf *json)
{
	if (json->failed) {
		struct pd_fail fail;
		pd_fail_set(&fail, PD_E_LIMIT, "", "the reply would be too long; ask for less");
		pr_call_error(call, &fail);
	} else {
		pr_call_result(call, json->data, json->size);
	}
	answered(core, pending);
}

void sv_refuse(struct sv_core *core, struct sv_inflight *pending, struct pr_call *call, const struct pd_fail *fail)
{
	pr_call_error(call, fail);
	answered(core, pending);
}

/* --- lines -------------------------------------------------------------------------------- */

bool sv_session_line(struct sv_session *session, const char *line, size_t size)
{
	if (!sv_session_waiting(session) && sv_fast_query(session, line, size))
		return size < LINE_SMALL;
	sv_session_general(session, line, size);
	return false;
}

/* For a line that never became an exchange. */
static void refuse_line(struct sv_session *session, const struct pd_fail *fail)
{
	struct pd_buf refusal;
	pd_buf_init(&refusal, 4096);
	pr_refusal(&refusal, fail);
	if (refusal.failed)
		session->sink.hang_up(session->sink.ctx);
	else
		session->sink.send(session->sink.ctx, refusal.data, refusal.size);
	pd_buf_fini(&refusal);
}

/* Leaves a long line to a thread; false when that cannot be. */
static bool read_later(struct sv_session *session, struct sv_inflight *pending, const char *line, size_t size)
{
	pending->line = malloc(size);
	if (!pending->line)
		return false;
	memcpy(pending->line, line, size);
	pending->size = size;
	if (!sv_read_request_send(session->core, SV_QUERIES, SV_COMPLETION_READ, pending, NULL, NULL)) {
		session->pending++;
		return true;
	}
	free(pending->line);
	pending->line = NULL;
	return false;
}

/* Counts the calls of an exchange that are open. */
static void open_calls(struct sv_session *session, struct sv_inflight *pending)
{
	unsigned count = pr_exchange_count(pending->exchange);
	for (unsigned i = 0; i < count; i++)
		pending->unserved += pr_exchange_call(pending->exchange, i) != NULL;
	session->pending += pending->unserved;
}

void sv_session_general(struct sv_session *session, const char *line, size_t size)
{
	bool first = !sv_session_waiting(session);
	struct sv_inflight *pending = calloc(1, sizeof *pending);
	if (pending)
		pending->session = session;
	bool later = pending && size > LINE_INLINE && read_later(session, pending, line, size);
	if (pending && !later)
		pending->exchange = pr_exchange_new(line, size);
	if (!pending || (!later && !pending->exchange)) {
		struct pd_fail fail;
		free(pending);
		pd_fail_set(&fail, PD_E_NO_MEMORY, "", "no memory for the request");
		refuse_line(session, &fail);
		return;
	}
	LIST_INSERT_HEAD(&session->inflights, pending, link);
	if (!later)
		open_calls(session, pending);
	if (!later && !pending->unserved) {
		settle(session->core, pending);
		return;
	}
	STAILQ_INSERT_TAIL(&session->queue, pending, queue);
	if (!later && first)
		go_on(session);
	make_ready(session);
}

void sv_session_read(struct sv_core *core, struct sv_call_completion *completion)
{
	struct sv_inflight *pending = completion->pending;
	struct sv_session *session = pending->session;
	free(pending->line);
	pending->line = NULL;
	pending->exchange = completion->exchange;
	pending->reading = completion->read_request;
	if (session && pending->exchange) {
		session->pending--;
		open_calls(session, pending);
		if (!pending->unserved) {
			STAILQ_REMOVE(&session->queue, pending, sv_inflight, queue);
			settle(core, pending);
		}
		make_ready(session);
		return;
	}
	if (session) {
		session->pending--;
		STAILQ_REMOVE(&session->queue, pending, sv_inflight, queue);
		LIST_REMOVE(pending, link);
		if (completion->fail.code == PD_E_NO_MEMORY)
			pd_fail_set(&completion->fail, PD_E_NO_MEMORY, "", "no memory for the request");
		refuse_line(session, &completion->fail);
		make_ready(session);
	}
	sv_read_request_free_exchange(core, pending->reading, pending->exchange);
	free(pending);
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
