/* Conn: one client's connection, and the set of all of them.
 *
 *   OPEN ---- the client closes its side, or the server stops ----> FINISH ---- all said ----> GOODBYE ----> CLOSED
 *     \                                                               |                          |
 *      +------- broken: error on the socket, does not read, no memory-+--------------------------+----------> CLOSED
 *
 *   OPEN     lines are read and handed to the session.
 *   FINISH   no more is read; replies that are pending go out. A connection over the limit starts here, with its
 * refusal to be sent. GOODBYE  the sending side is shut; input is thrown away until the client closes too or a deadline
 * passes. (Closing at once would let the kernel reset the connection and tear up the last replies.) CLOSED   the
 * session is gone; the memory goes when libuv says so.
 *
 * Memory is bounded both ways (V2). In: a line that grows beyond PR_LINE_MAX is refused once and its rest skipped
 * without being kept. Reading stops while SV_INFLIGHT_MAX calls are in work or more than DM_QUEUE_SOFT bytes wait to be
 * sent. Out: a client whose queue passes DM_QUEUE_HARD, or that takes nothing for `stall_s`, is dropped. What is kept
 * for all clients together has a limit, too; beyond it the one with most is dropped.
 *
 * Time is shared (V3): a client has DM_SHARE_NS for its lines, then it rests until the others had theirs; all together
 * have DM_TURN_NS before the loop turns. Who comes when that is used up goes first in the next turn, so that one
 * question waits for one turn, not for everybody's load.
 *
 * A client whose first byte is no beginning of a request is turned away: web pages can make a browser send whatever
 * they like behind the first line of an HTTP request, and nothing of that must be carried out. When all places are
 * taken, the client that has been idle longest (for `idle_s` at least) makes room, and some places are for the Unix
 * socket alone: whoever runs the server can always reach it. */
#ifndef DM_CONN_H
#define DM_CONN_H

#include <stdbool.h>
#include <sys/queue.h>
#include <uv.h>

#include "proto/rpc.h"
#include "server/core.h"
#include "server/daemon/server.h"

enum {
	DM_CHUNK = 32 << 10,     /* bytes of one read; what a connection may have handled in one turn of the loop */
	DM_QUEUE_SOFT = 1 << 20, /* bytes queued above which no more lines are taken */
	DM_QUEUE_HARD = PR_REPLY_MAX + (1 << 20), /* bytes queued above which the client is dropped */
	DM_REFUSED_MAX = 64,                      /* connections over the limit that are told so at one time */
	DM_RESERVED = 8,                          /* connections over the limit that the Unix socket may have */
	DM_SHARE_NS = 250000,                     /* for the lines of one client, at a stretch */
	DM_TURN_NS = 1000000,                     /* for those of all clients, in one turn of the loop */
	DM_GOODBYE_MS = 1000,                     /* how long a client may take to close its side */
	DM_SAY_MS = 10000                         /* between two lines of the log about clients that are turned away */
};

struct dm_conn;
TAILQ_HEAD(dm_conn_list, dm_conn);

struct dm_conns {
	uv_loop_t *loop;
	struct sv_core *core;      /* borrowed; NULL until dm_conns_start */
	unsigned count, count_max; /* connections that are not closed; how many are served */
	uint64_t stall_ns;         /* a client may take nothing for so long */
	uint64_t idle_ns;          /* who has been idle for so long makes room for others */
	size_t kept, kept_max;     /* bytes kept for all clients: replies not taken, lines not complete */
	uint64_t turn_ns;          /* when this turn's lines began to be taken; 0: not yet */
	uint64_t said_ns;          /* when the log last told of clients turned away */
	unsigned turned_away;      /* since then */
	struct dm_conn_list all;
	struct dm_conn_list touched; /* something happened: to be settled before the loop turns */
	struct dm_conn_list held;    /* wait for the core to answer */
	struct dm_conn_list fresh;   /* came when this turn's time was used up; they are first in the next */
	struct dm_conn_list resting; /* had their share of this turn */
	uv_idle_t idle;              /* active while somebody is resting */
	char chunk[DM_CHUNK];        /* where every read lands first */
};

void dm_conns_init(struct dm_conns *conns, uv_loop_t *loop, const struct dm_config *config);
/* Takes a visitor in; false when there is no memory for it. (An dm_visitor.) */
bool dm_conns_accept(void *conns, uv_stream_t *listener);
/* The core has answered somebody: sends what is there and reads on where it was waited for. */
void dm_conns_pumped(struct dm_conns *conns);
/* Sends what the core gave out meanwhile. */
void dm_conns_settle(struct dm_conns *conns);
/* The loop turns: there is time for lines again. */
void dm_conns_turn(struct dm_conns *conns);
/* Ten times a second or so: deadlines. */
void dm_conns_tick(struct dm_conns *conns);
/* The server stops: nothing more is read, what is pending is answered, then they close. */
void dm_conns_finish(struct dm_conns *conns);
/* Closes all at once. */
void dm_conns_close(struct dm_conns *conns);

#endif
