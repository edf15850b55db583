#include "server/api/job_submit.h"

#include <stdio.h>
#include <stdlib.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "server/api/call_state.h"
#include "server/api/deferred.h"
#include "server/api/methods.h"
#include "server/api/session_state.h"
#include "server/common/core_parts.h"
#include "server/common/open_games.h"
#include "server/common/program_game.h"
#include "server/common/tokens.h"
#include "server/jobs/queue/dependency.h"
#include "server/jobs/index/job_index.h"
#include "server/jobs/model/spec_fields.h"
#include "server/jobs/queue/spec_request.h"
#include "server/jobs/write/task.h"

enum { TASKS_MAX = 10000 /* tasks that may be queued for the writer */ };

/* The job with the key: the latest one submitted under it, even if it is not on disk yet. */
static struct sv_job *find_key(struct sv_core *core, const char *key, bool *submitting)
{
	struct sv_job *job = sv_keys_find(&sv_index(core)->keys, key);
	sv_lock(core);
	/* In that phase the writer thread gives it its number; before, it has none. */
	*submitting = job && (job->run.phase == SV_PHASE_SUBMITTING || !job->record.id);
	sv_unlock(core);
	return job;
}

/* Makes the task that submits the job, which it takes over; the call waits until the submission is on disk. */
static int prepare_submit(struct sv_request *r, struct sv_job *job, struct sv_tasks *tasks)
{
	struct sv_core *core = r->core;
	struct sv_task *task = sv_task_new(SV_TASK_SUBMIT, job, SV_QUEUED);
	struct sv_job_client *client = NULL;
	if (task) {
		job->record.submitted_ms = pd_wall_ms();
		sv_lock(core);
		job->record.turn = sv_index(core)->turns; /* behind the jobs that already wait for their turn */
		client = sv_client_get(&sv_index(core)->clients, job->record.spec.client);
		if (client && !sv_index_pin(sv_index(core), &job->record.spec)) {
			sv_client_put(&sv_index(core)->clients, client);
			client = NULL;
		}
		if (client)
			client->submitting++;
		sv_unlock(core);
	}
	bool made = client && sv_task_record(task, "submitted") && sv_keys_add(&sv_index(core)->keys, job);
	int rc = made ? sv_wait_for(r, job, 0, true, SV_QUEUED)
		      : pd_fail_set(&r->fail, PD_E_NO_MEMORY, "", "no memory for a job");
	if (rc) {
		sv_lock(core);
		if (client) {
			sv_client_submitted(&sv_index(core)->clients, job->record.spec.client);
			sv_index_unpin(sv_index(core), &job->record.spec);
		}
		sv_unlock(core);
		sv_keys_remove(&sv_index(core)->keys, job);
		sv_task_free(task);
		sv_job_free(job);
		return rc;
	}
	PD_ASSERT(!job->record.id);
	sv_sessions(core)->submitting++;
	TAILQ_INSERT_TAIL(tasks, task, link);
	return PD_OK;
}

/* A job already has the key: the same question returns that job, another question is refused. *fresh: that job was
 * cancelled or has failed, and the key is free for a new one. */
