/* Service: one handler a method.
 *
 * A handler either answers at once or leaves the call with whoever will: a reader thread (large queries), or the job (what must be on disk
 * before the client hears of it, D1). */
#include "server/core/internal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/clock.h"

enum {
	ERRANDS_MAX = 1000,         /* that may wait for a reader thread */
	PROOFS_MAX = 16,            /* certificates that may wait to be made */
	TASKS_MAX = 10000,          /* that may wait for the writer */
	PROTOCOL_VERSION = 1,
	EVENTS_DEFAULT = 1000,
	LIST_DEFAULT = 100
};

static const uint64_t memory_default = UINT64_C(512) << 20, memory_min = 1 << 20;

struct request {
	struct sv_core *core;
	struct sv_session *session;
	struct sv_pending *pending;
	struct pr_call *call;
	pr_ref params;
	struct pd_buf json;   /* the result, when it is answered at once */
	struct pr_out out;
	struct pd_fail fail;
	bool later;           /* somebody else answers */
	bool again;           /* it was put off, and it is its turn now */
};

/* --- server ------------------------------------------------------------------------------------------------------------------------------ */

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
	pr_int(&r->out, "pending", SV_PENDING_MAX);
	pr_int(&r->out, "positions", 10000);
	pr_uint(&r->out, "memory", r->core->config.memory);
	pr_close(&r->out);
	pr_close(&r->out);
	return PD_OK;
}

