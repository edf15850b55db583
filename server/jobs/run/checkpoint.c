#include "server/jobs/run/checkpoint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "server/common/core_state.h"
#include "server/common/open_games.h"
#include "server/common/pulse.h"
#include "server/jobs/model/crashes.h"
#include "server/jobs/model/job_record.h"
#include "server/common/memory_bound.h"
#include "server/jobs/queue/scheduler.h"
#include "server/jobs/write/task.h"
#include "server/jobs/index/transition.h"
#include "server/jobs/model/tt_entry.h"
#include "store/store.h"

enum {
	INTERVAL_NS_FIRST = 100000000,
	RUN_SHARE = 8,            /* of a run's age lies between two checkpoints while it is young */
	SNAPSHOT_SHARE = 1 << 16, /* table entries that a checkpoint adds to the snapshot */
	SNAPSHOT_SLACK = 100000,  /* journal entries below which no snapshot is worth while */
	ENTRIES_CHUNK = 1 << 12,
	RATE_NS = 500000000, /* between two measurements of the rate */
	HISTORY_POINTS = 200 /* at least that many points of the history are kept, evenly in time */
};

void sv_run_publish(struct sv_run *r)
{
	struct sv_job *job = r->job;
	uint64_t before = job->progress.level1 + job->progress.level2;
	pn_solver_progress(r->solver, &job->progress);
	uint64_t nodes = job->progress.level1 + job->progress.level2;
	PD_ASSERT(sv_mutex_held(&r->core->lock));
	sv_pulse_beat(r->core);
	job->leading[0] = 0;
	if (job->progress.leading != PD_NO_MOVE)
		r->game->rules->move_print(r->game, r->state, job->progress.leading, job->leading, sizeof job->leading);
	PD_DEBUG_ASSERT(nodes >= before);
	r->core->workers->nodes += nodes - before;
	job->seconds = r->searched_before + (double)r->searched_ns / 1e9;
	job->cpu = r->cpu_before + (double)(r->cpu_ns + r->group.cpu_ns + r->remote.cpu_ns) / 1e9;
	if (r->searched_ns - r->rate_ns > RATE_NS) {
		double rate = (double)(nodes - r->rate_nodes) * 1e9 / (double)(r->searched_ns - r->rate_ns);
		job->rate = job->rate > 0 ? 0.5 * job->rate + 0.5 * rate : rate;
		r->rate_ns = r->searched_ns;
		r->rate_nodes = nodes;
	}
	job->changes++;
}

/* Changed entries of the transposition table. False without memory. */
static bool take_entries(struct sv_run *r, struct sv_task *task)
{
	struct pn_entry chunk[256];
	size_t n, room = 0;
	while ((n = pn_solver_take_entries(r->solver, chunk, 256)) > 0) {
		if (task->entry_count + n > room) {
			room = room ? 2 * room : ENTRIES_CHUNK;
			struct st_tt_entry *entries = realloc(task->entries, room * sizeof *entries);
			if (!entries)
				return false;
			task->entries = entries;
		}
		for (size_t i = 0; i < n; i++)
			sv_entry_pack(&chunk[i], &task->entries[task->entry_count++]);
	}
	r->journal_entries += task->entry_count;
	return true;
}

static void take_fact(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *reason)
{
	struct pd_buf *facts = ctx;
	uint16_t key_size = (uint16_t)size;
	pd_buf_put(facts, &key_size, sizeof key_size);
	pd_buf_put(facts, reason, sizeof *reason);
	pd_buf_put(facts, key, size);
}

