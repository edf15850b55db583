#include "server/jobs/index/transition.h"

#include <stdlib.h>

#include "proto/base/assert.h"
#include "server/jobs/index/job_index.h"

void sv_job_move(struct sv_job *job, enum sv_state to)
{
	if (job->record.state == to)
		return;
	PD_ASSERT(sv_index_locked(job));
	PD_ASSERT(sv_arrow(job->record.state, to));
	sv_index_before(job);
	job->record.state = to;
	sv_index_after(job);
}

void sv_job_enter(struct sv_job *job, enum sv_phase to)
{
	PD_ASSERT(sv_index_locked(job));
	PD_ASSERT(sv_phase_arrow(job->run.phase, to));
	job->run.phase = to;
}

void sv_change_apply(struct sv_job *job, const struct sv_change *change)
{
	PD_ASSERT(sv_index_locked(job));
	bool queued = job->record.state == SV_QUEUED;
	if (queued) /* its place there depends on its priority */
		sv_index_before(job);
	if (change->clear)
		free(job->record.result);
	sv_record_change(&job->record, change);
	if (queued)
		sv_index_after(job);
	if (change->tableless)
		job->run.snapshot.progress.entries = job->run.table_bytes = 0;
}

void sv_job_note_bounds(struct sv_job *job, const struct pn_progress *progress)
{
	const struct pn_progress *known = &job->record.progress;
	if (!job->entry.parent || (progress->lo == known->lo && progress->hi == known->hi))
		return;
	job->entry.has_news = job->entry.parent->entry.sub_has_news = true;
}
