/* Connection state: what a connection is, and the set of all of them, for the files that work on it (conn.h). */
#ifndef NT_CONN_STATE_H
#define NT_CONN_STATE_H

#include <stdbool.h>
#include <sys/queue.h>
#include <uv.h>

#include "proto/rpc.h"
#include "server/core.h"
#include "server/net/drops.h"
#include "server/net/server_config.h"
#include "server/net/rejected_clients.h"
#include "server/net/tls.h"

enum {
	NT_CHUNK = 32 << 10,     /* bytes of one read; what a connection may have handled in one turn of the loop */
	NT_QUEUE_SOFT = 1 << 20, /* bytes queued above which no more lines are taken */
	NT_QUEUE_HARD = PR_REPLY_MAX + (1 << 20), /* bytes queued above which the client is dropped */
	NT_SHARE_NS = 250000,                     /* for the messages of one client, at a stretch */
	NT_TURN_NS = 1000000,                     /* for those of all clients, in one turn of the loop */
	NT_LINGER_MS = 1000,                      /* how long a client may take to close its side */
	NT_HANDSHAKE_MS = 10000,                  /* how long it may take until TLS is set up */
	NT_TOKEN_MS = 10000 /* and until it shows a token, where it need not ask a person for one */
};

/* For places.h. */
enum {
	NT_ANONYMOUS_MAX = 64,
	NT_RESERVED = 8,
	NT_SHARES = 1024 /* of addresses, by hash: two that meet in one share it */
};

enum nt_standing { NT_NO_PLACE, NT_ANONYMOUS, NT_USER, NT_STANDINGS };

struct nt_places {
	unsigned count[NT_STANDINGS];
	unsigned share[NT_STANDINGS][NT_SHARES + 1]; /* the last one: of the Unix socket */
};

struct nt_conn;
TAILQ_HEAD(nt_conn_list, nt_conn);

/* How messages are framed in a connection's bytes. Its functions may send (nt_conn_put) and end (nt_conn_end) the
 * connection, but nothing is closed before they have returned. */
struct nt_framing {
	const char *tail;  /* completes what is left when the client sends no more; NULL: that is dropped */
	bool leaves;       /* a client that sends no more has left; else it may read on */
	unsigned token_ms; /* how long a client may be without a role */
	/* Looks at the first plain bytes; false when it has turned the client away. NULL: anything may come. */
	bool (*inspect)(struct nt_conn *conn, const char *data, size_t size);
	/* Takes the first message of some bytes, which it may change. Returns how many bytes are done with; 0: it is
	 * not whole, or has to wait (`waits`). *little becomes false when there was work to do that takes time. */
	size_t (*take)(struct nt_conn *conn, char *data, size_t size, bool *little);
	/* Answers a client that speaks no TLS on a port with it. */
	void (*plain)(struct nt_conn *conn, const char *data, size_t size);
	/* Tells a client that it is not served. NULL: `bye` does. */
	void (*refuse)(struct nt_conn *conn, const struct pd_fail *fail);
	/* Sends the last words, at most once, when everything else is sent. NULL: there are none. */
	void (*bye)(struct nt_conn *conn);
	/* Every NT_TICK_MS while it is OPEN or DRAINING: true when the client has to be cut off. NULL: it may take its
	 * time. */
	bool (*late)(struct nt_conn *conn, uint64_t now_ns);
	/* Frees `own`. NULL: there is nothing. */
	void (*free)(struct nt_conn *conn);
	/* The session's sink: a reply or a notification, with its newline. NULL: its connections have no session and no
	 * place among users. */
	void (*send)(void *conn, const char *line, size_t size);
};

enum nt_conn_state { NT_OPEN, NT_DRAINING, NT_LINGERING, NT_CLOSED }; /* the diagram above */

/* Of places.c: whose place it has. */
struct nt_conn_place {
	enum nt_standing standing;
	unsigned share;    /* of its address */
	uint64_t since_ns; /* since when it has been a stranger, if it is */
	bool refused;      /* it was told that all places are taken */
};

/* Of conn_in.c: what comes. */
struct nt_conn_in {
	struct pd_buf buf;     /* what was read and not handled; empty most of the time */
	bool eof;              /* the client sends no more */
	bool more;             /* `buf` may hold a complete message */
	bool full;             /* it had its share of this turn, or came too late for one */
	bool served;           /* it had one since it last rested; framings set it */
	bool ciphertext_waits; /* `tls` has ciphertext that came too late for this turn */
	bool tls_begun;        /* the first ciphertext has come */
	bool reading;          /* uv_read_start is on; conn.c sets it */
	uint64_t heard_ns;     /* when it last sent something, or had something done */
};

