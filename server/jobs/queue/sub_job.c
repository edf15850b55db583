#include "server/jobs/queue/sub_job.h"

#include <stdio.h>

#include "server/common/core_parts.h"
#include "server/jobs/model/job.h"
#include "server/jobs/index/job_index.h"

int sv_sub_job_check(const struct sv_core *core, const struct sv_spec *spec, struct pd_fail *fail)
{
	if (!spec->under)
		return PD_OK;
	const struct sv_job *job = sv_index_find(sv_index(core), spec->under);
	if (!job)
		return pd_fail_set(fail, PD_E_PARAMS, "under", "parent job %u does not exist", spec->under);
	if (job->record.state == SV_SOLVED || job->record.state == SV_CANCELLED)
		return pd_fail_set(fail, PD_E_PARAMS, "under", "parent job %u is %s; a sub-job would serve nothing",
				   job->record.id, sv_state_text(job->record.state));
	return PD_OK;
}

const struct sv_job *sv_sub_job_solved_above(const struct sv_job *job)
{
	return job->record.alone ? NULL : job->entry.solved_above;
}

bool sv_sub_job_pauses(const struct sv_job *job, char *reason, size_t size)
{
	const struct sv_job *above = sv_sub_job_solved_above(job);
	if (above)
		snprintf(reason, size, "its parent, job %u, is solved; resume it to run it anyway", above->record.id);
	return above != NULL;
}
