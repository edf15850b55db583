#include "server/api/service.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "server/api/deferred.h"
#include "server/api/fast_query.h"
#include "server/api/inflight.h"
#include "server/api/listing.h"
#include "server/api/query.h"
#include "server/api/read_queue.h"
#include "server/api/session.h"
#include "server/api/sink.h"
#include "server/api/watch.h"
#include "server/common/core_state.h"
#include "server/common/mutex.h"
#include "server/common/open_games.h"
#include "server/jobs/job.h"
#include "server/jobs/job_index.h"
#include "server/jobs/job_record.h"
#include "server/jobs/job_spec.h"
#include "server/jobs/spec_fields.h"
#include "server/jobs/job_state.h"
#include "server/jobs/memory_bound.h"
#include "server/jobs/scheduler.h"
#include "server/jobs/task.h"
#include "server/jobs/transition.h"

enum {
	TASKS_MAX = 10000, /* that may wait for the writer */
	PROTOCOL_VERSION = 1
};

/* --- server ------------------------------------------------------------------------------- */

static int discover(struct request *r)
{
	pr_discover(&r->json, PD_VERSION, sv_option_params());
	return PD_OK;
}

static int hello(struct request *r)
{
	static const char *const features[] = {"jobs", "watch", "facts", "lines", "proofs", "threads-per-job"};
	pr_open_object(&r->out, NULL);
	pr_str(&r->out, "server", "proofd");
	pr_str(&r->out, "version", PD_VERSION);
	pr_int(&r->out, "protocol", PROTOCOL_VERSION);
	pr_open_array(&r->out, "features");
	for (unsigned i = 0; i < sizeof features / sizeof *features; i++)
		pr_str(&r->out, NULL, features[i]);
	pr_close(&r->out);
	pr_open_object(&r->out, "limits");
	pr_int(&r->out, "line", PR_LINE_MAX);
	pr_int(&r->out, "reply", PR_REPLY_MAX);
	pr_int(&r->out, "batch", PR_BATCH_MAX);
	pr_int(&r->out, "depth", PR_DEPTH_MAX);
	pr_int(&r->out, "pending", SV_INFLIGHT_MAX);
	pr_int(&r->out, "positions", PR_POSITIONS_MAX);
	pr_int(&r->out, "jobs", SV_LIST_MAX);
	pr_uint(&r->out, "memory", r->core->config.memory);
	pr_close(&r->out);
	pr_str(&r->out, "socket", r->core->socket);
	pr_close(&r->out);
	return PD_OK;
}

static int server_stats(struct request *r)
{
	struct sv_core *core = r->core;
	struct st_stats s;
	const struct sv_job *job;
	double rate = 0;
	st_stats(core->store, &s);
	pr_open_object(&r->out, NULL);
	pr_str(&r->out, "version", PD_VERSION);
	pr_int(&r->out, "pid", getpid());
	pr_real(&r->out, "uptime", (double)(pd_now_ns() - core->start_ns) / 1e9, 1);
	sv_mutex_lock(&core->lock);
	LIST_FOREACH(job, &core->workers->running, running)
	rate += job->rate;
	pr_open_object(&r->out, "jobs");
	for (unsigned i = 0; i <= SV_FAILED; i++)
		pr_uint(&r->out, sv_state_text((enum sv_state)i), core->index->states[i]);
	pr_close(&r->out);
	pr_uint(&r->out, "workers", core->workers->count);
	pr_uint(&r->out, "busy", core->workers->searching + core->workers->helping);
	pr_real(&r->out, "rate", rate, 0);
	pr_uint(&r->out, "nodes", core->workers->nodes);
	pr_uint(&r->out, "connections", core->sessions->connections);
	sv_mutex_unlock(&core->lock);
	pr_uint(&r->out, "facts", s.facts);
	pr_uint(&r->out, "memtable", s.memtable);
	pr_uint(&r->out, "delta", s.memtable); /* its older name */
	pr_uint(&r->out, "runs", s.runs);
	pr_uint(&r->out, "work_bytes", s.work_bytes);
	pr_uint(&r->out, "facts_bytes", s.facts_bytes);
	pr_uint(&r->out, "disk_free", s.map_bytes_free);
	pr_uint(&r->out, "commits", s.commits);
	pr_real(&r->out, "commit_ms_max", (double)s.commit_ns_max / 1e6, 2);
	pr_real(&r->out, "commit_ms_last", (double)s.commit_ns_last / 1e6, 2);
	pr_uint(&r->out, "memory", sv_memory_resident());
	pr_uint(&r->out, "memory_limit", core->config.memory);
	pr_close(&r->out);
	return PD_OK;
}

