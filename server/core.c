/* Core: opening, closing, and the turns of the loop. */
#include "server/core.h"

#include "server/core_internal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/log.h"

enum {
	TURN_NS = 1000000, /* for mails, and again for what sessions have waiting, before the loop looks at its sockets
			      again */
	FLUSH_BYTES = 1 << 28, /* of new facts in memory where there is plenty: the store's own figure */
	FLUSH_BYTES_MIN = 1 << 20
};

void sv_config_init(struct sv_config *config)
{
	*config = (struct sv_config){.threads = 1, .checkpoint_s = 2, .nice = 19};
}

/* --- mail --------------------------------------------------------------------------------- */

void sv_completion_post(struct sv_core *core, struct sv_completion *completion)
{
	STAILQ_INSERT_TAIL(&core->completions, completion, link);
	if (core->wake)
		core->wake(core->wake_ctx);
}

/* Takes the first message to *out; a lent one can be posted again from then on. */
static bool take_completion(struct sv_core *core, struct sv_completion *out)
{
	pthread_mutex_lock(&core->lock);
	struct sv_completion *completion = STAILQ_FIRST(&core->completions);
	if (completion) {
		STAILQ_REMOVE_HEAD(&core->completions, link);
		*out = *completion;
		if (completion->lent)
			completion->job->trouble_posted = false;
		else
			free(completion);
	}
	pthread_mutex_unlock(&core->lock);
	return completion != NULL;
}

/* True when there is more. */
static bool deliver(struct sv_core *core, uint64_t until_ns)
{
	struct sv_completion completion;
	while (take_completion(core, &completion)) {
		const struct pd_fail *fail = completion.fail.code ? &completion.fail : NULL;
		if (completion.kind == SV_COMPLETION_SUBMITTED)
			sv_submitted(core, completion.job, fail);
		else if (completion.kind == SV_COMPLETION_RECORDED)
			sv_recorded(core, &completion);
		else if (completion.kind == SV_COMPLETION_REMOVED)
			sv_removed(core, &completion);
		else if (completion.kind == SV_COMPLETION_FAST)
			sv_fast_query_done(&completion);
		else if (completion.kind == SV_COMPLETION_READ)
			sv_session_read(core, &completion);
		else if (completion.kind == SV_COMPLETION_OPENED)
			sv_opened(core, &completion);
		else if (fail)
			sv_refuse(core, completion.pending, completion.call, fail);
		else
			sv_reply(core, completion.pending, completion.call, &completion.json);
		pd_buf_fini(&completion.json);
		if (until_ns != UINT64_MAX && pd_now_ns() > until_ns)
			return true;
	}
	return false;
}

/* --- restoring ---------------------------------------------------------------------------- */

static int restore_job(void *ctx, uint32_t id, const void *record, size_t size)
{
	struct sv_core *core = ctx;
	struct sv_job *job;
	struct pd_fail fail;
	int rc = sv_job_unrecord(id, record, size, &job, &fail);
	if (rc && rc != PD_E_NO_MEMORY) {
		pd_log(PD_LOG_ERROR, "job %u is set aside: %s", id, fail.text);
		job = sv_job_unreadable(id, &fail);
		rc = job ? PD_OK : PD_E_NO_MEMORY;
	}
	if (rc)
		return rc;
	if (job->state == SV_RUNNING) {
		job->state = SV_QUEUED; /* the first record of the new run says running again */
		job->ran = true;
		job->restarts += !core->config.read_only;
		job->crashes = sv_crashes_next(job->crashes, job->stopped);
	}
	rc = sv_keys_add(&core->keys, job) ? sv_index_add(core, job) : PD_E_NO_MEMORY;
	if (rc)
		sv_job_free(job);
	return rc;
}

/* A job that ended the process is told apart from the others, or ends: with a record before any worker looks for work.
 */
