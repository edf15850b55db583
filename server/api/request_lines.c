#include "server/api/request_lines.h"

#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/rpc.h"
#include "server/api/call_state.h"
#include "server/api/dispatch.h"
#include "server/api/session_state.h"
#include "server/common/core_parts.h"
#include "store/store.h"
#include "server/api/lookup.h"
#include "server/api/query.h"
#include "server/common/open_games.h"

enum {
	LINE_INLINE = 16 << 10,   /* bytes: at most a millisecond's work; a reader thread parses longer lines */
	LINE_SMALL = 256,         /* bytes; a fast query of that size takes a microsecond or two */
	FAST_REPLY_MAX = 8 << 20, /* bytes; well below the limit of other replies */
	FAST_KEEP = 1 << 16       /* bytes of the reply buffer that are kept between replies */
};

/* A line that a reader thread has: a long one, or a fast query of many positions. */
struct sv_line_request {
	struct sv_read_request base;
	struct sv_inflight *inflight;
	char *line; /* owned, until it is read */
	size_t size;
	struct pr_exchange *exchange; /* made from a long line; NULL: none */
	struct pd_buf reply;          /* to a fast query: the whole line */
	struct pd_fail fail;          /* code 0: success */
};

static void free_request(struct sv_line_request *request)
{
	if (request) {
		pd_buf_fini(&request->reply);
		pr_exchange_free(request->exchange);
		free(request->line);
		free(request);
	}
}

/* On a reader thread. */
static void run_free(struct sv_core *core, struct st_reader **reader, struct sv_read_request *request, bool cancelled)
{
	(void)core, (void)reader, (void)cancelled;
	free_request((struct sv_line_request *)request);
}

/* Frees it with its exchange; that of a long line on a reader thread, because it takes long. */
static void free_inflight(struct sv_core *core, struct sv_inflight *inflight)
{
	struct sv_line_request *reading = inflight->reading;
	if (reading) {
		reading->exchange = inflight->exchange;
		sv_read_request_free(core, &reading->base, run_free);
	} else {
		pr_exchange_free(inflight->exchange);
	}
	free(inflight);
}

/* Sends the reply line and frees the exchange, when all its calls are completed. */
static void settle_inflight(struct sv_core *core, struct sv_inflight *inflight)
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
	free_inflight(core, inflight);
}

/* A call and its line, until it is completed. */
struct line_call {
	struct sv_core *core;
	struct sv_inflight *inflight;
	struct pr_call *call;
};

static void complete_call(void *ctx, const struct sv_result *result)
{
	struct line_call line = *(struct line_call *)ctx;
	free(ctx);
	if (result->fail)
		pr_call_error(line.call, result->fail);
	else
		pr_call_result(line.call, result->json, result->size);
	settle_inflight(line.core, line.inflight);
}

/* Carries out the next call. Its exchange may be gone afterwards. */
static void begin_next(struct sv_session *session)
{
	struct sv_inflight *inflight = STAILQ_FIRST(&session->queue);
	struct pr_call *call;
	PD_ASSERT(inflight && inflight->unserved && inflight->session == session);
	while (!(call = pr_exchange_call(inflight->exchange, inflight->next)))
		inflight->next++; /* answered when it was read */
	inflight->next++;
	session->waiting--;
	if (!--inflight->unserved)
		STAILQ_REMOVE_HEAD(&session->queue, queue);
	struct line_call *line = malloc(sizeof *line);
	struct sv_call *begun = line ? sv_call_begin(session, call->method, complete_call, line) : NULL;
	if (begun) {
		*line = (struct line_call){session->core, inflight, call};
		begun->params = call->params;
		sv_dispatch(begun); /* the exchange has checked the parameters */
	} else {
		struct pd_fail fail;
		free(line);
		pd_fail_set(&fail, PD_E_NO_MEMORY, "", "no memory for the request");
		pr_call_error(call, &fail);
		settle_inflight(session->core, inflight);
	}
}

bool sv_request_lines_go_on(struct sv_core *core, uint64_t until_ns)
{
	struct sv_session *session;
	bool late = false;
	while (!late && (session = TAILQ_FIRST(&sv_sessions(core)->ready)) != NULL) {
		TAILQ_REMOVE(&sv_sessions(core)->ready, session, turn);
		session->ready = false;
		if (sv_session_may_go_on(session))
			begin_next(session);
		sv_session_make_ready(session);
		late = pd_now_ns() > until_ns;
	}
	return !TAILQ_EMPTY(&sv_sessions(core)->ready);
}