static int server_shutdown(struct request *r)
{
	int rc = sv_session_may_stop(r->session, pr_get_str(r->params, "token", NULL), &r->fail);
	if (rc)
		return rc;
	r->core->stopping = true;
	pr_open_object(&r->out, NULL);
	pr_bool(&r->out, "stopping", true);
	pr_close(&r->out);
	return PD_OK;
}

/* --- games -------------------------------------------------------------------------------- */

static int game_list(struct request *r)
{
	const struct game_rules *rules;
	pr_open_object(&r->out, NULL);
	pr_open_array(&r->out, "games");
	for (unsigned i = 0; (rules = game_builtin(i)) != NULL; i++) {
		pr_open_object(&r->out, NULL);
		pr_str(&r->out, "name", rules->name);
		pr_str(&r->out, "title", rules->title);
		pr_str(&r->out, "params", rules->params);
		pr_str(&r->out, "example", rules->example);
		pr_close(&r->out);
	}
	pr_close(&r->out);
	pr_close(&r->out);
	return PD_OK;
}

static int game_describe(struct request *r)
{
	struct game *g;
	char version[SV_RULES_TEXT];
	int rc = sv_game_get(r->core, pr_get_str(r->params, "game", ""), &g, &r->fail);
	if (rc)
		return rc;
	pr_open_object(&r->out, NULL);
	pr_str(&r->out, "game", g->name);
	pr_str(&r->out, "title", g->rules->title);
	pr_str(&r->out, "params", g->rules->params);
	pr_str(&r->out, "notation", g->rules->notation);
	pr_str(&r->out, "example", g->rules->example);
	sv_rules_text(g->rules_version, version);
	pr_str(&r->out, "rules_version", version);
	pr_open_object(&r->out, "values");
	pr_int(&r->out, "min", g->value_min);
	pr_int(&r->out, "max", g->value_max);
	pr_int(&r->out, "step", g->value_step);
	pr_close(&r->out);
	pr_bool(&r->out, "acyclic", g->acyclic);
	if (g->acyclic)
		pr_null(&r->out, "infinite");
	else
		pr_int(&r->out, "infinite", g->infinite_value);
	pr_uint(&r->out, "moves_max", g->moves_max);
	pr_uint(&r->out, "plies_max", g->plies_max);
	pr_close(&r->out);
	sv_game_put(r->core, g);
	return PD_OK;
}

static int position_show(struct request *r)
{
	return sv_position_show(r->core, r->params, &r->json, &r->fail);
}

/* --- jobs: submitting --------------------------------------------------------------------- */

/* The job that has the key: the last one submitted under it, also when it is not on disk yet. */
static struct sv_job *find_key(struct sv_core *core, const char *key, bool *submitting)
{
	struct sv_job *job = sv_keys_find(&core->index->keys, key);
	sv_mutex_lock(&core->lock);
	*submitting = job && job->phase == SV_PHASE_SUBMITTING;
	sv_mutex_unlock(&core->lock);
	return job;
}

/* The job is submitted, and the call waits until that is on disk. Takes the job over. */
static int post_submit(struct request *r, struct sv_job *job)
{
	struct sv_core *core = r->core;
	struct sv_task *task = sv_task_new(SV_TASK_SUBMIT, job, SV_QUEUED);
	if (task) {
		job->submitted_ms = pd_wall_ms();
		sv_job_record(job, SV_QUEUED, NULL, &task->record);
		sv_job_event(job, "submitted", &task->event);
	}
	bool made = task && !task->record.failed && !task->event.failed && sv_keys_add(&core->index->keys, job);
	int rc = made ? sv_wait_for(r, job, 0, true, SV_QUEUED)
		      : pd_fail_set(&r->fail, PD_E_NO_MEMORY, "", "no memory for a job");
	if (rc) {
		sv_keys_give_back(core->index, job);
		sv_task_free(task);
		sv_job_free(job);
		return rc;
	}
	sv_mutex_lock(&core->lock);
	sv_task_post(core, task);
	sv_mutex_unlock(&core->lock);
	return PD_OK;
}

