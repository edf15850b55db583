/* Web socket: the framing of a WebSocket, one message of JSON-RPC in a text message.
 *
 * A message that is not text closes it with 1003, one of PR_LINE_MAX bytes or more with 1009, bytes that are no UTF-8
 * with 1007, and frames that break the protocol (not masked, ...) with 1002; what was in flight is answered before.
 * When the client closes it, or its connection ends, it has left: what was in flight is given up. A client that is
 * silent is asked by a ping whether it is still there, and cut off when it is not (`stall_s`). It is not silent while
 * nothing of it is read, because of its calls in flight, or while replies are on their way to it. */
#ifndef DM_WEB_SOCKET_H
#define DM_WEB_SOCKET_H

#include "server/daemon/http_head.h"
#include "server/daemon/web_client.h"

/* Answers a request for a WebSocket; the connection is one from then on. */
void dm_web_socket_open(struct dm_conn *conn, const struct dm_head *head);
/* A sink's send, once it is one; `ctx`: a struct dm_conn. */
void dm_web_socket_send(void *ctx, const char *line, size_t size);

#endif
