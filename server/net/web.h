/* Web: the HTTP server (--http, --monitor).
 *
 *   /rpc                         a WebSocket, one message of JSON-RPC in each text message (web_socket.h)
 *   /query                       what is proved about positions, like a tablebase (web_query.h)
 *   /metrics /healthz /readyz    pages.h
 *   everything else              the files of the page (assets.h): "/" is revalidated each time (304); the others may
 *                                be cached forever
 *
 * Each connection is like those by lines (conn.h), with a session, the same limits and its share of the turn. HTTP/1.1
 * with keep-alive: one request is in work at a time, and later ones wait (http_head.h reads them). A request has
 * NT_WEB_REQUEST_MS to come; a connection may be idle for NT_WEB_KEEP_MS.
 *
 * Foreign web pages can do nothing. The field Host must have an address, localhost or a name of --http-name, so that no
 * page can use a name of its own that leads here. Origin, which browsers send with every request that may change
 * something, must be this server's own or absent; Sec-Fetch-Site shows what a browser fetches for another page without
 * it. Everything else gets 403 and is logged (rejected_clients.h). No other origin may read answers or frame the page.
 *
 * Tokens: /query, /metrics and /readyz need "Authorization: Bearer TOKEN" when the server has tokens; a session has the
 * role of the token that its connection showed last. On /rpc the first request may be server.hello instead, because
 * a page cannot set that field. The files of the page and /healthz need none. */
#pragma once

#include <stdbool.h>
#include <uv.h>

#include "server/net/conn.h"
#include "server/net/pages.h"
#include "server/net/server_config.h"

struct nt_web;

/* All borrowed. `config` NULL: only the pages of pages.h, one answer a connection, without tokens and sessions, and by
 * a Unix socket for any Host (monitor.h). NULL without memory. */
struct nt_web *nt_web_new(struct nt_conns *conns, struct nt_pages *pages, const struct nt_config *config);
/* After its connections are closed and the loop has run. NULL is fine. */
void nt_web_free(struct nt_web *web);
/* Accepts a connection. A nt_accept; `ctx`: a struct nt_web. */
bool nt_web_accept(void *ctx, int fd, bool local);