static int judge(struct sv_core *core, struct sv_job *job)
{
	static const char why[] = "proofd ended three times in a row while this job ran; resume it to try again";
	if (job->state != SV_QUEUED || job->crashes < SV_CRASHES_BEHIND)
		return PD_OK;
	if (job->crashes < SV_CRASHES_FAILED) {
		pd_log(PD_LOG_WARN,
		       "job %u ran when proofd ended without warning, %u times in a row: it waits behind the others "
		       "now",
		       job->id, job->crashes);
		return PD_OK;
	}
	struct sv_task *task = sv_task_new(SV_TASK_RECORD, job, SV_FAILED);
	if (!task)
		return PD_E_NO_MEMORY;
	task->change = sv_change_none(job);
	task->change.finish = task->ends_run =
		true; /* kept until it can be written, and no worker takes the job before */
	task->change.reason = why;
	sv_job_record(job, SV_FAILED, &task->change, &task->record);
	sv_job_event(job, "failed", &task->event);
	if (task->record.failed || task->event.failed) {
		sv_task_free(task);
		return PD_E_NO_MEMORY;
	}
	sv_task_post(core, task);
	return PD_OK;
}

static void find_idle_tables(struct sv_core *core)
{
	struct sv_job *job;
	TAILQ_FOREACH(job, &core->over, over)
	if ((job->state == SV_EXHAUSTED || job->state == SV_FAILED) && !job->damaged)
		sv_index_idle(job, st_tt_bytes(core->store, job->id));
}

static int is_noted(void *ctx, const void *record, size_t size)
{
	static const char word[] = "\"event\":\"damaged\"";
	bool *noted = ctx;
	for (size_t i = 0; record && i + sizeof word - 1 <= size; i++)
		*noted |= !memcmp((const char *)record + i, word, sizeof word - 1);
	return PD_OK;
}

/* The history of a job that was set aside says so, once. That it cannot be written keeps nobody from starting. */
static void note_damage(struct sv_core *core, const struct sv_job *job)
{
	struct st_batch *batch;
	struct pd_buf event;
	struct pd_fail fail = {0};
	bool noted = false;
	if (st_event_each(core->store, job->id, 1, is_noted, &noted, &fail) || noted)
		return;
	pd_buf_init(&event, ST_EVENT_MAX);
	sv_job_event(job, "damaged", &event);
	int rc = event.failed ? PD_E_NO_MEMORY : st_batch_begin(core->store, &batch, &fail);
	if (!rc) {
		rc = st_batch_event(batch, job->id, event.data, event.size, &fail);
		if (rc)
			st_batch_abort(batch);
		else
			rc = st_batch_commit(batch, &fail);
	}
	if (rc)
		pd_log(PD_LOG_WARN, "job %u: its history cannot be written: %s", job->id, fail.text);
	pd_buf_fini(&event);
}

static int restore(struct sv_core *core, struct pd_fail *fail)
{
	int rc = st_job_each(core->store, restore_job, core, fail);
	if (!rc && !sv_index_sort(core))
		rc = PD_E_NO_MEMORY;
	if (!rc && !core->config.read_only)
		find_idle_tables(core);
	for (uint32_t i = 0; !rc && !core->config.read_only && i < core->job_count; i++)
		rc = judge(core, core->jobs[i]);
	if (rc == PD_E_NO_MEMORY)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the jobs of the data directory");
	if (rc && !fail->code)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "data",
				   "there is no memory for the jobs of the data directory");
	for (uint32_t i = 0; i < core->job_count && !rc && !core->config.read_only; i++)
		if (core->jobs[i]->damaged)
			note_damage(core, core->jobs[i]);
	return rc;
}

/* --- threads ------------------------------------------------------------------------------ */

static int start_threads(struct sv_core *core, struct pd_fail *fail)
{
	unsigned workers = core->config.read_only ? 0 : core->config.threads;
	core->workers = calloc(workers + 1, sizeof *core->workers);
	if (!core->workers)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "threads", "no memory for %u threads", workers);
	core->has_writer = !pthread_create(&core->writer, NULL, sv_writer_main, core);
	bool ok = core->has_writer;
	ok = ok && sv_read_queues_start(core);
	while (ok && core->worker_count < workers &&
	       (ok = !pthread_create(&core->workers[core->worker_count], NULL, sv_worker_main, core)))
		core->worker_count++;
	return ok ? PD_OK : pd_fail_set(fail, PD_E_NO_MEMORY, "threads", "the threads cannot be started");
}

