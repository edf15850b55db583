/* Retention: what of the past is kept.
 *
 * Jobs that are over are forgotten when there are more than config.keep_jobs of them, the one that ended first before
 * the others, and whenever somebody asks for it: record, history and table go from the disk, a share at a time, the
 * record with the last share. Their numbers are not given again, and the facts that they found stay. A job is forgotten
 * in memory by the loop thread, when it is gone from the disk; a worker that is still clearing up behind its run keeps
 * it until then.
 *
 * Jobs that are exhausted or have failed keep their tables, because they may be resumed, as long as these take no more
 * than config.idle_tables bytes together. Beyond that the table goes whose job ended first; the last one stays, however
 * large it is. A job without its table begins with an empty one, and with all facts. */
#include "server/core_internal.h"

#include <stdlib.h>

#include "proto/base/clock.h"
#include "proto/base/log.h"

enum { REMOVING_MAX = 16 }; /* jobs that are being removed at one time because there are too many */

static bool at_rest(const struct sv_job *job)
{
	return !job->held && !job->changing && !job->disk_trouble &&
	       !job->damaged; /* what is damaged may yet be repaired */
}

static void retain_jobs(struct sv_core *core)
{
	struct sv_job *job = TAILQ_FIRST(&core->over), *next;
	for (; job && core->over_count > core->config.keep_jobs + core->removing && core->removing < REMOVING_MAX;
	     job = next) {
		next = TAILQ_NEXT(job, over);
		if (!at_rest(job))
			continue;
		struct sv_task *task = sv_task_new(SV_TASK_REMOVE, job, job->state);
		if (!task)
			return;
		sv_task_post(core, task);
	}
}

/* False without memory. */
static bool drop_table(struct sv_core *core, struct sv_job *job)
{
	char text[SV_SIZE_TEXT];
	struct sv_task *task = sv_task_new(SV_TASK_RECORD, job, job->state);
	if (!task)
		return false;
	task->drop_table = true;
	task->change = sv_change_none(job);
	task->change.tableless = true;
	sv_job_record(job, job->state, &task->change, &task->record);
	sv_job_event(job, "table dropped", &task->event);
	if (task->record.failed || task->event.failed) {
		sv_task_free(task);
		return false;
	}
	pd_log(PD_LOG_INFO,
	       "job %u: its table of %s is dropped; it is %s, and tables of such jobs take more room than they may",
	       job->id, sv_size_text(job->idle_bytes, text), sv_state_text(job->state));
	sv_task_post(core, task);
	return true;
}

static void retain_tables(struct sv_core *core)
{
	uint64_t bytes = core->idle_bytes;
	struct sv_job *job = TAILQ_FIRST(&core->idle), *next;
	for (; job && bytes > core->config.idle_tables; job = next) {
		next = TAILQ_NEXT(job, idle);
		if (!next || (at_rest(job) && !drop_table(core, job)))
			return;
		bytes -= job->idle_bytes;
	}
}

void sv_retain(struct sv_core *core)
{
	if (core->config.read_only || pd_now_ns() < core->retain_ns)
		return;
	if (core->config.keep_jobs)
		retain_jobs(core);
	if (core->config.idle_tables)
		retain_tables(core);
}

bool sv_job_left(struct sv_job *job)
{
	if (--job->workers)
		return false;
	LIST_REMOVE(job, running);
	if (!job->forgotten)
		return false;
	sv_job_free(job);
	return true;
}

void sv_removed(struct sv_core *core, const struct sv_completion *completion)
{
	struct sv_job *job = completion->job;
	struct sv_waiter *waiter;
	struct sv_deferred *call;
	sv_watch_end(core, job);
	pthread_mutex_lock(&core->lock);
	sv_keys_give_back(core, job);
	sv_index_remove(core, job);
	core->removing--;
	pthread_mutex_unlock(&core->lock);
	while ((waiter = STAILQ_FIRST(&job->waiters)) != NULL) {
		struct pd_buf json;
		STAILQ_REMOVE_HEAD(&job->waiters, link);
		pd_buf_init(&json, 256);
		pd_buf_printf(&json, "{\"job\":%u}", job->id);
		sv_reply(core, waiter->pending, waiter->call, &json);
		pd_buf_fini(&json);
		free(waiter);
	}
	while ((call = STAILQ_FIRST(&job->deferred)) != NULL) {
		STAILQ_REMOVE_HEAD(&job->deferred, link);
		sv_serve_again(core, call); /* finds that there is no such job */
	}
	pthread_mutex_lock(&core->lock);
	job->forgotten = true;
	bool last = !job->workers;
	pthread_mutex_unlock(&core->lock);
	if (last)
		sv_job_free(job);
}
