#include "server/jobs/write/writer.h"

#include <stdio.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "server/common/core_parts.h"
#include "server/common/pulse.h"
#include "server/jobs/model/job_hooks.h"
#include "server/jobs/index/job_index.h"
#include "server/jobs/index/search_threads.h"

enum {
	GROUP_MAX = 64,         /* tasks of one transaction */
	GROUP_BYTES = 32 << 20, /* of its table entries and facts, unless one task has more */
	RETRY_MS = 1000,        /* between two attempts while the disk is full */
	SLOW_S = 5,             /* a longer commit is logged */
	IDLE_MS = 500,          /* after so long without tasks, the writer tidies up */
	REMOVE_SHARE = 256,     /* events of a job that one transaction removes */
	REMOVE_ALL = 4096       /* and of all jobs together */
};

/* --- one task into a batch ---------------------------------------------------------------- */

/* Facts contradict each other. If that may be the fault of a worker, what it gave is taken back. */
static void tell_contradiction(struct sv_core *core, const struct st_batch *batch, struct sv_task *task,
			       const uint8_t *key, uint16_t size)
{
	struct pd_reason sides[2];
	st_batch_contradicted(batch, sides);
	const struct sv_conflict what = {task->checkpoint.game, key, size, sides[0], sides[1]};
	task->checkpoint.lied = sv_job_hooks(core)->contradicted(core, &what);
}

static int put_facts(struct sv_core *core, struct st_batch *batch, struct sv_task *task, struct pd_fail *fail)
{
	uint32_t id = 0;
	struct sv_task_checkpoint *c = &task->checkpoint;
	if (!c->facts.size)
		return PD_OK;
	PD_ASSERT(c->game);
	const char *p = c->facts.data, *end = p + c->facts.size;
	int rc = st_batch_game(batch, c->game->name, game_version(c->game), &id, fail);
	while (p < end) {
		uint16_t size;
		struct pd_reason reason;
		memcpy(&size, p, sizeof size);
		memcpy(&reason, p + sizeof size, sizeof reason);
		p += sizeof size + sizeof reason;
		if (!reason.job) /* else a worker of the cluster gave it */
			reason.job = task->job->record.id;
		c->leaves |= pd_is_giver(reason.job);
		if (!rc && (rc = st_batch_fact(batch, id, (const uint8_t *)p, size, &reason, fail)) == PD_E_CONFLICT)
			tell_contradiction(core, batch, task, (const uint8_t *)p, size);
		p += size;
		PD_ASSERT(p <= end);
	}
	return rc;
}

static int put_table(struct st_batch *batch, uint32_t id, const struct sv_task_checkpoint *c, struct pd_fail *fail)
{
	bool some = c->entry_count || c->snapshot_start || c->snapshot_count;
	bool failed = (some && st_batch_tt_question(batch, id, c->question, fail)) ||
		      (c->entry_count && st_batch_tt(batch, id, c->entries, c->entry_count, fail)) ||
		      (c->snapshot_start && st_batch_snapshot_start(batch, id, fail)) ||
		      (c->snapshot_count && st_batch_snapshot_put(batch, id, c->snapshot, c->snapshot_count, fail)) ||
		      (c->snapshot_end && st_batch_snapshot_end(batch, id, fail));
	return failed ? fail->code : PD_OK;
}

/* A record that could not be read back is a fault of this program, and is not written. */
static int check_record(const struct sv_task *task, uint32_t id, struct pd_fail *fail)
{
	struct sv_record read;
	struct pd_fail why;
	if (task->record.failed || task->event.failed ||
	    (task->kind == SV_TASK_CHECKPOINT && task->checkpoint.facts.failed))
		return pd_fail_set(fail, PD_E_INTERNAL, "", "a record of job %u is incomplete", id);
	int rc = sv_record_read(id, task->record.data ? task->record.data : "", task->record.size, &read, &why);
	if (!rc)
		sv_record_fini(&read);
	else if (rc == PD_E_NO_MEMORY)
		*fail = why;
	else
		rc = pd_fail_set(fail, PD_E_INTERNAL, "", "a record of job %u could not be read back: %.200s", id,
				 why.text);
	return rc;
}