/* Of conn_out.c: what goes. */
struct nt_conn_out {
	struct pd_buf queue;  /* replies not given to libuv yet */
	struct pd_buf flight; /* replies that libuv is writing; size 0: none */
	uv_write_t write;
	uv_shutdown_t shutdown;
	bool suspended;    /* more than NT_QUEUE_SOFT bytes wait to be sent: no long call of it is begun */
	size_t unsent;     /* bytes queued in libuv when last looked at */
	uint64_t moved_ns; /* when that last changed; in LINGERING: when it began */
};

/* Of the framing. */
struct nt_conn_frame {
	void *own;        /* NULL: nothing */
	size_t own_bytes; /* that are buffered in there */
	size_t scanned;   /* bytes at the start of the next message that were looked at */
	bool skipping;    /* inside a message that was too long */
	bool waits;       /* no message is taken before an answer has come */
	bool inspected;   /* `inspect` was content */
};

/* All of the loop thread. Each part has an owner, the only file that changes it but for what is said there. */
struct nt_conn {
	union {
		uv_handle_t handle;
		uv_stream_t stream;
		uv_tcp_t tcp;
		uv_pipe_t pipe;
	};
	TAILQ_ENTRY(nt_conn) all;
	TAILQ_ENTRY(nt_conn) list;  /* touched, waiting, fresh or resting */
	struct nt_conn_list *where; /* the list it is in; NULL: none */
	struct nt_conns *conns;
	const struct nt_framing *framing;
	struct sv_session *session; /* owned; NULL without `framing->send`, for one that was refused or has left */
	struct nt_tls *tls;         /* owned; NULL: plain bytes */
	enum nt_conn_state state;
	bool broken;     /* to be closed by settle_conn; all set it */
	size_t buffered; /* bytes of its buffers, as counted among all: conn_buffers.c */
	struct nt_conn_place place;
	struct nt_conn_in in;
	struct nt_conn_out out;
	struct nt_conn_frame frame;
};

/* What became of clients, since the start. */
struct nt_conn_counts {
	uint64_t accepted;
	uint64_t rejected; /* turned away: they do not speak this protocol, or come from a foreign web page */
	uint64_t refused;  /* no place or no memory for them */
	uint64_t stalled;  /* left replies unread, for too long or too many, or a ping unanswered */
	uint64_t relieved; /* dropped: the buffers of all were too large */
	uint64_t idle;     /* made room for others */
	uint64_t pushed;   /* had no role, and made room for others or showed no token in time */
};

struct nt_conns {
	uv_loop_t *loop;
	struct sv_core *core;      /* borrowed; NULL until nt_conns_start */
	unsigned count, count_max; /* connections that are not closed; how many users are served */
	struct nt_places places;
	uint64_t stall_ns;             /* a client may take nothing for so long */
	uint64_t idle_ns;              /* a client that is idle for so long makes room */
	size_t buffered, buffered_max; /* bytes for all clients: replies not written, lines not complete */
	uint64_t turn_ns;              /* when this turn's messages began to be taken; 0: not yet */
	struct nt_conn_counts total;
	struct nt_rejections rejections;
	struct nt_drops drops;
	struct nt_tls_identity *identity; /* of all TCP ports, borrowed; NULL: no TLS. New connections take it */
	struct nt_conn_list all;
	struct nt_conn_list touched; /* something happened: to be settled before the loop turns */
	struct nt_conn_list waiting; /* have calls in flight */
	struct nt_conn_list fresh;   /* came when this turn's time was used up; they are first in the next */
	struct nt_conn_list resting; /* had their share of this turn */
	bool paused;                 /* told by the server: no connection is accepted for now, it waits */
	uv_idle_t idle;              /* active while a connection rests */
	char chunk[NT_CHUNK];        /* where every read lands first */
	char plain[NT_CHUNK];        /* and what was decrypted of it */
};

/* Goes to another state, along the arrows in conn.h. */
void nt_conn_move(struct nt_conn *conn, enum nt_conn_state to);
/* Leaves the list it is in for another one; NULL: none. */
void nt_conn_list_in(struct nt_conn *conn, struct nt_conn_list *list);
/* Something of it has changed outside of its events: it is looked at before the loop turns. */
void nt_conn_touch(struct nt_conn *conn);
/* Takes no more messages; what is in flight is answered, then the connection ends. */
void nt_conn_end(struct nt_conn *conn);
/* The client wants no more answers: what is in flight is given up, then the connection ends. Not for calls from the
 * core. */
void nt_conn_leave(struct nt_conn *conn);
/* What is in flight is given up. */
void nt_conn_end_session(struct nt_conn *conn);

#endif