static int submit_again(struct sv_request *r, const struct sv_spec *spec, struct sv_job *known, bool submitting,
			bool *fresh, bool alone)
{
	sv_lock(r->core);
	bool wait = alone && !submitting && sv_job_unsettled(known) && !known->run.trouble.code;
	*fresh = !submitting && !wait && (known->record.state == SV_CANCELLED || known->record.state == SV_FAILED);
	sv_unlock(r->core);
	if (*fresh)
		return PD_OK;
	if (wait) { /* the job may be about to end */
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

/* Sets the job's client from the token of its connection. False without memory. */
static bool name_client(const struct sv_request *r, struct sv_spec *spec)
{
	const struct sv_token *token = r->session ? r->session->token : NULL;
	PD_ASSERT(!spec->client);
	spec->client = token ? strdup(token->name) : NULL;
	return !token || spec->client;
}

/* Under the lock: the client has reached its limit of jobs. A closed session no longer has a role. */
static bool client_full(const struct sv_request *r, const struct sv_spec *spec)
{
	unsigned most = sv_config(r->core)->jobs_per_client;
	const struct sv_job_client *client = sv_client_find(&sv_index(r->core)->clients, spec->client);
	bool free_of_it = !most || (r->session && r->session->role == PR_ROLE_ADMIN);
	return !free_of_it && client && (uint64_t)client->open + client->submitting >= most;
}

static int refuse_full(struct sv_request *r, const char *client)
{
	return pd_fail_set(&r->fail, PD_E_LIMIT, "",
			   "%s%s%s %u jobs that have not ended, the limit for one client (limits.jobs_per_client of "
			   "server.hello, proofd --jobs-per-client); wait for one, or cancel one",
			   client ? "the client '" : "there are", client ? client : "", client ? "' has" : "",
			   sv_config(r->core)->jobs_per_client);
}

/* Under the lock. */
static bool too_many_tags(struct sv_job_groups *tags, const struct sv_spec *spec)
{
	unsigned count = tags->count;
	for (unsigned i = 0; i < spec->tags.count; i++)
		count += !sv_group_find(tags, spec->tags.text[i]);
	return count > SV_GROUPS_MAX && count > tags->count;
}

static int submit_new(struct sv_request *r, struct sv_spec *spec, struct sv_tasks *tasks)
{
	struct sv_core *core = r->core;
	if (sv_config(core)->read_only)
		return pd_fail_set(&r->fail, PD_E_UNSUPPORTED, "", "the data directory is open for reading only");
	if (!name_client(r, spec))
		return pd_fail_set(&r->fail, PD_E_NO_MEMORY, "", "no memory for a job");
	struct sv_job_groups *groups = &sv_index(core)->groups;
	sv_lock(core);
	bool busy = sv_writer(core)->task_count + sv_sessions(core)->submitting > TASKS_MAX;
	int rc = sv_dependency_check(sv_index(core), spec, &r->fail);
	const uint32_t *states = sv_index(core)->all.states;
	uint64_t open = (uint64_t)states[SV_QUEUED] + states[SV_RUNNING] + states[SV_PAUSED];
	bool full = client_full(r, spec);
	bool many = spec->group && groups->count >= SV_GROUPS_MAX && !sv_group_find(groups, spec->group);
	bool tagged = too_many_tags(&sv_index(core)->tags, spec);
	sv_unlock(core);
	if (rc)
		return rc;
	if (many)
		return pd_fail_set(&r->fail, PD_E_LIMIT, "group", "there are already %d groups, the maximum",
				   SV_GROUPS_MAX);
	if (tagged)
		return pd_fail_set(&r->fail, PD_E_LIMIT, "tags", "there are already %d tags, the maximum",
				   SV_GROUPS_MAX);
	if (sv_config(core)->jobs_max && open + sv_sessions(core)->submitting >= sv_config(core)->jobs_max)
		return pd_fail_set(
			&r->fail, PD_E_LIMIT, "",
			"there are %u jobs that have not ended, the limit of this server (limits.jobs_max of "
			"server.hello, proofd --jobs-max); wait for one, or cancel one",
			sv_config(core)->jobs_max);
	if (full)
		return refuse_full(r, spec->client);
	if (busy)
		return pd_fail_set(&r->fail, PD_E_BUSY, "", "too many jobs wait to be written; try again");
	const struct sv_record record = sv_record_new(spec);
	struct sv_job *job = sv_job_new(&record);
	if (!job)
		return pd_fail_set(&r->fail, PD_E_NO_MEMORY, "", "no memory for a job");
	*spec = (struct sv_spec){0}; /* the job owns its strings now */
	return prepare_submit(r, job, tasks);
}

int sv_submit_prepare(struct sv_request *r, struct sv_spec *spec, bool alone, struct sv_tasks *tasks)
{
	bool submitting, fresh = true;
	struct sv_job *known = spec->key ? find_key(r->core, spec->key, &submitting) : NULL;
	int rc = known ? submit_again(r, spec, known, submitting, &fresh, alone) : PD_OK;
	return !rc && fresh ? submit_new(r, spec, tasks) : rc;
}

void sv_submit_post(struct sv_core *core, struct sv_tasks *tasks)
{
	struct sv_task *last = TAILQ_LAST(tasks, sv_tasks);
	if (!last)
		return;
	TAILQ_REMOVE(tasks, last, link);
	TAILQ_CONCAT(&last->with, tasks, link);
	sv_lock(core);
	sv_task_post(core, last);
	sv_unlock(core);
}

void sv_submit_drop(struct sv_core *core, struct sv_tasks *tasks, const struct pd_fail *why)
{
	struct sv_task *task;
	while ((task = TAILQ_FIRST(tasks)) != NULL) {
		struct sv_job *job = task->job;
		TAILQ_REMOVE(tasks, task, link);
		sv_task_free(task);
		sv_lock(core);
		sv_job_enter(job, SV_PHASE_SUBMITTING);
		sv_unlock(core);
		sv_submitted(core, job, why);
	}
}

/* A question about a game whose rules are a program; a reader thread reads it (V3). */
struct question {
	struct sv_read_request base;
	struct sv_call *call;
	struct sv_spec spec;
	struct game *game;   /* held until the job is submitted */
	struct pd_fail fail; /* code 0: it could be read */
	bool again;          /* the call was deferred before */
};

/* On a reader thread. */
static void read_question(struct sv_core *core, struct st_reader **reader, struct sv_read_request *base, bool cancelled)
{
	struct question *q = (struct question *)base;
	(void)reader;
	sv_program_misled(&q->fail); /* by an earlier call */
	int rc = cancelled ? pd_fail_set(&q->fail, PD_E_SHUTDOWN, "", "the server is stopping")
			   : sv_game_get(core, pr_get_str(base->params, "game", ""), &q->game, &q->fail);
	rc = rc ? rc : sv_spec_request(core, base->params, &q->spec, &q->fail);
	q->fail.code = sv_program_misled(&q->fail) ? q->fail.code : rc;
}

static void submit_question(struct sv_core *core, struct sv_completion *completion)
{
	struct question *q = (struct question *)completion;
	struct sv_tasks tasks = TAILQ_HEAD_INITIALIZER(tasks);
	struct sv_request r = {.core = core,
			       .session = q->call->session,
			       .call = q->call,
			       .fail = q->fail,
			       .on_loop = true,
			       .again = q->again};
	pd_buf_init(&r.json, PR_REPLY_MAX);
	pr_out_init(&r.out, &r.json);
	int rc = q->fail.code;
	if (!rc && !r.session) /* else the job would be nobody's, and count towards no limit of its client */
		rc = pd_fail_set(&r.fail, PD_E_SHUTDOWN, "", "the connection is closed");
	if (!rc && sv_closing(core))
		rc = pd_fail_set(&r.fail, PD_E_SHUTDOWN, "", "the server is stopping");
	rc = rc ? rc : sv_submit_prepare(&r, &q->spec, true, &tasks);
	sv_submit_post(core, &tasks);
	r.fail.code = rc;
	if (rc)
		sv_call_refuse(q->call, &r.fail);
	else if (!r.later)
		sv_call_reply(q->call, &r.json);
	pd_buf_fini(&r.json);
	sv_spec_fini(&q->spec);
	if (q->game)
		sv_game_put(core, q->game);
	free(q);
}

static int send_question(struct sv_request *r)
{
	struct question *q = calloc(1, sizeof *q);
	if (!q)
		return pd_fail_set(&r->fail, PD_E_NO_MEMORY, "", "no memory for the request");
	*q = (struct question){
		.base = {.base = {.deliver = submit_question}, .run = read_question, .params = r->params},
		.call = r->call,
		.again = r->again};
	struct sv_read_client *client = r->session ? &r->session->client : NULL;
	int rc = sv_read_request_send(r->core, SV_QUERIES, client, &q->base, &r->fail);
	r->later = !rc;
	if (rc)
		free(q);
	return rc;
}

int sv_method_job_submit(struct sv_request *r)
{
	const struct game_rules *rules = game_rules_named(pr_get_str(r->params, "game", ""));
	if (rules && sv_program_is(rules))
		return send_question(r);
	struct sv_tasks tasks = TAILQ_HEAD_INITIALIZER(tasks);
	struct sv_spec spec = {0};
	int rc = sv_spec_request(r->core, r->params, &spec, &r->fail);
	rc = rc ? rc : sv_submit_prepare(r, &spec, true, &tasks);
	sv_spec_fini(&spec);
	sv_submit_post(r->core, &tasks);
	return rc;
}
