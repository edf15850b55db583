#include "server/jobs/run/checkpoint.h"

#include <stdio.h>
#include <stdlib.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "server/common/core_parts.h"
#include "server/common/open_games.h"
#include "server/common/pulse.h"
#include "server/jobs/model/crashes.h"
#include "server/common/memory_bound.h"
#include "server/jobs/queue/scheduler.h"
#include "server/jobs/write/task.h"
#include "server/jobs/index/job_index.h"
#include "server/jobs/model/tt_entry.h"

enum {
	INTERVAL_NS_FIRST = 100000000,
	RUN_SHARE = 8,            /* a young run's age divided by this is the time between two checkpoints */
	SNAPSHOT_SHARE = 1 << 16, /* table entries that a checkpoint adds to the snapshot */
	SNAPSHOT_SLACK = 100000,  /* fewer journal entries are not worth a snapshot */
	ENTRIES_CHUNK = 1 << 12,
	RATE_NS = 500000000, /* between two measurements of the rate */
	HISTORY_POINTS = 200 /* the least time between two points is the search time divided by this */
};

void sv_run_publish(struct sv_run *r)
{
	struct sv_job *job = r->job;
	struct sv_snapshot *s = &job->run.snapshot;
	uint64_t before = s->progress.level1 + s->progress.level2;
	pn_solver_progress(r->solver, &s->progress);
	uint64_t nodes = s->progress.level1 + s->progress.level2;
	PD_ASSERT(sv_locked(r->core));
	sv_pulse_beat(r->core);
	s->leading[0] = 0;
	if (s->progress.leading != PD_NO_MOVE)
		r->game->rules->move_print(r->game, r->state, s->progress.leading, s->leading, sizeof s->leading);
	PD_DEBUG_ASSERT(nodes >= before);
	sv_search_threads(r->core)->nodes += nodes - before;
	s->seconds = r->meter.seconds_before + (double)r->meter.searched_ns / 1e9;
	s->cpu = r->meter.cpu_before + (double)(r->meter.cpu_ns + r->group.cpu_ns + r->remote.cpu_ns) / 1e9;
	if (r->meter.searched_ns - r->meter.rate_ns > RATE_NS) {
		double rate =
			(double)(nodes - r->meter.rate_nodes) * 1e9 / (double)(r->meter.searched_ns - r->meter.rate_ns);
		s->rate = s->rate > 0 ? 0.5 * s->rate + 0.5 * rate : rate;
		r->meter.rate_ns = r->meter.searched_ns;
		r->meter.rate_nodes = nodes;
	}
	job->run.changes++;
}