static int put_removal(struct sv_core *core, struct st_batch *batch, struct sv_task *task, unsigned share,
		       struct pd_fail *fail)
{
	struct sv_job *job = task->job;
	PD_ASSERT(share > 0);
	int rc = st_batch_job_remove(batch, job->record.id, share, &task->removal.unfinished, fail);
	if (rc || task->removal.unfinished || !job->record.engines)
		return rc;
	if (!sv_removed_jobs_add(&sv_writer(core)->removed, job->record.id, job->record.engines))
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the list of removed jobs");
	return sv_removed_jobs_write(&sv_writer(core)->removed, batch, fail);
}

static int put_group(struct sv_core *core, struct st_batch *batch, struct sv_group_change *change, struct pd_fail *fail)
{
	sv_lock(core);
	struct sv_group_settings settings = change->group->settings;
	sv_unlock(core);
	if (change->limit >= 0)
		settings.limit = (unsigned)change->limit;
	if (change->paused >= 0)
		settings.paused = change->paused > 0;
	change->settings = settings;
	if (!sv_group_note(&sv_writer(core)->removed, change->group->name, settings))
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a group");
	return sv_removed_jobs_write(&sv_writer(core)->removed, batch, fail);
}

static int put_study(struct st_batch *batch, const struct sv_study_change *change, struct pd_fail *fail)
{
	struct sv_study *study = change->study;
	bool left;
	if (change->remove)
		return st_batch_job_remove(batch, study->id, 1, &left, fail);
	uint32_t id = study->id;
	if (study->revision == 1 && st_batch_job_new(batch, &id, fail))
		return fail->code;
	study->id = id;
	return st_batch_job_put(batch, id, study->record.data, study->record.size, fail);
}

/* A submission and those that are written with it; gives the jobs their numbers. */
static int put_submission(struct st_batch *batch, struct sv_task *task, struct pd_fail *fail)
{
	uint32_t id;
	struct sv_task *more;
	TAILQ_FOREACH(more, &task->with, link)
		if (put_submission(batch, more, fail))
			return fail->code;
	if (st_batch_job_new(batch, &id, fail) || check_record(task, id, fail))
		return fail->code;
	task->job->record.id = id; /* nobody else knows the job yet */
	return st_batch_job_put(batch, id, task->record.data, task->record.size, fail) ||
			       st_batch_event(batch, id, task->event.data, task->event.size, fail)
		       ? fail->code
		       : PD_OK;
}

static void forget_numbers(struct sv_task *task)
{
	struct sv_task *more;
	task->job->record.id = 0;
	TAILQ_FOREACH(more, &task->with, link)
		more->job->record.id = 0;
}

/* `share`: events that a removal may delete. */
static int put_task(struct sv_core *core, struct st_batch *batch, struct sv_task *task, unsigned share,
		    struct pd_fail *fail)
{
	if (task->kind == SV_TASK_GROUP)
		return put_group(core, batch, task->group, fail);
	if (task->kind == SV_TASK_STUDY)
		return put_study(batch, task->study, fail);
	uint32_t id = task->job->record.id;
	bool checkpoint = task->kind == SV_TASK_CHECKPOINT;
	if (task->kind == SV_TASK_SUBMIT)
		return put_submission(batch, task, fail);
	if (task->kind == SV_TASK_REMOVE)
		return put_removal(core, batch, task, share, fail);
	if (check_record(task, id, fail) || (checkpoint && put_table(batch, id, &task->checkpoint, fail)) ||
	    (task->drop_table && st_batch_tt_drop(batch, id, fail)) ||
	    (checkpoint && put_facts(core, batch, task, fail)) ||
	    st_batch_job_put(batch, id, task->record.data, task->record.size, fail))
		return fail->code;
	return task->event.size ? st_batch_event(batch, id, task->event.data, task->event.size, fail) : PD_OK;
}

/* Events that each removal may delete, so that no transaction takes long. */
static unsigned removal_share(struct sv_task *const *group, unsigned count)
{
	unsigned removals = 1;
	for (unsigned i = 0; i < count; i++)
		removals += group[i]->kind == SV_TASK_REMOVE;
	return REMOVE_ALL / removals < REMOVE_SHARE ? REMOVE_ALL / removals : REMOVE_SHARE;
}

