/* Request lines: calls in the frame of JSON-RPC, a line each or a batch of them.
 *
 * A line that is a fast query (proto/fastpath.h) is answered without an exchange. Any other line becomes an exchange; a
 * reader thread parses a long one, because that takes long. Its calls are carried out in order (call.h): the first when
 * the line comes. The others of a batch wait in the session's queue, and the sessions that have calls waiting take
 * turns, one call each, for a millisecond a turn of the event loop: no client waits for the end of another's batch
 * (V3). When the last call of a line is completed, the reply line goes to the session's sink (V1). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sv_completion;
struct sv_core;
struct sv_session;

/* Takes a line; `fast`: the fast path is tried first. Returns the same as sv_session_line. */
bool sv_request_line(struct sv_session *session, const char *line, size_t size, bool fast);
/* Carries out waiting calls, one of each session in turn, until `until_ns`. True when there are more. */
bool sv_request_lines_go_on(struct sv_core *core, uint64_t until_ns);
/* A completion: a long line has been read. */
void sv_line_read(struct sv_core *core, struct sv_completion *completion);
/* The session ends: calls that are not begun are dropped, and no reply is sent. */
void sv_request_lines_leave(struct sv_session *session);