/* Drops the calls of an ended session that are not begun. */
static void drop_queue(struct sv_session *session)
{
	struct pd_fail fail;
	pd_fail_set(&fail, PD_E_SHUTDOWN, "", "the connection is closed");
	while (!STAILQ_EMPTY(&session->queue)) {
		struct sv_inflight *inflight = STAILQ_FIRST(&session->queue);
		STAILQ_REMOVE_HEAD(&session->queue, queue);
		if (!inflight->exchange) /* it is being read */
			continue;
		for (; inflight->unserved; inflight->next++) {
			struct pr_call *call = pr_exchange_call(inflight->exchange, inflight->next);
			if (!call)
				continue;
			inflight->unserved--;
			pr_call_error(call, &fail);
		}
		settle_inflight(session->core, inflight);
	}
}

void sv_request_lines_leave(struct sv_session *session)
{
	while (!LIST_EMPTY(&session->inflights)) {
		struct sv_inflight *inflight = LIST_FIRST(&session->inflights);
		LIST_REMOVE(inflight, link);
		inflight->session = NULL;
	}
	drop_queue(session);
}

/* The frequent query (proto/fastpath.h) is answered straight from its text, without an exchange: a small one at once,
 * into a buffer that is reused, a large one by a reader thread from a copy of the line. Nothing is sent before
 * everything has succeeded. If anything fails, the line is handled like any other, which reports the error. */
enum fast { FAST_ANSWERED, FAST_LATER /* by a reader thread */, FAST_NO /* nothing was sent */ };

/* PD_OK, an error, or PN_KNOWN_LATER: nothing was sent. */
static int answer_now(struct sv_session *session, struct pr_fastpath *query)
{
	struct sv_core *core = session->core;
	struct pd_buf *line = &sv_sessions(core)->fast_line;
	line->limit = FAST_REPLY_MAX;
	pd_buf_reset(line);
	int rc = sv_query_fast(core, sv_loop_reader(core), query, line);
	PD_ASSERT(rc || !line->failed);
	if (!rc) {
		sv_sessions(core)->counts.answered[PR_FACT_QUERY][0]++;
		sv_session_send(session, line);
	}
	if (line->capacity > FAST_KEEP)
		pd_buf_fini(line);
	return rc;
}

static enum fast try_fast(struct sv_session *session, const char *line, size_t size)
{
	struct pr_fastpath query;
	if (!pr_fastpath_read(line, size, &query))
		return FAST_NO;
	if (query.count > SV_LOOP_LOOKUPS || !sv_game_is_near(session->core, query.game))
		return FAST_LATER;
	int rc = answer_now(session, &query);
	return rc == PN_KNOWN_LATER ? FAST_LATER : rc ? FAST_NO : FAST_ANSWERED;
}

/* Counts the open calls of an exchange. */
static void count_calls(struct sv_session *session, struct sv_inflight *inflight)
{
	unsigned count = pr_exchange_count(inflight->exchange);
	for (unsigned i = 0; i < count; i++)
		inflight->unserved += pr_exchange_call(inflight->exchange, i) != NULL;
	session->waiting += inflight->unserved;
	sv_sessions(session->core)->counts.refused += count - inflight->unserved;
}

/* On a reader thread. */
static void run_read(struct sv_core *core, struct st_reader **reader, struct sv_read_request *base, bool cancelled)
{
	struct sv_line_request *request = (struct sv_line_request *)base;
	(void)core, (void)reader;
	if (cancelled) {
		pd_fail_set(&request->fail, PD_E_SHUTDOWN, "", "the server is stopping");
		return;
	}
	request->exchange = pr_exchange_new(request->line, request->size);
	if (!request->exchange)
		pd_fail_set(&request->fail, PD_E_NO_MEMORY, "", "no memory for the request");
}

/* On a reader thread. */
static void run_fast(struct sv_core *core, struct st_reader **reader, struct sv_read_request *base, bool cancelled)
{
	struct sv_line_request *request = (struct sv_line_request *)base;
	struct pr_fastpath query;
	bool good = !cancelled && (*reader || !st_reader_open(sv_store(core), reader, &request->fail)) &&
		    pr_fastpath_read(request->line, request->size, &query) &&
		    !sv_query_fast(core, *reader, &query, &request->reply);
	request->fail.code = good ? PD_OK : PD_E_INTERNAL; /* take_general reports the error */
}

