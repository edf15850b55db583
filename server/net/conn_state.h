/* Connection state: the structs of conn.h, for the files that work on them. */
#pragma once

#include <sys/queue.h>
#include <uv.h>

#include "proto/rpc.h"
#include "server/core.h"
#include "server/net/rejected_clients.h"
#include "server/net/server_config.h"
#include "server/net/tls.h"

enum {
	NT_CHUNK = 32 << 10,                      /* bytes of one read */
	NT_QUEUE_SOFT = 1 << 20,                  /* bytes queued above which no more messages are taken */
	NT_QUEUE_HARD = PR_REPLY_MAX + (1 << 20), /* bytes queued above which the client is dropped */
	NT_SHARE_NS = 250000,                     /* for the messages of one client, at a stretch */
	NT_TURN_NS = 1000000,                     /* for those of all clients, in one turn of the loop */
	NT_LINGER_MS = 1000,                      /* for a client to close its side */
	NT_HANDSHAKE_MS = 10000,                  /* for the handshake of TLS */
	NT_TOKEN_MS = 10000                       /* for a token, if no person has to type it */
};

/* For places.h. */
enum {
	NT_ANONYMOUS_MAX = 64,
	NT_RESERVED = 8,
	NT_SHARES = 1024 /* hash buckets of addresses */
};

enum nt_standing { NT_NO_PLACE, NT_ANONYMOUS, NT_USER, NT_STANDINGS };

struct nt_places {
	unsigned count[NT_STANDINGS];
	unsigned share[NT_STANDINGS][NT_SHARES + 1]; /* of each address; the last one: of the Unix socket */
};

struct nt_conn;
TAILQ_HEAD(nt_conn_list, nt_conn);

/* How messages are framed in a connection's bytes. Its functions may send (nt_conn_put) and end (nt_conn_end); nothing
 * is closed before they return. */
struct nt_framing {
	const char *tail;  /* completes the last message at the end of input; NULL: it is dropped */
	bool leaves;       /* at the end of input the client has left; otherwise it may still read */
	bool asks_first;   /* a client is anonymous until its first request is complete */
	unsigned token_ms; /* for a client to get a role */
	/* Looks at the first plain bytes; false when it has rejected the client. NULL: accepts anything. */
	bool (*inspect)(struct nt_conn *conn, const char *data, size_t size);
	/* Takes the first message of some bytes, which it may change. Returns the bytes consumed; 0: the message is not
	 * complete, or has to wait (`waits`). *little becomes false after work that takes time. */
	size_t (*take)(struct nt_conn *conn, char *data, size_t size, bool *little);
	/* Answers a client that does not speak TLS on a port with TLS. */
	void (*plain)(struct nt_conn *conn, const char *data, size_t size);
	/* Tells a client that it is not served. NULL: `bye` does so. */
	void (*refuse)(struct nt_conn *conn, const struct pd_fail *fail);
	/* Sends the closing message, once, after everything else. NULL: there is none. */
	void (*bye)(struct nt_conn *conn);
	/* Every NT_TICK_MS while it is OPEN or DRAINING: true when the client has to be cut off. NULL: never. */
	bool (*late)(struct nt_conn *conn, uint64_t now_ns);
	/* Frees `own`. NULL: there is nothing to free. */
	void (*free)(struct nt_conn *conn);
	/* The session's sink: a reply or a notification, with its newline. NULL: its connections have no session and no
	 * place among users. */
	void (*send)(void *conn, const char *line, size_t size);
};

enum nt_conn_state { NT_OPEN, NT_DRAINING, NT_LINGERING, NT_CLOSED }; /* the diagram above */

/* Of places.c: whose place it has. */
struct nt_conn_place {
	enum nt_standing standing;
	unsigned share;    /* bucket of its address */
	uint64_t since_ns; /* since when it has been anonymous, if it is */
	bool refused;      /* it was told that there is no place */
};

/* Of conn_in.c: input. */
struct nt_conn_in {
	struct pd_buf buf;     /* input not handled yet; empty most of the time */
	bool eof;              /* the client sends no more */
	bool more;             /* `buf` may hold a complete message */
	bool full;             /* it waits for the next turn */
	bool served;           /* a message was taken since it last rested; framings set it */
	bool ciphertext_waits; /* `tls` has ciphertext for the next turn */
	bool tls_begun;        /* ciphertext has arrived */
	bool reading;          /* uv_read_start is on; conn.c sets it */
	uint64_t heard_ns;     /* of the last activity of the client */
};

