/* Drops: clients that the server disconnects for what they leave unread.
 *
 * A line of the log says which client it was and why: at most one in NT_SAY_MS for each kind, with the number of those
 * that came since the line before. */
#ifndef NT_DROPS_H
#define NT_DROPS_H

#include <stddef.h>
#include <stdint.h>
#include <uv.h>

enum nt_drop {
	NT_DROP_STALLED,   /* has taken nothing for a long time */
	NT_DROP_FULL,      /* has more unread than is kept for one client */
	NT_DROP_SILENT,    /* has not answered a ping of its WebSocket */
	NT_DROP_MOST,      /* has most of what is kept for all clients, which is too much */
	NT_DROP_ANONYMOUS, /* has no role, and another client needs its place (places.h) */
	NT_DROP_UNKNOWN,   /* has shown no token in time */
	NT_DROP_IDLE,      /* has asked nothing for long, and another client needs its place */
	NT_DROP_KINDS
};

struct nt_drops {
	struct {
		uint64_t said_ns; /* when the log last told of one; 0: never */
		unsigned count;   /* since then */
	} kind[NT_DROP_KINDS];
};

/* Tells the log of a client that is about to be closed; `bytes` are kept for it. */
void nt_drop_log(struct nt_drops *drops, enum nt_drop kind, const uv_stream_t *client, size_t bytes);

#endif
