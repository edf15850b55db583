#include "server/jobs/quota.h"

#include <stdio.h>
#include <sys/statvfs.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "server/common/core_state.h"
#include "server/jobs/job_index.h"
#include "server/jobs/job_record.h"
#include "server/jobs/memory_bound.h"
#include "server/jobs/scheduler.h"
#include "server/jobs/task.h"
#include "server/jobs/transition.h"

enum { SLACK = 8 /* the part of a quota that must be free beyond it before jobs go on */ };

static const uint64_t look_ns = 1000000000;

/* Bytes free on the disk; UINT64_MAX when that is not to be known. */
static uint64_t disk_free(const struct sv_core *core)
{
	struct statvfs fs;
	if (!core->data || statvfs(core->data, &fs))
		return UINT64_MAX;
	return (uint64_t)fs.f_bavail * fs.f_frsize;
}

struct limits {
	uint64_t reserve, bound; /* bytes of disk to keep, and of memory to stay below */
	enum sv_hold before;
};

/* What is short, given what was before: beyond a quota by less than its slack nothing changes. */
static enum sv_hold judge(const struct sv_core *core, const struct limits *limits, char *text, size_t size)
{
	enum sv_hold before = limits->before;
	char have[SV_SIZE_TEXT], want[SV_SIZE_TEXT], more[SV_SIZE_TEXT];
	uint64_t reserve = limits->reserve, left = reserve ? disk_free(core) : UINT64_MAX, bound = limits->bound;
	uint64_t enough = reserve + (before == SV_HOLD_DISK ? reserve / SLACK : 0);
	if (left < enough) {
		snprintf(text, size, "%s are free on the disk, and %s are reserved (--disk-reserve); it goes on at %s",
			 sv_size_text(left, have), sv_size_text(reserve, want),
			 sv_size_text(reserve + reserve / SLACK, more));
		return SV_HOLD_DISK;
	}
	uint64_t own = sv_memory_own(), most = bound - bound / 16, least = bound - bound / SLACK;
	if (own < (before == SV_HOLD_MEMORY ? least : most))
		return SV_HOLD_NONE;
	snprintf(text, size, "the server has %s of the %s of memory that it may have; it goes on below %s",
		 sv_size_text(own, have), sv_size_text(bound, want), sv_size_text(least, more));
	return SV_HOLD_MEMORY;
}

/* Queues a job on hold again. False when that has to be tried again. */
static bool release(struct sv_core *core, struct sv_job *job)
{
	struct sv_task *task = job->phase == SV_PHASE_REST ? sv_task_new(SV_TASK_RECORD, job, SV_QUEUED) : NULL;
	if (!task)
		return false;
	task->change = sv_change_none(job);
	task->change.clear = true;
	sv_job_record(job, SV_QUEUED, &task->change, &task->record);
	sv_job_event(job, "queued", &task->event);
	if (task->record.failed || task->event.failed) {
		sv_task_free(task);
		return false;
	}
	sv_task_post(core, task);
	return true;
}

static void release_all(struct sv_core *core)
{
	bool left = false;
	for (uint32_t i = 0; i < core->index->count; i++) {
		struct sv_job *job = core->index->jobs[i];
		left |= job->on_hold != SV_HOLD_NONE || sv_job_owned(job);
		if (job->on_hold != SV_HOLD_NONE && job->state == SV_PAUSED)
			release(core, job);
	}
	core->workers->quota.on_hold = left;
}

void sv_quota_look(struct sv_core *core)
{
	struct sv_quota *quota = &core->workers->quota;
	char text[sizeof quota->text] = "";
	uint64_t now = pd_now_ns();
	sv_mutex_lock(&core->lock);
	bool due = now >= quota->due_ns && !core->stop_writer && !core->config.read_only;
	const struct limits limits = {core->config.disk_reserve, core->memory_bound, quota->hold};
	sv_mutex_unlock(&core->lock);
	if (!due)
		return;
	enum sv_hold hold = judge(core, &limits, text, sizeof text);
	sv_mutex_lock(&core->lock);
	quota->due_ns = now + look_ns;
	quota->hold = hold;
	quota->leave = hold == SV_HOLD_MEMORY ? sv_first_to_leave(core) : NULL;
	snprintf(quota->text, sizeof quota->text, "%s", text);
	if (hold != limits.before) {
		pd_log(hold == SV_HOLD_NONE ? PD_LOG_INFO : PD_LOG_WARN, "jobs %s%s%s",
		       hold == SV_HOLD_NONE ? "go on: there is room again" : "are paused: ", text, "");
		pthread_cond_broadcast(&core->workers->work);
	}
	quota->on_hold |= hold != SV_HOLD_NONE;
	if (hold == SV_HOLD_NONE && quota->on_hold && !core->stop_workers)
		release_all(core);
	sv_mutex_unlock(&core->lock);
}

bool sv_quota_holds(const struct sv_core *core, const struct sv_job *job)
{
	const struct sv_quota *quota = &core->workers->quota;
	return job->phase == SV_PHASE_SEARCHING &&
	       (quota->hold == SV_HOLD_DISK || (quota->hold == SV_HOLD_MEMORY && quota->leave == job));
}

void sv_quota_hold(struct sv_core *core, struct sv_job *job)
{
	struct sv_quota *quota = &core->workers->quota;
	PD_ASSERT(quota->hold != SV_HOLD_NONE);
	sv_job_enter(job, SV_PHASE_ENDING); /* a request that wants another end waits */
	job->on_hold = quota->hold;
	quota->on_hold = true;
	if (quota->leave == job)
		quota->leave = NULL;
	snprintf(job->reason, sizeof job->reason, "%s", quota->text);
}
