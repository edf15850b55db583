#include "server/jobs/queue/pause.h"

#include <stdio.h>

#include "proto/base/assert.h"
#include "server/common/core_state.h"
#include "server/jobs/model/job.h"
#include "server/jobs/model/job_record.h"
#include "server/jobs/write/task.h"

bool sv_pause_job(struct sv_core *core, struct sv_job *job, const char *reason)
{
	PD_ASSERT(sv_mutex_held(&core->lock) && job->state == SV_QUEUED);
	struct sv_task *task = job->phase == SV_PHASE_REST ? sv_task_new(SV_TASK_RECORD, job, SV_PAUSED) : NULL;
	if (!task)
		return false;
	snprintf(task->reason, sizeof task->reason, "%s", reason);
	task->change = sv_change_none(job);
	task->change.reason = task->reason;
	sv_job_record(job, SV_PAUSED, &task->change, &task->record);
	sv_job_event(job, "paused", &task->event);
	if (task->record.failed || task->event.failed) {
		sv_task_free(task);
		return false;
	}
	sv_task_post(core, task);
	return true;
}