static uint64_t resident_bytes(void)
{
	unsigned long long size = 0, resident = 0;
	FILE *file = fopen("/proc/self/statm", "r");
	if (file && fscanf(file, "%llu %llu", &size, &resident) != 2)
		resident = 0;
	if (file)
		fclose(file);
	return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

static int server_stats(struct request *r)
{
	struct sv_core *core = r->core;
	struct st_stats s;
	unsigned states[SV_FAILED + 1] = {0};
	double rate = 0;
	st_stats(core->store, &s);
	pr_open_object(&r->out, NULL);
	pr_str(&r->out, "version", PD_VERSION);
	pr_int(&r->out, "pid", getpid());
	pr_real(&r->out, "uptime", (double)(pd_now_ns() - core->start_ns) / 1e9, 1);
	pthread_mutex_lock(&core->lock);
	for (uint32_t i = 0; i < core->job_count; i++)
		if (core->jobs[i]) {
			states[sv_job_shown(core->jobs[i])]++;
			rate += core->jobs[i]->rate;
		}
	pr_open_object(&r->out, "jobs");
	for (unsigned i = 0; i <= SV_FAILED; i++)
		pr_uint(&r->out, sv_state_text((enum sv_state)i), states[i]);
	pr_close(&r->out);
	pr_uint(&r->out, "workers", core->worker_count);
	pr_uint(&r->out, "busy", core->busy + core->helping);
	pr_real(&r->out, "rate", rate, 0);
	pr_uint(&r->out, "nodes", core->nodes);
	pr_uint(&r->out, "connections", core->connections);
	pthread_mutex_unlock(&core->lock);
	pr_uint(&r->out, "facts", s.facts);
	pr_uint(&r->out, "delta", s.delta);
	pr_uint(&r->out, "runs", s.runs);
	pr_uint(&r->out, "work_bytes", s.work_bytes);
	pr_uint(&r->out, "facts_bytes", s.facts_bytes);
	pr_uint(&r->out, "disk_free", s.map_bytes_free);
	pr_uint(&r->out, "commits", s.commits);
	pr_real(&r->out, "commit_ms_max", (double)s.commit_ns_max / 1e6, 2);
	pr_real(&r->out, "commit_ms_last", (double)s.commit_ns_last / 1e6, 2);
	pr_uint(&r->out, "memory", resident_bytes());
	pr_close(&r->out);
	return PD_OK;
}

static int server_shutdown(struct request *r)
{
	r->core->stopping = true;
	pr_open_object(&r->out, NULL);
	pr_bool(&r->out, "stopping", true);
	pr_close(&r->out);
	return PD_OK;
}

/* --- games ------------------------------------------------------------------------------------------------------------------------------- */

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
	char version[32];
	int rc = sv_game_get(r->core, pr_get_str(r->params, "game", ""), &g, &r->fail);
	if (rc)
		return rc;
	pr_open_object(&r->out, NULL);
	pr_str(&r->out, "game", g->name);
	pr_str(&r->out, "title", g->rules->title);
	pr_str(&r->out, "params", g->rules->params);
	pr_str(&r->out, "notation", g->rules->notation);
	pr_str(&r->out, "example", g->rules->example);
	snprintf(version, sizeof version, "%llx", (unsigned long long)g->rules_version);
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

/* --- waiting for the disk ------------------------------------------------------------------------------------------------------------------- */

static int wait_for(struct request *r, struct sv_job *job, uint64_t record, bool any_state, enum sv_state wanted)
{
	struct sv_waiter *waiter = calloc(1, sizeof *waiter);
	if (!waiter)
		return pd_fail_set(&r->fail, PD_E_NO_MEMORY, "", "no memory for the request");
	waiter->pending = r->pending;
	waiter->call = r->call;
	waiter->record = record;
	waiter->troubles = job->troubles;
	waiter->any_state = any_state;
	waiter->wanted = wanted;
	STAILQ_INSERT_TAIL(&job->waiters, waiter, link);
	r->later = true;
	return PD_OK;
}

static void answer_job_state(struct sv_core *core, const struct sv_job *job, enum sv_state state, struct sv_waiter *waiter)
{
	struct pd_buf json;
	struct pr_out out;
	struct pd_fail fail;
	if (!waiter->any_state && state != waiter->wanted) {
		pd_fail_set(&fail, PD_E_STATE, "job", "job %u is %s now", job->id, sv_state_text(state));
		sv_refuse(core, waiter->pending, waiter->call, &fail);
		return;
	}
	pd_buf_init(&json, PR_REPLY_MAX);
	pr_out_init(&out, &json);
	pr_open_object(&out, NULL);
	pr_uint(&out, "job", job->id);
	pr_str(&out, "state", sv_state_text(state));
	pr_close(&out);
	sv_reply(core, waiter->pending, waiter->call, &json);
	pd_buf_fini(&json);
}

static void serve(struct sv_core *core, struct sv_session *session, struct sv_pending *pending, struct pr_call *call, bool again);

/* Under the lock: a change of the job is under way, so that nobody can say what becomes of another. It ends with a mail. */
static bool unsettled(const struct sv_job *job)
{
	return job->changing || (job->held && (job->ending || job->want != SV_GO_ON));
}

/* Carries out what was put off, up to the next change. */
static void catch_up(struct sv_core *core, struct sv_job *job)
{
	struct sv_put_off *next;
	while ((next = STAILQ_FIRST(&job->put_off)) != NULL) {
		pthread_mutex_lock(&core->lock);
		bool wait = unsettled(job) && !job->disk_trouble;
		pthread_mutex_unlock(&core->lock);
		if (wait)
			return;
		STAILQ_REMOVE_HEAD(&job->put_off, link);
		serve(core, next->pending->session, next->pending, next->call, true);
		free(next);
	}
}

/* A record is written, or could not be: whoever waited for it hears so. The job may have gone on since. */
void sv_recorded(struct sv_core *core, const struct sv_mail *mail)
{
	struct sv_job *job = mail->job;
	const struct pd_fail *fail = mail->fail.code ? &mail->fail : NULL;
	struct sv_waiter *waiter = STAILQ_FIRST(&job->waiters);
	while (waiter) {
		struct sv_waiter *next = STAILQ_NEXT(waiter, link);
		bool told = mail->number ? mail->number >= waiter->record && (fail || waiter->any_state || mail->state != SV_RUNNING)
					 : mail->trouble > waiter->troubles;
		if (told) {
			STAILQ_REMOVE(&job->waiters, waiter, sv_waiter, link);
			if (fail)
				sv_refuse(core, waiter->pending, waiter->call, fail);
			else
				answer_job_state(core, job, mail->state, waiter);
			free(waiter);
		}
		waiter = next;
	}
	catch_up(core, job);
}

void sv_dismiss(struct sv_core *core, struct sv_job *job)
{
	struct pd_fail fail;
	pd_fail_set(&fail, PD_E_SHUTDOWN, "", "the server is stopping");
	while (!STAILQ_EMPTY(&job->waiters)) {
		struct sv_waiter *waiter = STAILQ_FIRST(&job->waiters);
		STAILQ_REMOVE_HEAD(&job->waiters, link);
		sv_refuse(core, waiter->pending, waiter->call, &fail);
		free(waiter);
	}
	while (!STAILQ_EMPTY(&job->put_off)) {
		struct sv_put_off *next = STAILQ_FIRST(&job->put_off);
		STAILQ_REMOVE_HEAD(&job->put_off, link);
		sv_refuse(core, next->pending, next->call, &fail);
		free(next);
	}
}

void sv_submitted(struct sv_core *core, struct sv_job *job, const struct pd_fail *fail)
{
	struct pd_fail own;
	STAILQ_REMOVE(&core->submitting, job, sv_job, link);
	pthread_mutex_lock(&core->lock);
	if (!fail && sv_job_insert(core, job)) {
		pd_fail_set(&own, PD_E_NO_MEMORY, "", "no memory for the job table; the job is on disk and starts with the next start");
		fail = &own;
	}
	pthread_cond_broadcast(&core->work);
	pthread_mutex_unlock(&core->lock);
	while (!STAILQ_EMPTY(&job->waiters)) {
		struct sv_waiter *waiter = STAILQ_FIRST(&job->waiters);
		struct pd_buf json;
		STAILQ_REMOVE_HEAD(&job->waiters, link);
		pd_buf_init(&json, 256);
		pd_buf_printf(&json, "{\"job\":%u}", job->id);
		if (fail)
			sv_refuse(core, waiter->pending, waiter->call, fail);
		else
			sv_reply(core, waiter->pending, waiter->call, &json);
		pd_buf_fini(&json);
		free(waiter);
	}
	if (fail)
		sv_job_free(job);
}

/* --- jobs: submitting ------------------------------------------------------------------------------------------------------------------------- */

static int read_spec(struct request *r, struct sv_spec *spec)
{
	pr_ref p = r->params, budget = pr_get(p, "budget");
	const char *key = pr_get_str(p, "key", NULL);
	struct game *g;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	int rc = sv_game_get(r->core, pr_get_str(p, "game", ""), &g, &r->fail);
	if (rc)
		return rc;
	const char *position = pr_get_str(p, "position", "");
	rc = g->rules->parse(g, position, state, &r->fail);
	if (!rc)
		rc = pd_claim_parse(pr_get_str(p, "claim", "value"), &spec->claim, &r->fail);
	if (!rc)
		rc = pn_question_check(g, &spec->claim, &r->fail);
	if (!rc)
		rc = pn_algorithm_parse(pr_get_str(p, "algorithm", "pds-pn"), &spec->algorithm, &r->fail);
	if (!rc)
		rc = sv_options_read(pr_get(p, "options"), &spec->options, &r->fail);
	spec->value_min = g->value_min;
	spec->value_max = g->value_max;
	spec->game = strdup(g->name);
	sv_game_put(r->core, g);
	spec->position = strdup(position);
	spec->key = key ? strdup(key) : NULL;
	spec->detail = strcmp(pr_get_str(p, "detail", "frontier"), "full") ? PN_FRONTIER : PN_FULL;
	spec->priority = (int)pr_get_int(p, "priority", 0);
	spec->threads = (unsigned)pr_get_int(p, "threads", 0);
	spec->seed = (uint64_t)pr_get_int(p, "seed", 0);
	spec->shorten = (uint64_t)pr_get_int(p, "shorten", 0);
	spec->memory = pr_get_size(p, "memory", memory_default);
	spec->budget_nodes = (uint64_t)pr_get_int(budget, "nodes", 0);
	spec->budget_seconds = pr_get_real(budget, "seconds", 0);
	if (!rc && (spec->memory < memory_min || spec->memory > r->core->config.memory))
		rc = pd_fail_set(&r->fail, PD_E_PARAMS, "memory", "a job takes %llu to %llu bytes of memory here",
				 (unsigned long long)memory_min, (unsigned long long)r->core->config.memory);
	if (!rc && (!spec->game || !spec->position || (key && !spec->key)))
		rc = pd_fail_set(&r->fail, PD_E_NO_MEMORY, "", "no memory for a job");
	return rc;
}

/* The job that was submitted under the key, also one that is not on disk yet. */
static struct sv_job *find_key(struct sv_core *core, const char *key, bool *submitting)
{
	struct sv_job *job;
	*submitting = true;
	STAILQ_FOREACH(job, &core->submitting, link)
		if (job->spec.key && !strcmp(job->spec.key, key))
			return job;
	*submitting = false;
	for (uint32_t i = 0; i < core->job_count; i++)
		if (core->jobs[i] && core->jobs[i]->spec.key && !strcmp(core->jobs[i]->spec.key, key))
			return core->jobs[i];
	return NULL;
}

static int post_submit(struct request *r, struct sv_job *job)
{
	struct sv_core *core = r->core;
	struct sv_task *task = sv_task_new(SV_TASK_SUBMIT, job, SV_QUEUED);
	int rc = task ? wait_for(r, job, 0, true, SV_QUEUED) : pd_fail_set(&r->fail, PD_E_NO_MEMORY, "", "no memory for a job");
	if (rc) {
		sv_task_free(task);
		sv_job_free(job);
		return rc;
	}
	STAILQ_INSERT_TAIL(&core->submitting, job, link);
	pthread_mutex_lock(&core->lock);
	job->submitted_ms = pd_wall_ms();
	sv_job_record(job, SV_QUEUED, NULL, &task->record);
	sv_job_event(job, "submitted", &task->event);
	sv_task_post(core, task);
	pthread_mutex_unlock(&core->lock);
	return PD_OK;
}

static int job_submit(struct request *r)
{
	struct sv_core *core = r->core;
	struct sv_spec spec = {0};
	const char *key = pr_get_str(r->params, "key", NULL);
	bool submitting;
	struct sv_job *known = key ? find_key(core, key, &submitting) : NULL;
	if (known && submitting)
		return wait_for(r, known, 0, true, SV_QUEUED);
	if (known) {
		pd_buf_printf(&r->json, "{\"job\":%u}", known->id);
		return PD_OK;
	}
	if (core->config.read_only)
		return pd_fail_set(&r->fail, PD_E_UNSUPPORTED, "", "the data directory is open for reading only");
	pthread_mutex_lock(&core->lock);
	bool busy = core->task_count > TASKS_MAX;
	pthread_mutex_unlock(&core->lock);
	if (busy)
		return pd_fail_set(&r->fail, PD_E_BUSY, "", "too many jobs wait to be written; try again");
	int rc = read_spec(r, &spec);
	struct sv_job *job = rc ? NULL : sv_job_new(&spec);
	if (job)
		return post_submit(r, job);
	sv_spec_fini(&spec);
	return rc ? rc : pd_fail_set(&r->fail, PD_E_NO_MEMORY, "", "no memory for a job");
}

/* --- jobs: looking ---------------------------------------------------------------------------------------------------------------------------- */

/* The job of the request; the lock is held on success. */
static int find_job(struct request *r, struct sv_job **out)
{
	int64_t id = pr_get_int(r->params, "job", 0);
	pthread_mutex_lock(&r->core->lock);
	*out = sv_job_find(r->core, id);
	if (*out)
		return PD_OK;
	pthread_mutex_unlock(&r->core->lock);
	return pd_fail_set(&r->fail, PD_E_NO_JOB, "job", "there is no job %lld", (long long)id);
}

uint64_t sv_disk_bytes(const struct sv_core *core)
{
	struct st_stats stats;
	st_stats(core->store, &stats);
	return stats.work_bytes + stats.facts_bytes;
}

static int job_get(struct request *r)
{
	struct sv_job *job;
	uint64_t disk = sv_disk_bytes(r->core);
	int rc = find_job(r, &job);
	if (rc)
		return rc;
	sv_job_print(job, disk, true, &r->out);
	pthread_mutex_unlock(&r->core->lock);
	return PD_OK;
}

static int job_list(struct request *r)
{
	struct sv_core *core = r->core;
	const char *text = pr_get_str(r->params, "state", NULL);
	enum sv_state state = SV_QUEUED;
	int64_t limit = pr_get_int(r->params, "limit", LIST_DEFAULT);
	uint64_t disk = sv_disk_bytes(core);
	if (text && !sv_state_parse(text, &state))
		return pd_fail_set(&r->fail, PD_E_PARAMS, "state", "'%.20s' is no state of a job", text);
	pthread_mutex_lock(&core->lock);
	int64_t before = pr_get_int(r->params, "before", (int64_t)core->job_count + 1);
	pr_open_object(&r->out, NULL);
	pr_open_array(&r->out, "jobs");
	for (int64_t id = before - 1 < core->job_count ? before - 1 : core->job_count; id >= 1 && limit > 0; id--) {
		const struct sv_job *job = core->jobs[id - 1];
		if (!job || (text && sv_job_shown(job) != state))
			continue;
		sv_job_print(job, disk, false, &r->out);
		limit--;
	}
	pr_close(&r->out);
	pr_close(&r->out);
	pthread_mutex_unlock(&core->lock);
	return PD_OK;
}

static int print_event(void *ctx, const void *record, size_t size)
{
	pr_raw(ctx, NULL, record, size);
	return PD_OK;
}

static int job_history(struct request *r)
{
	struct sv_job *job;
	int rc = find_job(r, &job);
	if (rc)
		return rc;
	uint32_t id = job->id;
	pthread_mutex_unlock(&r->core->lock);
	pr_open_object(&r->out, NULL);
	pr_open_array(&r->out, "points");
	rc = st_event_each(r->core->store, id, (size_t)pr_get_int(r->params, "limit", EVENTS_DEFAULT), print_event, &r->out, &r->fail);
	pr_close(&r->out);
	pr_close(&r->out);
	return rc;
}

static int job_watch(struct request *r)
{
	struct sv_job *job;
	uint64_t disk = sv_disk_bytes(r->core);
	int rc = find_job(r, &job);
	if (rc)
		return rc;
	sv_job_print(job, disk, true, &r->out);
	pthread_mutex_unlock(&r->core->lock);
	rc = sv_watch_add(r->session, job, pr_get_real(r->params, "interval", 1));
	return rc ? pd_fail_set(&r->fail, (enum pd_error)rc, "job", "too many jobs are watched on this connection") : PD_OK;
}

static int job_unwatch(struct request *r)
{
	struct sv_job *job;
	int rc = find_job(r, &job);
	if (rc)
		return rc;
	pthread_mutex_unlock(&r->core->lock);
	sv_watch_remove(r->session, job);
	pd_buf_printf(&r->json, "{\"job\":%u}", job->id);
	return PD_OK;
}

/* --- jobs: changing --------------------------------------------------------------------------------------------------------------------------- */

static int refuse_state(struct request *r, const struct sv_job *job, const char *what)
{
	return pd_fail_set(&r->fail, PD_E_STATE, "job", "job %u is %s; it cannot be %s", job->id, sv_state_text(job->state), what);
}

/* Puts the call off until the change under way is settled. */
static int put_off(struct request *r, struct sv_job *job)
{
	struct sv_put_off *call = calloc(1, sizeof *call);
	if (!call)
		return pd_fail_set(&r->fail, PD_E_NO_MEMORY, "", "no memory for the request");
	call->pending = r->pending;
	call->call = r->call;
	if (r->again)
		STAILQ_INSERT_HEAD(&job->put_off, call, link);
	else
		STAILQ_INSERT_TAIL(&job->put_off, call, link);
	r->later = true;
	return PD_OK;
}

/* The job of a request that changes it. The lock is held when *out is set; NULL on failure, and when the call was put off. */
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
		rc = pd_fail_set(&r->fail, (enum pd_error)job->trouble_code, "job", "job %u cannot be written for now: %.180s", job->id,
				 job->trouble);
	else if (unsettled(job) || (!r->again && !STAILQ_EMPTY(&job->put_off)))
		rc = put_off(r, job);
	else
		*out = job;
	if (!*out)
		pthread_mutex_unlock(&r->core->lock);
	return rc;
}

