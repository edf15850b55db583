/* HTTP: a small server on the event loop, for programs of this machine. It is libwebsockets', which runs on the
 * daemon's own libuv loop, starts no thread and never waits.
 *
 * One request a connection: GET or HEAD of a page that `nt_http_answer` makes. Everything else gets an error status.
 *
 * Clients cannot hurt: there are NT_HTTP_CLIENTS_MAX connections (the oldest makes room for another), each ends after
 * NT_HTTP_LIFE_MS whatever it does, and in a turn of NT_TICK_MS at most NT_HTTP_NEW_MAX come in. A page is made once,
 * when it is asked for, and its bytes are kept until the connection ends. A page that is asked for over TCP by another
 * name than an address or `localhost` is refused, so that no web page can read it by a name of its own that leads
 * here. */
#ifndef NT_HTTP_H
#define NT_HTTP_H

#include <stdbool.h>
#include <uv.h>

#include "proto/base/buf.h"
#include "proto/base/error.h"

enum {
	NT_HTTP_CLIENTS_MAX = 32,
	NT_HTTP_NEW_MAX = 16,
	NT_HTTP_LIFE_MS = 10000,
	NT_HTTP_PAGE_MAX = 1 << 20 /* bytes of a page */
};

struct nt_http_page {
	unsigned status;  /* 200, ... */
	const char *type; /* of the content; static */
	struct pd_buf body;
};

/* Makes the page of a path ("/metrics"): the page comes with status 404, an empty text body and its limit. */
typedef void nt_http_answer(void *ctx, const char *path, struct nt_http_page *page);

struct nt_http;

/* PD_E_UNSUPPORTED when libwebsockets cannot run on the loop, PD_E_NO_MEMORY. The loop is borrowed. */
int nt_http_open(uv_loop_t *loop, nt_http_answer *answer, void *ctx, struct nt_http **out, struct pd_fail *fail);
/* Accepts a connection; false while there are too many new ones. A nt_visitor. */
bool nt_http_accept(void *http, int fd, bool local);
/* Every NT_TICK_MS: deadlines. */
void nt_http_tick(struct nt_http *http);
/* Connections that are open. */
unsigned nt_http_count(const struct nt_http *http);
/* Ends in two steps: closes all; and, once the loop has run out of other handles, frees. NULL is fine. */
void nt_http_close(struct nt_http *http);
void nt_http_free(struct nt_http *http);

#endif
