#include "server/jobs/queue/quota.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "server/common/core_parts.h"
#include "server/jobs/index/job_index.h"
#include "server/common/memory_bound.h"
#include "server/jobs/queue/scheduler.h"
#include "server/jobs/write/task.h"
#include "store/files.h"

enum {
	SLACK = 8, /* jobs resume when an eighth of the disk reserve, or a sixteenth of the memory, is free as well */
	WAIT_MOST_S = 900 /* the longest wait of a job that used up the memory soon after it was resumed */
};

static const uint64_t second_ns = 1000000000, look_ns = 200000000;

struct limits {
	uint64_t reserve, bound; /* bytes of disk to keep, and of memory to stay below */
	enum sv_hold before;
};

struct verdict {
	enum sv_hold hold; /* what is short */
	char text[200];    /* why; "" for nothing */
	uint64_t room;     /* bytes of memory that another job may use */
};

/* Finds out what is short. What was short before remains short until the slack is also free. */
static void judge_room(const struct sv_core *core, const struct limits *limits, struct verdict *out)
{
	enum sv_hold before = limits->before;
	char have[SV_SIZE_TEXT], want[SV_SIZE_TEXT], more[SV_SIZE_TEXT];
	uint64_t reserve = limits->reserve, left = reserve ? st_disk_free(sv_config(core)->data) : UINT64_MAX,
		 bound = limits->bound;
	uint64_t enough = reserve + (before == SV_HOLD_DISK ? reserve / SLACK : 0);
	uint64_t own = sv_memory_own(), most = sv_memory_quota(bound), least = most - bound / SLACK / 2;
	if (own >= (before == SV_HOLD_MEMORY ? least : most)) {
		sv_memory_trim();
		own = sv_memory_own();
	}
	*out = (struct verdict){.hold = SV_HOLD_NONE, .room = own < least ? most - own : 0};
	if (left < enough) {
		snprintf(out->text, sizeof out->text,
			 "%s are free on the disk, and %s are reserved (--disk-reserve); jobs go on at %s",
			 sv_size_text(left, have), sv_size_text(reserve, want),
			 sv_size_text(reserve + reserve / SLACK, more));
		out->hold = SV_HOLD_DISK;
	} else if (own >= (before == SV_HOLD_MEMORY ? least : most)) {
		snprintf(out->text, sizeof out->text,
			 "the server has %s of the %s of memory that it may have; jobs go on below %s",
			 sv_size_text(own, have), sv_size_text(bound, want), sv_size_text(least, more));
		out->hold = SV_HOLD_MEMORY;
	}
}

static void release_job(struct sv_core *core, struct sv_job *job)
{
	struct sv_change change = sv_change_none(&job->record);
	change.clear = true;
	sv_task_post_change(core, job, SV_QUEUED, &change, "queued");
}

/* Counts the jobs on hold and queues them: those that wait for the disk all at once; those that wait for memory one a
 * second, by priority, so that the memory use of each shows before the next one begins. */
static void release_held(struct sv_core *core, uint64_t room, uint64_t now)
{
	struct sv_quota *quota = &sv_search_threads(core)->quota;
	struct sv_job *first = NULL;
	bool left = false, one = room && now >= quota->release_ns;
	const struct sv_job *other;
	int top = INT_MIN; /* the highest priority of running jobs; a job of higher priority would outlast them */
	PD_ASSERT(sv_locked(core));
	LIST_FOREACH(other, &sv_search_threads(core)->running, run.running)
		top = other->record.spec.priority > top ? other->record.spec.priority : top;
	memset(quota->waiting, 0, sizeof quota->waiting);
	for (uint32_t i = 0; i < sv_index(core)->all.count; i++) {
		struct sv_job *job = sv_index(core)->all.jobs[i];
		left |= (job->record.on_hold != SV_HOLD_NONE && !sv_state_over(job->record.state)) || sv_job_owned(job);
		if (job->record.on_hold == SV_HOLD_NONE || job->record.state != SV_PAUSED)
			continue;
		quota->waiting[job->record.on_hold]++;
		if (quota->hold != SV_HOLD_NONE || sv_search_threads(core)->stop)
			continue;
		if (job->record.on_hold == SV_HOLD_DISK)
			release_job(core, job);
		else if (one && now >= job->entry.hold_until_ns &&
			 (job->record.spec.priority > top || job->record.spec.memory <= room) &&
			 (!first || job->record.spec.priority > first->record.spec.priority))
			first = job;
	}
	quota->on_hold = left;
	if (!first)
		return;
	release_job(core, first);
	quota->release_ns = now + second_ns;
}

/* Under the lock: the limit of the control group may have changed. */
static void follow_control_group(struct sv_core *core, uint64_t groups)
{
	struct sv_quota *quota = &sv_search_threads(core)->quota;
	char text[SV_SIZE_TEXT];
	if (quota->groups && quota->groups != groups) {
		sv_bound(core)->bytes =
			groups < sv_bound(core)->without_groups ? groups : sv_bound(core)->without_groups;
		pd_log(PD_LOG_INFO, "the memory limit is %s now: the limit of the control group has changed",
		       sv_size_text(sv_bound(core)->bytes, text));
	}
	quota->groups = groups;
}

