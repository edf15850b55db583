/* Rejected clients: those whose first bytes belong to another protocol.
 *
 * Web pages can make a browser send any text after the first line of an HTTP request, and none of it may be carried
 * out. Such a client gets a short answer in its own protocol where there is one, and a line of the log: at most one in
 * NT_SAY_MS for each kind. */
#pragma once

#include <stdint.h>
#include <uv.h>

#include "proto/base/buf.h"

enum { NT_SAY_MS = 60000 };

enum nt_rejection {
	NT_REJECTED_HTTP,
	NT_REJECTED_PAGE,  /* HTTP that a web page made a browser send */
	NT_REJECTED_TLS,   /* TLS on a port without TLS */
	NT_REJECTED_PLAIN, /* a request in plain text on a port with TLS */
	NT_REJECTED_TORN,  /* TLS that failed */
	NT_REJECTED_OTHER,
	NT_REJECTED_ORIGIN, /* by HTTP, for a foreign web page */
	NT_REJECTED_HOST,   /* by HTTP, for a foreign host name */
	NT_REJECTED_KINDS
};

/* Limits the log lines of one kind. */
struct nt_log_limit {
	uint64_t said_ns; /* of the last line; 0: never */
	unsigned count;   /* events since then */
};

/* Whether a line is blank. */
static inline bool nt_blank(const char *line, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (line[i] != ' ' && line[i] != '\t' && line[i] != '\r')
			return false;
	return true;
}

/* True when the first byte that is not blank does not begin a request; *kind says what it begins. Else *seen says
 * whether there was such a byte. */
bool nt_rejection_found(const char *data, size_t size, bool *seen, enum nt_rejection *kind);
/* The kind of a client whose first bytes, which are not blank, do not begin a request. `size` is not zero. */
enum nt_rejection nt_rejection_kind(const char *data, size_t size);
/* Appends the answer to `out`; none for TORN, ORIGIN and HOST. */
void nt_rejection_answer(enum nt_rejection kind, struct pd_buf *out);
/* Writes to the log. `why`: the error of a TORN one; the origin or name of those by HTTP; else NULL. */
void nt_rejection_log(struct nt_log_limit limits[NT_REJECTED_KINDS], enum nt_rejection kind, const char *why);

/* Clients that the server disconnects. A line of the log says which and why, as above. */
enum nt_drop {
	NT_DROP_STALLED,   /* has read nothing for long */
	NT_DROP_FULL,      /* has more unread replies than one client may have */
	NT_DROP_SILENT,    /* has not answered a ping of its WebSocket */
	NT_DROP_MOST,      /* has the largest buffers, and all together exceed the limit */
	NT_DROP_ANONYMOUS, /* has no role, and its place is needed (places.h) */
	NT_DROP_UNKNOWN,   /* has shown no token in time */
	NT_DROP_IDLE,      /* has been idle for long, and its place is needed */
	NT_DROP_KINDS
};

/* Logs a client that is about to be closed, for which `bytes` are buffered. */
void nt_drop_log(struct nt_log_limit limits[NT_DROP_KINDS], enum nt_drop kind, const uv_stream_t *client, size_t bytes);
