/* Fast query: the frequent query without an exchange (proto/fastpath.h).
 *
 * A line that is a quick query is answered straight from it into a buffer that stays: small ones at once, large ones by
 * a reader thread with a copy of the line. Nothing is sent before all went well, and a query changes nothing; so
 * whatever goes wrong, the line goes the general way as if it had just come, and the general way says what is wrong. */
#ifndef SV_FAST_QUERY_H
#define SV_FAST_QUERY_H

#include <stdbool.h>
#include <stddef.h>

struct sv_call_completion;
struct sv_session;

enum {
	SV_INLINE_POSITIONS = 64, /* queries up to this size are answered on the loop thread; those with moves only for
				     one position */
	SV_FAST_REPLY_MAX = 8 << 20 /* bytes; well below what the general way can send */
};
/* False when the line is no quick query, or cannot be answered as one: nothing was sent, and it is for
 * sv_session_general. */
bool sv_fast_query(struct sv_session *session, const char *line, size_t size);
/* A reader has done with a large one. */
void sv_fast_query_done(struct sv_call_completion *completion);

#endif
