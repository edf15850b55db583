/* Fast path: the frequent query without an exchange (proto/fastpath.h).
 *
 * A line that is a fast query is answered straight from its text, into a buffer that is reused: a small one at once, a
 * large one by a reader thread from a copy of the line. Nothing is sent before everything has succeeded, and a query
 * changes nothing. So when anything fails, the line is taken the general way as if it had just come, and the general
 * way reports what is wrong. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct pd_buf;
struct st_reader;
struct sv_core;
struct sv_session;

enum { SV_FAST_REPLY_MAX = 8 << 20 /* bytes; well below what the general way can send */ };

enum sv_fast {
	SV_FAST_ANSWERED,
	SV_FAST_LATER, /* it is a fast query, for a reader thread */
	SV_FAST_NO     /* it is not one, or cannot be answered as one: nothing was sent */
};

enum sv_fast sv_fast_query(struct sv_session *session, const char *line, size_t size);
/* Any thread: prints the reply to a fast query; false when it cannot be answered as one. */
bool sv_fast_query_read(struct sv_core *core, struct st_reader *reader, const char *line, size_t size,
			struct pd_buf *reply);
