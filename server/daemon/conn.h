/* Connection: one client's connection, and the set of all of them, whatever way they come: lines over TCP or a Unix
 * socket (lines.h), HTTP and WebSocket (web.h). What a connection is (a session, bounded queues, a share of the turn,
 * deadlines) stands here; how messages stand in its bytes is its framing.
 *
 *   OPEN ----> DRAINING ----> LINGERING ----> CLOSED
 *     |            |                            ^
 *     +------------+----------------------------+
 *
 *   OPEN -> DRAINING       settle: the client has closed its sending side and all its messages are taken;
 *                          dm_conn_end: its framing wants no more of it, as when it does not speak the protocol;
 *                          dm_conn_leave: the client wants no more answers, or can get none;
 *                          refuse_visitor: no place or no memory for it;
 *                          dm_conns_finish: the server stops.
 *   DRAINING -> LINGERING  linger: all calls are answered and all replies written.
 *   any -> CLOSED          shut: error on the socket, a deadline, no memory, too much buffered; the server
 *                          closes. From LINGERING also when the client has closed its side.
 *
 *   OPEN       messages are read and handed to the session.
 *   DRAINING   nothing is read; the calls in flight are answered, unless the client has left: then the session is
 *              freed, and only what was queued before is sent.
 *   LINGERING  the sending side is shut, and input is discarded until the client closes or DM_LINGER_MS pass.
 *              (Closing at once would let the kernel reset the connection and discard the last replies.)
 *   CLOSED     the session is freed; the memory goes when libuv has closed the handle.
 *
 * Memory is bounded both ways (V2). In: a message has at most PR_LINE_MAX bytes, which its framing sees to.
 * Reading stops while SV_INFLIGHT_MAX calls are in flight or more than DM_QUEUE_SOFT bytes wait to be sent; calls that
 * wait for a thread wait on then, too.
 * Out: a client whose queue passes DM_QUEUE_HARD, or that reads nothing for `stall_s`, is dropped. The buffers of
 * all clients together have a limit, too; beyond it the client with the largest ones is dropped.
 *
 * Time is shared (V3): the messages of a client have DM_SHARE_NS at a stretch, then it rests until the others had
 * theirs; all together have DM_TURN_NS in a turn of the loop. A client whose bytes come after that is first in the
 * next turn, so that a single question waits for one turn and not for the load of all.
 *
 * Under TLS (tls.h) all that is counted is ciphertext; a handshake has DM_HANDSHAKE_MS, and one that comes when the
 * turn is over waits. When all places are taken, the client that has been idle longest (for `idle_s` at least; also one
 * that is silent in the middle of a message) is closed to make room, and DM_RESERVED places are for the Unix socket
 * alone, so that the owner can always reach the server. */
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
	DM_SHARE_NS = 250000,                     /* for the messages of one client, at a stretch */
	DM_TURN_NS = 1000000,                     /* for those of all clients, in one turn of the loop */
	DM_LINGER_MS = 1000,                      /* how long a client may take to close its side */
	DM_HANDSHAKE_MS = 10000                   /* how long it may take until TLS is set up */
};

struct dm_conn;
TAILQ_HEAD(dm_conn_list, dm_conn);

/* How messages stand in a connection's bytes. Its functions may send (dm_conn_put) and end (dm_conn_end) the
 * connection, but nothing is closed before they have returned. */
struct dm_framing {
	const char *tail; /* completes what is left when the client sends no more; NULL: that is dropped */
	bool leaves;      /* a client that sends no more has left; else it may read on */
	/* Looks at the first plain bytes; false when it has turned the client away. NULL: anything may come. */
	bool (*meet)(struct dm_conn *conn, const char *data, size_t size);
	/* Takes the first message of some bytes, which it may change. Returns how many bytes are done with; 0: it is
	 * not whole, or has to wait (`waits`). *little becomes false when there was work to do that takes time. */
	size_t (*take)(struct dm_conn *conn, char *data, size_t size, bool *little);
	/* Answers a client that speaks no TLS on a port with it. */
	void (*plain)(struct dm_conn *conn, const char *data, size_t size);
	/* Tells a client that it is not served. */
	void (*refuse)(struct dm_conn *conn, const struct pd_fail *fail);
	/* Sends the last words, at most once, when everything else is sent. NULL: there are none. */
	void (*bye)(struct dm_conn *conn);
	/* Every DM_TICK_MS: true when the client has to be cut off. NULL: it may take its time. */
	bool (*late)(struct dm_conn *conn, uint64_t now_ns);
	/* Frees `own`. NULL: there is nothing. */
	void (*free)(struct dm_conn *conn);
	/* The session's sink: a reply or a notification, with its newline. */
	void (*send)(void *conn, const char *line, size_t size);
};

enum dm_conn_state { DM_OPEN, DM_DRAINING, DM_LINGERING, DM_CLOSED }; /* the diagram above */

