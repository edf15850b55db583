/* Fast path: the frequent query without an exchange (proto/fastpath.h).
 *
 * A line that is a fast query is answered straight from its text, into a buffer that is reused: a small one at once, a
 * large one by a reader thread from a copy of the line. Nothing is sent before everything has succeeded, and a query
 * changes nothing. So when anything fails, the line is taken the general way as if it had just come, and the general
 * way reports what is wrong. */
#ifndef SV_FAST_QUERY_H
#define SV_FAST_QUERY_H

#include <stdbool.h>
#include <stddef.h>

struct sv_session;

enum { SV_FAST_REPLY_MAX = 8 << 20 /* bytes; well below what the general way can send */ };

/* False when the line is no fast query, or cannot be answered as one: nothing was sent, and the caller takes it the
 * general way. `general` does so when a reader thread fails later. */
bool sv_fast_query(struct sv_session *session, const char *line, size_t size,
		   void (*general)(struct sv_session *session, const char *line, size_t size));

#endif
