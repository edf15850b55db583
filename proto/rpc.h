/* RPC: JSON-RPC 2.0, one message a line.
 *
 * A line becomes an exchange: one call, or a batch of them. Calls are checked against the method table (methods.h) when
 * the line is read: unknown methods, missing, unknown or wrong parameters are answered here, with the field named and
 * what would be right. The server answers the others, at once or later, in any order; when the last is
 * answered, the exchange gives the reply line. Notifications (calls without id) are carried out and get no reply (V1).
 * An exchange belongs to one thread. */
#pragma once

#include "proto/base/buf.h"
#include "proto/doc.h"
#include "proto/methods.h"

enum {
	PR_LINE_MAX = 1 << 20,  /* bytes of a request line, the newline included */
	PR_BATCH_MAX = 1000,    /* calls of one batch */
	PR_REPLY_MAX = 16 << 20 /* bytes of a reply line */
};

struct pr_exchange;

struct pr_call {
	enum pr_method method;
	pr_ref params; /* an object, checked against the table; NULL when there are none. Borrowed from the exchange */
	struct pr_exchange *exchange;
	unsigned index; /* in the batch */
};

/* Reads a line (the newline not included). Always gives an exchange unless memory runs out (NULL): errors in
 * the line are already answered in it. */
struct pr_exchange *pr_exchange_new(const char *line, size_t size);
void pr_exchange_free(struct pr_exchange *exchange);

/* The calls that still need an answer: index 0..count-1, NULL for those answered already. Each must be answered exactly
 * once. Borrowed. */
unsigned pr_exchange_count(const struct pr_exchange *exchange);
struct pr_call *pr_exchange_call(struct pr_exchange *exchange, unsigned index);

/* Answers. `json` is one complete JSON value and is copied. A result that would make the reply line longer than
 * PR_REPLY_MAX, or for which there is no memory, becomes an error reply (PD_E_LIMIT, PD_E_NO_MEMORY). */
void pr_call_result(struct pr_call *call, const char *json, size_t size);
void pr_call_error(struct pr_call *call, const struct pd_fail *fail);

/* True when every call is answered. */
bool pr_exchange_done(const struct pr_exchange *exchange);
/* Appends the reply line with its newline, or nothing when only notifications were carried out. Only when done. */
void pr_exchange_reply(const struct pr_exchange *exchange, struct pd_buf *out);

/* An error reply with id null and its newline, for what never became an exchange: a line that is too long, one
 * connection too many, no memory. */
void pr_refusal(struct pd_buf *out, const struct pd_fail *fail);

/* A notification from the server, with its newline. */
void pr_notify(struct pd_buf *out, const char *method, const char *params_json, size_t size);
