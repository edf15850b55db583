/* Conn: one client's connection, and the set of all of them.
 *
 *   OPEN ---- the client closes its side, or the server stops ----> FINISH ---- all said ----> GOODBYE ----> CLOSED
 *     \                                                               |                          |
 *      +------- broken: error on the socket, does not read, no memory-+--------------------------+----------> CLOSED
 *
 *   OPEN     lines are read and handed to the session.
 *   FINISH   no more is read; replies that are pending go out. A connection over the limit starts here, with its refusal to be sent.
 *   GOODBYE  the sending side is shut; input is thrown away until the client closes too or a deadline passes. (Closing at once would let the
 *            kernel reset the connection and tear up the last replies.)
 *   CLOSED   the session is gone; the memory goes when libuv says so.
 *
 * Memory is bounded both ways (V2). In: a line that grows beyond PR_LINE_MAX is refused once and its rest skipped without being kept. Reading
 * stops while SV_PENDING_MAX calls are in work or more than SH_QUEUE_SOFT bytes wait to be sent. Out: a client whose queue passes
 * SH_QUEUE_HARD, or that takes nothing for `stall_s`, is dropped. */
#ifndef SH_CONN_H
#define SH_CONN_H

#include <stdbool.h>
#include <sys/queue.h>
#include <uv.h>

#include "proto/rpc.h"
#include "server/core/core.h"

enum {
	SH_CHUNK = 32 << 10,                      /* bytes of one read; what a connection may have handled in one turn of the loop */
	SH_QUEUE_SOFT = 1 << 20,                  /* bytes queued above which no more lines are taken */
	SH_QUEUE_HARD = PR_REPLY_MAX + (1 << 20), /* bytes queued above which the client is dropped */
	SH_REFUSED_MAX = 64,                      /* connections over the limit that are told so at one time */
	SH_GOODBYE_MS = 1000                      /* how long a client may take to close its side */
};

struct sh_conn;
TAILQ_HEAD(sh_conn_list, sh_conn);

struct sh_conns {
	uv_loop_t *loop;
	struct sv_core *core;          /* borrowed; NULL until sh_conns_start */
	unsigned count, count_max;     /* connections that are not freed yet; how many are served */
	uint64_t stall_ns;             /* a client may take nothing for so long */
	struct sh_conn_list all;
	struct sh_conn_list touched;   /* something happened: to be settled before the loop turns */
	struct sh_conn_list held;      /* wait for the core to answer */
	struct sh_conn_list resting;   /* had their share of this turn */
	uv_idle_t idle;                /* active while somebody is resting */
	char chunk[SH_CHUNK];          /* where every read lands first */
};

void sh_conns_init(struct sh_conns *conns, uv_loop_t *loop, unsigned count_max, double stall_s);
/* Takes a visitor in; false when there is no memory for it. (An sh_visitor.) */
bool sh_conns_accept(void *conns, uv_stream_t *listener);
/* The core has answered somebody: sends what is there and reads on where it was waited for. */
void sh_conns_pumped(struct sh_conns *conns);
/* Sends what the core gave out meanwhile. */
void sh_conns_settle(struct sh_conns *conns);
/* Ten times a second or so: deadlines. */
void sh_conns_tick(struct sh_conns *conns);
/* The server stops: nothing more is read, what is pending is answered, then they close. */
void sh_conns_finish(struct sh_conns *conns);
/* Closes all at once. */
void sh_conns_close(struct sh_conns *conns);

#endif