/* A job has the key already: the same question gets that job, another is refused. *fresh: the job was cancelled or has
 * failed, and the key is free for a new one. */
static int submit_again(struct request *r, const struct sv_spec *spec, struct sv_job *known, bool submitting,
			bool *fresh)
{
	sv_mutex_lock(&r->core->lock);
	bool wait = !submitting && sv_job_unsettled(known) && !known->disk_trouble;
	*fresh = !submitting && !wait && (known->state == SV_CANCELLED || known->state == SV_FAILED);
	sv_mutex_unlock(&r->core->lock);
	if (*fresh)
		return PD_OK;
	if (wait) /* it may be about to end */
		return sv_deferred(r, known);
	const char *differs = sv_spec_differs(r->core, &known->spec, spec);
	char job[32] = "a job that is being written";
	if (!submitting)
		snprintf(job, sizeof job, "job %u", known->id);
	if (differs)
		return pd_fail_set(&r->fail, PD_E_PARAMS, "key",
				   "the key '%.128s' belongs to %s, and this is %s; give it a key of its own, or none",
				   spec->key, job, differs);
	if (submitting)
		return sv_wait_for(r, known, 0, true, SV_QUEUED);
	pd_buf_printf(&r->json, "{\"job\":%u}", known->id);
	return PD_OK;
}

static int submit_new(struct request *r, struct sv_spec *spec)
{
	struct sv_core *core = r->core;
	if (core->config.read_only)
		return pd_fail_set(&r->fail, PD_E_UNSUPPORTED, "", "the data directory is open for reading only");
	sv_mutex_lock(&core->lock);
	bool busy = core->writer->task_count > TASKS_MAX;
	sv_mutex_unlock(&core->lock);
	if (busy)
		return pd_fail_set(&r->fail, PD_E_BUSY, "", "too many jobs wait to be written; try again");
	struct sv_job *job = sv_job_new(spec);
	if (!job)
		return pd_fail_set(&r->fail, PD_E_NO_MEMORY, "", "no memory for a job");
	*spec = (struct sv_spec){0}; /* the job has its strings */
	return post_submit(r, job);
}

static int job_submit(struct request *r)
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

/* --- jobs: looking ------------------------------------------------------------------------ */

/* The job of the request; the lock is held on success. */
static int find_job(struct request *r, struct sv_job **out)
{
	int64_t id = pr_get_int(r->params, "job", 0);
	sv_mutex_lock(&r->core->lock);
	*out = sv_index_find(r->core->index, id);
	if (*out)
		return PD_OK;
	sv_mutex_unlock(&r->core->lock);
	return pd_fail_set(&r->fail, PD_E_NO_JOB, "job", "there is no job %lld", (long long)id);
}

static int job_get(struct request *r)
{
	struct sv_job *job;
	uint64_t disk = sv_disk_bytes(r->core);
	int rc = find_job(r, &job);
	if (rc)
		return rc;
	sv_job_print(job, disk, true, &r->out);
	sv_mutex_unlock(&r->core->lock);
	return PD_OK;
}

static int job_list(struct request *r)
{
	return sv_job_list(r->core, r->params, &r->json, &r->fail);
}

/* Leaves the call with a thread. */
static int send_read_request(struct request *r, unsigned read_queue)
{
	int rc = sv_read_request_send(r->core, read_queue, SV_COMPLETION_REPLY, r->pending, r->call, &r->fail);
	r->later = !rc;
	return rc;
}

/* Events are read from disk: by a thread. */
static int job_history(struct request *r)
{
	struct sv_job *job;
	int rc = find_job(r, &job);
	if (rc)
		return rc;
	sv_mutex_unlock(&r->core->lock);
	return send_read_request(r, SV_QUERIES);
}

static int job_watch(struct request *r)
{
	struct sv_job *job;
	uint64_t disk = sv_disk_bytes(r->core);
	int rc = find_job(r, &job);
	if (rc)
		return rc;
	sv_job_print(job, disk, true, &r->out);
	sv_mutex_unlock(&r->core->lock);
	rc = sv_watch_add(r->session, job, pr_get_real(r->params, "interval", 1));
	return rc ? pd_fail_set(&r->fail, (enum pd_error)rc, "job", "too many jobs are watched on this connection")
		  : PD_OK;
}

