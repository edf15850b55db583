/* Job submission: job.submit, keys included. */
#include "server/api/methods.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "server/api/deferred.h"
#include "server/api/session_state.h"
#include "server/common/core_state.h"
#include "proto/base/mutex.h"
#include "server/common/open_games.h"
#include "server/common/tokens.h"
#include "server/jobs/queue/dependency.h"
#include "server/jobs/model/job.h"
#include "server/jobs/index/job_index.h"
#include "server/jobs/model/job_record.h"
#include "server/jobs/model/job_spec.h"
#include "server/jobs/model/job_state.h"
#include "server/common/memory_bound.h"
#include "server/jobs/queue/scheduler.h"
#include "server/jobs/model/spec_fields.h"
#include "server/jobs/queue/spec_request.h"
#include "server/jobs/write/task.h"
#include "server/jobs/index/transition.h"
#include "server/jobs/queue/sub_job.h"

enum { TASKS_MAX = 10000 /* tasks that may be queued for the writer */ };

/* The job that has the key: the last one submitted under it, also when it is not on disk yet. */
static struct sv_job *find_key(struct sv_core *core, const char *key, bool *submitting)
{
	struct sv_job *job = sv_keys_find(&core->index->keys, key);
	pd_mutex_lock(&core->lock);
	*submitting = job && job->run.phase == SV_PHASE_SUBMITTING;
	pd_mutex_unlock(&core->lock);
	return job;
}

/* The job is submitted, and the call waits until that is on disk. Takes the job over. */
static int post_submit(struct sv_request *r, struct sv_job *job)
{
	struct sv_core *core = r->core;
	struct sv_task *task = sv_task_new(SV_TASK_SUBMIT, job, SV_QUEUED);
	struct sv_job_client *client = NULL;
	if (task) {
		job->record.submitted_ms = pd_wall_ms();
		pd_mutex_lock(&core->lock);
		job->record.turn = core->index->turns; /* behind those that wait for theirs */
		client = sv_client_get(&core->index->clients, job->record.spec.client);
		if (client)
			client->submitting++;
		pd_mutex_unlock(&core->lock);
	}
	bool made = client && sv_task_record(task, "submitted") && sv_keys_add(&core->index->keys, job);
	int rc = made ? sv_wait_for(r, job, 0, true, SV_QUEUED)
		      : pd_fail_set(&r->fail, PD_E_NO_MEMORY, "", "no memory for a job");
	if (rc) {
		pd_mutex_lock(&core->lock);
		if (client)
			sv_client_submitted(&core->index->clients, job->record.spec.client);
		pd_mutex_unlock(&core->lock);
		sv_keys_remove(&core->index->keys, job);
		sv_task_free(task);
		sv_job_free(job);
		return rc;
	}
	PD_ASSERT(!job->record.id);
	core->sessions->submitting++;
	pd_mutex_lock(&core->lock);
	sv_task_post(core, task);
	pd_mutex_unlock(&core->lock);
	return PD_OK;
}

/* A job has the key already: the same question returns that job, another is refused. *fresh: that job was cancelled or
 * has failed, and the key is free for a new one. */
static int submit_again(struct sv_request *r, const struct sv_spec *spec, struct sv_job *known, bool submitting,
			bool *fresh)
{
	pd_mutex_lock(&r->core->lock);
	bool wait = !submitting && sv_job_unsettled(known) && !known->run.trouble.code;
	*fresh = !submitting && !wait && (known->record.state == SV_CANCELLED || known->record.state == SV_FAILED);
	pd_mutex_unlock(&r->core->lock);
	if (*fresh)
		return PD_OK;
	if (wait) { /* it may be about to end */
		sv_defer(r, known);
		return PD_OK;
	}
	const char *differs = sv_spec_differs(r->core, &known->record.spec, spec);
	char job[32] = "a job that is being written";
	if (!submitting)
		snprintf(job, sizeof job, "job %u", known->record.id);
	if (differs)
		return pd_fail_set(&r->fail, PD_E_PARAMS, "key",
				   "the key '%.128s' belongs to %s, and this is %s; give it a key of its own, or none",
				   spec->key, job, differs);
	if (submitting)
		return sv_wait_for(r, known, 0, true, SV_QUEUED);
	pd_buf_printf(&r->json, "{\"job\":%u}", known->record.id);
	return PD_OK;
}

