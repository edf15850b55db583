#include "server/api/dispatch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "server/api/access.h"
#include "server/api/call_state.h"
#include "server/api/deferred.h"
#include "server/api/methods.h"
#include "server/api/session_state.h"
#include "server/common/core_parts.h"
#include "server/common/open_games.h"
#include "server/common/program_game.h"
#include "server/jobs/index/job_index.h"

/* A row without a handler is a link error. */
static int (*const handlers[PR_METHOD_COUNT])(struct sv_request *) = {
#define METHOD(id, handler, ...) [PR_##id] = sv_method_##handler,
#include "proto/methods.def"
#undef METHOD
};

/* The read queue that serves the method. */
static unsigned queue_of(enum pr_method method)
{
	switch (pr_method_info(method)->thread) {
	case PR_LINES:
		return SV_LINES;
	case PR_PROOFS:
		return SV_PROOFS;
	case PR_TREES:
		return SV_TREES;
	case PR_CHECKS:
		return SV_CHECKS;
	case PR_QUERIES:
	case PR_LOOP_OR_QUERIES:
		return SV_QUERIES;
	case PR_LOOP:
		break;
	}
	PD_ASSERT(!"a method of the event loop has no queue");
	return SV_READ_QUEUES;
}

/* A call that a reader thread answers, or whose game it opens. */
struct queued_call {
	struct sv_read_request base;
	struct sv_call *call;
	struct game *game; /* opened for the call; to be released */
	struct pd_buf json;
	struct sv_answers answers;
	struct pd_fail fail; /* code 0: success */
	char client[SV_CLIENT_MAX + 1];
};

/* --- on a reader thread ------------------------------------------------------------------- */

static int refuse_cancelled(struct pd_fail *fail)
{
	return pd_fail_set(fail, PD_E_SHUTDOWN, "", "the server is stopping");
}

static void run_handler(struct sv_core *core, struct st_reader **reader, struct sv_read_request *base, bool cancelled)
{
	struct queued_call *queued = (struct queued_call *)base;
	struct sv_request r = {.core = core,
			       .client = queued->client,
			       .params = queued->call->params,
			       .reader = reader,
			       .queued = base};
	PD_ASSERT(pr_method_info(queued->call->method)->thread != PR_LOOP);
	pd_buf_init(&r.json, PR_REPLY_MAX);
	pr_out_init(&r.out, &r.json);
	sv_program_misled(&r.fail); /* by an earlier call */
	queued->fail.code = cancelled ? refuse_cancelled(&r.fail) : handlers[queued->call->method](&r);
	PD_ASSERT(!r.later && !r.to_queue); /* a handler on a reader thread answers at once */
	if (sv_program_misled(&r.fail))
		queued->fail.code = r.fail.code;
	if (queued->fail.code) {
		r.fail.code = queued->fail.code;
		queued->fail = r.fail;
	}
	queued->json = r.json;
	queued->answers = r.answers;
}

/* Reads the call's position, so that the loop thread, which reads it again, need not wait for the program. */
static int read_ahead(const struct game *game, pr_ref params, struct pd_fail *fail)
{
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	return sv_program_is(game->rules) ? game->rules->parse(game, pr_get_str(params, "position", ""), state, fail)
					  : PD_OK;
}

static void open_game(struct sv_core *core, struct st_reader **reader, struct sv_read_request *base, bool cancelled)
{
	struct queued_call *queued = (struct queued_call *)base;
	const char *name = pr_get_str(queued->call->params, "game", "");
	(void)reader;
	queued->fail.code =
		cancelled ? refuse_cancelled(&queued->fail) : sv_game_get(core, name, &queued->game, &queued->fail);
	PD_ASSERT(queued->fail.code || queued->game);
	if (queued->game)
		queued->fail.code = read_ahead(queued->game, queued->call->params, &queued->fail);
}

/* --- on the loop thread ------------------------------------------------------------------- */

static void carry_out(struct sv_call *call, bool again);

static void deliver_answer(struct sv_core *core, struct sv_completion *completion)
{
	struct queued_call *queued = (struct queued_call *)completion;
	PD_ASSERT(queued->call->core == core);
	queued->call->answers = queued->answers;
	if (queued->fail.code)
		sv_call_refuse(queued->call, &queued->fail);
	else
		sv_call_reply(queued->call, &queued->json);
	pd_buf_fini(&queued->json);
	free(queued);
}

