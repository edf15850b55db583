/* Call state: a call between its beginning and its completion (call.h). The loop thread's, except `read`, which a
 * reader thread has until it is delivered. */
#pragma once

#include "proto/base/buf.h"
#include "proto/methods.h"
#include "server/api/read_queue.h"
#include "server/api/result.h"

struct pr_doc;

/* Parameters that were text. */
struct sv_call_read {
	struct sv_read_request base;
	struct sv_call *call;
	struct pr_doc *doc; /* owned; NULL: not read yet, or unreadable */
	char *text;         /* owned; a long text, until it is read */
	size_t size;        /* of it */
	const char *member; /* static; see sv_call_text */
	struct pd_fail fail;
	bool unread; /* `fail` says why there is no document */
};

struct sv_call {
	struct sv_core *core;
	struct sv_session *session; /* NULL: it has ended */
	enum pr_method method;
	pr_ref params;
	sv_completed *done;
	void *ctx;
	struct sv_answers answers;      /* of the result */
	struct sv_call_read *read;      /* owned; NULL: the parameters are the caller's */
	LIST_ENTRY(sv_call) link;       /* of the session's */
	STAILQ_ENTRY(sv_call) deferred; /* in the job's list: it waits for another change (deferred.h) */
};

/* A call that counts as begun; NULL without memory. */
struct sv_call *sv_call_begin(struct sv_session *session, enum pr_method method, sv_completed *done, void *ctx);
/* Each of these completes the call and frees it. */
void sv_call_reply(struct sv_call *call, const struct pd_buf *json);
void sv_call_printf(struct sv_call *call, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sv_call_refuse(struct sv_call *call, const struct pd_fail *fail);
/* For errors found before the call was carried out. */
void sv_call_reject(struct sv_call *call, const struct pd_fail *fail);
/* The session ends: its calls go on without it. */
void sv_calls_leave(struct sv_session *session);
