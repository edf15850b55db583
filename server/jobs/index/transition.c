#include "server/jobs/index/transition.h"

#include <stdio.h>
#include <stdlib.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "server/jobs/index/job_index.h"

void sv_job_move(struct sv_job *job, enum sv_state to)
{
	if (job->state == to)
		return;
	PD_ASSERT(sv_index_locked(job));
	PD_ASSERT(sv_arrow(job->state, to));
	sv_index_before(job);
	job->state = to;
	sv_index_after(job);
}

void sv_job_enter(struct sv_job *job, enum sv_phase to)
{
	PD_ASSERT(sv_index_locked(job));
	PD_ASSERT(sv_phase_arrow(job->phase, to));
	job->phase = to;
}

void sv_change_apply(struct sv_job *job, const struct sv_change *change)
{
	PD_ASSERT(sv_index_locked(job));
	bool queued = job->state == SV_QUEUED;
	if (queued) /* its place there depends on its priority */
		sv_index_before(job);
	job->spec.priority = change->priority;
	if (queued)
		sv_index_after(job);
	job->spec.budget_nodes = change->budget_nodes;
	job->spec.budget_seconds = change->budget_seconds;
	job->spec.budget_cpu = change->budget_cpu;
	job->spec.budget_disk = change->budget_disk;
	job->anyway |= change->anyway;
	job->alone |= change->alone;
	if (change->clear || change->reason)
		job->on_hold = SV_HOLD_NONE;
	if (change->tableless)
		job->progress.entries = job->table_bytes = 0;
	if (change->clear) {
		job->reason[0] = 0;
		job->crashes = 0;
		job->table_lost = false;
		job->finished_ms = 0;
		free(job->result);
		job->result = NULL;
	}
	if (change->reason)
		snprintf(job->reason, sizeof job->reason, "%s", change->reason);
	if (change->finish)
		job->finished_ms = pd_wall_ms();
}

void sv_under_committed(struct sv_job *job, const struct pn_progress *progress)
{
	if (!job->parent || (progress->lo == job->kept.lo && progress->hi == job->kept.hi))
		return;
	job->tell = job->parent->sub_tell = true;
}
