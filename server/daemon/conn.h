/* Connection: one client's connection, and the set of all of them.
 *
 *   OPEN ----> DRAINING ----> LINGERING ----> CLOSED
 *     |            |                            ^
 *     +------------+----------------------------+
 *
 *   OPEN -> DRAINING       settle: the client has closed its sending side and all its lines are taken;
 *                          turn_away: it does not speak this protocol;
 *                          refuse_visitor: no place or no memory for it;
 *                          dm_conns_finish: the server stops.
 *   DRAINING -> LINGERING  linger: all calls are answered and all replies written.
 *   any -> CLOSED          shut: error on the socket, a deadline, no memory, too much buffered; the server
 *                          closes. From LINGERING also when the client has closed its side.
 *
 *   OPEN       lines are read and handed to the session.
 *   DRAINING   nothing is read; the calls in flight are answered.
 *   LINGERING  the sending side is shut, and input is discarded until the client closes or DM_LINGER_MS pass.
 *              (Closing at once would let the kernel reset the connection and discard the last replies.)
 *   CLOSED     the session is freed; the memory goes when libuv has closed the handle.
 *
 * Memory is bounded both ways (V2). In: a line that grows beyond PR_LINE_MAX is refused once and skipped to its
 * end. Reading stops while SV_INFLIGHT_MAX calls are in flight or more than DM_QUEUE_SOFT bytes wait to be sent.
 * Out: a client whose queue passes DM_QUEUE_HARD, or that reads nothing for `stall_s`, is dropped. The buffers of
 * all clients together have a limit, too; beyond it the client with the largest ones is dropped.
 *
 * Time is shared (V3): the lines of a client have DM_SHARE_NS at a stretch, then it rests until the others had
 * theirs; all together have DM_TURN_NS in a turn of the loop. A client whose bytes come after that is first in the
 * next turn, so that a single question waits for one turn and not for the load of all.
 *
 * A client whose first byte begins no request is turned away (strangers.h). Under TLS (tls.h) all that is counted is
 * ciphertext; a handshake has DM_HANDSHAKE_MS, and one that comes when the turn is over waits. When all places are
 * taken, the client that has been idle longest (for `idle_s` at least; also one that is silent in the middle of a line)
 * is closed to make room, and DM_RESERVED places are for the Unix socket alone, so that the owner can always reach the
 * server. */
#ifndef DM_CONN_H
#define DM_CONN_H

#include <stdbool.h>
#include <sys/queue.h>
#include <uv.h>

#include "proto/rpc.h"
#include "server/core.h"
#include "server/daemon/drops.h"
#include "server/daemon/server_config.h"
#include "server/daemon/strangers.h"
#include "server/daemon/tls.h"

enum {
	DM_CHUNK = 32 << 10,     /* bytes of one read; what a connection may have handled in one turn of the loop */
	DM_QUEUE_SOFT = 1 << 20, /* bytes queued above which no more lines are taken */
	DM_QUEUE_HARD = PR_REPLY_MAX + (1 << 20), /* bytes queued above which the client is dropped */
	DM_REFUSED_MAX = 64,                      /* connections over the limit that are told so at one time */
	DM_RESERVED = 8,                          /* connections over the limit that the Unix socket may have */
	DM_SHARE_NS = 250000,                     /* for the lines of one client, at a stretch */
	DM_TURN_NS = 1000000,                     /* for those of all clients, in one turn of the loop */
	DM_LINGER_MS = 1000,                      /* how long a client may take to close its side */
	DM_HANDSHAKE_MS = 10000                   /* how long it may take until TLS is set up */
};

struct dm_conn;
TAILQ_HEAD(dm_conn_list, dm_conn);

/* What came of clients, since the start. */
struct dm_conn_counts {
	uint64_t accepted;
	uint64_t strangers; /* turned away: they do not speak this protocol */
	uint64_t refused;   /* no place or no memory for them */
	uint64_t stalled;   /* left replies unread, for too long or too many */
	uint64_t relieved;  /* dropped: the buffers of all were too large */
	uint64_t idle;      /* made room for others */
};

struct dm_conns {
	uv_loop_t *loop;
	struct sv_core *core;          /* borrowed; NULL until dm_conns_start */
	unsigned count, count_max;     /* connections that are not closed; how many are served */
	uint64_t stall_ns;             /* a client may take nothing for so long */
	uint64_t idle_ns;              /* who has been idle for so long makes room for others */
	size_t buffered, buffered_max; /* bytes for all clients: replies not written, lines not complete */
	uint64_t turn_ns;              /* when this turn's lines began to be taken; 0: not yet */
	struct dm_conn_counts total;
	struct dm_strangers strangers;
	struct dm_drops drops;
	struct dm_tls_identity *identity; /* of the TCP port, borrowed; NULL: no TLS. New connections take it */
	struct dm_conn_list all;
	struct dm_conn_list touched; /* something happened: to be settled before the loop turns */
	struct dm_conn_list waiting; /* have calls in flight */
	struct dm_conn_list fresh;   /* came when this turn's time was used up; they are first in the next */
	struct dm_conn_list resting; /* had their share of this turn */
	uv_idle_t idle;              /* active while a connection rests */
	char chunk[DM_CHUNK];        /* where every read lands first */
	char plain[DM_CHUNK];        /* and what was decrypted of it */
};

void dm_conns_init(struct dm_conns *conns, uv_loop_t *loop, const struct dm_config *config);
/* Accepts a connection; false when there is no memory for it. A dm_visitor. */
bool dm_conns_accept(void *conns, uv_stream_t *listener);
/* The core has answered calls: sends the replies, and reads on from clients that waited for them. */
void dm_conns_pumped(struct dm_conns *conns);
/* Sends the replies and notifications that the core has given out. */
void dm_conns_settle(struct dm_conns *conns);
/* The loop turns: there is time for lines again. */
void dm_conns_turn(struct dm_conns *conns);
/* Ten times a second or so: deadlines. */
void dm_conns_tick(struct dm_conns *conns);
/* The server stops: nothing more is read, calls in flight are answered, then the connections close. */
void dm_conns_finish(struct dm_conns *conns);
/* Closes all at once. */
void dm_conns_close(struct dm_conns *conns);

#endif
