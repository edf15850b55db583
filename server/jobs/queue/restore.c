#include "server/jobs/queue/restore.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "server/common/core_parts.h"
#include "server/jobs/model/crashes.h"
#include "server/jobs/index/job_index.h"
#include "server/jobs/write/task.h"
#include "server/jobs/index/search_threads.h"

static int restore_study(struct sv_core *core, uint32_t id, const void *record, size_t size)
{
	struct sv_studies *studies = &sv_index(core)->studies;
	struct sv_study *study = calloc(1, sizeof *study);
	struct pd_fail fail;
	int rc = study && sv_studies_reserve(studies) ? sv_study_read(id, record, size, study, &fail) : PD_E_NO_MEMORY;
	if (!rc) {
		sv_studies_put(studies, study);
		return PD_OK;
	}
	free(study);
	if (rc == PD_E_NO_MEMORY)
		return rc;
	pd_log(PD_LOG_ERROR, "study %u is damaged: %s", id, fail.text);
	return PD_OK;
}

static int restore_job(void *ctx, uint32_t id, const void *record, size_t size)
{
	struct sv_core *core = ctx;
	struct sv_record read;
	struct pd_fail fail;
	if (sv_study_is(record, size))
		return restore_study(core, id, record, size);
	int rc = sv_record_read(id, record, size, &read, &fail);
	if (rc && rc != PD_E_NO_MEMORY) {
		pd_log(PD_LOG_ERROR, "job %u is damaged: %s", id, fail.text);
		rc = sv_record_unreadable(id, &fail, &read) ? PD_OK : PD_E_NO_MEMORY;
	}
	if (rc)
		return rc;
	if (read.state == SV_RUNNING) {
		read.state = SV_QUEUED; /* the first record of the next run sets it to running again */
		read.ran_before = true;
		read.restarts += !sv_config(core)->read_only;
		read.crashes = sv_crashes_next(read.crashes, read.stopped_cleanly);
	}
	sv_search_threads(core)->quota.on_hold |= read.on_hold != SV_HOLD_NONE;
	struct sv_job *job = sv_job_new(&read);
	if (!job) {
		sv_record_fini(&read);
		return PD_E_NO_MEMORY;
	}
	rc = sv_keys_add(&sv_index(core)->keys, job) ? sv_index_add(sv_index(core), job) : PD_E_NO_MEMORY;
	if (rc)
		sv_job_free(job);
	return rc;
}

/* A job suspected of ending the process is logged, or fails, before any search thread looks for work. */
static int judge_crashes(struct sv_core *core, struct sv_job *job)
{
	static const char why[] = "proofd ended three times in a row while this job ran; resume it to try again";
	if (job->record.state != SV_QUEUED || job->record.crashes < SV_CRASHES_BEHIND)
		return PD_OK;
	if (job->record.crashes < SV_CRASHES_FAILED) {
		pd_log(PD_LOG_WARN,
		       "job %u ran when proofd ended without warning, %u times in a row: it waits behind the others "
		       "now",
		       job->record.id, job->record.crashes);
		return PD_OK;
	}
	struct sv_change change = sv_change_none(&job->record);
	change.finished_ms = pd_wall_ms();
	change.reason = why;
	struct sv_task *task = sv_task_change(job, SV_FAILED, &change, "failed");
	if (!task)
		return PD_E_NO_MEMORY;
	task->ends_run = true; /* keeps the task until it is written; no search thread takes the job before that */
	sv_task_post(core, task);
	return PD_OK;
}

/* Before any job runs: writes the records of jobs that ran when the process ended, queued and with the crash counted.
 * If that fails, the server starts nevertheless, and these jobs share the blame for the next crash. */