/* A share of the rolling snapshot, when one is due. */
static bool take_snapshot(struct sv_run *r, struct sv_task *task)
{
	struct pn_progress p;
	pn_solver_progress(r->solver, &p);
	if (!r->snapshotting) {
		if (r->journal_entries < 2 * p.entries + SNAPSHOT_SLACK)
			return true;
		r->snapshotting = task->snapshot_start = true;
		r->cursor = 0;
		r->journal_entries = 0;
	}
	struct pn_entry *copy = malloc(SNAPSHOT_SHARE * sizeof *copy);
	task->snapshot = malloc(SNAPSHOT_SHARE * sizeof *task->snapshot);
	bool ok = copy && task->snapshot;
	if (ok) {
		task->snapshot_count = pn_solver_snapshot(r->solver, &r->cursor, copy, SNAPSHOT_SHARE);
		PD_ASSERT(task->snapshot_count <= SNAPSHOT_SHARE);
		for (size_t i = 0; i < task->snapshot_count; i++)
			sv_entry_pack(&copy[i], &task->snapshot[i]);
		if (r->cursor == UINT64_MAX) {
			r->snapshotting = false;
			task->snapshot_end = true;
		}
	}
	free(copy);
	return ok;
}

bool sv_run_wait_written(struct sv_run *r)
{
	struct sv_core *core = r->core;
	sv_mutex_lock(&core->lock);
	while (r->job->checkpoint_posted && !(core->stop_workers && r->job->disk_trouble))
		sv_mutex_wait(&core->lock, &core->writer->written);
	bool ok = !r->job->checkpoint_posted && r->job->phase != SV_PHASE_BROKEN;
	sv_mutex_unlock(&core->lock);
	return ok;
}

bool sv_run_cancelled_meanwhile(struct sv_run *r)
{
	struct sv_core *core = r->core;
	struct sv_job *job = r->job;
	sv_mutex_lock(&core->lock);
	while (job->checkpoint_posted && !(job->disk_trouble && (core->stop_workers || job->want == SV_WANT_CANCEL)))
		sv_mutex_wait(&core->lock, &core->writer->written);
	bool cancelled = job->checkpoint_posted && job->want == SV_WANT_CANCEL;
	sv_mutex_unlock(&core->lock);
	return cancelled;
}

void sv_run_break(struct sv_job *job, enum sv_state state)
{
	if (job->phase != SV_PHASE_BROKEN)
		sv_job_enter(job, SV_PHASE_BROKEN);
	job->broken_state = state;
}

void sv_run_lose(struct sv_run *r)
{
	struct sv_job *job = r->job;
	pd_log(PD_LOG_ERROR, "job %u: no memory for a checkpoint", job->id);
	sv_run_break(job, SV_PAUSED);
	snprintf(job->reason, sizeof job->reason, "there was no memory for a checkpoint; resume it when there is");
}

uint64_t sv_run_work(const struct sv_job *job)
{
	const struct pn_progress *p = &job->progress;
	bool tree = !pn_algorithm_has_tt(job->spec.algorithm);
	return p->entries + (tree ? 0 : p->facts);
}

/* Under the lock, after publish: what a crash from now on says of the job. */
static void note_crashes(struct sv_run *r)
{
	struct sv_job *job = r->job;
	struct sv_witness witness = {r->searched_ns, r->work_before, sv_run_work(job), true};
	if (!job->crashes)
		return;
	if (witness.after > witness.before)
		witness.memory_short = sv_memory_short(r->core->memory_bound);
	if (sv_run_cleared(&witness))
		job->crashes = 0;
}

/* When the next checkpoint is to be. */
static void set_due(struct sv_run *r)
{
	uint64_t now = pd_now_ns(), interval = (now - r->start_ns) / RUN_SHARE;
	uint64_t full = (uint64_t)(r->core->config.checkpoint_s * 1e9);
	if (interval < INTERVAL_NS_FIRST)
		interval = INTERVAL_NS_FIRST;
	r->due_ns = now + (interval < full ? interval : full);
}

/* A task with what has changed since the last checkpoint. For a cancelled job only the facts: its table is dropped.
 * After the last one the search is given up, so that its memory does not wait for the disk. NULL without memory. */
