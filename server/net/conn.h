/* Connection: one client's connection, and the set of all of them, whatever way they come: lines over TCP or a Unix
 * socket (lines.h), HTTP and WebSocket (web.h). What a connection is (a session, bounded queues, a share of the turn,
 * deadlines) stands here; how messages stand in its bytes is its framing.
 *
 *   OPEN ----> DRAINING ----> LINGERING ----> CLOSED
 *     |            |                            ^
 *     +------------+----------------------------+
 *
 *   OPEN -> DRAINING       settle_conn: the client has closed its sending side and all its messages are taken;
 *                          nt_conn_end: its framing wants no more of it, as when it does not speak the protocol;
 *                          nt_conn_leave: the client wants no more answers, or can get none;
 *                          there is no place for it (places.h);
 *                          nt_conns_finish: the server stops.
 *   DRAINING -> LINGERING  begin_linger: all calls are answered and all replies written.
 *   any -> CLOSED          close_conn: error on the socket, a deadline, no memory, too much buffered; the server
 *                          closes. From LINGERING also when the client has closed its side.
 *
 *   OPEN       messages are read and handed to the session.
 *   DRAINING   nothing is read; the calls in flight are answered, unless the client has left: then the session is
 *              freed, and only what was queued before is sent.
 *   LINGERING  the sending side is shut, and input is discarded until the client closes or NT_LINGER_MS pass.
 *              (Closing at once would let the kernel reset the connection and discard the last replies.)
 *   CLOSED     the session is freed; the memory goes when libuv has closed the handle.
 *
 * Memory is bounded both ways (V2). In: a message has at most PR_LINE_MAX bytes, which its framing sees to.
 * Reading stops while SV_INFLIGHT_MAX calls are in flight or more than NT_QUEUE_SOFT bytes wait to be sent; calls that
 * wait for a thread wait on then, too.
 * Out: a client whose queue passes NT_QUEUE_HARD, or that reads nothing for `stall_s`, is dropped. The buffers of
 * all clients together have a limit, too; beyond it the client with the largest ones is dropped: a stranger (places.h)
 * while one has any.
 *
 * Time is shared (V3): the messages of a client have NT_SHARE_NS at a stretch, then it rests until the others had
 * theirs; all together have NT_TURN_NS in a turn of the loop. A client whose bytes come after that is first in the
 * next turn, so that a single question waits for one turn and not for the load of all.
 *
 * Under TLS (tls.h) all that is counted is ciphertext; a handshake has NT_HANDSHAKE_MS, and one that comes when the
 * turn is over waits. places.h says who may connect, and who makes room when all places are taken. Where there are
 * tokens, a client has to show one within the `token_ms` of its framing. */
#ifndef NT_CONN_H
#define NT_CONN_H

#include "server/net/conn_state.h"

/* A client that comes: its socket; by the Unix socket, or by TCP. */
struct nt_socket {
	int fd;
	bool local;
};

void nt_conns_init(struct nt_conns *conns, uv_loop_t *loop, const struct nt_config *config);
/* Makes a connection from a socket; it takes over `own` (NULL: nothing). False when there is no memory for it or while
 * `paused`, and both are still the caller's. */
bool nt_conns_accept(struct nt_conns *conns, const struct nt_socket *socket, const struct nt_framing *framing,
		     void *own);
/* The core has answered calls: sends the replies, and reads on from clients that waited for them. */
void nt_conns_pumped(struct nt_conns *conns);
/* Sends the replies and notifications that the core has given out. */
void nt_conns_settle(struct nt_conns *conns);
/* The loop turns: there is time for lines again. */
void nt_conns_turn(struct nt_conns *conns);
/* Ten times a second or so: deadlines. */
void nt_conns_tick(struct nt_conns *conns);
/* The server stops: nothing more is read, calls in flight are answered, then the connections close. */
void nt_conns_finish(struct nt_conns *conns);
/* Closes the one that came first; there is one. */
void nt_conns_close_oldest(struct nt_conns *conns);
/* Closes all at once. While `paused` others may come later; else nothing follows. */
void nt_conns_close(struct nt_conns *conns);

#endif