static int job_unwatch(struct request *r)
{
	struct sv_job *job;
	int rc = find_job(r, &job);
	if (rc)
		return rc;
	sv_mutex_unlock(&r->core->lock);
	sv_watch_remove(r->session, job);
	pd_buf_printf(&r->json, "{\"job\":%u}", job->id);
	return PD_OK;
}

/* --- jobs: changing ----------------------------------------------------------------------- */

static int refuse_state(struct request *r, const struct sv_job *job, const char *what)
{
	return pd_fail_set(&r->fail, PD_E_STATE, "job", "job %u is %s; it cannot be %s", job->id,
			   sv_state_text(job->state), what);
}

/* A job that is not known well enough to search it. */
static int refuse_damaged(struct request *r, const struct sv_job *job)
{
	return pd_fail_set(&r->fail, PD_E_CORRUPT, "job", "%.200s", job->reason);
}

/* The job of a request that changes it. The lock is held when *out is set; NULL on failure, and when the call was put
 * off. */
static int find_to_change(struct request *r, struct sv_job **out)
{
	struct sv_job *job;
	int rc = find_job(r, &job);
	*out = NULL;
	if (rc)
		return rc;
	if (r->core->config.read_only)
		rc = pd_fail_set(&r->fail, PD_E_UNSUPPORTED, "", "the data directory is open for reading only");
	else if (job->disk_trouble)
		rc = pd_fail_set(&r->fail, (enum pd_error)job->trouble_code, "job",
				 "job %u cannot be written for now: %.180s", job->id, job->trouble);
	else if (sv_job_unsettled(job) || (!r->again && !STAILQ_EMPTY(&job->deferred)))
		rc = sv_deferred(r, job);
	else
		*out = job;
	if (!*out)
		sv_mutex_unlock(&r->core->lock);
	return rc;
}

/* Under the lock: a job that no worker holds goes to another state, or stays in its own, changed. */
static int record_state(struct request *r, struct sv_job *job, enum sv_state state, const struct sv_change *change,
			const char *event)
{
	struct sv_task *task = sv_task_new(SV_TASK_RECORD, job, state);
	if (!task)
		return pd_fail_set(&r->fail, PD_E_NO_MEMORY, "", "no memory for the request");
	task->drop_table = state == SV_CANCELLED || (job->table_lost && change->clear);
	task->change = *change;
	sv_job_record(job, state, change, &task->record);
	if (event)
		sv_job_event(job, event, &task->event);
	int rc = task->record.failed || task->event.failed
			 ? pd_fail_set(&r->fail, PD_E_NO_MEMORY, "", "no memory for the request")
			 : sv_wait_for(r, job, job->records + 1, false, state);
	if (rc)
		sv_task_free(task);
	else
		sv_task_post(r->core, task);
	return rc;
}

/* A job that the disk has no room for: its search stops now all the same, and that it has stopped is written when there
 * is room. Nobody can be told that it has before (D1), and nobody is to wait for hours. */
static int stop_without_room(struct request *r, struct sv_job *job, enum sv_state state, enum sv_want want)
{
	if (job->phase == SV_PHASE_ENDING || job->phase == SV_PHASE_CLOSING)
		return pd_fail_set(&r->fail, (enum pd_error)job->trouble_code, "job",
				   "the search of job %u has ended, and how is written when there is room: %.180s",
				   job->id, job->trouble);
	if (want > job->want) {
		job->want = want;
		job->changes++;
		pthread_cond_broadcast(&r->core->writer->written); /* its worker may wait for the disk */
	}
	return sv_stops_later(job, job->want == SV_WANT_CANCEL ? SV_CANCELLED : state, job->trouble_code, job->trouble,
			      &r->fail);
}

/* Pauses or cancels. */
static int stop_job(struct request *r, enum sv_state state, enum sv_want want, const char *what)
{
	struct sv_job *job;
	int rc = find_job(r, &job);
	if (!rc && job->disk_trouble && sv_job_held(job) && !r->core->config.read_only) {
		rc = stop_without_room(r, job, state, want);
		sv_mutex_unlock(&r->core->lock);
		return rc;
	}
	if (!rc)
		sv_mutex_unlock(&r->core->lock);
	rc = find_to_change(r, &job);
	if (!job)
		return rc;
	struct sv_change change = sv_change_none(job);
	change.reason = state == SV_PAUSED ? "paused on request" : "";
	change.finish = sv_state_over(state);
	if (sv_job_held(job)) {
		rc = sv_wait_for(r, job, job->run_record, false, state);
		if (!rc)
			job->want = want;
	} else if (!sv_arrow(job->state, state)) {
		rc = refuse_state(r, job, what);
	} else {
		rc = record_state(r, job, state, &change, what);
	}
	sv_mutex_unlock(&r->core->lock);
	return rc;
}

