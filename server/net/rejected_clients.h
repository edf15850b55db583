/* Strangers: clients whose first bytes belong to another protocol.
 *
 * Web pages can make a browser send any text behind the first line of an HTTP request, and none of it may be carried
 * out. Such a client gets a short answer that its kind understands where there is one, and a line of the log says what
 * it was: at most one in NT_SAY_MS for each kind. */
#ifndef NT_REJECTED_CLIENTS_H
#define NT_REJECTED_CLIENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/buf.h"

enum { NT_SAY_MS = 60000 };

enum nt_rejection {
	NT_REJECTED_HTTP,
	NT_REJECTED_PAGE,  /* HTTP that a web page has a browser send */
	NT_REJECTED_TLS,   /* TLS on a port without */
	NT_REJECTED_PLAIN, /* a request in plain text on a port with TLS */
	NT_REJECTED_TORN,  /* TLS that went wrong */
	NT_REJECTED_OTHER,
	NT_REJECTED_ORIGIN, /* by HTTP, for a web page that is not ours */
	NT_REJECTED_HOST,   /* by HTTP, to a name that is not ours */
	NT_REJECTED_KINDS
};

struct nt_rejections {
	struct {
		uint64_t said_ns; /* when the log last told of one; 0: never */
		unsigned count;   /* since then */
	} kind[NT_REJECTED_KINDS];
};

/* Whether there is nothing in a line. */
static inline bool nt_blank(const char *line, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (line[i] != ' ' && line[i] != '\t' && line[i] != '\r')
			return false;
	return true;
}

/* True when the first byte that is not blank begins no request: *kind says whose it is. Else *spoken says whether it
 * was among these bytes. */
bool nt_rejection_found(const char *data, size_t size, bool *spoken, enum nt_rejection *kind);
/* What a client is whose first bytes (blank ones apart) begin no request. `size` is not zero. */
enum nt_rejection nt_rejection_kind(const char *data, size_t size);
/* Appends the answer to `out`; nothing for a TORN one, nor for those by HTTP. */
void nt_rejection_answer(enum nt_rejection kind, struct pd_buf *out);
/* Tells the log. `why`: what went wrong, of a TORN one; which origin or name, of those by HTTP; else NULL. */
void nt_rejection_log(struct nt_rejections *rejections, enum nt_rejection kind, const char *why);

#endif
