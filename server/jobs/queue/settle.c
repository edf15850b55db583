#include "server/jobs/queue/settle.h"

#include "proto/base/assert.h"
#include "server/common/core_parts.h"
#include "server/jobs/queue/dependency.h"
#include "server/jobs/index/job_index.h"
#include "server/jobs/queue/sub_job.h"
#include "server/jobs/write/task.h"
#include "server/jobs/index/search_threads.h"

/* False when it must be tried again. */
static bool settle_job(struct sv_core *core, struct sv_job *job)
{
	char reason[SV_REASON_MAX];
	struct sv_change change = sv_change_none(&job->record);
	change.reason = reason;
	if (sv_sub_job_pauses(job, reason, sizeof reason)) /* its run, if any, pauses itself */
		return sv_job_owned(job) || sv_task_post_change(core, job, SV_PAUSED, &change, "paused");
	if (sv_dependency_pauses(job, reason, sizeof reason))
		return sv_task_post_change(core, job, SV_PAUSED, &change, "paused");
	if (job->entry.waits_for) {
		sv_index_before(job);
		sv_index_after(job);
	}
	return true;
}

bool sv_settle_due(struct sv_core *core)
{
	struct sv_job_index *index = sv_index(core);
	struct sv_job *job, *last = TAILQ_LAST(&index->due, sv_due); /* later ones wait for the next call */
	unsigned looked = 0;
	bool released = false;
	PD_ASSERT(sv_locked(core));
	if (sv_config(core)->read_only)
		return false;
	while (last && looked < SV_SETTLE_MAX) {
		job = TAILQ_FIRST(&index->due);
		if (job == last)
			last = NULL;
		PD_ASSERT(job->record.state == SV_QUEUED);
		index->looks++;
		looked++;
		sv_index_due(job, false);
		bool waited = job->entry.waits_for != 0;
		sv_index_due(job, !settle_job(core, job));
		released |= waited && !job->entry.waits_for;
	}
	if (released)
		pthread_cond_broadcast(&sv_search_threads(core)->work);
	return last != NULL;
}
