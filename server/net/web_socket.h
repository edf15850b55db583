/* Web socket: the framing of a WebSocket, one message of JSON-RPC in a text message.
 *
 * Errors close it after the answers in flight: 1003 a message that is not text, 1009 one of PR_LINE_MAX bytes or more,
 * 1007 bytes that are not UTF-8, 1002 frames that break the protocol (not masked, ...). When the client closes it or
 * its connection ends, what is in flight is abandoned. A silent client gets a ping, and is cut off when it does not
 * answer (`stall_s`). It does not count as silent while reading from it is suspended because of its calls in flight, or
 * while replies are being sent to it. */
#pragma once

#include "server/net/http_head.h"
#include "server/net/web_client.h"

/* Answers a request for a WebSocket; the connection is one from then on. */
void nt_web_socket_open(struct nt_conn *conn, const struct nt_head *head);
/* A sink's send, once it is one; `ctx`: a struct nt_conn. */
void nt_web_socket_send(void *ctx, const char *line, size_t size);
