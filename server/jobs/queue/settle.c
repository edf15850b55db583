#include "server/jobs/queue/settle.h"

#include "proto/base/assert.h"
#include "server/common/core_state.h"
#include "server/jobs/queue/dependency.h"
#include "server/jobs/model/job.h"
#include "server/jobs/index/job_index.h"
#include "server/jobs/queue/sub_job.h"
#include "server/jobs/index/search_threads.h"

bool sv_settle_due(struct sv_core *core)
{
	struct sv_job_index *index = core->index;
	struct sv_job *job, *last = TAILQ_LAST(&index->due, sv_due); /* those behind it are tried again another time */
	unsigned looked = 0;
	bool released = false;
	PD_ASSERT(pd_mutex_held(&core->lock));
	if (core->config.read_only)
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
		bool done = sv_sub_job_solved_above(job) ? sv_sub_job_settle(core, job)
							 : !waited || sv_dependency_settle(core, job);
		released |= waited && !job->entry.waits_for;
		sv_index_due(job, !done);
	}
	if (released)
		pthread_cond_broadcast(&core->search_threads->work);
	return last != NULL;
}
