/* HTTP: a small server on the event loop, for programs of this machine. It is libwebsockets', which runs on the
 * daemon's own libuv loop, starts no thread and never waits.
 *
 * One request a connection: GET or HEAD of a page that `dm_http_answer` makes. Everything else gets an error status.
 *
 * Clients cannot hurt: there are DM_HTTP_CLIENTS_MAX connections (the oldest makes room for another), each ends after
 * DM_HTTP_LIFE_MS whatever it does, and in a turn of DM_TICK_MS at most DM_HTTP_NEW_MAX come in. A page is made once,
 * when it is asked for, and its bytes are kept until the connection ends. A page that is asked for over TCP by another
 * name than an address or `localhost` is refused, so that no web page can read it by a name of its own that leads
 * here. */
#ifndef DM_HTTP_H
#define DM_HTTP_H

#include <stdbool.h>
#include <uv.h>

#include "proto/base/buf.h"
#include "proto/base/error.h"

enum {
	DM_HTTP_CLIENTS_MAX = 32,
	DM_HTTP_NEW_MAX = 16,
	DM_HTTP_LIFE_MS = 10000,
	DM_HTTP_PAGE_MAX = 1 << 20 /* bytes of a page */
};

struct dm_http_page {
	unsigned status;  /* 200, ... */
	const char *type; /* of the content; static */
	struct pd_buf body;
};

/* Makes the page of a path ("/metrics"): the page comes with status 404, an empty text body and its limit. */
typedef void dm_http_answer(void *ctx, const char *path, struct dm_http_page *page);

struct dm_http;

/* PD_E_UNSUPPORTED when libwebsockets cannot run on the loop, PD_E_NO_MEMORY. The loop is borrowed. */
int dm_http_open(uv_loop_t *loop, dm_http_answer *answer, void *ctx, struct dm_http **out, struct pd_fail *fail);
/* Accepts a connection; false while there are too many new ones. A dm_visitor. */
bool dm_http_accept(void *http, int fd, bool local);
/* Every DM_TICK_MS: deadlines. */
void dm_http_tick(struct dm_http *http);
/* Connections that are open. */
unsigned dm_http_count(const struct dm_http *http);
/* Ends in two steps: closes all; and, once the loop has run out of other handles, frees. NULL is fine. */
void dm_http_close(struct dm_http *http);
void dm_http_free(struct dm_http *http);

#endif