/* Whose job it is, from the token that its connection has given. False without memory. */
static bool name_client(const struct sv_request *r, struct sv_spec *spec)
{
	const struct sv_token *token = r->session ? r->session->token : NULL;
	PD_ASSERT(!spec->client);
	spec->client = token ? strdup(token->name) : NULL;
	return !token || spec->client;
}

/* Under the lock: the client has as many jobs as it may. A session that has gone has no role any more. */
static bool client_full(const struct sv_request *r, const struct sv_spec *spec)
{
	unsigned most = r->core->config.jobs_per_client;
	const struct sv_job_client *client = sv_client_find(&r->core->index->clients, spec->client);
	bool free_of_it = !most || (r->session && r->session->role == PR_ROLE_ADMIN);
	return !free_of_it && client && (uint64_t)client->open + client->submitting >= most;
}

static int refuse_full(struct sv_request *r, const char *client)
{
	return pd_fail_set(
		&r->fail, PD_E_LIMIT, "",
		"%s%s%s %u jobs that are not over, as many as one client may have (limits.jobs_per_client of "
		"server.hello, proofd --jobs-per-client); wait for one, or cancel one",
		client ? "the client '" : "there are", client ? client : "", client ? "' has" : "",
		r->core->config.jobs_per_client);
}

static int submit_new(struct sv_request *r, struct sv_spec *spec)
{
	struct sv_core *core = r->core;
	if (core->config.read_only)
		return pd_fail_set(&r->fail, PD_E_UNSUPPORTED, "", "the data directory is open for reading only");
	if (!name_client(r, spec))
		return pd_fail_set(&r->fail, PD_E_NO_MEMORY, "", "no memory for a job");
	struct sv_job_groups *groups = &core->index->groups;
	pd_mutex_lock(&core->lock);
	bool busy = core->writer->task_count > TASKS_MAX;
	int rc = sv_dependency_check(core, spec, &r->fail);
	if (!rc)
		rc = sv_sub_job_check(core, spec, &r->fail);
	const uint32_t *states = core->index->states;
	uint64_t open = (uint64_t)states[SV_QUEUED] + states[SV_RUNNING] + states[SV_PAUSED];
	bool full = client_full(r, spec);
	bool many = spec->group && groups->count >= SV_GROUPS_MAX && !sv_group_find(groups, spec->group);
	pd_mutex_unlock(&core->lock);
	if (rc)
		return rc;
	if (many)
		return pd_fail_set(&r->fail, PD_E_LIMIT, "group", "there are %d groups already; there can be no more",
				   SV_GROUPS_MAX);
	if (core->config.jobs_max && open + core->sessions->submitting >= core->config.jobs_max)
		return pd_fail_set(
			&r->fail, PD_E_LIMIT, "",
			"there are %u jobs that are not over, as many as this server takes (limits.jobs_max of "
			"server.hello, proofd --jobs-max); wait for one, or cancel one",
			core->config.jobs_max);
	if (full)
		return refuse_full(r, spec->client);
	if (busy)
		return pd_fail_set(&r->fail, PD_E_BUSY, "", "too many jobs wait to be written; try again");
	const struct sv_record record = sv_record_new(spec);
	struct sv_job *job = sv_job_new(&record);
	if (!job)
		return pd_fail_set(&r->fail, PD_E_NO_MEMORY, "", "no memory for a job");
	*spec = (struct sv_spec){0}; /* the job has its strings */
	return post_submit(r, job);
}

int sv_method_job_submit(struct sv_request *r)
{
	struct sv_spec spec = {0};
	bool submitting, fresh = true;
	int rc = sv_spec_request(r->core, r->params, &spec, &r->fail);
	struct sv_job *known = !rc && spec.key ? find_key(r->core, spec.key, &submitting) : NULL;
	if (known)
		rc = submit_again(r, &spec, known, submitting, &fresh);
	if (!rc && fresh)
		rc = submit_new(r, &spec);
	sv_spec_fini(&spec);
	return rc;
}