static void stop_threads(struct sv_core *core)
{
	pthread_mutex_lock(&core->lock);
	core->stop_workers = core->stop_readers = true;
	pthread_cond_broadcast(&core->work);
	pthread_cond_broadcast(&core->written);
	for (unsigned i = 0; i < SV_READ_QUEUES; i++)
		pthread_cond_broadcast(&core->read_queues[i].come);
	pthread_mutex_unlock(&core->lock);
	for (unsigned i = 0; i < core->worker_count; i++)
		pthread_join(core->workers[i], NULL);
	for (unsigned i = 0; i < core->reader_count; i++)
		pthread_join(core->readers[i], NULL);
	pthread_mutex_lock(&core->lock);
	core->stop_writer = true;
	pthread_cond_broadcast(&core->write);
	pthread_mutex_unlock(&core->lock);
	if (core->has_writer)
		pthread_join(core->writer, NULL);
	core->worker_count = core->reader_count = 0;
	core->has_writer = false;
}

/* --- open, close -------------------------------------------------------------------------- */

static void core_free(struct sv_core *core)
{
	deliver(core, UINT64_MAX); /* what is left for sessions that have gone */
	while (!STAILQ_EMPTY(&core->tasks)) {
		struct sv_task *task = STAILQ_FIRST(&core->tasks);
		STAILQ_REMOVE_HEAD(&core->tasks, link);
		sv_task_free(task);
	}
	pd_buf_fini(&core->fast_line);
	if (core->reader)
		st_reader_close(core->reader);
	for (uint32_t i = 0; i < core->job_count; i++) {
		sv_dismiss(core, core->jobs[i]);
		sv_job_free(core->jobs[i]);
	}
	free(core->jobs);
	free(core->keys.slot);
	sv_removed_jobs_fini(&core->forgotten);
	sv_games_fini(core);
	st_close(core->store);
	pthread_cond_destroy(&core->work);
	pthread_cond_destroy(&core->write);
	pthread_cond_destroy(&core->written);
	sv_read_queues_fini(core);
	pthread_mutex_destroy(&core->lock);
	pthread_mutex_destroy(&core->games_lock);
	free(core->workers);
	free(core->data);
	free(core->graphs);
	free(core->token);
	free(core->socket);
	free(core);
}

static void init_sync(struct sv_core *core)
{
	pthread_condattr_t attr;
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_mutex_init(&core->lock, NULL);
	pthread_mutex_init(&core->games_lock, NULL);
	pthread_cond_init(&core->work, &attr);
	pthread_cond_init(&core->write, &attr);
	pthread_cond_init(&core->written, &attr);
	sv_read_queues_init(core, &attr);
	pthread_condattr_destroy(&attr);
	STAILQ_INIT(&core->tasks);
	STAILQ_INIT(&core->completions);
	TAILQ_INIT(&core->over);
	TAILQ_INIT(&core->idle);
	LIST_INIT(&core->running);
	TAILQ_INIT(&core->ready);
	TAILQ_INIT(&core->sessions);
}

static int check_config(const struct sv_config *config, struct pd_fail *fail)
{
	if (config->threads > SV_THREADS_MAX)
		return pd_fail_set(fail, PD_E_PARAMS, "threads", "threads go from 0 to %d, not %u", SV_THREADS_MAX,
				   config->threads);
	if (!(config->checkpoint_s >= 0.05 && config->checkpoint_s <= 3600))
		return pd_fail_set(fail, PD_E_PARAMS, "checkpoint", "checkpoints are 0.05 to 3600 seconds apart");
	struct sv_bound bound = sv_memory_bound();
	uint64_t share;
	return sv_memory_share(&bound, config->memory, &share, fail);
}