/* For conn.c, and for framings; others do not look inside. */
struct dm_conn {
	union {
		uv_handle_t handle;
		uv_stream_t stream;
		uv_tcp_t tcp;
		uv_pipe_t pipe;
	};
	TAILQ_ENTRY(dm_conn) all;
	TAILQ_ENTRY(dm_conn) list;  /* touched, waiting, fresh or resting */
	struct dm_conn_list *where; /* the list it is in; NULL: none */
	struct dm_conns *conns;
	const struct dm_framing *framing;
	void *own;                  /* the framing's; NULL: nothing */
	size_t own_bytes;           /* that are buffered in there */
	struct sv_session *session; /* owned; NULL for a refused visitor, for a client that has left, and when CLOSED */
	enum dm_conn_state state;
	bool broken;          /* to be closed by settle */
	bool reading;         /* uv_read_start is on */
	bool eof;             /* the client sends no more */
	bool skipping;        /* the framing's: inside a message that was too long */
	bool waits;           /* the framing's: no message is taken before an answer has come */
	bool more;            /* `in` may hold a complete message */
	bool spoken;          /* `meet` was content */
	bool full;            /* had its share of this turn, or came too late for one */
	bool served;          /* had one since it last rested */
	bool suspended;       /* more than DM_QUEUE_SOFT bytes wait to be sent: no long call of it is begun */
	bool sealed;          /* `tls` has ciphertext that came too late for this turn */
	bool greeted;         /* the first ciphertext has come */
	struct dm_tls *tls;   /* owned; NULL: plain bytes */
	struct pd_buf in;     /* what was read and not handled; empty most of the time */
	size_t scanned;       /* the framing's: bytes at the start of the next message that were looked at */
	struct pd_buf out;    /* replies not given to libuv yet */
	struct pd_buf flight; /* replies that libuv is writing; size 0: none */
	uv_write_t write;
	uv_shutdown_t shutdown;
	size_t buffered;   /* bytes of its buffers, as counted among all */
	uint64_t heard_ns; /* when it last sent something, or had something done */
	size_t unsent;     /* bytes queued in libuv when last looked at */
	uint64_t moved_ns; /* when that last changed; in LINGERING: when it began */
};

/* What came of clients, since the start. */
struct dm_conn_counts {
	uint64_t accepted;
	uint64_t strangers; /* turned away: they do not speak this protocol, or come from a foreign web page */
	uint64_t refused;   /* no place or no memory for them */
	uint64_t stalled;   /* left replies unread, for too long or too many, or a ping unanswered */
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
	uint64_t turn_ns;              /* when this turn's messages began to be taken; 0: not yet */
	struct dm_conn_counts total;
	struct dm_strangers strangers;
	struct dm_drops drops;
	struct dm_tls_identity *identity; /* of all TCP ports, borrowed; NULL: no TLS. New connections take it */
	struct dm_conn_list all;
	struct dm_conn_list touched; /* something happened: to be settled before the loop turns */
	struct dm_conn_list waiting; /* have calls in flight */
	struct dm_conn_list fresh;   /* came when this turn's time was used up; they are first in the next */
	struct dm_conn_list resting; /* had their share of this turn */
	bool paused;                 /* told by the server: no connection is accepted for now, it waits */
	uv_idle_t idle;              /* active while a connection rests */
	char chunk[DM_CHUNK];        /* where every read lands first */
	char plain[DM_CHUNK];        /* and what was decrypted of it */
};

void dm_conns_init(struct dm_conns *conns, uv_loop_t *loop, const struct dm_config *config);
/* Accepts a connection, which takes over `own` (NULL: nothing); false when there is no memory for it or while
 * `paused`, and `own` is still the caller's. */
bool dm_conns_accept(struct dm_conns *conns, uv_stream_t *listener, const struct dm_framing *framing, void *own);
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
/* Closes all at once. While `paused` others may come later; else nothing follows. */
void dm_conns_close(struct dm_conns *conns);

/* For framings. Queues bytes to be sent; a client that leaves too many unread is dropped. `ctx`: a struct dm_conn. */
void dm_conn_put(void *ctx, const char *data, size_t size);
/* Takes no more messages; what is in flight is answered, then the connection ends. */
void dm_conn_end(struct dm_conn *conn);
/* The client wants no more answers: what is in flight is given up, then the connection ends. Not for calls from the
 * core. */
void dm_conn_leave(struct dm_conn *conn);
/* Answers a client that speaks another protocol, tells the log, and ends the connection. `why`: as in strangers.h. */
void dm_conn_turn_away(struct dm_conn *conn, enum dm_stranger kind, const char *why);
/* Something of it has changed outside of its events: it is looked at before the loop turns. */
void dm_conn_touch(struct dm_conn *conn);

#endif