static int commit_group(struct sv_core *core, struct sv_task **group, unsigned count, struct pd_fail *fail)
{
	struct st_batch *batch;
	const unsigned share = removal_share(group, count);
	PD_ASSERT(count > 0 && count <= GROUP_MAX);
	PD_ASSERT(!sv_locked(core));
	int rc = st_batch_begin(sv_store(core), &batch, fail);
	if (rc)
		return rc;
	for (unsigned i = 0; !rc && i < count; i++)
		rc = put_task(core, batch, group[i], share, fail);
	if (!rc)
		return st_batch_commit(batch, fail);
	st_batch_abort(batch);
	for (unsigned i = 0; i < count; i++)
		if (group[i]->kind == SV_TASK_SUBMIT)
			forget_numbers(group[i]);
	return rc;
}

/* --- the outcome -------------------------------------------------------------------------- */

/* Tells the loop thread how the task went, and ends the task. */
static void finish_task(struct sv_core *core, struct sv_task *task)
{
	struct sv_job_completion *completion = task->completion;
	PD_ASSERT(completion);
	task->completion = NULL;
	completion->kind = task->kind == SV_TASK_SUBMIT                       ? SV_JOB_SUBMITTED
			   : task->kind == SV_TASK_REMOVE && !task->fail.code ? SV_JOB_REMOVED
									      : SV_JOB_RECORDED;
	completion->job = task->job;
	completion->number = task->number;
	completion->state = task->state;
	completion->fail = task->fail;
	sv_completion_post(core, &completion->base);
	sv_task_free(task);
}

/* Under the lock: after the record of a request, or the last one of a run, nothing more is under way. When the server
 * stops, the search thread has left before. */
static void finish_phase(struct sv_job *job, const struct sv_task *task)
{
	bool settled = task->kind == SV_TASK_CHECKPOINT
			       ? task->ends_run && job->run.phase == SV_PHASE_CLOSING
			       : job->run.phase == SV_PHASE_CLOSING || job->run.phase == SV_PHASE_CHANGING;
	if (settled)
		sv_job_enter(job, SV_PHASE_REST);
}

/* Under the lock: a checkpoint is lost, so the search thread leaves the job and records how its run ends, unless it has
 * done so already. */
static void break_run(struct sv_job *job, const struct sv_task *task)
{
	if (job->run.phase == SV_PHASE_SEARCHING || job->run.phase == SV_PHASE_ENDING ||
	    (job->run.phase == SV_PHASE_CLOSING && task->ends_run))
		sv_job_enter(job, SV_PHASE_BROKEN);
}

/* Under the lock: a group's settings are on disk; on failure the note is restored. */
static void finish_group(struct sv_core *core, struct sv_task *task)
{
	struct sv_group_change *change = task->group;
	change->fail = task->fail;
	if (!task->fail.code)
		change->group->settings = change->settings;
	bool noted = sv_group_note(&sv_writer(core)->removed, change->group->name, change->group->settings);
	PD_ASSERT(noted || task->fail.code == PD_E_NO_MEMORY);
	pthread_cond_broadcast(&sv_search_threads(core)->work);
	sv_completion_post(core, &change->base);
	sv_task_free(task);
}

/* Under the lock: wakes the thread that has posted the change. */
static void finish_study(struct sv_core *core, struct sv_task *task)
{
	task->study->fail = task->fail;
	task->study->done = true;
	pthread_cond_broadcast(&sv_writer(core)->written);
	sv_task_free(task);
}