/* False without memory. */
static bool take_entries(struct sv_run *r, struct sv_task_checkpoint *c)
{
	struct pn_entry chunk[256];
	size_t n, room = 0;
	while ((n = pn_solver_take_entries(r->solver, chunk, 256)) > 0) {
		if (c->entry_count + n > room) {
			room = room ? 2 * room : ENTRIES_CHUNK;
			struct st_tt_entry *entries = realloc(c->entries, room * sizeof *entries);
			if (!entries)
				return false;
			c->entries = entries;
		}
		for (size_t i = 0; i < n; i++)
			sv_entry_pack(&chunk[i], &c->entries[c->entry_count++]);
	}
	r->journal.entries += c->entry_count;
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
static bool take_snapshot(struct sv_run *r, struct sv_task_checkpoint *c)
{
	struct pn_progress p;
	pn_solver_progress(r->solver, &p);
	if (!r->journal.snapshotting) {
		if (r->journal.entries < 2 * p.entries + SNAPSHOT_SLACK)
			return true;
		r->journal.snapshotting = c->snapshot_start = true;
		r->journal.cursor = 0;
		r->journal.entries = 0;
	}
	struct pn_entry *copy = malloc(SNAPSHOT_SHARE * sizeof *copy);
	c->snapshot = malloc(SNAPSHOT_SHARE * sizeof *c->snapshot);
	bool ok = copy && c->snapshot;
	if (ok) {
		c->snapshot_count = pn_solver_snapshot(r->solver, &r->journal.cursor, copy, SNAPSHOT_SHARE);
		PD_ASSERT(c->snapshot_count <= SNAPSHOT_SHARE);
		for (size_t i = 0; i < c->snapshot_count; i++)
			sv_entry_pack(&copy[i], &c->snapshot[i]);
		if (r->journal.cursor == UINT64_MAX) {
			r->journal.snapshotting = false;
			c->snapshot_end = true;
		}
	}
	free(copy);
	return ok;
}

/* Waits until the previous checkpoint is written or, while there is no room for it, the server stops or (with `cancel`)
 * the job is cancelled. Returns with the lock held. */
static void wait_written(struct sv_run *r, bool cancel)
{
	const struct sv_job_run *run = &r->job->run;
	sv_lock(r->core);
	while (run->checkpoint_posted &&
	       !(run->trouble.code && (sv_search_threads(r->core)->stop || (cancel && run->want == SV_WANT_CANCEL))))
		sv_lock_wait(r->core, &sv_writer(r->core)->written);
}

bool sv_run_wait_written(struct sv_run *r)
{
	wait_written(r, false);
	bool ok = !r->job->run.checkpoint_posted && r->job->run.phase != SV_PHASE_BROKEN;
	sv_unlock(r->core);
	return ok;
}

bool sv_run_cancelled_meanwhile(struct sv_run *r)
{
	wait_written(r, true);
	bool cancelled = r->job->run.checkpoint_posted && r->job->run.want == SV_WANT_CANCEL;
	sv_unlock(r->core);
	return cancelled;
}

void sv_run_break(struct sv_job *job, enum sv_state state)
{
	if (job->run.phase != SV_PHASE_BROKEN)
		sv_job_enter(job, SV_PHASE_BROKEN);
	job->run.broken.state = state;
	job->record.contradiction = SV_NO_CONTRADICTION;
}

void sv_run_lose(struct sv_run *r)
{
	struct sv_job *job = r->job;
	pd_log(PD_LOG_ERROR, "job %u: no memory for a checkpoint", job->record.id);
	sv_run_break(job, SV_PAUSED);
	snprintf(job->record.reason, sizeof job->record.reason, "no memory for a checkpoint; resume it when there is");
}

uint64_t sv_run_work(const struct sv_job *job)
{
	const struct pn_progress *p = &job->run.snapshot.progress;
	bool tree = !pn_algorithm_has_tt(job->record.spec.algorithm);
	return p->entries + (tree ? 0 : p->facts);
}

/* Under the lock, after publishing: if the run is cleared, forgets the crashes that the job may have caused. */
static void note_crashes(struct sv_run *r)
{
	struct sv_job *job = r->job;
	struct sv_witness witness = {r->meter.searched_ns, r->meter.work_before, sv_run_work(job), true};
	if (!job->record.crashes)
		return;
	if (witness.after > witness.before)
		witness.memory_short = sv_memory_short(sv_bound(r->core)->bytes);
	if (sv_run_cleared(&witness))
		job->record.crashes = 0;
}

static void set_due_time(struct sv_run *r)
{
	uint64_t now = pd_now_ns(), interval = (now - r->meter.start_ns) / RUN_SHARE;
	uint64_t full = (uint64_t)(sv_config(r->core)->checkpoint_s * 1e9);
	if (interval < INTERVAL_NS_FIRST)
		interval = INTERVAL_NS_FIRST;
	r->due_ns = now + (interval < full ? interval : full);
}

/* A task with what has changed since the last checkpoint; of a cancelled job only the facts. With the last one the
 * solver is freed, so that its memory does not wait for the disk. NULL without memory. */
static struct sv_task *take_checkpoint(struct sv_run *r, enum sv_state state)
{
	struct sv_core *core = r->core;
	struct sv_task *task = sv_task_new(SV_TASK_CHECKPOINT, r->job, state);
	if (!task)
		return NULL;
	PD_ASSERT(r->solver && !r->in_round); /* all threads stand still: one moment of the search */
	struct sv_task_checkpoint *c = &task->checkpoint;
	sv_game_share(core, r->game);
	c->core = core;
	c->game = r->game;
	c->question = r->question;
	task->drop_table = state == SV_SOLVED || state == SV_CANCELLED;
	task->ends_run = state != SV_RUNNING;
	if (!r->lookup.game_id) /* another job may have stored the first facts of the game */
		r->lookup.game_id = st_game_find(sv_store(core), r->game->name, game_version(r->game));
	bool ok = task->drop_table || (take_entries(r, c) && (sv_state_over(state) || take_snapshot(r, c)));
	pn_solver_take_facts(r->solver, take_fact, &c->facts);
	sv_lock(core);
	sv_run_publish(r);
	note_crashes(r);
	sv_unlock(core);
	if (task->ends_run) {
		pn_solver_free(r->solver);
		r->solver = NULL;
	}
	if (ok && !c->facts.failed)
		return task;
	sv_task_free(task);
	return NULL;
}

/* Under the lock: cancels the job, as was promised before its run ended in another way. */
static void cancel_instead(struct sv_job *job, struct sv_task *task)
{
	PD_ASSERT(task->ends_run && job->run.phase != SV_PHASE_CLOSING);
	sv_task_drop_table(task);
	task->state = SV_CANCELLED;
	job->record.on_hold = SV_HOLD_NONE;
	job->record.reason[0] = 0;
	job->record.finished_ms = pd_wall_ms();
}

/* Under the lock, which it releases: posts the task with the job's record. False when it is lost for lack of memory;
 * the task may be NULL for the same reason. */
static bool post_and_unlock(struct sv_run *r, struct sv_task *task, const char *event)
{
	bool ok = task && sv_task_record(task, event);
	if (ok)
		sv_task_post(r->core, task);
	else
		sv_run_lose(r);
	sv_unlock(r->core);
	if (!ok)
		sv_task_free(task);
	set_due_time(r);
	return ok;
}

bool sv_run_checkpoint(struct sv_run *r, enum sv_state state, const char *event)
{
	struct sv_core *core = r->core;
	struct sv_job *job = r->job;
	if (state != SV_CANCELLED && !sv_run_wait_written(r))
		return false;
	struct sv_task *task = take_checkpoint(r, state);
	if (!task) {
		sv_lock(core);
		sv_run_lose(r);
		sv_unlock(core);
		return false;
	}
	if (!sv_run_wait_written(r)) {
		sv_task_free(task);
		return false;
	}
	sv_lock(core);
	job->run.checkpoint_wanted = false;
	if (job->run.want == SV_WANT_CANCEL && task->ends_run && state != SV_SOLVED && state != SV_CANCELLED) {
		cancel_instead(job, task);
		event = "cancelled";
	}
	uint64_t now = pd_now_ns();
	if (!event && now >= r->event_ns)
		event = "checkpoint";
	if (event)
		r->event_ns = now + (uint64_t)(job->run.snapshot.seconds * 1e9 / HISTORY_POINTS);
	return post_and_unlock(r, task, event);
}

bool sv_run_begin(struct sv_run *r)
{
	struct sv_core *core = r->core;
	struct sv_job *job = r->job;
	struct sv_task *task = sv_task_new(SV_TASK_CHECKPOINT, job, SV_RUNNING);
	sv_lock(core);
	PD_ASSERT(job->run.snapshot.progress.lo == job->record.progress.lo);
	PD_ASSERT(job->run.snapshot.progress.hi == job->record.progress.hi);
	bool resumed = job->record.started_ms != 0;
	if (!resumed)
		job->record.started_ms = pd_wall_ms();
	job->record.reason[0] = 0;
	return post_and_unlock(r, task, resumed ? "resumed" : "started") && sv_run_wait_written(r);
}