/* What jobs get, now that the maps of the store have their part of the address space. */
static void share_memory(struct sv_core *core)
{
	struct sv_bound bound = sv_memory_bound();
	char text[SV_SIZE_TEXT];
	uint64_t wanted = core->config.memory, most = bound.bytes / 4 * 3;
	core->memory_bound = bound.bytes;
	if (!wanted || wanted > bound.bytes)
		core->config.memory = most > SV_JOB_MEMORY_MIN ? most : SV_JOB_MEMORY_MIN;
	if (wanted > bound.bytes)
		pd_log(PD_LOG_WARN, "all jobs together get %s of memory: %s leaves no more",
		       sv_size_text(core->config.memory, text), bound.by);
	const struct st_tuning tuning = {
		.flush_bytes = core->config.memory / 16 > FLUSH_BYTES_MIN ? core->config.memory / 16 : FLUSH_BYTES_MIN};
	if (tuning.flush_bytes < FLUSH_BYTES) /* new facts stand in memory, too, until they are moved */
		st_tune(core->store, &tuning);
}

int sv_core_open(const struct sv_config *config, void (*wake)(void *ctx), void *ctx, struct sv_core **out,
		 struct pd_fail *fail)
{
	int rc = check_config(config, fail);
	if (rc)
		return rc;
	struct sv_core *core = calloc(1, sizeof *core);
	if (!core)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the server");
	core->config = *config;
	core->data = config->data ? strdup(config->data) : NULL;
	core->graphs = config->graphs ? strdup(config->graphs) : NULL;
	core->token = config->token ? strdup(config->token) : NULL;
	core->wake = wake;
	core->wake_ctx = ctx;
	core->start_ns = pd_now_ns();
	init_sync(core);
	memset(fail, 0, sizeof *fail);
	/* Without a name of its own a store would be in memory, and a server would know no graphs and no token. */
	if (!core->data != !config->data || !core->graphs != !config->graphs || !core->token != !config->token)
		rc = pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the server");
	if (!rc)
		rc = st_open(core->data, config->read_only ? ST_READ_ONLY : 0, &core->store, fail);
	if (!rc)
		share_memory(core);
	if (!rc)
		core->identity = !core->data && config->identity ? config->identity : st_identity(core->store);
	if (!rc)
		rc = st_reader_open(core->store, &core->reader, fail);
	if (!rc)
		rc = sv_removed_jobs_read(&core->forgotten, core->store, fail);
	if (!rc)
		rc = restore(core, fail);
	if (!rc)
		rc = start_threads(core, fail);
	if (rc) {
		stop_threads(core);
		core_free(core);
		return rc;
	}
	*out = core;
	return PD_OK;
}

void sv_core_close(struct sv_core *core)
{
	stop_threads(core);
	sv_job_log_end(&core->job_log);
	core_free(core);
}

/* --- turns of the loop -------------------------------------------------------------------- */

void sv_core_pump(struct sv_core *core)
{
	core->pumping = true;
	bool more = deliver(core, pd_now_ns() + TURN_NS);
	more |= sv_sessions_go_on(core, pd_now_ns() + TURN_NS);
	more |= sv_watch_go_on(core, pd_now_ns() + TURN_NS);
	core->pumping = false;
	if (more && core->wake)
		core->wake(core->wake_ctx);
}

void sv_core_socket(struct sv_core *core, const char *path)
{
	free(core->socket);
	core->socket = path ? strdup(path) : NULL; /* without memory nobody is told */
}

void sv_core_tick(struct sv_core *core)
{
	sv_watch_tick(core);
	pthread_mutex_lock(&core->lock);
	sv_job_log_tick(&core->job_log);
	pthread_mutex_unlock(&core->lock);
	if (sv_watch_go_on(core, pd_now_ns() + TURN_NS) && core->wake)
		core->wake(core->wake_ctx);
}

bool sv_core_stopping(const struct sv_core *core)
{
	return core->stopping;
}