/* Under the lock: the task is on disk. */
static void apply_task(struct sv_core *core, struct sv_task *task)
{
	struct sv_job *job = task->job;
	PD_ASSERT(sv_locked(core));
	PD_ASSERT(task->number && task->number <= job->run.records);
	if (task->kind == SV_TASK_REMOVE) {
		if (task->removal.unfinished) {
			TAILQ_INSERT_TAIL(&sv_writer(core)->tasks, task, link);
			sv_writer(core)->task_count++;
		} else {
			finish_task(core, task); /* its phase stays until the loop thread has forgotten the job */
		}
		return;
	}
	if (task->kind == SV_TASK_CHECKPOINT) {
		job->run.checkpoint_posted = false;
		job->run.checkpoint_ms = pd_wall_ms();
		job->run.table_bytes = task->checkpoint.table_bytes;
		sv_job_note_bounds(job, &task->progress);
	}
	if (task->kind == SV_TASK_RECORD)
		sv_change_apply(job, &task->change.change);
	if (task->kind == SV_TASK_CHECKPOINT || task->ends_run) {
		job->record.progress = task->progress;
		job->record.seconds = task->seconds;
		job->record.cpu = task->cpu;
	}
	enum sv_state from = job->record.state;
	if (task->kind == SV_TASK_SUBMIT) {
		sv_job_log_submitted(&sv_writer(core)->log, job);
	} else {
		sv_job_move(job, task->state);
		sv_job_log_moved(&sv_writer(core)->log, job, from);
	}
	if (sv_state_over(task->state))
		sv_index_idle(job, task->idle_bytes);
	finish_phase(job, task);
	if (task->ends_run)
		job->run.want = SV_GO_ON;
	if (job->run.trouble.code)
		sv_job_log_trouble_over(job);
	sv_index_trouble(job, NULL);
	job->run.changes++;
	pthread_cond_broadcast(&sv_writer(core)->written);
	if (task->kind != SV_TASK_CHECKPOINT || task->ends_run) /* another job may begin now */
		pthread_cond_broadcast(&sv_search_threads(core)->work);
	finish_task(core, task);
}

/* Under the lock: there is no room for a record of a run. It is tried again; the job shows as paused meanwhile. */
static void keep_task(struct sv_core *core, struct sv_task *task)
{
	struct sv_job *job = task->job;
	if (!job->run.trouble.code)
		sv_job_log_trouble(job, task->fail.text);
	sv_index_trouble(job, &task->fail);
	job->run.changes++;
	pthread_cond_broadcast(&sv_writer(core)->written);
	pthread_cond_broadcast(&sv_search_threads(core)->picture_made); /* its run may not make one for a long time */
	sv_job_report_trouble(core, job, &task->fail);
	job->calls.trouble_completion.state = task->state; /* the state after the record */
}

/* Under the lock: how the run ends whose checkpoint cannot be written. */
static void end_broken(struct sv_job *job, const struct sv_task *task)
{
	const struct sv_task_checkpoint *c = &task->checkpoint;
	bool failed = !c->lied; /* else it goes on once what the lying worker gave is taken back */
	job->run.broken.state = failed ? SV_FAILED : SV_QUEUED;
	job->record.contradiction = !failed || task->fail.code != PD_E_CONFLICT ? SV_NO_CONTRADICTION
				    : c->leaves                                 ? SV_CONTRADICTION_OF_LEAVES
										: SV_CONTRADICTION;
	snprintf(job->record.reason, sizeof job->record.reason, "%.190s", failed ? task->fail.text : "");
}

/* Under the lock: the task cannot be committed. True when it is kept. */
static bool fail_task(struct sv_core *core, struct sv_task *task)
{
	struct sv_job *job = task->job;
	PD_ASSERT(sv_locked(core));
	PD_ASSERT(task->fail.code);
	bool lasting = task->fail.code == PD_E_CONFLICT || task->fail.code == PD_E_CORRUPT ||
		       task->fail.code == PD_E_LIMIT || task->fail.code == PD_E_INTERNAL;
	bool own = task->kind == SV_TASK_CHECKPOINT || task->ends_run;
	if (own && !lasting && !sv_writer(core)->stop) {
		keep_task(core, task);
		return true;
	}
	if (own)
		pd_log(PD_LOG_ERROR, "job %u: a checkpoint cannot be written: %s", job->record.id, task->fail.text);
	if (task->kind == SV_TASK_CHECKPOINT) {
		job->run.checkpoint_posted = false;
		job->run.want = SV_WANT_STOP;
		if (lasting)
			break_run(job, task);
		end_broken(job, task);
	} else {
		finish_phase(job, task); /* if it is running on disk, it goes on at the next start */
	}
	if (task->kind == SV_TASK_REMOVE)
		sv_writer(core)->removing--;
	if (task->kind == SV_TASK_REMOVE || (task->kind == SV_TASK_RECORD && task->change.change.tableless))
		sv_writer(core)->removal_failed_ns = pd_now_ns();
	job->run.changes++;
	pthread_cond_broadcast(&sv_writer(core)->written);
	pthread_cond_broadcast(&sv_search_threads(core)->work);
	finish_task(core, task);
	return false;
}