/* Leaves the line to a reader thread; false when that is not possible. */
static bool send_line(struct sv_session *session, struct sv_inflight *inflight, const char *line, size_t size,
		      const struct sv_read_request *base)
{
	struct sv_line_request *request = calloc(1, sizeof *request);
	if (!request)
		return false;
	*request = (struct sv_line_request){.base = *base, .inflight = inflight, .line = malloc(size), .size = size};
	pd_buf_init(&request->reply, FAST_REPLY_MAX);
	if (request->line) {
		memcpy(request->line, line, size);
		if (!sv_read_request_send(session->core, SV_QUERIES, &session->client, &request->base, NULL)) {
			session->waiting++;
			return true;
		}
	}
	free_request(request);
	return false;
}

static void deliver_fast(struct sv_core *core, struct sv_completion *completion)
{
	struct sv_line_request *request = (struct sv_line_request *)completion;
	struct sv_session *session = request->inflight->session;
	if (session) {
		LIST_REMOVE(request->inflight, link);
		PD_ASSERT(session->waiting);
		session->waiting--;
		if (request->fail.code) {
			sv_request_line(session, request->line, request->size, false);
		} else {
			sv_sessions(core)->counts.answered[PR_FACT_QUERY][0]++;
			sv_session_send(session, &request->reply);
		}
	}
	free(request->inflight);
	free_request(request);
}

/* Leaves a fast query to a reader thread; false when that is not possible. */
static bool answer_later(struct sv_session *session, const char *line, size_t size)
{
	static const struct sv_read_request base = {.run = run_fast, .base.deliver = deliver_fast};
	struct sv_inflight *inflight = calloc(1, sizeof *inflight);
	if (!inflight || !send_line(session, inflight, line, size, &base)) {
		free(inflight);
		return false;
	}
	inflight->session = session;
	LIST_INSERT_HEAD(&session->inflights, inflight, link);
	return true;
}

/* Takes a line that is not a fast query, or could not be answered as one. */
static void take_general(struct sv_session *session, const char *line, size_t size)
{
	static const struct sv_read_request base = {.run = run_read, .base.deliver = sv_line_read};
	bool first = !sv_session_queues(session);
	struct sv_inflight *inflight = calloc(1, sizeof *inflight);
	bool later = inflight && size > LINE_INLINE && send_line(session, inflight, line, size, &base);
	if (inflight && !later)
		inflight->exchange = pr_exchange_new(line, size);
	if (!inflight || (!later && !inflight->exchange)) {
		struct pd_fail fail;
		free(inflight);
		pd_fail_set(&fail, PD_E_NO_MEMORY, "", "no memory for the request");
		sv_session_refuse(session, &fail);
		return;
	}
	inflight->session = session;
	LIST_INSERT_HEAD(&session->inflights, inflight, link);
	if (!later)
		count_calls(session, inflight);
	if (!later && !inflight->unserved) {
		settle_inflight(session->core, inflight);
		return;
	}
	STAILQ_INSERT_TAIL(&session->queue, inflight, queue);
	if (!later && first)
		begin_next(session);
	sv_session_make_ready(session);
}

void sv_line_read(struct sv_core *core, struct sv_completion *completion)
{
	struct sv_line_request *request = (struct sv_line_request *)completion;
	struct sv_inflight *inflight = request->inflight;
	struct sv_session *session = inflight->session;
	free(request->line);
	request->line = NULL;
	inflight->exchange = request->exchange;
	request->exchange = NULL;
	inflight->reading = request;
	if (session)
		session->waiting--;
	if (session && inflight->exchange)
		count_calls(session, inflight);
	if (session && inflight->unserved) {
		sv_session_make_ready(session);
		return;
	}
	if (session)
		STAILQ_REMOVE(&session->queue, inflight, sv_inflight, queue);
	if (session && inflight->exchange) {
		settle_inflight(core, inflight);
	} else {
		if (session) {
			LIST_REMOVE(inflight, link);
			sv_session_refuse(session, &request->fail);
		}
		free_inflight(core, inflight);
	}
	if (session)
		sv_session_make_ready(session);
}

bool sv_request_line(struct sv_session *session, const char *line, size_t size, bool fast)
{
	if (fast && session->unhindered && !sv_session_queues(session)) {
		switch (try_fast(session, line, size)) {
		case FAST_ANSWERED:
			return size < LINE_SMALL;
		case FAST_LATER:
			if (answer_later(session, line, size))
				return size < LINE_SMALL;
			break;
		case FAST_NO:
			break;
		}
	}
	take_general(session, line, size);
	return false;
}
