/* Connection buffers: their size for each client and for all, and who is dropped for it (conn.h). */
#pragma once

#include "server/net/conn_state.h"

/* Counts its buffers again; a broken connection has none. */
void nt_conn_count_buffers(struct nt_conn *conn);
/* The same; then drops the largest connections while the limit of all is exceeded. */
void nt_conn_buffers_changed(struct nt_conn *conn);
/* The client left `bytes` unread: the connection is to be closed. */
void nt_conn_drop(struct nt_conn *conn, enum nt_drop kind, size_t bytes);
