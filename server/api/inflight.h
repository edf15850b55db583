/* Inflight: a line of a session that is not answered yet. */
#ifndef SV_INFLIGHT_H
#define SV_INFLIGHT_H

#include <stddef.h>
#include <sys/queue.h>

struct pr_exchange;
struct sv_read_request;
struct sv_session;

struct sv_inflight {
	struct pr_exchange *exchange;    /* NULL for a fast query, and for a long line until it is read and delivered */
	char *line;                      /* of a fast query and of a long line, owned */
	size_t size;                     /* of line */
	struct sv_read_request *reading; /* of a long line that is read, owned: it has the exchange freed; else NULL */
	struct sv_session *session;      /* NULL: it has closed */
	unsigned next, unserved;         /* the next call to be carried out, and how many are still to be */
	LIST_ENTRY(sv_inflight) link;    /* of the session's lines */
	STAILQ_ENTRY(sv_inflight) queue; /* of those with calls that are not begun */
};

#endif
