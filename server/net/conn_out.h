/* Connection out: from replies to the kernel (conn.h). */
#pragma once

#include "server/net/conn_state.h"

/* Queues bytes to be sent; a client that leaves too many unread is dropped. `ctx`: a struct nt_conn. */
void nt_conn_put(void *ctx, const char *data, size_t size);
/* Bytes that wait to be sent. */
size_t nt_conn_queued(const struct nt_conn *conn);
/* Writes the queue to the kernel in one call; what does not fit goes to libuv, one write at a time. */
void nt_conn_flush(struct nt_conn *conn);
/* Calls in flight are begun only while the client reads its replies. */
void nt_conn_suspend(struct nt_conn *conn);
