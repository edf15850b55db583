/* Core: requests, replies and watches, without sockets and without a clock (private to clients/libproofd).
 *
 * A call waits in the queue, is sent while fewer than limits.inflight are unanswered (the server reads no more), and
 * is answered in any order. When the connection ends, calls that only read, and submissions with a key, return to the
 * queue and are sent again on the next connection; the others fail with "unknown-fate". Watches are renewed. */
#pragma once

#include <sys/queue.h>

#include "clients/libproofd/error.h"
#include "clients/libproofd/types.h"
#include "proto/base/buf.h"
#include "proto/doc.h"

enum pc_kind {
	PC_CALL,   /* of the program */
	PC_WATCH,  /* job.watch of the library's own */
	PC_UNWATCH /* job.unwatch of the library's own */
};

enum pc_place { PC_NOWHERE, PC_QUEUED, PC_SENT, PC_AGAIN /* waits for the next connection: the server stops */ };

/* A call. Its user frees it; if the user has dropped it, it is freed when it leaves its list. */
struct proofd_pending {
	TAILQ_ENTRY(proofd_pending) link;
	struct proofd *server;
	int64_t id;
	enum pc_kind kind;
	enum pc_place place;
	uint32_t job;    /* of PC_WATCH */
	bool repeatable; /* the request may be carried out twice */
	bool wanted;     /* its user has not dropped it */
	bool done;
	bool failed;                /* with `error`; otherwise a call that is done has a reply */
	struct proofd_reply *reply; /* owned */
	struct proofd_error error;
	struct pd_buf line; /* the request */
	char method[64];    /* for messages */
};
TAILQ_HEAD(pc_calls, proofd_pending);

struct proofd_watch {
	LIST_ENTRY(proofd_watch) link;
	struct proofd *server;
	uint32_t job;
	double interval_s;
	struct proofd_reply *state; /* the newest state that has not been taken; owned */
	bool listed;                /* with the core */
	bool ended;                 /* there will be no more states */
	bool failed;                /* because of `error` */
	struct proofd_error error;
};

struct pc_limits {
	size_t line, reply, positions;
	unsigned inflight;
	int64_t rate;
};

struct pc_core {
	struct pc_limits limits;
	char *token;       /* owned; NULL: none */
	bool greeted;      /* the server has answered the greeting of this connection */
	bool refused;      /* the server refuses this connection with `refusal` */
	int64_t greeting;  /* id of the greeting under way; 0: none */
	bool greeting_due; /* the greeting has not been sent */
	struct proofd_error refusal;
	int64_t ids;
	struct pc_calls queue, sent, again;
	size_t queued, under_way; /* calls in `queue` and in `sent` */
	LIST_HEAD(, proofd_watch) watches;
	void (*take_note)(void *note_ctx, struct pr_doc *note); /* NULL: watches take notifications */
	void *note_ctx;
	struct pd_buf in; /* what has arrived and has not been read as lines */
	size_t scanned;   /* bytes of `in` that are known to contain no newline */
};

/* -1 if memory runs out. */
int pc_core_init(struct pc_core *core, const char *token, struct proofd_error *error);
void pc_core_fini(struct pc_core *core);

/* Adds a call; `params` is compact JSON without newlines, of `size` bytes. *out is the caller's until pc_call_forget.
 * "limit" if the server would not read it. */
struct pc_request {
	const char *method, *params;
	size_t size;
	bool has_key; /* the parameters have a `key` */
};
int pc_core_add(struct pc_core *core, const struct pc_request *request, struct proofd_pending **out,
		struct proofd_error *error);
/* Makes the call fail with "closed" at once. */
void pc_core_cancel(struct pc_core *core, struct proofd_pending *call);
/* Drops the call: if it has not been sent, it will not be sent; else its reply is dropped. */
void pc_call_forget(struct pc_core *core, struct proofd_pending *call);

/* Adds the watch to the core's list until it ends. -1 if memory runs out. */
int pc_core_watch(struct pc_core *core, struct proofd_watch *watch, struct proofd_error *error);
/* Subscribes to the job again, on the present connection. */
int pc_core_ask_again(struct pc_core *core, uint32_t job, struct proofd_error *error);
void pc_core_unwatch(struct pc_core *core, struct proofd_watch *watch);

/* Begins a connection: the greeting goes first, with the token, and everything else after its reply. */
void pc_core_connected(struct pc_core *core);
/* Appends what may be sent now; sets out->failed if memory runs out. */
void pc_core_output(struct pc_core *core, struct pd_buf *out);
/* Reads what has arrived in core->in. -1: the bytes are not the protocol, or memory has run out. */
int pc_core_read(struct pc_core *core, struct proofd_error *error);
/* Ends the connection. Calls that may be repeated wait for the next one. */
void pc_core_lost(struct pc_core *core, const char *why);
/* Makes all waiting calls fail, because there will be no connection. */
void pc_core_fail(struct pc_core *core, const struct proofd_error *error);
