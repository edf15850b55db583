/* Job changes: pause, cancel, remove, resume, set. */
#include "server/api/methods.h"

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "server/api/deferred.h"
#include "server/common/core_parts.h"
#include "server/jobs/queue/dependency.h"
#include "server/jobs/write/task.h"
#include "server/jobs/index/job_index.h"

static int refuse_state(struct sv_request *r, const struct sv_job *job, const char *what)
{
	return pd_fail_set(&r->fail, PD_E_STATE, "job", "job %u is %s; it cannot be %s", job->record.id,
			   sv_state_text(job->record.state), what);
}

/* A job whose record is too damaged for a search. */
static int refuse_damaged(struct sv_request *r, const struct sv_job *job)
{
	return pd_fail_set(&r->fail, PD_E_CORRUPT, "job", "%.200s", job->record.reason);
}

/* The job of a request that changes it. The lock is held when *out is set; it is NULL on failure and when the call was
 * deferred. */
static int find_to_change(struct sv_request *r, struct sv_job **out)
{
	struct sv_job *job;
	int rc = sv_request_job(r, &job);
	*out = NULL;
	if (rc)
		return rc;
	if (sv_config(r->core)->read_only)
		rc = pd_fail_set(&r->fail, PD_E_UNSUPPORTED, "", "the data directory is open for reading only");
	else if (job->run.trouble.code)
		rc = pd_fail_set(&r->fail, (enum pd_error)job->run.trouble.code, "job",
				 "job %u cannot be written for now: %.180s", job->record.id, job->run.trouble.text);
	else if (sv_job_unsettled(job) || (!r->again && !STAILQ_EMPTY(&job->calls.deferred)))
		sv_defer(r, job);
	else
		*out = job;
	if (!*out)
		sv_unlock(r->core);
	return rc;
}

/* Under the lock: records a new state of a job that no search thread holds, or a change in the same state. */
static int record_state(struct sv_request *r, struct sv_job *job, enum sv_state state, const struct sv_change *change,
			const char *event)
{
	PD_ASSERT(sv_locked(r->core));
	PD_ASSERT(state == job->record.state || sv_arrow(job->record.state, state)); /* V4 */
	struct sv_task *task = sv_task_change(job, state, change, event);
	if (!task)
		return pd_fail_set(&r->fail, PD_E_NO_MEMORY, "", "no memory for the request");
	task->drop_table = state == SV_CANCELLED || (job->record.table_lost && change->clear);
	int rc = sv_wait_for(r, job, job->run.records + 1, false, state);
	if (rc)
		sv_task_free(task);
	else
		sv_task_post(r->core, task);
	return rc;
}

/* A job whose records cannot be written for now: its search still stops at once, and the new state is written later.
 * Until then it must not be reported (D1), and the call must not wait for hours, so it fails. */
static int stop_without_room(struct sv_request *r, struct sv_job *job, enum sv_state state, enum sv_want want)
{
	PD_ASSERT(sv_locked(r->core) && job->run.trouble.code && sv_job_owned(job));
	if (job->run.phase == SV_PHASE_ENDING || job->run.phase == SV_PHASE_CLOSING)
		return pd_fail_set(&r->fail, (enum pd_error)job->run.trouble.code, "job",
				   "the search of job %u has ended; its result is written when there is room: %.180s",
				   job->record.id, job->run.trouble.text);
	if (want > job->run.want) {
		job->run.want = want;
		job->run.changes++;
		pthread_cond_broadcast(&sv_writer(r->core)->written); /* its search thread may await the disk */
	}
	return sv_stops_later(job, job->run.want == SV_WANT_CANCEL ? SV_CANCELLED : state, job->run.trouble.code,
			      job->run.trouble.text, &r->fail);
}

