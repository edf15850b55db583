/* Web: the door for browsers and for programs that speak HTTP (--http).
 *
 *   /rpc                         a WebSocket, one message of JSON-RPC in each text message (web_socket.h)
 *   /query                       what is proved about positions, as tablebases are asked (web_query.h)
 *   /metrics /healthz /readyz    as on --monitor (pages.h)
 *   everything else              the files of the page (assets.h): "/" is asked for each time, and answered with
 *                                304 when it is the same; the others may be kept for ever
 *
 * Each connection is one like those by TCP (conn.h), with a session, the same limits and its share of the turn.
 * HTTP/1.1 with keep-alive: one request is in work at a time, those behind it wait (http_head.h reads them). A request
 * has NT_WEB_REQUEST_MS to come, a connection may be idle for NT_WEB_KEEP_MS.
 *
 * Web pages of others can do nothing: the field Host must have an address, localhost or a name of --http-name, so that
 * no page can come by a name of its own that leads here, and Origin, which browsers send with everything that may
 * change something, must be this server's own, or absent. What a browser fetches for another page without that field is
 * known by Sec-Fetch-Site. All this is refused with 403 and told to the log (rejected_clients.h). No other origin is allowed
 * to read answers, or to show the page in a frame.
 *
 * Tokens: /query, /metrics and /readyz need "Authorization: Bearer TOKEN" when the server has tokens; a session has the
 * role of the token that its connection showed last. On /rpc the first request may be server.hello instead, because
 * a page cannot set that field. The files of the page and /healthz are for all. */
#ifndef NT_WEB_H
#define NT_WEB_H

#include <stdbool.h>
#include <uv.h>

#include "server/net/conn.h"
#include "server/net/pages.h"
#include "server/net/server_config.h"

struct nt_web;

/* All borrowed. `config` NULL: the pages of pages.h alone, one answer a connection, without tokens and sessions; by a
 * Unix socket for any Host (monitor.h). NULL without memory. */
struct nt_web *nt_web_new(struct nt_conns *conns, struct nt_pages *pages, const struct nt_config *config);
/* Its connections are closed, and the loop has run. NULL is fine. */
void nt_web_free(struct nt_web *web);
/* Accepts a connection. A nt_accept; `ctx`: a struct nt_web. */
bool nt_web_accept(void *ctx, int fd, bool local);

#endif