/* Under the lock: of a kept checkpoint of a job that is to be cancelled only the facts are worth writing. */
static void strip_checkpoint(struct sv_task *task)
{
	if (task->kind != SV_TASK_CHECKPOINT || task->ends_run || task->job->run.phase != SV_PHASE_SEARCHING ||
	    task->job->run.want != SV_WANT_CANCEL)
		return;
	sv_task_drop_table(task); /* a cancelled job has no table */
}

static void warn_slow(struct sv_task *const *group, unsigned count, uint64_t took_ns)
{
	unsigned job = group[0]->job ? group[0]->job->record.id : 0; /* settings and studies belong to none */
	if (took_ns > SLOW_S * UINT64_C(1000000000))
		pd_log(PD_LOG_WARN, "slow checkpoint: the commit of job %u%s took %.1f s; the disk does not keep up",
		       job, count > 1 ? " and others" : "", (double)took_ns / 1e9);
}

/* The first kept task of the job; NULL: none. */
static struct sv_task *find_kept(const struct sv_tasks *kept, const struct sv_job *job)
{
	struct sv_task *task;
	TAILQ_FOREACH(task, kept, link)
		if (task->job == job)
			return task;
	return NULL;
}

/* Puts a task last, but before later tasks of its job. */
static void keep_in_order(struct sv_tasks *kept, struct sv_task *task)
{
	struct sv_task *later = find_kept(kept, task->job);
	PD_ASSERT(task->job && (!later || later->number > task->number));
	if (later)
		TAILQ_INSERT_BEFORE(later, task, link);
	else
		TAILQ_INSERT_TAIL(kept, task, link);
}

/* Under the lock: a task has been tried. True when it is kept, to be tried again. */
static bool end_task(struct sv_core *core, struct sv_task *task)
{
	struct sv_task *more;
	if (task->kind == SV_TASK_GROUP) {
		finish_group(core, task);
		return false;
	}
	if (task->kind == SV_TASK_STUDY) {
		finish_study(core, task);
		return false;
	}
	while (task->kind == SV_TASK_SUBMIT && (more = TAILQ_FIRST(&task->with)) != NULL) {
		TAILQ_REMOVE(&task->with, more, link);
		more->fail = task->fail;
		end_task(core, more);
	}
	if (task->fail.code)
		return fail_task(core, task);
	apply_task(core, task);
	return false;
}

/* Commits the tasks together or, if that fails, one by one; those that must wait for room go to `kept`. True when there
 * were any. */
static bool commit_tasks(struct sv_core *core, struct sv_task **group, unsigned count, struct sv_tasks *kept)
{
	bool some_kept = false;
	struct pd_fail fail = {0};
	uint64_t begin = pd_now_ns();
	int rc = commit_group(core, group, count, &fail);
	warn_slow(group, count, pd_now_ns() - begin);
	for (unsigned i = 0; i < count; i++) {
		struct sv_task *task = group[i];
		int own = rc;
		if (rc && count > 1)
			own = commit_group(core, &group[i], 1, &fail);
		task->fail = fail;
		task->fail.code = own;
		if (!own && task->kind == SV_TASK_CHECKPOINT && !task->drop_table)
			task->checkpoint.table_bytes = st_tt_bytes(sv_store(core), task->job->record.id);
		if (!own && (task->state == SV_EXHAUSTED || task->state == SV_FAILED) && !task->drop_table)
			task->idle_bytes = st_tt_bytes(sv_store(core), task->job->record.id);
		sv_lock(core);
		if (end_task(core, task)) {
			keep_in_order(kept, task);
			some_kept = true;
		}
		sv_unlock(core);
	}
	return some_kept;
}

/* --- the thread --------------------------------------------------------------------------- */