/* Pauses or cancels. */
static int stop_job(struct sv_request *r, enum sv_state state, enum sv_want want, const char *what)
{
	struct sv_job *job;
	int rc = sv_request_job(r, &job);
	if (!rc && job->run.trouble.code && sv_job_owned(job) && !sv_config(r->core)->read_only) {
		rc = stop_without_room(r, job, state, want);
		sv_unlock(r->core);
		return rc;
	}
	if (!rc)
		sv_unlock(r->core);
	rc = find_to_change(r, &job);
	if (!job)
		return rc;
	struct sv_change change = sv_change_none(&job->record);
	change.reason = state == SV_PAUSED ? SV_PAUSED_ON_REQUEST : "";
	change.finished_ms = sv_state_over(state) ? pd_wall_ms() : 0;
	if (sv_job_owned(job)) {
		rc = sv_wait_for(r, job, job->run.first_record, false, state);
		if (!rc)
			job->run.want = want;
	} else if (!sv_arrow(job->record.state, state) && (job->record.on_hold == SV_HOLD_NONE || state != SV_PAUSED)) {
		rc = refuse_state(r, job, what);
	} else {
		rc = record_state(r, job, state, &change, what);
	}
	sv_unlock(r->core);
	return rc;
}

int sv_method_job_pause(struct sv_request *r)
{
	return stop_job(r, SV_PAUSED, SV_WANT_PAUSE, "paused");
}

int sv_method_job_cancel(struct sv_request *r)
{
	return stop_job(r, SV_CANCELLED, SV_WANT_CANCEL, "cancelled");
}

int sv_method_job_remove(struct sv_request *r)
{
	struct sv_job *job;
	int rc = find_to_change(r, &job);
	if (!job)
		return rc;
	if (sv_job_owned(job) || !sv_state_over(job->record.state)) {
		rc = pd_fail_set(&r->fail, PD_E_STATE, "job", "job %u is %s; cancel it before it is removed",
				 job->record.id, sv_state_text(job->record.state));
	} else {
		struct sv_task *task = sv_task_new(SV_TASK_REMOVE, job, job->record.state);
		rc = task ? sv_wait_for(r, job, job->run.records + 1, true, job->record.state)
			  : pd_fail_set(&r->fail, PD_E_NO_MEMORY, "", "no memory for the request");
		if (rc)
			sv_task_free(task);
		else
			sv_task_post(r->core, task);
	}
	sv_unlock(r->core);
	return rc;
}

int sv_method_job_resume(struct sv_request *r)
{
	struct sv_job *job;
	int rc = find_to_change(r, &job);
	if (!job)
		return rc;
	struct sv_change change = sv_change_none(&job->record);
	change.clear = true;
	change.anyway = sv_dependency_broken(job);
	change.alone = sv_dependency_solved_above(job) != NULL;
	if (job->record.damaged)
		rc = refuse_damaged(r, job);
	else if (sv_job_owned(job) || job->record.state == SV_RUNNING || !sv_arrow(job->record.state, SV_QUEUED))
		rc = refuse_state(r, job, "resumed");
	else if (sv_job_budget_used(job))
		rc = pd_fail_set(&r->fail, PD_E_STATE, "budget",
				 "the budget of job %u is used up (%s); raise it with job.set first", job->record.id,
				 sv_job_budget_used(job));
	else
		rc = record_state(r, job, SV_QUEUED, &change,
				  job->record.table_lost ? "queued without its table" : "queued");
	sv_unlock(r->core);
	return rc;
}

int sv_method_job_set(struct sv_request *r)
{
	struct sv_job *job;
	pr_ref budget = pr_get(r->params, "budget");
	int rc = find_to_change(r, &job);
	if (!job)
		return rc;
	struct sv_change change = sv_change_none(&job->record);
	change.priority = (int)pr_get_int(r->params, "priority", change.priority);
	change.budget.nodes = (uint64_t)pr_get_int(budget, "nodes", (int64_t)change.budget.nodes);
	change.budget.seconds = pr_get_real(budget, "seconds", change.budget.seconds);
	change.budget.cpu = pr_get_real(budget, "cpu", change.budget.cpu);
	change.budget.disk = pr_get_size(budget, "disk", change.budget.disk);
	if (job->record.damaged) {
		rc = refuse_damaged(r, job);
	} else if (job->record.state == SV_SOLVED || job->record.state == SV_CANCELLED) {
		rc = refuse_state(r, job, "changed");
	} else if (sv_job_owned(job)) { /* the next checkpoint records the change; one is requested at once */
		rc = sv_wait_for(r, job, job->run.records + 1, true, job->record.state);
		if (!rc) {
			sv_change_apply(job, &change);
			job->run.checkpoint_wanted = true;
		}
	} else {
		rc = record_state(r, job, job->record.state, &change, NULL);
	}
	sv_unlock(r->core);
	return rc;
}
