#include "server/jobs/queue/explain.h"

#include <string.h>

#include "proto/base/assert.h"
#include "server/common/core_parts.h"
#include "server/jobs/index/job_index.h"
#include "server/common/memory_bound.h"
#include "server/jobs/queue/scheduler.h"

enum { JOBS_MAX = 20, NAMED_MAX = 5, TEXT_MAX = 4096 };

/* What keeps the job waiting, and the text about it. */
struct account {
	const struct sv_core *core;
	const struct sv_job *job;
	uint32_t jobs[JOBS_MAX]; /* running ones, then those queued before it */
	const struct sv_job *first[JOBS_MAX];
	unsigned running, queued; /* of them */
	unsigned all_running;
	uint32_t before; /* all jobs queued before it */
	struct pd_buf text;
};

/* "jobs 3, 4 and 17 others" */
static void say_jobs(struct account *a, const uint32_t *jobs, unsigned known, unsigned all)
{
	unsigned named = known < NAMED_MAX ? known : NAMED_MAX;
	PD_ASSERT(all >= known);
	pd_buf_puts(&a->text, all == 1 ? "job" : "jobs");
	for (unsigned i = 0; i < named; i++)
		pd_buf_printf(&a->text, "%s%u", !i ? " " : i + 1 == all ? " and " : ", ", jobs[i]);
	if (all > named)
		pd_buf_printf(&a->text, " and %u %s", all - named, all - named == 1 ? "other" : "others");
}

/* Under the lock: the reason; of a queued job what sv_judge says. */
static enum sv_wait reason_of(const struct sv_core *core, const struct sv_job *job)
{
	if (job->run.trouble.code)
		return SV_WAIT_DISK;
	switch (job->record.state) {
	case SV_QUEUED:
		break;
	case SV_RUNNING:
		return job->run.phase == SV_PHASE_SEARCHING && job->run.want == SV_GO_ON ? SV_WAIT_RUNNING
											 : SV_WAIT_STOPPING;
	case SV_PAUSED:
		return job->record.on_hold != SV_HOLD_NONE ? sv_wait_of_hold(job->record.on_hold) : SV_WAIT_PAUSED;
	case SV_SOLVED:
		return SV_WAIT_SOLVED;
	case SV_EXHAUSTED:
		return sv_job_budget_used(job) ? SV_WAIT_BUDGET : SV_WAIT_EXHAUSTED;
	case SV_CANCELLED:
		return SV_WAIT_CANCELLED;
	case SV_FAILED:
		return SV_WAIT_FAILED;
	}
	if (!sv_search_threads(core)->count)
		return SV_WAIT_NO_THREADS;
	enum sv_wait wait = sv_judge(core, job, NULL);
	return wait == SV_WAIT_READY && sv_search_threads(core)->searching >= sv_search_threads(core)->count
		       ? SV_WAIT_THREAD
		       : wait;
}

/* Jobs of a paused group only keep jobs of their own group waiting. */
static uint32_t count_before(struct account *a, const struct sv_job_group *group, uint32_t room, uint32_t *known)
{
	if (group->settings.paused && group != a->job->entry.group)
		return 0;
	return sv_index_queued_before(group, a->job, a->first, room, known);
}

static void gather_jobs(struct account *a)
{
	const struct sv_job *other;
	if (a->job->entry.waits_for) { /* nothing else matters */
		a->jobs[a->queued++] = a->job->entry.waits_for;
		return;
	}
	LIST_FOREACH(other, &sv_search_threads(a->core)->running, run.running) {
		if (other == a->job || !sv_job_owned(other))
			continue;
		a->all_running++;
		if (a->running < JOBS_MAX)
			a->jobs[a->running++] = other->record.id;
	}
	if (a->job->record.state != SV_QUEUED)
		return;
	const struct sv_job_groups *groups = &sv_index(a->core)->groups;
	const struct sv_job_group *group;
	uint32_t room = JOBS_MAX - a->running, known = 0;
	a->before = count_before(a, &groups->nameless, room, &known);
	LIST_FOREACH(group, &groups->list, link)
		a->before += count_before(a, group, room, &known);
	for (a->queued = 0; a->queued < known; a->queued++)
		a->jobs[a->running + a->queued] = a->first[a->queued]->record.id;
}

