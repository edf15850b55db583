#include "server/jobs/queue/pause.h"

#include "proto/base/assert.h"
#include "server/common/core_state.h"
#include "server/jobs/model/job.h"
#include "server/jobs/write/task.h"

bool sv_pause_job(struct sv_core *core, struct sv_job *job, const char *reason)
{
	PD_ASSERT(pd_mutex_held(&core->lock) && job->record.state == SV_QUEUED);
	struct sv_change change = sv_change_none(&job->record);
	change.reason = reason;
	struct sv_task *task =
		job->run.phase == SV_PHASE_REST ? sv_task_change(job, SV_PAUSED, &change, "paused") : NULL;
	if (task)
		sv_task_post(core, task);
	return task != NULL;
}
