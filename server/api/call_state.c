#include "server/api/call_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "proto/base/assert.h"
#include "proto/doc.h"
#include "server/api/session_state.h"
#include "server/common/core_parts.h"

struct sv_call *sv_call_begin(struct sv_session *session, enum pr_method method, sv_completed *done, void *ctx)
{
	struct sv_call *call = calloc(1, sizeof *call);
	if (!call)
		return NULL;
	*call = (struct sv_call){.core = session->core, .session = session, .method = method, .done = done, .ctx = ctx};
	session->begun++;
	LIST_INSERT_HEAD(&session->calls, call, link);
	return call;
}

static void free_read(struct sv_call_read *read)
{
	pr_doc_free(read->doc);
	free(read->text);
	free(read);
}

/* On a reader thread. */
static void run_free(struct sv_core *core, struct st_reader **reader, struct sv_read_request *request, bool cancelled)
{
	(void)core, (void)reader, (void)cancelled;
	free_read((struct sv_call_read *)request);
}

static void complete_call(struct sv_call *call, const struct sv_result *result)
{
	struct sv_session *session = call->session;
	PD_ASSERT(result->ended == !session && !result->json == (result->fail != NULL));
	if (session) {
		PD_ASSERT(session->begun);
		session->begun--;
		LIST_REMOVE(call, link);
	}
	call->done(call->ctx, result);
	if (session)
		sv_session_make_ready(session);
	if (call->read && call->read->base.run) /* freeing a large document also takes long */
		sv_read_request_free(call->core, &call->read->base, run_free);
	else if (call->read)
		free_read(call->read);
	free(call);
}

void sv_call_reply(struct sv_call *call, const struct pd_buf *json)
{
	struct pd_fail fail;
	if (json->failed) {
		pd_fail_set(&fail, PD_E_LIMIT, "", "the reply would be too long; ask for less");
		sv_call_refuse(call, &fail);
		return;
	}
	sv_sessions(call->core)->counts.answered[call->method][sv_result_row(PD_OK)]++;
	complete_call(call, &(struct sv_result){.json = json->data,
						.size = json->size,
						.answers = call->answers,
						.ended = !call->session});
}

void sv_call_printf(struct sv_call *call, const char *format, ...)
{
	char text[128];
	va_list ap;
	va_start(ap, format);
	int n = vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	PD_ASSERT(n > 0 && (size_t)n < sizeof text);
	sv_call_reply(call, &(struct pd_buf){.data = text, .size = (size_t)n});
}

void sv_call_refuse(struct sv_call *call, const struct pd_fail *fail)
{
	PD_ASSERT(fail->code);
	sv_sessions(call->core)->counts.answered[call->method][sv_result_row(fail->code)]++;
	complete_call(call, &(struct sv_result){.fail = fail, .ended = !call->session});
}

void sv_call_reject(struct sv_call *call, const struct pd_fail *fail)
{
	bool unread = call->read && call->read->unread;
	sv_sessions(call->core)->counts.refused++;
	complete_call(call, &(struct sv_result){.fail = fail, .unread = unread, .ended = !call->session});
}

void sv_calls_leave(struct sv_session *session)
{
	struct sv_call *call;
	while ((call = LIST_FIRST(&session->calls)) != NULL) {
		LIST_REMOVE(call, link);
		call->session = NULL;
	}
	session->begun = 0;
}
