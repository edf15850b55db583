/* Link: requests to a proof server, its replies and notifications.
 *
 * The server is another process, reached by libproofd, or a core inside this process, whose threads only wake this
 * one through a pipe. The commands do not see the difference. A link belongs to one thread.
 *
 * Results and notifications are borrowed from the link: each one is valid until the next call over it, or longer if
 * the caller takes its document with cl_link_keep. Notifications that arrive during a call are kept for cl_link_next;
 * when there are 64, the oldest is dropped. */
#pragma once

#include "proto/doc.h"
#include "server/core.h"

struct cl_link;

enum { CL_AHEAD_MAX = 8 }; /* requests in flight */

/* Where a server is. All strings are borrowed for the call. */
struct cl_where {
	const char *address; /* HOST:PORT, [ADDRESS]:PORT, or a path with a slash: a Unix socket */
	const char *field;   /* the option that error messages name */
	double patience_s;   /* 0: no limit */
	const char *token;   /* NULL: none */
	bool tls;
	const char *tls_ca; /* PEM file of certificates to trust; NULL: the system's */
};

/* Connects, and sends the token. PD_E_USAGE when the address is malformed (a URL, for example), PD_E_UNREACHABLE
 * when no server answers within patience_s seconds, or TLS fails; else the server's refusal. */
int cl_link_connect(const struct cl_where *where, struct cl_link **out, struct pd_fail *fail);
/* Opens a core in this process; errors as from sv_core_open. */
int cl_link_embed(const struct sv_config *config, struct cl_link **out, struct pd_fail *fail);
/* Closes the connection, or the core after a last checkpoint of its running jobs. NULL is fine. */
void cl_link_close(struct cl_link *link);

/* Calls a method and waits for its reply. `params` is a JSON object, or NULL; `result` may be NULL. An error reply
 * comes back as its code, with field and text; PD_E_UNREACHABLE when the connection is lost, or a short call gets no
 * reply within patience_s. Calls that may wait for the disk or for a search have no such limit; after patience_s stderr
 * says that the reply is awaited. */
int cl_link_call(struct cl_link *link, const char *method, const char *params, pr_ref *result, struct pd_fail *fail);

/* The same in two steps, for at most CL_AHEAD_MAX requests in flight: send, then receive the replies in any order. *id
 * names the request. */
int cl_link_send(struct cl_link *link, const char *method, const char *params, int64_t *id, struct pd_fail *fail);
int cl_link_receive(struct cl_link *link, int64_t id, pr_ref *result, struct pd_fail *fail);

/* True when the reply to a request is there, and cl_link_receive does not wait. cl_link_next also reads replies. */
bool cl_link_replied(struct cl_link *link, int64_t id);

/* The parameters of the next notification within wait_ms milliseconds; *params is NULL when there was none. Replies
 * that come meanwhile are kept for cl_link_receive. */
int cl_link_next(struct cl_link *link, unsigned wait_ms, pr_ref *params, struct pd_fail *fail);

/* The document of the last result or notification; the caller frees it with pr_doc_free. */
struct pr_doc *cl_link_keep(struct cl_link *link);
