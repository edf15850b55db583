/* Search threads are batch threads at the configured nice value, so that queries are answered at once while every core
 * searches. Measured with 1,000 queries a second next to searches on both cores: at nice 19 the 99th percentile stayed
 * below 0.1 ms; at 5 and 10 it was between 0.03 and 4 ms, because Linux lets a woken thread wait for the rest of the
 * search thread's slice. */
#define _GNU_SOURCE /* SCHED_BATCH */
#include "server/jobs/run/search_thread.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "server/common/core_parts.h"
#include "server/common/pulse.h"
#include "server/jobs/index/job_index.h"
#include "server/jobs/run/runner.h"
#include "server/jobs/index/search_threads.h"
#include "server/jobs/queue/judgement.h"
#include "server/jobs/run/search_group.h"
#include "server/jobs/write/task.h"

/* A task for the last record of a run, allocated in advance because there may be no memory for it later. */
static struct sv_task *new_last_task(struct sv_job *job)
{
	struct sv_task *task = sv_task_new(SV_TASK_RECORD, job, SV_FAILED);
	if (task && pd_buf_reserve(&task->record, ST_JOB_MAX) && pd_buf_reserve(&task->event, ST_EVENT_MAX))
		return task;
	sv_task_free(task);
	return NULL;
}

/* Under the lock: writes the last record; without the result if there is no room for it. */
static void write_last_record(struct sv_job *job, struct sv_task *last)
{
	sv_task_record(last, job->run.broken.event ? job->run.broken.event : sv_state_text(last->state));
	if (last->record.failed) {
		free(job->record.result);
		job->record.result = NULL;
		pd_buf_reset(&last->record);
		sv_task_record(last, NULL);
	}
}

/* Under the lock: the run would pause, but a cancellation was promised. */
static void cancel_broken_run(struct sv_job *job, struct sv_task *last)
{
	last->state = SV_CANCELLED;
	last->drop_table = true;
	job->record.table_lost = false;
	job->record.reason[0] = 0;
}

/* Under the lock: what the lost checkpoint would have recorded is not on disk. Its nodes count all the same. */
static void restore_progress(struct sv_job *job)
{
	struct pn_progress *shown = &job->run.snapshot.progress;
	uint64_t level1 = shown->level1, level2 = shown->level2, positions = shown->positions;
	*shown = job->record.progress;
	shown->level1 = level1;
	shown->level2 = level2;
	shown->positions = positions;
	job->run.snapshot.leading[0] = 0;
}

/* Under the lock: the run is over. A broken one ends with `last`, which says so; one that ends because the core
 * stops has no last record, and goes on at the next start. */
static void end_run(struct sv_core *core, struct sv_job *job, struct sv_task *last)
{
	struct pd_fail fail;
	job->run.snapshot.rate = 0;
	job->run.changes++;
	PD_ASSERT(sv_locked(core));
	if (job->run.phase == SV_PHASE_BROKEN) {
		restore_progress(job);
		last->state = job->run.broken.state;
		if (last->state == SV_PAUSED && job->run.want == SV_WANT_CANCEL)
			cancel_broken_run(job, last);
		if (last->state != SV_PAUSED) /* the run broke in the slice in which it was to be put on hold */
			job->record.on_hold = SV_HOLD_NONE;
		last->change.change = sv_change_none(&job->record);
		last->change.change.finished_ms = sv_state_over(last->state) ? pd_wall_ms() : 0;
		last->ends_run = true;
		write_last_record(job, last);
		sv_task_post(core, last);
		return;
	}
	sv_task_free(last);
	if (!sv_job_owned(job))
		return;
	sv_job_enter(job, SV_PHASE_REST);
	pd_fail_set(&fail, PD_E_SHUTDOWN, "job", "the search of job %u has stopped: the server is stopping",
		    job->record.id);
	sv_job_report_trouble(core, job, &fail);
}

/* Under the lock: the thread leaves the job. True when the job was removed meanwhile, and is freed. */
static bool leave_job(struct sv_job *job)
{
	PD_ASSERT(job->run.threads > 0);
	if (--job->run.threads)
		return false;
	LIST_REMOVE(job, run.running);
	if (job->run.phase != SV_PHASE_REMOVED)
		return false;
	sv_job_free(job);
	return true;
}

static void take_job(struct sv_core *core, struct sv_job *job)
{
	job->run.number++;
	sv_job_enter(job, SV_PHASE_SEARCHING);
	job->run.begin = job->record.ran_before   ? SV_BEGIN_RESTARTED
			 : job->record.started_ms ? SV_BEGIN_RESUMED
						  : SV_BEGIN_FIRST;
	sv_index_before(job);
	job->record.ran_before = job->record.stopped_cleanly = false;
	sv_index_after(job);
	job->run.broken.event = NULL;
	if (!job->run.threads++)
		LIST_INSERT_HEAD(&sv_search_threads(core)->running, job, run.running);
	job->run.first_record = job->run.records + 1;
	job->run.begin_ms = pd_wall_ms();
	job->run.search_ns = 0;
	sv_search_threads_count(sv_search_threads(core), 1, 0);
	sv_search_threads(core)->reserved += job->record.spec.memory;
}

/* Under the lock, which is released during the search: one run of the job. `last`: for a run that breaks. */
static void run_job(struct sv_core *core, struct sv_job *job, struct sv_task *last)
{
	uint64_t memory = job->record.spec.memory;
	struct sv_job_group *group = job->entry.group;
	take_job(core, job);
	group->running++;
	uint64_t run = job->run.number;
	sv_unlock(core);
	sv_run(core, job);
	sv_lock(core);
	PD_ASSERT(sv_search_threads(core)->reserved >= memory);
	sv_search_threads(core)->reserved -= memory;
	PD_ASSERT(group->running > 0);
	group->running--;
	sv_group_put(&sv_index(core)->groups, group); /* the job may be gone already */
	if (sv_search_threads(core)->giving_way == job)
		sv_search_threads(core)->giving_way = NULL;
	sv_search_threads_count(sv_search_threads(core), -1, 0);
	bool ours = job->run.number == run; /* else another thread took the job once the run's end was on disk */
	if (ours)
		job->run.begin_ms = 0;
	if (!leave_job(job) && ours)
		end_run(core, job, last);
	else
		sv_task_free(last);
	pthread_cond_broadcast(&sv_search_threads(core)->work);
}

void *sv_search_thread(void *arg)
{
	struct sv_core *core = arg;
	const struct sched_param batch = {0};
	if (!sv_config(core)->only_workers) /* else most of its work is to answer workers, which wait for it */
		pthread_setschedparam(pthread_self(), SCHED_BATCH, &batch);
	setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), sv_config(core)->nice);
	sv_lock(core);
	sv_pulse_join(core, "search thread");
	while (!sv_search_threads(core)->stop) {
		struct sv_job *job = sv_find_ready(core, NULL), *other = job ? NULL : sv_search_group_wanted(core);
		if (other) {
			sv_search_group_serve(core, other);
			continue;
		}
		if (!job) {
			sv_lock_wait(core, &sv_search_threads(core)->work);
			continue;
		}
		bool noted = sv_record_engine_add(
			&job->record, PD_VERSION); /* goes to disk with the run's first record, before its facts */
		struct sv_task *last = noted ? new_last_task(job) : NULL;
		if (!last) { /* another run's end may free memory */
			sv_lock_wait(core, &sv_search_threads(core)->work);
			continue;
		}
		run_job(core, job, last);
	}
	sv_unlock(core);
	return NULL;
}
