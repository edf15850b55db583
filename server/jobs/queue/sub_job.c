#include "server/jobs/queue/sub_job.h"

#include <stdio.h>

#include "proto/base/assert.h"
#include "server/common/core_state.h"
#include "server/jobs/model/job.h"
#include "server/jobs/index/job_index.h"
#include "server/jobs/queue/pause.h"
#include "server/jobs/write/task.h"

int sv_sub_job_check(const struct sv_core *core, const struct sv_spec *spec, struct pd_fail *fail)
{
	if (!spec->under)
		return PD_OK;
	const struct sv_job *job = sv_index_find(core->index, spec->under);
	if (!job)
		return pd_fail_set(fail, PD_E_PARAMS, "under", "there is no job %u to be under", spec->under);
	if (job->record.state == SV_SOLVED || job->record.state == SV_CANCELLED)
		return pd_fail_set(fail, PD_E_PARAMS, "under", "job %u is %s; a job under it would serve nothing",
				   job->record.id, sv_state_text(job->record.state));
	return PD_OK;
}

const struct sv_job *sv_sub_job_solved_above(const struct sv_job *job)
{
	return job->record.alone ? NULL : job->entry.solved_above;
}

void sv_sub_job_reason(const struct sv_job *above, char *out, size_t size)
{
	snprintf(out, size, "job %u, which it is under, is solved; resume it to go on all the same", above->record.id);
}

bool sv_sub_job_settle(struct sv_core *core, struct sv_job *job)
{
	const struct sv_job *above = sv_sub_job_solved_above(job);
	char reason[SV_REASON_MAX];
	PD_ASSERT(pd_mutex_held(&core->lock) && job->record.state == SV_QUEUED);
	if (!above || sv_job_owned(job)) /* a worker that has it sees that itself */
		return true;
	sv_sub_job_reason(above, reason, sizeof reason);
	return sv_pause_job(core, job, reason);
}
