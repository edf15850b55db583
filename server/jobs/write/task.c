#include "server/jobs/write/task.h"

#include <stdio.h>
#include <stdlib.h>

#include "proto/base/assert.h"
#include "server/common/core_parts.h"
#include "server/common/open_games.h"
#include "server/jobs/model/job_hooks.h"
#include "server/jobs/index/job_index.h"

/* Copies a completion. A lent one can then be posted again. */
static struct sv_job_completion receive_completion(struct sv_core *core, struct sv_job_completion *completion)
{
	sv_lock(core);
	struct sv_job_completion out = *completion;
	PD_ASSERT(out.job && (!out.lent || out.job->calls.trouble_posted));
	if (out.lent)
		out.job->calls.trouble_posted = false;
	sv_unlock(core);
	if (!out.lent)
		free(completion);
	return out;
}

/* Frees tasks that nobody has carried out. */
static void free_tasks(struct sv_tasks *tasks)
{
	struct sv_task *task;
	while ((task = TAILQ_FIRST(tasks)) != NULL) {
		TAILQ_REMOVE(tasks, task, link);
		sv_task_free(task);
	}
}

static void deliver_completion(struct sv_core *core, struct sv_completion *base)
{
	const struct sv_job_completion completion = receive_completion(core, (struct sv_job_completion *)base);
	switch (completion.kind) {
	case SV_JOB_SUBMITTED:
		sv_job_hooks(core)->submitted(core, completion.job, completion.fail.code ? &completion.fail : NULL);
		break;
	case SV_JOB_RECORDED:
		sv_job_hooks(core)->recorded(core, &completion);
		break;
	case SV_JOB_REMOVED:
		sv_job_hooks(core)->removed(core, completion.job);
		break;
	}
}

void sv_job_report_trouble(struct sv_core *core, struct sv_job *job, const struct pd_fail *fail)
{
	PD_ASSERT(sv_locked(core));
	PD_ASSERT(fail->code);
	struct sv_job_completion *completion = &job->calls.trouble_completion;
	completion->base.deliver = deliver_completion;
	completion->kind = SV_JOB_RECORDED;
	completion->lent = true;
	completion->job = job;
	completion->trouble = ++job->calls.troubles;
	completion->state = job->record.state;
	completion->fail = *fail;
	if (!job->calls.trouble_posted) /* if it waits already, it also reports this trouble */
		sv_completion_post(core, &completion->base);
	job->calls.trouble_posted = true;
}

struct sv_task *sv_task_new(enum sv_task_kind kind, struct sv_job *job, enum sv_state state)
{
	struct sv_task *task = calloc(1, sizeof *task);
	struct sv_job_completion *completion = calloc(1, sizeof *completion);
	if (!task || !completion) {
		free(task);
		free(completion);
		return NULL;
	}
	completion->base.deliver = deliver_completion;
	task->completion = completion;
	task->kind = kind;
	task->job = job;
	task->state = state;
	pd_buf_init(&task->record, ST_JOB_MAX);
	pd_buf_init(&task->event, ST_EVENT_MAX);
	if (kind == SV_TASK_SUBMIT)
		TAILQ_INIT(&task->with);
	if (kind == SV_TASK_CHECKPOINT)
		pd_buf_init(&task->checkpoint.facts, SIZE_MAX / 2);
	return task;
}

void sv_task_free(struct sv_task *task)
{
	if (!task)
		return;
	if (task->kind == SV_TASK_SUBMIT)
		free_tasks(&task->with);
	if (task->kind == SV_TASK_CHECKPOINT) {
		struct sv_task_checkpoint *c = &task->checkpoint;
		if (c->game)
			sv_game_put(c->core, c->game);
		pd_buf_fini(&c->facts);
		free(c->entries);
		free(c->snapshot);
	}
	pd_buf_fini(&task->record);
	pd_buf_fini(&task->event);
	free(task->completion);
	free(task);
}

