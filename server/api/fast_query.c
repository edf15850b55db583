#include "server/api/fast_query.h"

#include <stdlib.h>
#include <string.h>

#include "server/api/inflight.h"
#include "server/api/query.h"
#include "server/api/read_queue.h"
#include "server/api/session.h"
#include "server/common/core_state.h"
#include "server/common/open_games.h"

enum {
	KEEP_BYTES = 1 << 16 /* a reply's buffer larger than this is given back */
};

static void send_line(struct sv_session *session, const struct pd_buf *line)
{
	session->sink.send(session->sink.ctx, line->data, line->size);
}

static bool answer_now(struct sv_session *session, struct pr_fastpath *query)
{
	struct sv_core *core = session->core;
	struct pd_buf *line = &core->sessions->fast_line;
	line->limit = SV_FAST_REPLY_MAX;
	pd_buf_reset(line);
	bool good = !sv_query_fast(core, core->reader, query, line);
	if (good)
		send_line(session, line);
	if (line->capacity > KEEP_BYTES)
		pd_buf_fini(line);
	return good;
}

/* False when a reader cannot have it. */
static bool answer_later(struct sv_session *session, const char *line, size_t size)
{
	struct sv_core *core = session->core;
	struct sv_inflight *pending = calloc(1, sizeof *pending);
	char *copy = malloc(size);
	if (pending && copy) {
		memcpy(copy, line, size);
		*pending = (struct sv_inflight){.line = copy, .size = size, .session = session};
	}
	if (!pending || !copy || sv_read_request_send(core, SV_QUERIES, SV_COMPLETION_FAST, pending, NULL, NULL)) {
		free(pending);
		free(copy);
		return false;
	}
	LIST_INSERT_HEAD(&session->inflights, pending, link);
	session->pending++;
	return true;
}

bool sv_fast_query(struct sv_session *session, const char *line, size_t size)
{
	struct pr_fastpath query;
	if (!pr_fastpath_read(line, size, &query))
		return false;
	if (query.count > SV_INLINE_POSITIONS || !sv_game_is_near(session->core, query.game))
		return answer_later(session, line, size);
	return answer_now(session, &query);
}

void sv_fast_query_done(struct sv_call_completion *completion)
{
	struct sv_inflight *pending = completion->pending;
	struct sv_session *session = pending->session;
	if (session) {
		LIST_REMOVE(pending, link);
		session->pending--;
		if (completion->fail.code)
			sv_session_general(session, pending->line, pending->size);
		else
			send_line(session, &completion->json);
	}
	free(pending->line);
	free(pending);
}
