#include "server/jobs/queue/writer_thread.h"

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "server/common/core_parts.h"
#include "server/common/memory_bound.h"
#include "server/common/pulse.h"
#include "server/common/sample_file.h"
#include "server/jobs/index/job_index.h"
#include "server/jobs/queue/dependency.h"
#include "server/jobs/queue/quota.h"
#include "server/jobs/write/writer.h"

enum {
	REMOVING_LEAST = 16, /* excess jobs to remove at a time, besides a share of the excess; */
	REMOVING_MOST = 64,  /* at most this many plus the number of other tasks that wait for the writer */
	REMOVING_SHARE = 8   /* that share is the excess divided by this */
};

static const uint64_t retry_ns = 1000000000; /* between a failure to remove and the next try */

/* False when it must be tried again. */
static bool settle_job(struct sv_core *core, struct sv_job *job)
{
	char reason[SV_REASON_MAX];
	struct sv_change change = sv_change_none(&job->record);
	change.reason = reason;
	if (sv_dependency_serves_none(job, reason, sizeof reason)) /* its run, if any, pauses itself */
		return sv_job_owned(job) || sv_task_post_change(core, job, SV_PAUSED, &change, "paused");
	if (sv_dependency_pauses(job, reason, sizeof reason))
		return sv_task_post_change(core, job, SV_PAUSED, &change, "paused");
	if (job->entry.waits_for) {
		sv_index_before(job);
		sv_index_after(job);
	}
	return true;
}

/* Settles at most SV_SETTLE_MAX due jobs. True when more are left. */
static bool settle_due_jobs(struct sv_core *core)
{
	struct sv_job_index *index = sv_index(core);
	struct sv_job *job, *last = TAILQ_LAST(&index->due, sv_due); /* later ones wait for the next call */
	unsigned looked = 0;
	bool released = false;
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

static bool at_rest(const struct sv_job *job)
{
	/* A damaged job may still be repaired. */
	return job->run.phase == SV_PHASE_REST && !job->run.trouble.code && !job->record.damaged;
}

/* How many removals may wait for the writer: few when it has little to do, so that they delay nobody; under load at
 * least half of all its tasks, so that removal keeps up. */
static uint32_t removing_max(const struct sv_core *core)
{
	const struct sv_writer *writer = sv_writer(core);
	uint32_t others = writer->task_count > writer->removing ? writer->task_count - writer->removing : 0;
	uint32_t excess = sv_index(core)->over_count - sv_config(core)->keep_jobs;
	uint32_t wanted = REMOVING_LEAST + excess / REMOVING_SHARE;
	PD_ASSERT(sv_index(core)->over_count > sv_config(core)->keep_jobs);
	return wanted < REMOVING_MOST + others ? wanted : REMOVING_MOST + others;
}

static void retain_jobs(struct sv_core *core)
{
	if (sv_index(core)->over_count <= sv_config(core)->keep_jobs)
		return;
	const uint32_t most = removing_max(core);
	struct sv_job *job = TAILQ_FIRST(&sv_index(core)->over), *next;
	for (; job && sv_index(core)->over_count > sv_config(core)->keep_jobs + sv_writer(core)->removing &&
	       sv_writer(core)->removing < most;
	     job = next) {
		next = TAILQ_NEXT(job, entry.over);
		if (!at_rest(job))
			continue;
		struct sv_task *task = sv_task_new(SV_TASK_REMOVE, job, job->record.state);
		if (!task)
			return;
		sv_task_post(core, task);
	}
}

/* False without memory. */
static bool drop_table(struct sv_core *core, struct sv_job *job)
{
	char text[SV_SIZE_TEXT];
	struct sv_change change = sv_change_none(&job->record);
	change.tableless = true;
	struct sv_task *task = sv_task_change(job, job->record.state, &change, "table dropped");
	if (!task)
		return false;
	task->drop_table = true;
	pd_log(PD_LOG_INFO, "job %u: its table of %s is dropped: it is %s, and tables of such jobs exceed their limit",
	       job->record.id, sv_size_text(job->entry.idle_bytes, text), sv_state_text(job->record.state));
	sv_task_post(core, task);
	return true;
}

static void retain_tables(struct sv_core *core)
{
	uint64_t bytes = sv_index(core)->idle_bytes;
	struct sv_job *job = TAILQ_FIRST(&sv_index(core)->idle), *next;
	for (; job && bytes > sv_config(core)->idle_tables; job = next) {
		next = TAILQ_NEXT(job, entry.idle);
		if (!next || (at_rest(job) && !drop_table(core, job)))
			return;
		bytes -= job->entry.idle_bytes;
	}
}

static void apply_retention(struct sv_core *core)
{
	if (pd_now_ns() < sv_writer(core)->removal_failed_ns + retry_ns)
		return;
	if (sv_config(core)->keep_jobs)
		retain_jobs(core);
	if (sv_config(core)->idle_tables)
		retain_tables(core);
}

/* True when jobs are left to be settled at once. */
static bool tend_queue(struct sv_core *core)
{
	bool more = false;
	sv_lock(core);
	sv_pulse_beat(core);
	if (!sv_writer(core)->stop && !sv_config(core)->read_only) {
		more = settle_due_jobs(core);
		apply_retention(core);
	}
	sv_unlock(core);
	return more;
}

void *sv_writer_thread(void *arg)
{
	struct sv_core *core = arg;
	struct sv_writing writing = {.kept = TAILQ_HEAD_INITIALIZER(writing.kept)};
	sv_lock(core);
	sv_pulse_join(core, "writer");
	sv_unlock(core);
	while (sv_writer_commit(core, &writing, tend_queue(core))) {
		sv_quota_measure(core);
		sv_series_write(sv_series(core));
		sv_writer_move_facts(core, &writing);
	}
	return NULL;
}