static void note_crashes(struct sv_core *core)
{
	struct st_batch *batch = NULL;
	struct pd_buf record;
	struct pd_fail fail = {0};
	int rc = PD_OK;
	pd_buf_init(&record, ST_JOB_MAX);
	for (uint32_t i = 0; !rc && i < sv_index(core)->all.count; i++) {
		struct sv_job *job = sv_index(core)->all.jobs[i];
		if (job->record.state != SV_QUEUED || !job->record.ran_before || !job->record.crashes)
			continue;
		if (!batch)
			rc = st_batch_begin(sv_store(core), &batch, &fail);
		pd_buf_reset(&record);
		sv_record_write(&job->record, &record);
		if (!rc && record.failed)
			rc = pd_fail_set(&fail, PD_E_NO_MEMORY, "", "no memory for its record");
		if (!rc)
			rc = st_batch_job_put(batch, job->record.id, record.data, record.size, &fail);
	}
	if (batch)
		rc = st_batch_end(batch, rc, &fail);
	if (rc)
		pd_log(PD_LOG_WARN, "the jobs that ran when proofd ended cannot be written: %s", fail.text);
	pd_buf_fini(&record);
}

static void find_tables(struct sv_core *core)
{
	for (uint32_t i = 0; i < sv_index(core)->all.count; i++) {
		struct sv_job *job = sv_index(core)->all.jobs[i];
		if (job->record.damaged || job->record.state == SV_SOLVED || job->record.state == SV_CANCELLED ||
		    !job->record.started_ms)
			continue;
		job->run.table_bytes = st_tt_bytes(sv_store(core), job->record.id);
	}
	struct sv_job *job;
	TAILQ_FOREACH(job, &sv_index(core)->over, entry.over) /* in order of their ends */
		if (job->record.state == SV_EXHAUSTED || job->record.state == SV_FAILED)
			sv_index_idle(job, job->run.table_bytes);
}

static int is_noted(void *ctx, const void *record, size_t size)
{
	static const char word[] = "\"event\":\"damaged\"";
	bool *noted = ctx;
	for (size_t i = 0; record && i + sizeof word - 1 <= size; i++)
		*noted |= !memcmp((const char *)record + i, word, sizeof word - 1);
	return PD_OK;
}

/* Notes the damage in the history of a damaged job, once. If that fails, the server starts nevertheless. */
static void note_damage(struct sv_core *core, const struct sv_job *job)
{
	struct st_batch *batch;
	struct pd_buf event;
	struct pd_fail fail = {0};
	bool noted = false;
	if (st_event_each(sv_store(core), job->record.id, 1, is_noted, &noted, &fail) || noted)
		return;
	pd_buf_init(&event, ST_EVENT_MAX);
	sv_record_event(&job->record.progress, "damaged", &event);
	int rc = event.failed ? PD_E_NO_MEMORY : st_batch_begin(sv_store(core), &batch, &fail);
	if (!rc)
		rc = st_batch_end(batch, st_batch_event(batch, job->record.id, event.data, event.size, &fail), &fail);
	if (rc)
		pd_log(PD_LOG_WARN, "job %u: its history cannot be written: %s", job->record.id, fail.text);
	pd_buf_fini(&event);
}

static int restore_jobs(struct sv_core *core, struct pd_fail *fail)
{
	PD_ASSERT(!sv_writer(core)->started);
	int rc = st_job_each(sv_store(core), restore_job, core, fail);
	if (!rc && !sv_index_sort(sv_index(core)))
		rc = PD_E_NO_MEMORY;
	if (!rc && !sv_config(core)->read_only) {
		note_crashes(core);
		find_tables(core);
	}
	for (uint32_t i = 0; !rc && !sv_config(core)->read_only && i < sv_index(core)->all.count; i++) {
		if (sv_index(core)->all.jobs[i]->record.damaged)
			note_damage(core, sv_index(core)->all.jobs[i]);
		rc = judge_crashes(core, sv_index(core)->all.jobs[i]);
	}
	return rc == PD_E_NO_MEMORY
		       ? pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the jobs of the data directory")
		       : rc;
}

int sv_jobs_restore(struct sv_core *core, struct pd_fail *fail)
{
	sv_lock(core); /* there is no other thread yet, but changing a job asserts that the lock is held */
	int rc = restore_jobs(core, fail);
	sv_unlock(core);
	return rc;
}
