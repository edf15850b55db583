/* Web socket: the framing of a WebSocket, one message of JSON-RPC in a text message.
 *
 * A message that is not text closes it with 1003, one of PR_LINE_MAX bytes or more with 1009, bytes that are no UTF-8
 * with 1007, and frames that break the protocol (not masked, ...) with 1002; what was in flight is answered before.
 * When the client closes it, or its connection ends, it has left: what was in flight is given up. A client that is
 * silent is asked by a ping whether it is still there, and cut off when it is not (`stall_s`). It is not silent while
 * nothing of it is read, because of its calls in flight, or while replies are on their way to it. */
#ifndef NT_WEB_SOCKET_H
#define NT_WEB_SOCKET_H

#include "server/net/http_head.h"
#include "server/net/web_client.h"

/* Answers a request for a WebSocket; the connection is one from then on. */
void nt_web_socket_open(struct nt_conn *conn, const struct nt_head *head);
/* A sink's send, once it is one; `ctx`: a struct nt_conn. */
void nt_web_socket_send(void *ctx, const char *line, size_t size);

#endif
