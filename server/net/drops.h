/* Drops: clients that the server disconnects.
 *
 * A line of the log says which client it was and why: at most one in NT_SAY_MS for each kind, with the number since the
 * line before. */
#pragma once

#include <uv.h>

#include "server/net/rejected_clients.h"

enum nt_drop {
	NT_DROP_STALLED,   /* has read nothing for long */
	NT_DROP_FULL,      /* has more unread than one client may */
	NT_DROP_SILENT,    /* has not answered a ping of its WebSocket */
	NT_DROP_MOST,      /* has most of what is buffered for all, which is too much */
	NT_DROP_ANONYMOUS, /* has no role, and its place is needed (places.h) */
	NT_DROP_UNKNOWN,   /* has shown no token in time */
	NT_DROP_IDLE,      /* has been idle for long, and its place is needed */
	NT_DROP_KINDS
};

/* Logs a client that is about to be closed, for which `bytes` are buffered. */
void nt_drop_log(struct nt_log_limit limits[NT_DROP_KINDS], enum nt_drop kind, const uv_stream_t *client, size_t bytes);