/* Under the lock: a job that no worker holds goes to another state, or stays in its own, changed. */
static int record_state(struct request *r, struct sv_job *job, enum sv_state state, const struct sv_change *change, const char *event)
{
	struct sv_task *task = sv_task_new(SV_TASK_RECORD, job, state);
	if (!task)
		return pd_fail_set(&r->fail, PD_E_NO_MEMORY, "", "no memory for the request");
	task->drop_table = state == SV_CANCELLED;
	task->change = *change;
	sv_job_record(job, state, change, &task->record);
	if (event)
		sv_job_event(job, event, &task->event);
	int rc = task->record.failed || task->event.failed ? pd_fail_set(&r->fail, PD_E_NO_MEMORY, "", "no memory for the request")
							   : wait_for(r, job, job->records + 1, false, state);
	if (rc)
		sv_task_free(task);
	else
		sv_task_post(r->core, task);
	return rc;
}

/* Pauses or cancels. */
static int stop_job(struct request *r, enum sv_state state, enum sv_want want, const char *what)
{
	struct sv_job *job;
	int rc = find_to_change(r, &job);
	if (!job)
		return rc;
	struct sv_change change = sv_change_none(job);
	change.reason = state == SV_PAUSED ? "paused on request" : "";
	change.finish = sv_state_over(state);
	if (job->held) {
		rc = wait_for(r, job, job->run_record, false, state);
		if (!rc)
			job->want = want;
	} else if (!sv_arrow(job->state, state)) {
		rc = refuse_state(r, job, what);
	} else {
		rc = record_state(r, job, state, &change, what);
	}
	pthread_mutex_unlock(&r->core->lock);
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
	if (job->held || job->state == SV_RUNNING || !sv_arrow(job->state, SV_QUEUED))
		rc = refuse_state(r, job, "resumed");
	else if (budget_used(job))
		rc = pd_fail_set(&r->fail, PD_E_STATE, "budget", "the budget of job %u is used up; raise it with job.set first", job->id);
	else
		rc = record_state(r, job, SV_QUEUED, &change, "queued");
	pthread_mutex_unlock(&r->core->lock);
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
	if (job->state == SV_SOLVED || job->state == SV_CANCELLED) {
		rc = refuse_state(r, job, "changed");
	} else if (job->held) { /* the worker's next checkpoint tells, and it is asked for one at once */
		rc = wait_for(r, job, job->records + 1, true, job->state);
		if (!rc) {
			sv_change_apply(job, &change);
			job->checkpoint_now = true;
		}
	} else {
		rc = record_state(r, job, job->state, &change, NULL);
	}
	pthread_mutex_unlock(&r->core->lock);
	return rc;
}

