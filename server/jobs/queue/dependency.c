#include "server/jobs/queue/dependency.h"

#include <stdio.h>

#include "server/jobs/index/job_index.h"

static bool ended_unsolved(const struct sv_job *job)
{
	return job->record.state == SV_FAILED || job->record.state == SV_CANCELLED;
}

int sv_dependency_check(const struct sv_job_index *index, const struct sv_spec *spec, struct pd_fail *fail)
{
	for (unsigned i = 0; i < spec->after_count; i++) {
		const struct sv_job *job = sv_index_find(index, spec->after[i]);
		if (!job)
			return pd_fail_set(fail, PD_E_PARAMS, "after", "job %u does not exist; it cannot be waited for",
					   spec->after[i]);
		if (ended_unsolved(job))
			return pd_fail_set(fail, PD_E_PARAMS, "after", "job %u is %s; it cannot be waited for",
					   job->record.id, sv_state_text(job->record.state));
	}
	if (!spec->under)
		return PD_OK;
	const struct sv_job *parent = sv_index_find(index, spec->under);
	if (!parent)
		return pd_fail_set(fail, PD_E_PARAMS, "under", "parent job %u does not exist", spec->under);
	if (parent->record.state == SV_SOLVED || parent->record.state == SV_CANCELLED)
		return pd_fail_set(fail, PD_E_PARAMS, "under", "parent job %u is %s; a sub-job would serve no purpose",
				   parent->record.id, sv_state_text(parent->record.state));
	return PD_OK;
}

bool sv_dependency_broken(const struct sv_job *job)
{
	for (unsigned i = 0; i < job->record.spec.after_count && job->entry.index; i++) {
		const struct sv_job *other = sv_index_find(job->entry.index, job->record.spec.after[i]);
		if (other ? ended_unsolved(other) : job->record.spec.after[i] == job->entry.waits_for)
			return true;
	}
	return false;
}

bool sv_dependency_pauses(const struct sv_job *job, char *reason, size_t size)
{
	const struct sv_job *other = NULL;
	if (!job->entry.waits_for || job->record.anyway || !sv_dependency_broken(job))
		return false;
	for (unsigned i = 0; i < job->record.spec.after_count && !other; i++) {
		other = sv_index_find(job->entry.index, job->record.spec.after[i]);
		other = other && ended_unsolved(other) ? other : NULL;
	}
	snprintf(reason, size, "job %u, which it waits for, was %s; resume it to run it anyway",
		 other ? other->record.id : job->entry.waits_for,
		 !other                             ? "removed"
		 : other->record.state == SV_FAILED ? "not solved: it has failed"
						    : "cancelled");
	return true;
}

const struct sv_job *sv_dependency_solved_above(const struct sv_job *job)
{
	return job->record.alone ? NULL : job->entry.solved_above;
}

bool sv_dependency_serves_none(const struct sv_job *job, char *reason, size_t size)
{
	const struct sv_job *above = sv_dependency_solved_above(job);
	if (above)
		snprintf(reason, size, "its parent, job %u, is solved; resume it to run it anyway", above->record.id);
	return above != NULL;
}
