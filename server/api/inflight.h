/* Inflight: a line of a session that is not answered yet, and the completion of a call that a reader thread answers. */
#ifndef SV_INFLIGHT_H
#define SV_INFLIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/queue.h>

#include "proto/base/buf.h"
#include "proto/base/error.h"
#include "server/common/completion.h"

struct game;
struct pr_call;
struct pr_exchange;
struct sv_read_request;
struct sv_session;

struct sv_inflight {                  /* an exchange, or a quick query, that is not answered yet */
	struct pr_exchange *exchange; /* NULL for a quick query, and for a long line until the message that it is read
					 is delivered */
	char *line;                   /* of a quick query and of a long line, owned */
	size_t size;
	struct sv_read_request
		*reading; /* owned: what had the long line read will have the exchange freed; NULL for others */
	struct sv_session *session; /* NULL: it has closed */
	unsigned next, unserved;    /* the next call to be carried out, and how many there are still */
	LIST_ENTRY(sv_inflight) link;
	STAILQ_ENTRY(sv_inflight) queue;
};

/* What a reader thread was asked for, and what the loop thread does with it. */
enum sv_completion_kind { SV_COMPLETION_REPLY, SV_COMPLETION_FAST, SV_COMPLETION_READ, SV_COMPLETION_OPENED };
struct sv_call_completion {
	struct sv_completion base;
	enum sv_completion_kind kind;
	struct sv_inflight *pending;
	struct pr_call *call;         /* REPLY, OPENED */
	struct game *game;            /* OPENED: to be given back */
	struct pr_exchange *exchange; /* READ: what came of the line; NULL: nothing. Nobody else knows it before this is
					 delivered */
	struct sv_read_request *read_request; /* READ: owned; becomes pending->reading */
	struct pd_buf json;                   /* when fail.code is 0: the result (REPLY), the reply line (FAST) */
	struct pd_fail fail;                  /* code 0: it went well */
};

#endif