bool sv_task_record(struct sv_task *task, const char *event)
{
	const struct sv_job *job = task->job;
	struct sv_record next = sv_job_next_record(job, task->state);
	if (event)
		sv_record_event(&next.progress, event, &task->event);
	if (task->kind == SV_TASK_RECORD)
		sv_record_change(&next, &task->change.change);
	task->progress = next.progress;
	task->seconds = next.seconds;
	task->cpu = next.cpu;
	sv_record_write(&next, &task->record);
	return !task->record.failed && !task->event.failed;
}

struct sv_task *sv_task_change(struct sv_job *job, enum sv_state state, const struct sv_change *change,
			       const char *event)
{
	struct sv_task *task = sv_task_new(SV_TASK_RECORD, job, state);
	if (!task)
		return NULL;
	task->change.change = *change;
	if (change->reason) {
		snprintf(task->change.reason, sizeof task->change.reason, "%s", change->reason);
		task->change.change.reason = task->change.reason;
	}
	if (sv_task_record(task, event))
		return task;
	sv_task_free(task);
	return NULL;
}

void sv_task_drop_table(struct sv_task *task)
{
	PD_ASSERT(task->kind == SV_TASK_CHECKPOINT);
	struct sv_task_checkpoint *c = &task->checkpoint;
	free(c->entries);
	free(c->snapshot);
	c->entries = c->snapshot = NULL;
	c->entry_count = c->snapshot_count = 0;
	c->snapshot_start = c->snapshot_end = false;
	task->drop_table = true;
}

static void count_submission(struct sv_task *task)
{
	task->number = ++task->job->run.records;
	sv_job_enter(task->job, SV_PHASE_SUBMITTING);
}

void sv_task_post(struct sv_core *core, struct sv_task *task)
{
	struct sv_job *job = task->job;
	struct sv_task *more;
	PD_ASSERT(sv_locked(core));
	TAILQ_INSERT_TAIL(&sv_writer(core)->tasks, task, link);
	sv_writer(core)->task_count++;
	pthread_cond_signal(&sv_writer(core)->wake);
	PD_ASSERT(!job == (task->kind == SV_TASK_GROUP || task->kind == SV_TASK_STUDY));
	if (!job)
		return;
	if (task->kind == SV_TASK_SUBMIT) {
		count_submission(task);
		TAILQ_FOREACH(more, &task->with, link)
			count_submission(more);
		return;
	}
	task->number = ++job->run.records;
	if (task->kind == SV_TASK_CHECKPOINT) {
		PD_ASSERT(!job->run.checkpoint_posted);
		job->run.checkpoint_posted = true;
	}
	if (sv_job_owned(job)) {
		PD_ASSERT(task->kind == SV_TASK_CHECKPOINT || task->ends_run);
		if (task->ends_run)
			sv_job_enter(job, SV_PHASE_CLOSING);
	} else {
		PD_ASSERT(task->kind != SV_TASK_CHECKPOINT);
		sv_job_enter(job, SV_PHASE_CHANGING);
	}
	sv_writer(core)->removing += task->kind == SV_TASK_REMOVE;
}

bool sv_task_post_change(struct sv_core *core, struct sv_job *job, enum sv_state state, const struct sv_change *change,
			 const char *event)
{
	struct sv_task *task = job->run.phase == SV_PHASE_REST ? sv_task_change(job, state, change, event) : NULL;
	if (task)
		sv_task_post(core, task);
	return task != NULL;
}

void sv_writer_init(struct sv_writer *writer)
{
	*writer = (struct sv_writer){0};
	TAILQ_INIT(&writer->tasks);
	pd_cond_init(&writer->wake);
	pd_cond_init(&writer->written);
}

void sv_writer_fini(struct sv_writer *writer)
{
	free_tasks(&writer->tasks);
	sv_removed_jobs_fini(&writer->removed);
	pthread_cond_destroy(&writer->wake);
	pthread_cond_destroy(&writer->written);
}
