#include "server/api/deferred.h"

#include "proto/base/assert.h"
#include "server/api/call_state.h"
#include "server/api/session_state.h"
#include "server/api/watch.h"
#include "server/common/core_parts.h"
#include "server/jobs/index/job_index.h"
#include "server/jobs/queue/scheduler.h"
#include "server/jobs/write/task.h"

int sv_wait_for(struct sv_request *r, struct sv_job *job, uint64_t record, bool any_state, enum sv_state wanted)
{
	PD_ASSERT(r->on_loop && !r->later);
	struct sv_waiter *waiter = calloc(1, sizeof *waiter);
	if (!waiter)
		return pd_fail_set(&r->fail, PD_E_NO_MEMORY, "", "no memory for the request");
	waiter->call = r->call;
	waiter->record = record;
	waiter->troubles = job->calls.troubles;
	waiter->any_state = any_state;
	waiter->wanted = wanted;
	STAILQ_INSERT_TAIL(&job->calls.waiters, waiter, link);
	r->later = true;
	return PD_OK;
}

static void answer_job_state(const struct sv_job *job, enum sv_state state, struct sv_waiter *waiter)
{
	struct pd_fail fail;
	if (waiter->any_state || state == waiter->wanted) {
		sv_call_printf(waiter->call, "{\"job\":%u,\"state\":\"%s\"}", job->record.id, sv_state_text(state));
		return;
	}
	pd_fail_set(&fail, PD_E_STATE, "job", "job %u is %s now", job->record.id, sv_state_text(state));
	sv_call_refuse(waiter->call, &fail);
}

/* Answers all calls that wait for the job, with its number or with an error. */
static void answer_waiters(struct sv_job *job, const struct pd_fail *fail)
{
	struct sv_waiter *waiter;
	while ((waiter = STAILQ_FIRST(&job->calls.waiters)) != NULL) {
		STAILQ_REMOVE_HEAD(&job->calls.waiters, link);
		if (fail)
			sv_call_refuse(waiter->call, fail);
		else
			sv_call_printf(waiter->call, "{\"job\":%u}", job->record.id);
		free(waiter);
	}
}

void sv_defer(struct sv_request *r, struct sv_job *job)
{
	PD_ASSERT(r->on_loop && !r->later);
	if (r->again)
		STAILQ_INSERT_HEAD(&job->calls.deferred, r->call, deferred);
	else
		STAILQ_INSERT_TAIL(&job->calls.deferred, r->call, deferred);
	r->later = true;
}

struct sv_call *sv_deferred_next(struct sv_core *core, struct sv_job *job)
{
	struct sv_call *call = STAILQ_FIRST(&job->calls.deferred);
	if (!call)
		return NULL;
	sv_lock(core);
	bool wait = sv_job_unsettled(job) && !job->run.trouble.code;
	sv_unlock(core);
	if (wait)
		return NULL;
	STAILQ_REMOVE_HEAD(&job->calls.deferred, deferred);
	return call;
}

int sv_stops_later(const struct sv_job *job, enum sv_state wanted, int code, const char *why, struct pd_fail *fail)
{
	return pd_fail_set(fail, (enum pd_error)code, "job",
			   "job %u stops searching now; that it is %s is written when there is room: %.180s",
			   job->record.id, sv_state_text(wanted), why);
}

/* A call fails because a record could not be written. A job that was asked to stop still stops. */
static void refuse_for_now(const struct sv_job *job, const struct sv_waiter *waiter,
			   const struct sv_job_completion *completion)
{
	struct pd_fail fail = completion->fail;
	bool stops = waiter->wanted == SV_PAUSED || waiter->wanted == SV_CANCELLED;
	if (!completion->number && stops && (completion->state == SV_RUNNING || completion->state == waiter->wanted) &&
	    fail.code != PD_E_SHUTDOWN)
		sv_stops_later(job, waiter->wanted, fail.code, completion->fail.text, &fail);
	sv_call_refuse(waiter->call, &fail);
}

/* A record was written, or could not be written: answers the calls that wait for it. The job may have continued
 * since. */
void sv_recorded(const struct sv_job_completion *completion)
{
	struct sv_job *job = completion->job;
	const struct pd_fail *fail = completion->fail.code ? &completion->fail : NULL;
	struct sv_waiter *waiter = STAILQ_FIRST(&job->calls.waiters);
	while (waiter) {
		struct sv_waiter *next = STAILQ_NEXT(waiter, link);
		bool told = completion->number ? completion->number >= waiter->record &&
							 (fail || waiter->any_state || completion->state != SV_RUNNING)
					       : completion->trouble > waiter->troubles;
		if (told) {
			STAILQ_REMOVE(&job->calls.waiters, waiter, sv_waiter, link);
			if (fail)
				refuse_for_now(job, waiter, completion);
			else
				answer_job_state(job, completion->state, waiter);
			free(waiter);
		}
		waiter = next;
	}
}

void sv_dismiss(struct sv_job *job)
{
	struct pd_fail fail;
	pd_fail_set(&fail, PD_E_SHUTDOWN, "", "the server is stopping");
	answer_waiters(job, &fail);
	while (!STAILQ_EMPTY(&job->calls.deferred)) {
		struct sv_call *call = STAILQ_FIRST(&job->calls.deferred);
		STAILQ_REMOVE_HEAD(&job->calls.deferred, deferred);
		sv_call_refuse(call, &fail);
	}
}

void sv_submitted(struct sv_core *core, struct sv_job *job, const struct pd_fail *fail)
{
	PD_ASSERT(sv_sessions(core)->submitting);
	sv_sessions(core)->submitting--;
	struct pd_fail own;
	sv_lock(core);
	sv_job_enter(job, SV_PHASE_REST);
	if (!fail && sv_index_add(sv_index(core), job)) {
		pd_fail_set(&own, PD_E_NO_MEMORY, "",
			    "no memory for the job table; the job is on disk and is loaded at the next start");
		fail = &own;
	}
	sv_client_submitted(&sv_index(core)->clients, job->record.spec.client);
	sv_index_unpin(sv_index(core), &job->record.spec);
	pthread_cond_broadcast(&sv_search_threads(core)->work);
	sv_unlock(core);
	answer_waiters(job, fail);
	if (fail) {
		sv_keys_remove(&sv_index(core)->keys, job);
		sv_job_free(job);
	}
}

void sv_removed(struct sv_core *core, struct sv_job *job)
{
	sv_watch_end(core, job);
	sv_lock(core);
	sv_keys_remove(&sv_index(core)->keys, job);
	sv_index_remove(sv_index(core), job);
	sv_writer(core)->removing--;
	sv_unlock(core);
	answer_waiters(job, NULL);
}