static int job_pause(struct request *r)
{
	return stop_job(r, SV_PAUSED, SV_WANT_PAUSE, "paused");
}

static int job_cancel(struct request *r)
{
	return stop_job(r, SV_CANCELLED, SV_WANT_CANCEL, "cancelled");
}

static int job_remove(struct request *r)
{
	struct sv_job *job;
	int rc = find_to_change(r, &job);
	if (!job)
		return rc;
	if (sv_job_held(job) || !sv_state_over(job->state)) {
		rc = pd_fail_set(&r->fail, PD_E_STATE, "job", "job %u is %s; cancel it before it is removed", job->id,
				 sv_state_text(job->state));
	} else {
		struct sv_task *task = sv_task_new(SV_TASK_REMOVE, job, job->state);
		rc = task ? sv_wait_for(r, job, job->records + 1, true, job->state)
			  : pd_fail_set(&r->fail, PD_E_NO_MEMORY, "", "no memory for the request");
		if (rc)
			sv_task_free(task);
		else
			sv_task_post(r->core, task);
	}
	sv_mutex_unlock(&r->core->lock);
	return rc;
}

static bool budget_used(const struct sv_job *job)
{
	uint64_t nodes = job->progress.level1 + job->progress.level2;
	return (job->spec.budget_nodes && nodes >= job->spec.budget_nodes) ||
	       (job->spec.budget_seconds > 0 && job->seconds >= job->spec.budget_seconds);
}

static int job_resume(struct request *r)
{
	struct sv_job *job;
	int rc = find_to_change(r, &job);
	if (!job)
		return rc;
	struct sv_change change = sv_change_none(job);
	change.clear = true;
	if (job->damaged)
		rc = refuse_damaged(r, job);
	else if (sv_job_held(job) || job->state == SV_RUNNING || !sv_arrow(job->state, SV_QUEUED))
		rc = refuse_state(r, job, "resumed");
	else if (budget_used(job))
		rc = pd_fail_set(&r->fail, PD_E_STATE, "budget",
				 "the budget of job %u is used up; raise it with job.set first", job->id);
	else
		rc = record_state(r, job, SV_QUEUED, &change, job->table_lost ? "queued without its table" : "queued");
	sv_mutex_unlock(&r->core->lock);
	return rc;
}

static int job_set(struct request *r)
{
	struct sv_job *job;
	pr_ref budget = pr_get(r->params, "budget");
	int rc = find_to_change(r, &job);
	if (!job)
		return rc;
	struct sv_change change = sv_change_none(job);
	change.priority = (int)pr_get_int(r->params, "priority", change.priority);
	change.budget_nodes = (uint64_t)pr_get_int(budget, "nodes", (int64_t)change.budget_nodes);
	change.budget_seconds = pr_get_real(budget, "seconds", change.budget_seconds);
	if (job->damaged) {
		rc = refuse_damaged(r, job);
	} else if (job->state == SV_SOLVED || job->state == SV_CANCELLED) {
		rc = refuse_state(r, job, "changed");
	} else if (sv_job_held(job)) { /* the worker's next checkpoint tells, and it is asked for one at once */
		rc = sv_wait_for(r, job, job->records + 1, true, job->state);
		if (!rc) {
			sv_change_apply(job, &change);
			job->checkpoint_wanted = true;
		}
	} else {
		rc = record_state(r, job, job->state, &change, NULL);
	}
	sv_mutex_unlock(&r->core->lock);
	return rc;
}

/* --- facts -------------------------------------------------------------------------------- */

static int fact_query(struct request *r)
{
	/* Each move of a position is a question of its own. */
	if (pr_count(pr_get(r->params, "positions")) >
	    (pr_get_bool(r->params, "moves", false) ? 1 : SV_INLINE_POSITIONS))
		return send_read_request(r, SV_QUERIES);
	return sv_query(r->core, r->core->reader, r->params, &r->json, &r->fail);
}

