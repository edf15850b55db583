#include "server/api/fast_query.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "server/api/inflight.h"
#include "server/api/known.h"
#include "server/api/query.h"
#include "server/api/read_queue.h"
#include "server/api/session.h"
#include "server/common/core_state.h"
#include "server/common/open_games.h"
#include "store/store.h"

enum { KEEP_BYTES = 1 << 16 /* a reply's buffer larger than this is given back */ };

/* A fast query that a reader thread answers. */
struct fast_request {
	struct sv_read_request base;
	struct sv_inflight *inflight;
	void (*general)(struct sv_session *session, const char *line, size_t size);
	struct pd_buf reply; /* the whole line */
	int code;            /* PD_OK: it is answered */
};

/* PD_OK, an error, or SV_KNOWN_LATER: nothing was sent. */
static int answer_now(struct sv_session *session, struct pr_fastpath *query)
{
	struct sv_core *core = session->core;
	struct pd_buf *line = &core->sessions->fast_line;
	line->limit = SV_FAST_REPLY_MAX;
	pd_buf_reset(line);
	int rc = sv_query_fast(core, core->reader, query, line);
	PD_ASSERT(rc || !line->failed);
	if (!rc) {
		core->sessions->counts.answered[PR_FACT_QUERY][0]++;
		sv_session_send(session, line);
	}
	if (line->capacity > KEEP_BYTES)
		pd_buf_fini(line);
	return rc;
}

/* On a reader thread. */
static void answer(struct sv_core *core, struct st_reader **reader, struct sv_read_request *base, bool cancelled)
{
	struct fast_request *request = (struct fast_request *)base;
	const struct sv_inflight *inflight = request->inflight;
	struct pr_fastpath query;
	struct pd_fail ignored; /* the general way reports what is wrong */
	bool good = !cancelled && (*reader || !st_reader_open(core->store, reader, &ignored)) &&
		    pr_fastpath_read(inflight->line, inflight->size, &query);
	pd_buf_init(&request->reply, SV_FAST_REPLY_MAX);
	request->code = good ? sv_query_fast(core, *reader, &query, &request->reply) : PD_E_INTERNAL;
}

static void deliver(struct sv_core *core, struct sv_completion *completion)
{
	struct fast_request *request = (struct fast_request *)completion;
	struct sv_inflight *inflight = request->inflight;
	struct sv_session *session = inflight->session;
	PD_ASSERT(!inflight->exchange && inflight->line);
	if (session) {
		LIST_REMOVE(inflight, link);
		PD_ASSERT(session->open_calls);
		session->open_calls--;
		if (request->code) {
			request->general(session, inflight->line, inflight->size);
		} else {
			core->sessions->counts.answered[PR_FACT_QUERY][0]++;
			sv_session_send(session, &request->reply);
		}
	}
	pd_buf_fini(&request->reply);
	free(request);
	free(inflight->line);
	free(inflight);
}

/* Leaves the query to a reader thread; false when that cannot be. */
static bool answer_later(struct sv_session *session, const char *line, size_t size,
			 void (*general)(struct sv_session *session, const char *line, size_t size))
{
	struct sv_inflight *inflight = calloc(1, sizeof *inflight);
	struct fast_request *request = calloc(1, sizeof *request);
	char *copy = malloc(size);
	bool sent = inflight && request && copy;
	if (sent) {
		memcpy(copy, line, size);
		*inflight = (struct sv_inflight){.line = copy, .size = size, .session = session};
		*request = (struct fast_request){
			.base.base.deliver = deliver, .base.run = answer, .inflight = inflight, .general = general};
		sent = !sv_read_request_send(session->core, SV_QUERIES, &session->client, &request->base, NULL);
	}
	if (!sent) {
		free(inflight);
		free(request);
		free(copy);
		return false;
	}
	LIST_INSERT_HEAD(&session->inflights, inflight, link);
	session->open_calls++;
	return true;
}

bool sv_fast_query(struct sv_session *session, const char *line, size_t size,
		   void (*general)(struct sv_session *session, const char *line, size_t size))
{
	struct pr_fastpath query;
	if (!pr_fastpath_read(line, size, &query))
		return false;
	if (query.count > SV_LOOP_LOOKUPS || !sv_game_is_near(session->core, query.game))
		return answer_later(session, line, size, general);
	int rc = answer_now(session, &query);
	return rc == SV_KNOWN_LATER ? answer_later(session, line, size, general) : !rc;
}
