#include "server/api/fast_query.h"

#include "proto/base/assert.h"
#include "server/api/lookup.h"
#include "server/api/query.h"
#include "server/api/session_state.h"
#include "server/common/core_parts.h"
#include "server/common/open_games.h"

enum { KEEP_BYTES = 1 << 16 /* a reply's buffer larger than this is given back */ };

/* PD_OK, an error, or PN_KNOWN_LATER: nothing was sent. */
static int answer_now(struct sv_session *session, struct pr_fastpath *query)
{
	struct sv_core *core = session->core;
	struct pd_buf *line = &sv_sessions(core)->fast_line;
	line->limit = SV_FAST_REPLY_MAX;
	pd_buf_reset(line);
	int rc = sv_query_fast(core, sv_loop_reader(core), query, line);
	PD_ASSERT(rc || !line->failed);
	if (!rc) {
		sv_sessions(core)->counts.answered[PR_FACT_QUERY][0]++;
		sv_session_send(session, line);
	}
	if (line->capacity > KEEP_BYTES)
		pd_buf_fini(line);
	return rc;
}

enum sv_fast sv_fast_query(struct sv_session *session, const char *line, size_t size)
{
	struct pr_fastpath query;
	if (!pr_fastpath_read(line, size, &query))
		return SV_FAST_NO;
	if (query.count > SV_LOOP_LOOKUPS || !sv_game_is_near(session->core, query.game))
		return SV_FAST_LATER;
	int rc = answer_now(session, &query);
	return rc == PN_KNOWN_LATER ? SV_FAST_LATER : rc ? SV_FAST_NO : SV_FAST_ANSWERED;
}

bool sv_fast_query_read(struct sv_core *core, struct st_reader *reader, const char *line, size_t size,
			struct pd_buf *reply)
{
	struct pr_fastpath query;
	return pr_fastpath_read(line, size, &query) && !sv_query_fast(core, reader, &query, reply);
}
