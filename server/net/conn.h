/* Connection: one client's connection, and the set of all of them: by lines over TCP or a Unix socket (lines.h), or by
 * HTTP and WebSocket (web.h). A connection is a session, bounded queues, a share of the turn and deadlines; its framing
 * finds the messages in its bytes.
 *
 *   OPEN ----> DRAINING ----> LINGERING ----> CLOSED
 *     |            |                            ^
 *     +------------+----------------------------+
 *
 *   OPEN -> DRAINING       settle_conn: the client has closed its sending side, and all its messages are taken;
 *                          nt_conn_end: its framing wants no more messages;
 *                          nt_conn_leave: the client wants no more answers, or cannot get any;
 *                          there is no place for it (places.h);
 *                          nt_conns_finish: the server stops.
 *   DRAINING -> LINGERING  begin_linger: all calls are answered and all replies written.
 *   any -> CLOSED          close_conn: an error of the socket, a deadline, no memory, too much buffered, or the server
 *                          closes. From LINGERING also when the client has closed its side.
 *
 *   OPEN       messages are read and handed to the session.
 *   DRAINING   nothing is read. Calls in flight are answered, unless the client has left: then the session is freed,
 *              and only what was queued before is sent.
 *   LINGERING  the sending side is shut down, and input is discarded until the client closes or NT_LINGER_MS pass.
 *              (Closing at once would let the kernel reset the connection and discard the last replies.)
 *   CLOSED     the session is freed. The memory is freed when libuv has closed the handle.
 *
 * Memory is bounded in both directions (V2). In: a framing accepts messages of at most PR_LINE_MAX bytes. Reading stops
 * while SV_INFLIGHT_MAX calls are in flight or more than NT_QUEUE_SOFT bytes wait to be sent. Out: a client whose queue
 * exceeds NT_QUEUE_HARD, or that reads nothing for `stall_s`, is dropped. The buffers of all clients together also have
 * a limit: beyond it the client with the largest ones is dropped, anonymous clients (places.h) first.
 *
 * Time is shared (V3): the messages of one client have NT_SHARE_NS at a stretch, those of all have NT_TURN_NS in a turn
 * of the loop. A client whose bytes come after that is first in the next turn, so that a single question waits for one
 * turn and not for the load of all.
 *
 * Under TLS (tls.h) all limits count ciphertext. A handshake has NT_HANDSHAKE_MS, and waits for the next turn when this
 * one is over. Where there are tokens, a client has to show one within the `token_ms` of its framing. */
#pragma once

#include "server/net/conn_state.h"

/* An accepted socket; `local`: a Unix socket, not TCP. */
struct nt_socket {
	int fd;
	bool local;
};

void nt_conns_init(struct nt_conns *conns, uv_loop_t *loop, const struct nt_config *config);
/* Makes a connection, which takes over the socket and `own` (NULL: nothing). Without memory or while `paused`: false,
 * and takes over neither. */
bool nt_conns_accept(struct nt_conns *conns, const struct nt_socket *socket, const struct nt_framing *framing,
		     void *own);
/* The core has answered calls: sends the replies, and continues reading. */
void nt_conns_pumped(struct nt_conns *conns);
/* The end of a turn of the loop: sends replies and notifications, and then there is time for messages again. */
void nt_conns_turn(struct nt_conns *conns);
/* Every NT_TICK_MS: deadlines. */
void nt_conns_tick(struct nt_conns *conns);
/* The server stops: nothing more is read; connections close when their calls are answered. */
void nt_conns_finish(struct nt_conns *conns);
/* Closes the oldest one; there must be one. */
void nt_conns_close_oldest(struct nt_conns *conns);
/* Closes all at once, for good unless `paused`. */
void nt_conns_close(struct nt_conns *conns);
