/* Strangers: clients whose first bytes belong to another protocol.
 *
 * Web pages can make a browser send any text behind the first line of an HTTP request, and none of it may be carried
 * out. Such a client gets a short answer that its kind understands where there is one, and a line of the log says what
 * it was: at most one in NT_SAY_MS for each kind. */
#ifndef NT_STRANGERS_H
#define NT_STRANGERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/buf.h"

enum { NT_SAY_MS = 60000 };

enum nt_stranger {
	NT_STRANGER_HTTP,
	NT_STRANGER_PAGE,  /* HTTP that a web page has a browser send */
	NT_STRANGER_TLS,   /* TLS on a port without */
	NT_STRANGER_PLAIN, /* a request in plain text on a port with TLS */
	NT_STRANGER_TORN,  /* TLS that went wrong */
	NT_STRANGER_OTHER,
	NT_STRANGER_ORIGIN, /* by HTTP, for a web page that is not ours */
	NT_STRANGER_HOST,   /* by HTTP, to a name that is not ours */
	NT_STRANGER_KINDS
};

struct nt_strangers {
	struct {
		uint64_t said_ns; /* when the log last told of one; 0: never */
		unsigned count;   /* since then */
	} kind[NT_STRANGER_KINDS];
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
bool nt_stranger_found(const char *data, size_t size, bool *spoken, enum nt_stranger *kind);
/* What a client is whose first bytes (blank ones apart) begin no request. `size` is not zero. */
enum nt_stranger nt_stranger_kind(const char *data, size_t size);
/* Appends the answer to `out`; nothing for a TORN one, nor for those by HTTP. */
void nt_stranger_answer(enum nt_stranger kind, struct pd_buf *out);
/* Tells the log. `why`: what went wrong, of a TORN one; which origin or name, of those by HTTP; else NULL. */
void nt_stranger_log(struct nt_strangers *strangers, enum nt_stranger kind, const char *why);

#endif