static void say_before(struct account *a)
{
	if (!a->before)
		return;
	pd_buf_printf(&a->text, "; queued before it: ");
	say_jobs(a, a->jobs + a->running, a->queued, a->before);
}

static void say_memory(struct account *a)
{
	char wanted[SV_SIZE_TEXT], reserved[SV_SIZE_TEXT], limit[SV_SIZE_TEXT];
	pd_buf_printf(&a->text, "it needs %s of memory, and of the %s for all jobs %s are reserved by ",
		      sv_size_text(a->job->record.spec.memory, wanted), sv_size_text(sv_config(a->core)->memory, limit),
		      sv_size_text(sv_search_threads(a->core)->reserved, reserved));
	say_jobs(a, a->jobs, a->running, a->all_running);
}

static void say_after(struct account *a)
{
	const struct sv_job *other = sv_index_find(sv_index(a->core), a->job->entry.waits_for);
	pd_buf_printf(&a->text, "it waits until job %u is solved, which is %s", a->job->entry.waits_for,
		      other ? sv_state_text(sv_job_shown(other)) : "removed");
	if (other && other->record.state == SV_EXHAUSTED)
		pd_buf_printf(&a->text, ": raise its budget and resume it");
}

static void say_budget(struct account *a)
{
	const struct sv_job *job = a->job;
	uint64_t nodes = job->run.snapshot.progress.level1 + job->run.snapshot.progress.level2;
	pd_buf_printf(&a->text, "its budget is used up: ");
	const char *used = sv_job_budget_used(job);
	char takes[SV_SIZE_TEXT], may[SV_SIZE_TEXT];
	if (!strcmp(used, "nodes"))
		pd_buf_printf(&a->text, "%llu of %llu node%s", (unsigned long long)nodes,
			      (unsigned long long)job->record.spec.budget.nodes,
			      job->record.spec.budget.nodes == 1 ? "" : "s");
	else if (!strcmp(used, "processor time"))
		pd_buf_printf(&a->text, "%.3f of %.3f seconds of processor time", job->run.snapshot.cpu,
			      job->record.spec.budget.cpu);
	else if (!strcmp(used, "disk"))
		pd_buf_printf(&a->text, "its table takes %s of %s of disk", sv_size_text(job->run.table_bytes, takes),
			      sv_size_text(job->record.spec.budget.disk, may));
	else
		pd_buf_printf(&a->text, "%.3f of %.3f seconds", job->run.snapshot.seconds,
			      job->record.spec.budget.seconds);
	pd_buf_printf(&a->text, "; raise it and resume the job");
}

static void say_run(struct account *a, unsigned threads)
{
	const struct sv_job *job = a->job;
	if (job->run.search_ns)
		pd_buf_printf(&a->text, "%u search %s on it", threads, threads == 1 ? "thread works" : "threads work");
	else
		pd_buf_printf(&a->text, "its table is being loaded");
	if (job->run.keeps_size)
		pd_buf_printf(&a->text,
			      "; its table keeps its size for now: the server has no memory for a larger one");
}

/* The texts for reasons that need no details. */
static const char *const plain[] = {
	[SV_WAIT_READY] = "the next search thread takes it",
	[SV_WAIT_WRITTEN] = "a change of it is being written to the disk",
	[SV_WAIT_NO_THREADS] = "the server has no search threads: it runs with --read-only or --threads 0",
	[SV_WAIT_STOPPING] = "its search is ending, and what it found is being written",
	[SV_WAIT_SOLVED] = "it is solved",
	[SV_WAIT_CANCELLED] = "it is cancelled",
};

