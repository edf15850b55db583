#include "server/api/call.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/check.h"
#include "server/api/call_state.h"
#include "server/api/dispatch.h"
#include "server/api/session_state.h"
#include "server/common/core_parts.h"

enum { TEXT_INLINE = 16 << 10 /* bytes: at most a millisecond's work; a reader thread parses longer texts */ };

static void lack_memory(struct sv_session *session, sv_completed *done, void *ctx)
{
	struct pd_fail fail;
	sv_sessions(session->core)->counts.refused++;
	pd_fail_set(&fail, PD_E_NO_MEMORY, "", "no memory for the request");
	done(ctx, &(struct sv_result){.fail = &fail});
}

void sv_call(struct sv_session *session, enum pr_method method, pr_ref params, sv_completed *done, void *ctx)
{
	struct pd_fail fail;
	PD_ASSERT(method < PR_METHOD_COUNT && done && !session->penalty.call);
	struct sv_call *call = sv_call_begin(session, method, done, ctx);
	if (!call) {
		lack_memory(session, done, ctx);
		return;
	}
	call->params = params;
	if (pr_check_params(pr_method_info(method), params, &fail))
		sv_call_reject(call, &fail);
	else
		sv_dispatch(call);
}

/* Reads the parameters; any thread. */
static void read_text(struct sv_call_read *read, const char *text, size_t size)
{
	int rc = pr_doc_parse(text, size, &read->doc, &read->fail);
	if (!rc && read->member)
		rc = pr_doc_wrap(read->doc, read->member, &read->fail);
	read->unread = rc;
	rc = rc ? rc : pr_check_params(pr_method_info(read->call->method), pr_doc_root(read->doc), &read->fail);
	read->fail.code = rc;
}

static void dispatch_read(struct sv_call *call)
{
	if (call->read->fail.code) {
		struct pd_fail fail = call->read->fail;
		sv_call_reject(call, &fail);
		return;
	}
	call->params = pr_doc_root(call->read->doc);
	sv_dispatch(call);
}

/* On a reader thread. */
static void run_read(struct sv_core *core, struct st_reader **reader, struct sv_read_request *request, bool cancelled)
{
	struct sv_call_read *read = (struct sv_call_read *)request;
	(void)core, (void)reader;
	if (cancelled)
		pd_fail_set(&read->fail, PD_E_SHUTDOWN, "", "the server is stopping");
	else
		read_text(read, read->text, read->size);
}

static void deliver_read(struct sv_core *core, struct sv_completion *completion)
{
	struct sv_call_read *read = (struct sv_call_read *)completion;
	PD_ASSERT(read->call->core == core);
	if (!read->call->session && !read->fail.code)
		pd_fail_set(&read->fail, PD_E_SHUTDOWN, "", "the connection is closed");
	dispatch_read(read->call);
}

/* Leaves a long text to a reader thread; false when that is not possible. */
static bool read_later(struct sv_call *call, const char *text, size_t size)
{
	struct sv_call_read *read = call->read;
	read->text = malloc(size);
	if (!read->text)
		return false;
	memcpy(read->text, text, size);
	read->size = size;
	read->base.run = run_read;
	read->base.base.deliver = deliver_read;
	if (!sv_read_request_send(call->core, SV_QUERIES, &call->session->client, &read->base, NULL))
		return true;
	read->base.run = NULL;
	return false;
}

void sv_call_text(struct sv_session *session, enum pr_method method, const struct sv_text *params, sv_completed *done,
		  void *ctx)
{
	PD_ASSERT(method < PR_METHOD_COUNT && done && !session->penalty.call);
	struct sv_call *call = sv_call_begin(session, method, done, ctx);
	struct sv_call_read *read = call ? calloc(1, sizeof *read) : NULL;
	struct pd_fail fail;
	if (!call) {
		lack_memory(session, done, ctx);
		return;
	}
	if (!read) {
		pd_fail_set(&fail, PD_E_NO_MEMORY, "", "no memory for the request");
		sv_call_reject(call, &fail);
		return;
	}
	call->read = read;
	read->call = call;
	read->member = params->member;
	if (params->size > TEXT_INLINE && read_later(call, params->at, params->size))
		return;
	read_text(read, params->at, params->size);
	dispatch_read(call);
}