static int fact_line(struct request *r)
{
	return send_read_request(r, SV_LINES);
}

static int proof_export(struct request *r)
{
	return send_read_request(r, SV_PROOFS);
}

static int proof_read(struct request *r)
{
	return send_read_request(r, SV_QUERIES);
}

/* --- dispatch ----------------------------------------------------------------------------- */

static int (*const handlers[PR_METHOD_COUNT])(struct request *) = {
	[PR_DISCOVER] = discover,
	[PR_HELLO] = hello,
	[PR_STATS] = server_stats,
	[PR_SHUTDOWN] = server_shutdown,
	[PR_GAME_LIST] = game_list,
	[PR_GAME_DESCRIBE] = game_describe,
	[PR_POSITION_SHOW] = position_show,
	[PR_JOB_SUBMIT] = job_submit,
	[PR_JOB_GET] = job_get,
	[PR_JOB_LIST] = job_list,
	[PR_JOB_PAUSE] = job_pause,
	[PR_JOB_RESUME] = job_resume,
	[PR_JOB_CANCEL] = job_cancel,
	[PR_JOB_SET] = job_set,
	[PR_JOB_REMOVE] = job_remove,
	[PR_JOB_WATCH] = job_watch,
	[PR_JOB_UNWATCH] = job_unwatch,
	[PR_JOB_HISTORY] = job_history,
	[PR_FACT_QUERY] = fact_query,
	[PR_FACT_LINE] = fact_line,
	[PR_PROOF_EXPORT] = proof_export,
	[PR_PROOF_READ] = proof_read,
};

static void serve(struct sv_core *core, struct sv_session *session, struct sv_inflight *pending, struct pr_call *call,
		  bool again)
{
	struct request r = {.core = core,
			    .session = session,
			    .pending = pending,
			    .call = call,
			    .params = call->params,
			    .again = again};
	pd_buf_init(&r.json, PR_REPLY_MAX);
	pr_out_init(&r.out, &r.json);
	int rc = handlers[call->method](&r);
	if (rc) {
		r.fail.code = rc;
		sv_refuse(core, pending, call, &r.fail);
	} else if (!r.later) {
		sv_reply(core, pending, call, &r.json);
	}
	pd_buf_fini(&r.json);
}

/* A game whose file is to be read first is opened by a thread; the call is carried out when that is done. True when it
 * is left there. */
static bool open_first(struct sv_core *core, struct sv_inflight *pending, struct pr_call *call)
{
	const char *name = pr_get_str(call->params, "game", NULL);
	return name && !sv_game_is_near(core, name) &&
	       !sv_read_request_send(core, SV_QUERIES, SV_COMPLETION_OPENED, pending, call, NULL);
}

void sv_opened(struct sv_core *core, struct sv_call_completion *completion)
{
	if (!completion->fail.code && core->stop_readers)
		pd_fail_set(&completion->fail, PD_E_SHUTDOWN, "", "the server is stopping");
	if (completion->fail.code)
		sv_refuse(core, completion->pending, completion->call, &completion->fail);
	else
		serve(core, completion->pending->session, completion->pending, completion->call, false);
	if (completion->game)
		sv_game_put(core, completion->game);
}

void sv_serve_again(struct sv_core *core, struct sv_deferred *call)
{
	serve(core, call->pending->session, call->pending, call->call, true);
	free(call);
}

void sv_serve(struct sv_core *core, struct sv_session *session, struct sv_inflight *pending, struct pr_call *call)
{
	if (!open_first(core, pending, call))
		serve(core, session, pending, call, false);
}

void sv_call_completion_deliver(struct sv_core *core, struct sv_completion *base)
{
	struct sv_call_completion *completion = (struct sv_call_completion *)base;
	switch (completion->kind) {
	case SV_COMPLETION_FAST:
		sv_fast_query_done(completion);
		break;
	case SV_COMPLETION_READ:
		sv_session_read(core, completion);
		break;
	case SV_COMPLETION_OPENED:
		sv_opened(core, completion);
		break;
	case SV_COMPLETION_REPLY:
		if (completion->fail.code)
			sv_refuse(core, completion->pending, completion->call, &completion->fail);
		else
			sv_reply(core, completion->pending, completion->call, &completion->json);
		break;
	}
	pd_buf_fini(&completion->json);
	free(completion);
}