/* Under the lock: whether a job that was put on hold still has its memory. */
static bool is_one_leaving(const struct sv_core *core)
{
	const struct sv_job *job;
	LIST_FOREACH(job, &sv_search_threads(core)->running, run.running)
		if (job->record.on_hold != SV_HOLD_NONE)
			return true;
	return false;
}

void sv_quota_measure(struct sv_core *core)
{
	struct sv_quota *quota = &sv_search_threads(core)->quota;
	struct verdict verdict;
	uint64_t now = pd_now_ns();
	sv_lock(core);
	bool due = now >= quota->due_ns && !sv_writer(core)->stop && !sv_config(core)->read_only;
	uint64_t groups = quota->groups;
	bool groups_due = due && now >= quota->groups_ns;
	sv_unlock(core);
	if (!due)
		return;
	uint64_t seen = groups_due ? sv_memory_own_groups() : 0;
	if (seen) /* else unknown */
		groups = seen;
	sv_lock(core);
	follow_control_group(core, groups);
	if (groups_due)
		quota->groups_ns = now + second_ns;
	const struct limits limits = {sv_config(core)->disk_reserve, sv_bound(core)->bytes, quota->hold};
	sv_unlock(core);
	judge_room(core, &limits, &verdict);
	sv_lock(core);
	quota->due_ns = now + look_ns;
	quota->hold = verdict.hold;
	quota->leave = verdict.hold == SV_HOLD_MEMORY && !is_one_leaving(core) ? sv_find_first_to_leave(core) : NULL;
	snprintf(quota->text, sizeof quota->text, "%s", verdict.text);
	if (verdict.hold != limits.before) {
		pd_log(verdict.hold == SV_HOLD_NONE ? PD_LOG_INFO : PD_LOG_WARN, "jobs %s%s",
		       verdict.hold == SV_HOLD_NONE ? "go on: there is room again" : "are paused: ", verdict.text);
		pthread_cond_broadcast(&sv_search_threads(core)->work);
	}
	quota->on_hold |= verdict.hold != SV_HOLD_NONE;
	if (quota->on_hold)
		release_held(core, verdict.room, now);
	sv_unlock(core);
}

bool sv_quota_holds(const struct sv_core *core, const struct sv_job *job)
{
	const struct sv_quota *quota = &sv_search_threads(core)->quota;
	return job->run.phase == SV_PHASE_SEARCHING &&
	       (quota->hold == SV_HOLD_DISK || (quota->hold == SV_HOLD_MEMORY && quota->leave == job));
}

/* The wait in seconds after that many holds in a row. */
static unsigned hold_seconds(unsigned holds)
{
	return !holds ? 0 : holds < 10 ? 1u << holds : WAIT_MOST_S;
}

/* A job that uses up the memory by itself would pause and resume forever. So its wait doubles each time, and loading
 * its table takes a small share of the time. */
static unsigned wait_longer(struct sv_job *job, uint64_t now)
{
	unsigned wait = hold_seconds(job->entry.memory_holds);
	uint64_t lasting = 4 *
			   (uint64_t)(hold_seconds(job->entry.memory_holds ? job->entry.memory_holds - 1 : 0) + 15) *
			   second_ns;
	PD_ASSERT(job->run.search_ns && now >= job->run.search_ns);
	if (now - job->run.search_ns >= lasting)
		wait = job->entry.memory_holds = 0;
	job->entry.memory_holds++;
	job->entry.hold_until_ns = now + wait * second_ns;
	return wait;
}

static void print_wait(struct sv_job *job, unsigned wait)
{
	size_t n = strlen(job->record.reason);
	if (wait && n)
		snprintf(job->record.reason + n, sizeof job->record.reason - n,
			 ", this one in %u s at the earliest: it was paused for this %u times in a row", wait,
			 job->entry.memory_holds);
}

void sv_quota_hold_loading(struct sv_core *core, struct sv_job *job)
{
	char have[SV_SIZE_TEXT], most[SV_SIZE_TEXT];
	unsigned wait = hold_seconds(job->entry.memory_holds++);
	PD_ASSERT(sv_locked(core));
	job->record.on_hold = SV_HOLD_MEMORY;
	job->entry.hold_until_ns = pd_now_ns() + wait * second_ns;
	sv_search_threads(core)->quota.on_hold = true;
	snprintf(job->record.reason, sizeof job->record.reason,
		 "while its table was loaded the server had %s of the %s of memory that it may have; jobs go on when "
		 "others have left",
		 sv_size_text(sv_memory_own(), have), sv_size_text(sv_bound(core)->bytes, most));
	print_wait(job, wait);
}

void sv_quota_hold(struct sv_core *core, struct sv_job *job)
{
	struct sv_quota *quota = &sv_search_threads(core)->quota;
	PD_ASSERT(quota->hold != SV_HOLD_NONE);
	sv_job_enter(job, SV_PHASE_ENDING); /* a request that wants another end of the run waits */
	job->record.on_hold = quota->hold;
	quota->on_hold = true;
	if (quota->leave == job)
		quota->leave = NULL;
	unsigned wait = quota->hold == SV_HOLD_MEMORY ? wait_longer(job, pd_now_ns()) : 0;
	snprintf(job->record.reason, sizeof job->record.reason, "%s", quota->text);
	print_wait(job, wait);
}