/* --- facts ------------------------------------------------------------------------------------------------------------------------------------ */

int sv_errand_send(struct sv_core *core, struct sv_desk *desk, enum sv_mail_kind kind, struct sv_pending *pending, struct pr_call *call,
		   struct pd_fail *fail)
{
	struct sv_errand *errand = calloc(1, sizeof *errand);
	struct sv_mail *mail = calloc(1, sizeof *mail);
	if (!errand || !mail) {
		free(errand);
		free(mail);
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the query");
	}
	*mail = (struct sv_mail){.kind = kind, .pending = pending, .call = call};
	errand->mail = mail;
	pthread_mutex_lock(&core->lock);
	bool taken = desk->count < (desk == &core->proofs ? PROOFS_MAX : ERRANDS_MAX);
	if (taken) {
		STAILQ_INSERT_TAIL(&desk->errands, errand, link);
		desk->count++;
		pthread_cond_signal(&desk->come);
	}
	pthread_mutex_unlock(&core->lock);
	if (taken)
		return PD_OK;
	free(errand);
	free(mail);
	return pd_fail_set(fail, PD_E_BUSY, "", "too many such requests wait; try again");
}

static int send_errand(struct request *r, struct sv_desk *desk)
{
	int rc = sv_errand_send(r->core, desk, SV_MAIL_REPLY, r->pending, r->call, &r->fail);
	r->later = !rc;
	return rc;
}

