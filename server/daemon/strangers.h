/* Strangers: clients whose first bytes belong to another protocol.
 *
 * Web pages can make a browser send any text behind the first line of an HTTP request, and none of it may be carried
 * out. Such a client gets a short answer that its kind understands where there is one, and a line of the log says what
 * it was: at most one in DM_SAY_MS for each kind. */
#ifndef DM_STRANGERS_H
#define DM_STRANGERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/buf.h"

enum { DM_SAY_MS = 60000 };

enum dm_stranger {
	DM_STRANGER_HTTP,
	DM_STRANGER_PAGE,  /* HTTP that a web page has a browser send */
	DM_STRANGER_TLS,   /* TLS on a port without */
	DM_STRANGER_PLAIN, /* a request in plain text on a port with TLS */
	DM_STRANGER_TORN,  /* TLS that went wrong */
	DM_STRANGER_OTHER,
	DM_STRANGER_ORIGIN, /* by HTTP, for a web page that is not ours */
	DM_STRANGER_HOST,   /* by HTTP, to a name that is not ours */
	DM_STRANGER_KINDS
};

struct dm_strangers {
	struct {
		uint64_t said_ns; /* when the log last told of one; 0: never */
		unsigned count;   /* since then */
	} kind[DM_STRANGER_KINDS];
};

/* Whether there is nothing in a line. */
static inline bool dm_blank(const char *line, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (line[i] != ' ' && line[i] != '\t' && line[i] != '\r')
			return false;
	return true;
}

/* True when the first byte that is not blank begins no request: *kind says whose it is. Else *spoken says whether it
 * was among these bytes. */
bool dm_stranger_found(const char *data, size_t size, bool *spoken, enum dm_stranger *kind);
/* What a client is whose first bytes (blank ones apart) begin no request. `size` is not zero. */
enum dm_stranger dm_stranger_kind(const char *data, size_t size);
/* Appends the answer to `out`; nothing for a TORN one, nor for those by HTTP. */
void dm_stranger_answer(enum dm_stranger kind, struct pd_buf *out);
/* Tells the log. `why`: what went wrong, of a TORN one; which origin or name, of those by HTTP; else NULL. */
void dm_stranger_log(struct dm_strangers *strangers, enum dm_stranger kind, const char *why);

#endif
