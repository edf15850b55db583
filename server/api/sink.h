/* Sink: where a session's lines go. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Where a session's lines go. `send` takes a complete reply or notification with its newline (copied by the callee).
 * `backlog` says how many bytes wait unsent: notifications are held back while there are any (newest wins). `hang_up`:
 * there was no memory for a reply, so the connection must close (V1). None of them may close the session before it
 * returns. */
struct sv_sink {
	void *ctx;
	void (*send)(void *ctx, const char *line, size_t size);
	size_t (*backlog)(void *ctx);
	void (*hang_up)(void *ctx);
	bool owner; /* the client comes by a way that only the owner of this process can use: it may stop the server */
};

enum { SV_INFLIGHT_MAX = 64 /* unanswered calls of a session; above this the daemon stops reading */ };