/* Of conn_out.c: output. */
struct nt_conn_out {
	struct pd_buf queue;  /* not given to libuv yet */
	struct pd_buf flight; /* given to libuv; size 0: none */
	uv_write_t write;
	uv_shutdown_t shutdown;
	bool suspended;    /* more than NT_QUEUE_SOFT bytes are queued: no long call is begun */
	size_t unsent;     /* bytes queued in libuv at the last tick */
	uint64_t moved_ns; /* when that last changed; in LINGERING: when it began */
};

/* Of the framing. */
struct nt_conn_frame {
	void *own;        /* NULL: nothing */
	size_t own_bytes; /* bytes buffered in `own` */
	size_t scanned;   /* bytes of the next message that were examined */
	bool skipping;    /* inside a message that was too long */
	bool waits;       /* the next message is taken after an answer */
	bool inspected;   /* `inspect` has accepted it */
	bool asked;       /* its first request is complete, where the framing has `asks_first` */
};

/* Owned by the loop thread. Each part has a file that alone changes it, except where noted. */
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
	struct sv_session *session; /* owned; NULL without `framing->send`, and if the client was refused or has left */
	struct nt_tls *tls;         /* owned; NULL: plain bytes */
	enum nt_conn_state state;
	bool broken;     /* to be closed by settle_conn; any file sets it */
	size_t buffered; /* bytes of its buffers, as counted among all: conn_state.c */
	struct nt_conn_place place;
	struct nt_conn_in in;
	struct nt_conn_out out;
	struct nt_conn_frame frame;
};

/* Numbers of clients since the start. */
struct nt_conn_counts {
	uint64_t accepted;
	uint64_t rejected; /* of another protocol or a foreign web page */
	uint64_t refused;  /* no place or no memory for them */
	uint64_t stalled;  /* left replies unread or a ping unanswered */
	uint64_t relieved; /* dropped because the buffers of all were too large */
	uint64_t idle;     /* idle, disconnected for others */
	uint64_t pushed;   /* anonymous, disconnected for others or without a token in time */
};

struct nt_conns {
	uv_loop_t *loop;
	struct sv_core *core;           /* borrowed; NULL while the server has none */
	const struct nt_public *public; /* borrowed, of the configuration */
	unsigned count, count_max;      /* open connections; users served at most */
	struct nt_places places;
	uint64_t stall_ns;             /* limit for a client that reads nothing */
	uint64_t idle_ns;              /* after which an idle client makes room */
	size_t buffered, buffered_max; /* bytes of all clients */
	uint64_t turn_ns;              /* when this turn began to take messages; 0: not yet */
	struct nt_conn_counts total;
	struct nt_log_limit rejections[NT_REJECTED_KINDS];
	struct nt_log_limit drops[NT_DROP_KINDS];
	struct nt_tls_identity *identity; /* of new TCP connections, borrowed; NULL: no TLS */
	struct nt_conn_list all;
	struct nt_conn_list touched; /* to be settled before the loop turns */
	struct nt_conn_list waiting; /* have calls in flight */
	struct nt_conn_list fresh;   /* first in the next turn */
	struct nt_conn_list resting; /* had their share of this turn */
	bool paused;                 /* set by the server: connections wait to be accepted */
	uv_idle_t idle;              /* active while a connection rests */
	char chunk[NT_CHUNK];        /* of every read */
	char plain[NT_CHUNK];        /* decrypted from it */
};

/* Goes to another state, along the arrows in conn.h. */
void nt_conn_move(struct nt_conn *conn, enum nt_conn_state to);
/* Moves it to another list; NULL: none. */
void nt_conn_list_in(struct nt_conn *conn, struct nt_conn_list *list);
/* It changed outside its events: it is settled before the loop turns. */
void nt_conn_touch(struct nt_conn *conn);
/* Takes no more messages; the connection ends after the answers in flight. */
void nt_conn_end(struct nt_conn *conn);
/* The client wants no more answers: abandons what is in flight and ends the connection. Not for calls from the core. */
void nt_conn_leave(struct nt_conn *conn);
/* Abandons what is in flight. */
void nt_conn_end_session(struct nt_conn *conn);

/* Buffers: their size for each client and for all, and which client is dropped for them (conn.h). */

/* Counts its buffers again; a broken connection has none. */
void nt_conn_count_buffers(struct nt_conn *conn);
/* The same; then drops the largest connections while the limit of all is exceeded. */
void nt_conn_buffers_changed(struct nt_conn *conn);
/* The client left `bytes` unread: the connection is to be closed. */
void nt_conn_drop(struct nt_conn *conn, enum nt_drop kind, size_t bytes);