static struct sv_task *take(struct sv_run *r, enum sv_state state)
{
	struct sv_core *core = r->core;
	struct sv_task *task = sv_task_new(SV_TASK_CHECKPOINT, r->job, state);
	if (!task)
		return NULL;
	PD_ASSERT(r->solver && !r->in_round); /* all threads stand still: one moment of the search */
	sv_game_share(core, r->game);
	task->core = core;
	task->game = r->game;
	task->question = r->question;
	task->drop_table = state == SV_SOLVED || state == SV_CANCELLED;
	task->ends_run = state != SV_RUNNING;
	if (!r->lookup.game_id) /* another job may have stored the first facts of the game */
		r->lookup.game_id = st_game_find(core->store, r->game->name, game_version(r->game));
	bool ok = task->drop_table || (take_entries(r, task) && (sv_state_over(state) || take_snapshot(r, task)));
	pn_solver_take_facts(r->solver, take_fact, &task->facts);
	sv_mutex_lock(&core->lock);
	sv_run_publish(r);
	note_crashes(r);
	task->progress = r->job->progress;
	sv_mutex_unlock(&core->lock);
	if (task->ends_run) {
		pn_solver_free(r->solver);
		r->solver = NULL;
	}
	if (ok && !task->facts.failed)
		return task;
	sv_task_free(task);
	return NULL;
}

/* Under the lock: the job is to be cancelled, and was promised to be, after its run was found to end in another way.
 */
static void cancel_instead(struct sv_job *job, struct sv_task *task)
{
	PD_ASSERT(task->ends_run && job->phase != SV_PHASE_CLOSING);
	sv_task_drop_table(task);
	task->state = SV_CANCELLED;
	job->on_hold = SV_HOLD_NONE;
	job->reason[0] = 0;
	job->finished_ms = pd_wall_ms();
}

bool sv_run_checkpoint(struct sv_run *r, enum sv_state state, const char *event)
{
	struct sv_core *core = r->core;
	struct sv_job *job = r->job;
	if (state != SV_CANCELLED && !sv_run_wait_written(r))
		return false;
	struct sv_task *task = take(r, state);
	if (!task) {
		sv_mutex_lock(&core->lock);
		sv_run_lose(r);
		sv_mutex_unlock(&core->lock);
		return false;
	}
	if (!sv_run_wait_written(r)) {
		sv_task_free(task);
		return false;
	}
	sv_mutex_lock(&core->lock);
	job->checkpoint_wanted = false;
	if (job->want == SV_WANT_CANCEL && task->ends_run && state != SV_SOLVED && state != SV_CANCELLED) {
		cancel_instead(job, task);
		event = "cancelled";
	}
	sv_job_record(job, task->state, NULL, &task->record);
	uint64_t now = pd_now_ns();
	if (event || now >= r->event_ns) {
		sv_job_event(job, event ? event : "checkpoint", &task->event);
		r->event_ns = now + (uint64_t)(job->seconds * 1e9 / HISTORY_POINTS);
	}
	bool ok = !task->record.failed && !task->event.failed;
	if (ok)
		sv_task_post(core, task);
	else
		sv_run_lose(r);
	sv_mutex_unlock(&core->lock);
	if (!ok)
		sv_task_free(task);
	set_due(r);
	return ok;
}

bool sv_run_begin(struct sv_run *r)
{
	struct sv_core *core = r->core;
	struct sv_job *job = r->job;
	struct sv_task *task = sv_task_new(SV_TASK_CHECKPOINT, job, SV_RUNNING);
	sv_mutex_lock(&core->lock);
	PD_ASSERT(job->progress.lo == job->kept.lo && job->progress.hi == job->kept.hi);
	bool resumed = job->resumed = job->started_ms != 0;
	if (!resumed)
		job->started_ms = pd_wall_ms();
	job->reason[0] = 0;
	if (task) {
		sv_job_record(job, SV_RUNNING, NULL, &task->record);
		sv_job_event(job, resumed ? "resumed" : "started", &task->event);
	}
	bool ok = task && !task->record.failed && !task->event.failed;
	if (ok) {
		task->progress = job->kept; /* nothing new */
		sv_task_post(core, task);
	} else {
		sv_run_lose(r);
	}
	sv_mutex_unlock(&core->lock);
	if (!ok)
		sv_task_free(task);
	set_due(r);
	return ok && sv_run_wait_written(r);
}
