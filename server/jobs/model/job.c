#include "server/jobs/model/job.h"

#include <stdlib.h>

enum sv_state sv_job_shown(const struct sv_job *job)
{
	return job->run.trouble.code ? SV_PAUSED : job->record.state;
}

struct sv_job *sv_job_new(const struct sv_record *record)
{
	unsigned waits = record->spec.after_count;
	struct sv_job *job = calloc(1, sizeof *job);
	if (!job)
		return NULL;
	job->entry.waits = waits ? calloc(waits, sizeof *job->entry.waits) : NULL;
	unsigned tags = record->spec.tags.count;
	job->entry.tags = tags ? calloc(tags, sizeof(struct sv_job_group *)) : NULL;
	if ((waits && !job->entry.waits) || (tags && !job->entry.tags)) {
		free(job->entry.waits);
		free(job->entry.tags);
		free(job);
		return NULL;
	}
	job->record = *record;
	job->run.snapshot = (struct sv_snapshot){
		.progress = record->progress,
		.seconds = record->seconds,
		.cpu = record->cpu,
	};
	job->calls.told = record->state;
	TAILQ_INIT(&job->entry.subs);
	LIST_INIT(&job->entry.awaiting);
	TAILQ_INIT(&job->run.picture_requests);
	STAILQ_INIT(&job->calls.waiters);
	STAILQ_INIT(&job->calls.deferred);
	LIST_INIT(&job->calls.watchers);
	return job;
}

void sv_job_free(struct sv_job *job)
{
	if (!job)
		return;
	sv_record_fini(&job->record);
	free(job->entry.waits);
	free(job->entry.tags);
	free(job);
}

struct sv_record sv_job_next_record(const struct sv_job *job, enum sv_state state)
{
	struct sv_record next = job->record;
	next.state = state;
	next.progress = job->run.snapshot.progress;
	next.seconds = job->run.snapshot.seconds;
	next.cpu = job->run.snapshot.cpu;
	return next;
}

const char *sv_job_budget_used(const struct sv_job *job)
{
	const struct sv_budget *budget = &job->record.spec.budget;
	const struct sv_snapshot *s = &job->run.snapshot;
	if (budget->nodes && s->progress.level1 + s->progress.level2 >= budget->nodes)
		return "nodes";
	if (budget->seconds > 0 && s->seconds >= budget->seconds)
		return "seconds";
	if (budget->cpu > 0 && s->cpu >= budget->cpu)
		return "processor time";
	return budget->disk && job->run.table_bytes >= budget->disk ? "disk" : NULL;
}

bool sv_job_owned(const struct sv_job *job)
{
	return sv_phase_owned(job->run.phase);
}

bool sv_job_unsettled(const struct sv_job *job)
{
	if (job->run.phase == SV_PHASE_SEARCHING)
		return job->run.want != SV_GO_ON;
	return job->run.phase == SV_PHASE_CHANGING || sv_phase_owned(job->run.phase);
}
