#include "server/jobs/model/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum sv_state sv_job_shown(const struct sv_job *job)
{
	return job->disk_trouble ? SV_PAUSED : job->state;
}

struct sv_change sv_change_none(const struct sv_job *job)
{
	return (struct sv_change){
		.priority = job->spec.priority,
		.budget_nodes = job->spec.budget_nodes,
		.budget_seconds = job->spec.budget_seconds,
		.budget_cpu = job->spec.budget_cpu,
		.budget_disk = job->spec.budget_disk,
	};
}

void sv_job_restart(struct sv_job *job)
{
	job->progress = job->kept = (struct pn_progress){.pn = 1, .dn = 1, .lo = INT16_MIN, .hi = INT16_MAX};
	job->seconds = 0;
	job->cpu = 0;
	job->table_bytes = 0;
	job->started_ms = 0;
	job->crashes = 0;
	job->stopped_cleanly = false;
	free(job->result);
	job->result = NULL;
	if (job->state == SV_SOLVED || job->state == SV_EXHAUSTED || job->state == SV_RUNNING)
		job->state = SV_QUEUED;
	if (!sv_state_over(job->state) && job->state != SV_PAUSED)
		job->reason[0] = 0;
	if (!sv_state_over(job->state))
		job->finished_ms = 0;
}

struct sv_job *sv_job_new(const struct sv_spec *spec)
{
	struct sv_job *job = calloc(1, sizeof *job);
	if (!job)
		return NULL;
	job->waits = spec->after_count ? calloc(spec->after_count, sizeof *job->waits) : NULL;
	if (spec->after_count && !job->waits) {
		free(job);
		return NULL;
	}
	job->spec = *spec;
	job->state = SV_QUEUED;
	sv_job_restart(job);
	TAILQ_INIT(&job->subs);
	LIST_INIT(&job->awaiting);
	LIST_INIT(&job->watchers);
	TAILQ_INIT(&job->looks);
	STAILQ_INIT(&job->waiters);
	STAILQ_INIT(&job->deferred);
	return job;
}

void sv_job_free(struct sv_job *job)
{
	if (!job)
		return;
	sv_spec_fini(&job->spec);
	free(job->waits);
	free(job->result);
	free(job->engines);
	free(job);
}

bool sv_job_engine_has(const struct sv_job *job, const char *version)
{
	size_t length = strlen(version);
	for (const char *p = job->engines; p && *p; p += strspn(p, " ")) {
		size_t word = strcspn(p, " ");
		if (word == length && !memcmp(p, version, length))
			return true;
		p += word;
	}
	return false;
}

bool sv_job_engine_add(struct sv_job *job, const char *version)
{
	size_t before = job->engines ? strlen(job->engines) : 0, size = before + strlen(version) + 2;
	if (!*version || strchr(version, ' ') || sv_job_engine_has(job, version))
		return true;
	char *engines = realloc(job->engines, size);
	if (!engines)
		return false;
	snprintf(engines + before, size - before, "%s%s", before ? " " : "", version);
	job->engines = engines;
	return true;
}

const char *sv_job_budget_used(const struct sv_job *job)
{
	const struct sv_spec *spec = &job->spec;
	if (spec->budget_nodes && job->progress.level1 + job->progress.level2 >= spec->budget_nodes)
		return "nodes";
	if (spec->budget_seconds > 0 && job->seconds >= spec->budget_seconds)
		return "seconds";
	if (spec->budget_cpu > 0 && job->cpu >= spec->budget_cpu)
		return "processor time";
	return spec->budget_disk && job->table_bytes >= spec->budget_disk ? "disk" : NULL;
}

bool sv_job_owned(const struct sv_job *job)
{
	return sv_phase_owned(job->phase);
}

bool sv_job_unsettled(const struct sv_job *job)
{
	switch (job->phase) {
	case SV_PHASE_SEARCHING:
		return job->want != SV_GO_ON;
	case SV_PHASE_CHANGING:
	case SV_PHASE_ENDING:
	case SV_PHASE_CLOSING:
	case SV_PHASE_BROKEN:
		return true;
	case SV_PHASE_REST:
	case SV_PHASE_SUBMITTING:
	case SV_PHASE_REMOVED:
		return false;
	}
	return false;
}