static void deliver_game(struct sv_core *core, struct sv_completion *completion)
{
	struct queued_call *queued = (struct queued_call *)completion;
	if (!queued->fail.code && sv_closing(core))
		queued->fail.code = refuse_cancelled(&queued->fail);
	if (queued->fail.code)
		sv_call_refuse(queued->call, &queued->fail);
	else
		carry_out(queued->call, false);
	if (queued->game)
		sv_game_put(core, queued->game);
	free(queued);
}

/* What a reader thread does with the call, and what the loop thread does afterwards. */
struct queued_kind {
	void (*run)(struct sv_core *core, struct st_reader **reader, struct sv_read_request *request, bool cancelled);
	void (*deliver)(struct sv_core *core, struct sv_completion *completion);
};

static const struct queued_kind answering = {run_handler, deliver_answer};
static const struct queued_kind opening = {open_game, deliver_game};

static const char *client_of(const struct sv_session *session)
{
	return session && session->token ? session->token->name : "";
}

/* Leaves the call to a reader thread. */
static int enqueue_call(struct sv_call *call, unsigned queue, const struct queued_kind *kind, struct pd_fail *fail)
{
	struct sv_session *session = call->session;
	struct queued_call *queued = calloc(1, sizeof *queued);
	if (!queued)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the query");
	queued->base.base.deliver = kind->deliver;
	queued->base.run = kind->run;
	queued->call = call;
	queued->base.params = call->params;
	snprintf(queued->client, sizeof queued->client, "%s", client_of(session));
	int rc = sv_read_request_send(call->core, queue, session ? &session->client : NULL, &queued->base, fail);
	if (rc)
		free(queued);
	return rc;
}

static void carry_out(struct sv_call *call, bool again)
{
	struct st_reader *reader = sv_loop_reader(call->core); /* open already */
	struct sv_request r = {.core = call->core,
			       .session = call->session,
			       .call = call,
			       .client = client_of(call->session),
			       .params = call->params,
			       .reader = &reader,
			       .on_loop = true,
			       .again = again};
	enum pr_thread thread = pr_method_info(call->method)->thread;
	int rc = PD_OK;
	pd_buf_init(&r.json, PR_REPLY_MAX);
	pr_out_init(&r.out, &r.json);
	if (thread == PR_LOOP || thread == PR_LOOP_OR_QUERIES)
		rc = handlers[call->method](&r);
	else
		r.to_queue = true;
	PD_ASSERT(!r.to_queue || (!r.later && thread != PR_LOOP));
	if (!rc && r.to_queue) {
		rc = enqueue_call(call, queue_of(call->method), &answering, &r.fail);
		r.later = !rc;
	}
	if (rc) {
		PD_ASSERT(!r.later); /* or it would be answered twice */
		r.fail.code = rc;
		sv_call_refuse(call, &r.fail);
	} else if (!r.later) {
		call->answers = r.answers;
		sv_call_reply(call, &r.json);
	}
	pd_buf_fini(&r.json);
}

/* True when the call waits for its game's file, or is refused because the queue is full: a file may be large, so the
 * loop reads none itself (V3). */
static bool wait_for_game(struct sv_call *call)
{
	const char *name = pr_get_str(call->params, "game", NULL);
	struct pd_fail fail;
	if (!name || sv_game_is_near(call->core, name))
		return false;
	int rc = enqueue_call(call, SV_QUERIES, &opening, &fail);
	if (rc) {
		fail.code = rc;
		sv_call_refuse(call, &fail);
	}
	return true;
}

void sv_dispatch(struct sv_call *call)
{
	struct pd_fail fail;
	if (!sv_access_may(call, &fail))
		sv_call_refuse(call, &fail);
	else if (!wait_for_game(call))
		carry_out(call, false);
}

void sv_dispatch_part(struct sv_call *call)
{
	PD_ASSERT(!pr_has(call->params, "game"));
	carry_out(call, false);
}

void sv_dispatch_recorded(struct sv_core *core, const struct sv_job_completion *completion)
{
	struct sv_job *job = completion->job;
	struct sv_call *call;
	sv_recorded(completion);
	while ((call = sv_deferred_next(core, job)) != NULL)
		carry_out(call, true);
}

void sv_dispatch_removed(struct sv_core *core, struct sv_job *job)
{
	struct sv_call *call;
	sv_removed(core, job);
	while ((call = STAILQ_FIRST(&job->calls.deferred)) != NULL) {
		STAILQ_REMOVE_HEAD(&job->calls.deferred, deferred);
		carry_out(call, true); /* finds that the job does not exist */
	}
	sv_lock(core);
	sv_job_enter(job, SV_PHASE_REMOVED);
	bool last = !job->run.threads;
	sv_unlock(core);
	if (last)
		sv_job_free(job);
}