static void say_why(struct account *a, enum sv_wait wait, unsigned threads)
{
	const struct sv_job *job = a->job;
	const struct sv_job_group *group = job->entry.group;
	const char *reason = job->record.reason[0] ? job->record.reason : sv_state_text(job->record.state);
	switch (wait) {
	case SV_WAIT_THREAD:
		pd_buf_puts(&a->text, "no search thread is free: they search ");
		say_jobs(a, a->jobs, a->running, a->all_running);
		break;
	case SV_WAIT_MEMORY:
		say_memory(a);
		break;
	case SV_WAIT_AFTER:
		say_after(a);
		break;
	case SV_WAIT_DISK_RESERVE:
	case SV_WAIT_MEMORY_SHORT:
		pd_buf_puts(&a->text, job->record.state == SV_PAUSED ? job->record.reason
								     : sv_search_threads(a->core)->quota.text);
		break;
	case SV_WAIT_GROUP_FULL:
		pd_buf_printf(&a->text, "its group %s runs %u jobs at once, which is its limit", group->name,
			      group->settings.limit);
		break;
	case SV_WAIT_GROUP_PAUSED:
		pd_buf_printf(&a->text, "its group %s is paused", group->name);
		break;
	case SV_WAIT_SUSPECT:
		pd_buf_printf(&a->text,
			      "the server ended without warning %u times in a row while it ran: it waits until no "
			      "other job is queued and no other suspect runs",
			      job->record.crashes);
		break;
	case SV_WAIT_RUNNING:
		say_run(a, threads);
		break;
	case SV_WAIT_DISK:
		pd_buf_printf(&a->text, "its checkpoint cannot be written for now, and is tried again every second: %s",
			      job->run.trouble.text);
		break;
	case SV_WAIT_BUDGET:
		say_budget(a);
		break;
	default:
		pd_buf_puts(&a->text, wait < sizeof plain / sizeof *plain && plain[wait] ? plain[wait] : reason);
	}
	bool lists =
		wait == SV_WAIT_READY || wait == SV_WAIT_THREAD || wait == SV_WAIT_MEMORY || wait == SV_WAIT_SUSPECT;
	if (lists)
		say_before(a);
	bool queued = lists || wait == SV_WAIT_AFTER || wait == SV_WAIT_GROUP_FULL || wait == SV_WAIT_GROUP_PAUSED ||
		      wait == SV_WAIT_WRITTEN || wait == SV_WAIT_NO_THREADS;
	if (queued && job->record.reason[0])
		pd_buf_printf(&a->text, "; %s", job->record.reason);
}

void sv_explain_print(struct sv_core *core, const struct sv_job *job, struct pr_out *out)
{
	struct account a = {.core = core, .job = job};
	PD_ASSERT(sv_locked(core));
	enum sv_wait wait = reason_of(core, job);
	bool running = job->record.state == SV_RUNNING && sv_job_owned(job);
	unsigned threads = running && job->run.search_ns ? 1 + job->run.helpers : 0;
	pd_buf_init(&a.text, TEXT_MAX);
	gather_jobs(&a);
	say_why(&a, wait, threads);
	pr_open_object(out, NULL);
	pr_members(out, PR_U("job", job->record.id), PR_S("state", sv_state_text(sv_job_shown(job))),
		   PR_S("reason", sv_wait_text(wait)), PR_S("text", a.text.data));
	pr_open_array(out, "jobs");
	for (unsigned i = 0; job->record.state == SV_QUEUED && i < a.running + a.queued; i++)
		pr_uint(out, NULL, a.jobs[i]);
	pr_close(out);
	pr_members(out, PR_U("running", a.all_running + running), PR_U("before", a.before), PR_OPEN_OBJECT("memory"),
		   PR_U("wanted", job->record.spec.memory), PR_U("reserved", sv_search_threads(core)->reserved),
		   PR_U("limit", sv_config(core)->memory), PR_CLOSE, PR_U("threads", threads),
		   PR_IF(running && job->run.begin_ms, PR_I("since", job->run.begin_ms)),
		   PR_IF(job->run.checkpoint_ms, PR_I("checkpoint", job->run.checkpoint_ms)));
	pr_close(out);
	pd_buf_fini(&a.text);
}