/* Under the lock: waits at most `ms`. False when there are no tasks then. */
static bool wait_for_tasks(struct sv_core *core, unsigned ms)
{
	uint64_t until_ns = pd_now_ns() + ms * UINT64_C(1000000);
	while (TAILQ_EMPTY(&sv_writer(core)->tasks) && !sv_writer(core)->stop)
		if (!sv_lock_wait_until(core, &sv_writer(core)->wake, until_ns))
			return false;
	return !TAILQ_EMPTY(&sv_writer(core)->tasks);
}

/* Bytes that a task adds to the memory of a transaction, which LMDB keeps afterwards. */
static size_t task_weight(const struct sv_task *task)
{
	const struct sv_task_checkpoint *c = &task->checkpoint;
	if (task->kind != SV_TASK_CHECKPOINT)
		return 0;
	return (c->entry_count + c->snapshot_count) * sizeof *c->entries + c->facts.size;
}

/* The most that the tasks of one transaction may add together. */
static size_t max_weight(const struct sv_core *core)
{
	return sv_config(core)->memory / 16 < GROUP_BYTES ? (size_t)(sv_config(core)->memory / 16) : GROUP_BYTES;
}

/* Two tasks of one job are two moments: they stay apart and in order. */
static bool has_task_of(struct sv_task *const *group, unsigned count, const struct sv_job *job)
{
	for (unsigned i = 0; i < count; i++)
		if (group[i]->job == job)
			return true;
	return false;
}

/* Under the lock: takes as many tasks as one transaction may have from the queue, or from `kept` in order to try them
 * again. Later tasks of a job with a kept one are kept behind it: otherwise the kept checkpoint would undo them on
 * disk, for example the end of the run. */
static unsigned take_group(struct sv_core *core, struct sv_tasks *from, struct sv_tasks *kept, struct sv_task **group)
{
	unsigned count = 0;
	size_t weight = 0;
	struct sv_task *task;
	PD_ASSERT(sv_locked(core));
	while (count < GROUP_MAX && (task = TAILQ_FIRST(from)) != NULL) {
		bool wait = from != kept && task->job && find_kept(kept, task->job);
		if (from == kept)
			strip_checkpoint(task);
		weight += wait ? 0 : task_weight(task);
		if (has_task_of(group, count, task->job) || (count && weight > max_weight(core)))
			break;
		TAILQ_REMOVE(from, task, link);
		sv_writer(core)->task_count -= from != kept;
		if (wait)
			TAILQ_INSERT_TAIL(kept, task, link);
		else
			group[count++] = task;
	}
	return count;
}

bool sv_writer_commit(struct sv_core *core, struct sv_writing *w, bool soon)
{
	struct sv_task *group[GROUP_MAX];
	sv_lock(core);
	bool waiting = !TAILQ_EMPTY(&w->kept), due = waiting && pd_now_ns() >= w->retry_ns;
	bool some = wait_for_tasks(core, w->more_facts || due || soon ? 0 : waiting ? RETRY_MS : IDLE_MS);
	/* Tidying up takes room, so it waits while the disk is short of it. */
	w->idle = !some && !sv_search_threads(core)->searching && sv_search_threads(core)->quota.hold != SV_HOLD_DISK;
	bool end = sv_writer(core)->stop && TAILQ_EMPTY(&sv_writer(core)->tasks) && !waiting;
	struct sv_tasks *from = some && !due ? &sv_writer(core)->tasks : &w->kept;
	unsigned count = end ? 0 : take_group(core, from, &w->kept, group);
	sv_unlock(core);
	if (count && commit_tasks(core, group, count, &w->kept))
		w->retry_ns = pd_now_ns() + RETRY_MS * UINT64_C(1000000);
	return !end;
}

void sv_writer_move_facts(struct sv_core *core, struct sv_writing *w)
{
	struct pd_fail fail;
	do { /* searches with more facts wait for the writer meanwhile */
		sv_pulse_beat(core);
		int rc = TAILQ_EMPTY(&w->kept) ? st_facts_maintain(sv_store(core), w->idle, &fail) : 0;
		if (rc < 0 && !w->facts_stuck)
			pd_log(PD_LOG_WARN, "facts cannot be moved for now: %s", fail.text);
		w->facts_stuck = TAILQ_EMPTY(&w->kept) ? rc < 0 : w->facts_stuck;
		w->more_facts = rc > 0;
	} while (w->more_facts && st_facts_pressing(sv_store(core)));
}