static int fact_query(struct request *r)
{
	if (pr_count(pr_get(r->params, "positions")) > SV_INLINE_POSITIONS)
		return send_errand(r, &r->core->queries);
	return sv_query(r->core, r->core->reader, r->params, &r->json, &r->fail);
}

static int fact_line(struct request *r)
{
	return send_errand(r, &r->core->queries);
}

static int proof_export(struct request *r)
{
	return send_errand(r, &r->core->proofs);
}

static int proof_read(struct request *r)
{
	return send_errand(r, &r->core->queries);
}

/* --- dispatch --------------------------------------------------------------------------------------------------------------------------------- */

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
	[PR_JOB_WATCH] = job_watch,
	[PR_JOB_UNWATCH] = job_unwatch,
	[PR_JOB_HISTORY] = job_history,
	[PR_FACT_QUERY] = fact_query,
	[PR_FACT_LINE] = fact_line,
	[PR_PROOF_EXPORT] = proof_export,
	[PR_PROOF_READ] = proof_read,
};

static void serve(struct sv_core *core, struct sv_session *session, struct sv_pending *pending, struct pr_call *call, bool again)
{
	struct request r = {.core = core, .session = session, .pending = pending, .call = call, .params = call->params, .again = again};
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

void sv_serve(struct sv_core *core, struct sv_session *session, struct sv_pending *pending, struct pr_call *call)
{
	serve(core, session, pending, call, false);
}
