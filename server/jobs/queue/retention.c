#include "server/jobs/queue/retention.h"

#include <stdlib.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "server/common/core_parts.h"
#include "server/jobs/index/job_index.h"
#include "server/common/memory_bound.h"
#include "server/jobs/write/task.h"

enum {
	REMOVING_LEAST = 16, /* jobs removed at a time because there are too many */
	REMOVING_MOST = 64,  /* plus the number of other tasks that wait for the writer */
	REMOVING_SHARE = 8   /* of the excess */
};

static const uint64_t retry_ns = 1000000000; /* between a failure to remove and the next try */

static bool at_rest(const struct sv_job *job)
{
	/* A damaged job may still be repaired. */
	return job->run.phase == SV_PHASE_REST && !job->run.trouble.code && !job->record.damaged;
}

/* Few when there is little to do, so that they delay nobody; under load at least half of what waits for the writer, so
 * that removal keeps up. */
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

void sv_retention_apply(struct sv_core *core)
{
	PD_ASSERT(sv_locked(core));
	if (sv_config(core)->read_only || pd_now_ns() < sv_writer(core)->removal_failed_ns + retry_ns)
		return;
	if (sv_config(core)->keep_jobs)
		retain_jobs(core);
	if (sv_config(core)->idle_tables)
		retain_tables(core);
}
