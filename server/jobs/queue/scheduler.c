#include "server/jobs/queue/scheduler.h"

#include <stdio.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "server/common/core_parts.h"
#include "server/jobs/index/job_index.h"
#include "server/jobs/queue/judgement.h"

enum { LOADING_SHARE = 9 }; /* a run lasts that many times as long as loading before it ends for another job */

/* Whether the run has lasted long enough to end for another job. */
static bool may_end_run(const struct sv_core *core, const struct sv_job *job, uint64_t now)
{
	uint64_t least = (uint64_t)(sv_config(core)->run_min_s * 1e9), loading = LOADING_SHARE * job->run.loading_ns;
	if (job->run.phase != SV_PHASE_SEARCHING || job->run.want != SV_GO_ON || !job->run.search_ns ||
	    sv_job_suspect(job))
		return false;
	return now - job->run.search_ns >= (loading > least ? loading : least);
}

static bool gives_way_to(const struct sv_core *core, const struct sv_job *job, const struct sv_job *next, uint64_t now)
{
	if (sv_job_suspect(next) || next->record.spec.priority != job->record.spec.priority)
		return !sv_job_suspect(next) && next->record.spec.priority > job->record.spec.priority;
	return sv_config(core)->slice_s > 0 && (double)(now - job->run.search_ns) >= sv_config(core)->slice_s * 1e9;
}

/* Whether `a` gives way before `b`: the job of lower priority, then the one that has run longer. */
static bool goes_first(const struct sv_job *a, const struct sv_job *b)
{
	if (a->record.spec.priority != b->record.spec.priority)
		return a->record.spec.priority < b->record.spec.priority;
	return a->run.search_ns != b->run.search_ns ? a->run.search_ns < b->run.search_ns : a->record.id < b->record.id;
}

/* The job that a running one would give way to; NULL: none. */
static struct sv_job *find_heir_of(const struct sv_core *core, const struct sv_job *job, uint64_t now)
{
	if (!may_end_run(core, job, now))
		return NULL;
	struct sv_job *next = sv_find_ready(core, job);
	return next && gives_way_to(core, job, next, now) ? next : NULL;
}

struct sv_job *sv_find_heir(struct sv_core *core, const struct sv_job *job)
{
	const struct sv_search_threads *threads = sv_search_threads(core);
	const struct sv_job *other;
	uint64_t now = pd_now_ns();
	PD_ASSERT(sv_locked(core));
	if (threads->giving_way || !sv_index(core)->all.states[SV_QUEUED])
		return NULL;
	struct sv_job *next = find_heir_of(core, job, now);
	if (!next || (threads->searching < threads->count && sv_find_ready(core, NULL)))
		return NULL; /* a free search thread takes a ready job */
	LIST_FOREACH(other, &threads->running, run.running)
		if (other != job && goes_first(other, job) && find_heir_of(core, other, now))
			return NULL;
	return next;
}

const struct sv_job *sv_find_first_to_leave(const struct sv_core *core)
{
	const struct sv_job *other, *first = NULL;
	LIST_FOREACH(other, &sv_search_threads(core)->running, run.running)
		if (other->run.phase == SV_PHASE_SEARCHING && (!first || goes_first(other, first)))
			first = other;
	return first;
}

bool sv_group_ends_run(const struct sv_core *core, const struct sv_job *job)
{
	const struct sv_job_group *group = job->entry.group;
	const struct sv_job *other;
	unsigned better = 0;
	if (job->run.phase != SV_PHASE_SEARCHING || job->run.want != SV_GO_ON || !group->settings.limit ||
	    group->running <= group->settings.limit)
		return job->run.phase == SV_PHASE_SEARCHING && job->run.want == SV_GO_ON && group->settings.paused;
	LIST_FOREACH(other, &sv_search_threads(core)->running, run.running)
		better += other != job && other->entry.group == group && sv_job_owned(other) && !goes_first(other, job);
	return better >= group->settings.limit || group->settings.paused;
}

void sv_end_run_for_group(struct sv_core *core, struct sv_job *job)
{
	const struct sv_job_group *group = job->entry.group;
	PD_ASSERT(sv_locked(core));
	sv_job_enter(job, SV_PHASE_ENDING);
	if (group->settings.paused)
		snprintf(job->record.reason, sizeof job->record.reason, "its group %s was paused", group->name);
	else
		snprintf(job->record.reason, sizeof job->record.reason, "the limit of its group %s was lowered to %u",
			 group->name, group->settings.limit);
}

void sv_give_way(struct sv_core *core, struct sv_job *job, const struct sv_job *next)
{
	bool slice = next->record.spec.priority == job->record.spec.priority;
	PD_ASSERT(sv_locked(core) && !sv_search_threads(core)->giving_way);
	PD_ASSERT(job->run.phase == SV_PHASE_SEARCHING);
	sv_search_threads(core)->giving_way = job;
	sv_job_enter(job, SV_PHASE_ENDING); /* a request for another end of the run waits */
	if (slice)
		job->record.turn = ++sv_index(core)->turns;
	snprintf(job->record.reason, sizeof job->record.reason, "it gave way to job %u, %s", next->record.id,
		 slice ? "whose turn it was" : "which has a higher priority");
}
