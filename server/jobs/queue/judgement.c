#include "server/jobs/queue/judgement.h"

#include "proto/base/assert.h"
#include "server/common/core_parts.h"
#include "server/jobs/index/job_index.h"
#include "server/jobs/index/search_threads.h"

const char *sv_wait_text(enum sv_wait wait)
{
	static const char *const text[] = {
#define X(name, text, doc) [SV_WAIT_##name] = text,
		PR_WAIT_REASONS(X)
#undef X
	};
	return text[wait];
}

enum sv_wait sv_wait_of_hold(enum sv_hold hold)
{
	PD_ASSERT(hold != SV_HOLD_NONE);
	return hold == SV_HOLD_DISK ? SV_WAIT_DISK_RESERVE : SV_WAIT_MEMORY_SHORT;
}

/* Bytes that a job may reserve. If no other job runs, and no table is built, any number: the run finds out what is too
 * much. */
static uint64_t memory_room(const struct sv_core *core, const struct sv_job *gone)
{
	const struct sv_search_threads *threads = sv_search_threads(core);
	uint64_t reserved = threads->reserved - (gone ? gone->record.spec.memory : 0);
	PD_ASSERT(!gone || (threads->searching && threads->reserved >= gone->record.spec.memory));
	if (threads->searching == (gone ? 1 : 0) && !reserved)
		return UINT64_MAX;
	return reserved < sv_config(core)->memory ? sv_config(core)->memory - reserved : 0;
}

/* What keeps every job of a group waiting; SV_WAIT_READY: nothing. */
static enum sv_wait judge_group(const struct sv_job_group *group, const struct sv_job *gone)
{
	unsigned running = group->running - (gone && gone->entry.group == group ? 1 : 0);
	PD_ASSERT(running <= group->running);
	if (group->settings.paused)
		return SV_WAIT_GROUP_PAUSED;
	return group->settings.limit && running >= group->settings.limit ? SV_WAIT_GROUP_FULL : SV_WAIT_READY;
}

static bool has_innocent(const struct sv_job_group *group)
{
	const struct sv_job *first = sv_index_head(group);
	return first && !group->settings.paused && !sv_job_suspect(first);
}

/* A suspect runs when no other job is queued, except in paused groups, and no other suspect runs. */
static bool suspect_can_run(const struct sv_core *core, const struct sv_job *gone)
{
	const struct sv_job_groups *groups = &sv_index(core)->groups;
	const struct sv_job_group *group;
	const struct sv_job *other;
	bool innocent = has_innocent(&groups->nameless);
	LIST_FOREACH(group, &groups->list, link)
		innocent |= has_innocent(group);
	if (innocent)
		return false;
	LIST_FOREACH(other, &sv_search_threads(core)->running, run.running)
		if (other != gone && sv_job_suspect(other))
			return false;
	return true;
}

enum sv_wait sv_judge(const struct sv_core *core, const struct sv_job *job, const struct sv_job *gone)
{
	PD_ASSERT(job->record.state == SV_QUEUED);
	if (job->run.phase != SV_PHASE_REST)
		return SV_WAIT_WRITTEN;
	if (job->entry.waits_for)
		return SV_WAIT_AFTER;
	if (sv_search_threads(core)->quota.hold != SV_HOLD_NONE)
		return sv_wait_of_hold(sv_search_threads(core)->quota.hold);
	enum sv_wait wait = judge_group(job->entry.group, gone);
	if (wait != SV_WAIT_READY)
		return wait;
	if (sv_job_suspect(job) && !suspect_can_run(core, gone))
		return SV_WAIT_SUSPECT;
	if (job->record.spec.memory > memory_room(core, gone))
		return SV_WAIT_MEMORY;
	return SV_WAIT_READY;
}

struct ready_query {
	const struct sv_core *core;
	const struct sv_job *gone;
};

static bool is_ready(const void *ctx, const struct sv_job *job)
{
	const struct ready_query *q = ctx;
	return sv_judge(q->core, job, q->gone) == SV_WAIT_READY;
}

struct sv_job *sv_find_ready(const struct sv_core *core, const struct sv_job *gone)
{
	const struct ready_query q = {core, gone};
	const struct sv_job_groups *groups = &sv_index(core)->groups;
	const struct sv_job_group *group;
	uint64_t room = memory_room(core, gone);
	if (sv_search_threads(core)->quota.hold != SV_HOLD_NONE) /* no job is ready: visit none */
		return NULL;
	struct sv_job *first = sv_index_next(&groups->nameless, room, is_ready, &q), *other;
	LIST_FOREACH(group, &groups->list, link) {
		other = judge_group(group, gone) == SV_WAIT_READY ? sv_index_next(group, room, is_ready, &q) : NULL;
		if (other && (!first || sv_index_precedes(other, first)))
			first = other;
	}
	return first;
}
