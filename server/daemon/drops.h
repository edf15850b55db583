/* Drops: clients that the server disconnects for what they leave unread.
 *
 * A line of the log says which client it was and why: at most one in DM_SAY_MS for each kind, with the number of those
 * that came since the line before. */
#ifndef DM_DROPS_H
#define DM_DROPS_H

#include <stddef.h>
#include <stdint.h>
#include <uv.h>

enum dm_drop {
	DM_DROP_STALLED,  /* has taken nothing for a long time */
	DM_DROP_FULL,     /* has more unread than is kept for one client */
	DM_DROP_SILENT,   /* has not answered a ping of its WebSocket */
	DM_DROP_MOST,     /* has most of what is kept for all clients, which is too much */
	DM_DROP_STRANGER, /* has no role, and another client needs its place (places.h) */
	DM_DROP_UNKNOWN,  /* has shown no token in time */
	DM_DROP_IDLE,     /* has asked nothing for long, and another client needs its place */
	DM_DROP_KINDS
};

struct dm_drops {
	struct {
		uint64_t said_ns; /* when the log last told of one; 0: never */
		unsigned count;   /* since then */
	} kind[DM_DROP_KINDS];
};

/* Tells the log of a client that is about to be closed; `bytes` are kept for it. */
void dm_drop_log(struct dm_drops *drops, enum dm_drop kind, const uv_stream_t *client, size_t bytes);

#endif
