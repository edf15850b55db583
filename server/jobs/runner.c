#include "server/jobs/runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "server/common/core_state.h"
#include "server/common/mutex.h"
#include "server/common/open_games.h"
#include "server/jobs/crashes.h"
#include "server/jobs/job.h"
#include "server/jobs/job_hooks.h"
#include "server/jobs/job_record.h"
#include "server/jobs/job_spec.h"
#include "server/jobs/job_state.h"
#include "server/jobs/memory_bound.h"
#include "server/jobs/scheduler.h"
#include "server/jobs/search_group.h"
#include "server/jobs/task.h"
#include "server/jobs/tt_entry.h"

enum {
	SLICE_NS = 5000000, /* aimed at */
	SLICE_NODES_FIRST = 2000,
	INTERVAL_NS_FIRST = 100000000,
	RUN_SHARE = 8,         /* of a run's age lies between two checkpoints while it is young */
	SWEEP_SHARE = 1 << 16, /* table entries a checkpoint adds to the snapshot */
	SWEEP_SLACK = 100000,  /* journal entries below which no snapshot is worth while */
	ENTRIES_CHUNK = 1 << 12,
	RESULT_MAX = ST_JOB_MAX - 8192, /* the rest is for the other members of a record */
	HISTORY_POINTS = 200            /* at least so many points of the history are kept, evenly in time */
};

struct runner {
	struct sv_core *core;
	struct sv_job *job;
	struct game *game;
	struct sv_lookup lookup; /* its game has no number before its first facts */
	struct pn_solver *solver;
	struct pd_id question; /* what the table's entries mean */
	struct sv_search_group group;
	bool walking;                 /* a round is under way */
	uint8_t *state;               /* the root */
	uint64_t slice;               /* nodes */
	uint64_t start_ns;            /* of this run */
	uint64_t due_ns;              /* of the next checkpoint */
	uint64_t event_ns;            /* when the next point of the history is due */
	uint64_t work_before;         /* table entries and facts of the job when the run began */
	double searched_before;       /* seconds of earlier runs */
	uint64_t searched_ns;         /* of this one */
	uint64_t rate_ns, rate_nodes; /* at the last measuring of the rate */
	uint64_t journal_entries;     /* written since the last sweep began */
	bool snapshotting;
	uint64_t cursor;
	bool table_lost; /* it is damaged on disk */
};

/* --- the table on disk -------------------------------------------------------------------- */

static int load_entries(void *ctx, const struct st_tt_entry *entries, size_t count)
{
	struct runner *r = ctx;
	for (size_t i = 0; i < count; i++) {
		struct pn_entry e;
		sv_entry_unpack(&entries[i], &e);
		pn_solver_load(r->solver, &e, 1);
	}
	return PD_OK;
}

/* The table as it is on disk, if it belongs to this job's question. */
static int load_table(struct runner *r, struct pd_fail *fail)
{
	struct st_store *store = r->core->store;
	struct pd_id known;
	int rc = st_tt_question(store, r->job->id, &known, fail);
	if (rc)
		return rc;
	if (pd_id_equal(known, r->question))
		return st_tt_each(store, r->job->id, load_entries, r, fail);
	if (known.lo || known.hi)
		return pd_fail_set(fail, PD_E_CORRUPT, "tables",
				   "the table of job %u in work.mdb belongs to another question", r->job->id);
	return PD_OK;
}

/* --- opening ------------------------------------------------------------------------------ */

/* Left alone, a job takes all workers. */
static void options_of(const struct sv_core *core, const struct sv_spec *spec, struct pn_options *o)
{
	unsigned workers = core->config.threads, wanted = spec->threads ? spec->threads : workers;
	*o = spec->options;
	o->threads = wanted < workers ? wanted : workers;
	o->algorithm = spec->algorithm;
	o->detail = spec->detail;
	o->memory = spec->memory;
	o->seed = spec->seed;
	o->shorten = spec->shorten;
	o->identity = core->identity;
}

/* Opens the game, if it is still the one that the job asks about: under other rules the answer would be another, and so
 * would every entry of the table. */
static int open_game(struct runner *r, struct pd_fail *fail)
{
	struct sv_job *job = r->job;
	char then[SV_RULES_TEXT] = "not noted", now[SV_RULES_TEXT];
	int rc = sv_game_get(r->core, job->spec.game, &r->game, fail);
	if (rc)
		return rc;
	sv_mutex_lock(&r->core->lock);
	bool differ = sv_job_rules_differ(&job->spec, r->game);
	if (job->spec.rules_known)
		sv_rules_text(job->spec.rules, then);
	if (differ)
		job->broken_event = "rules changed";
	else
		job->spec.rules = r->game->rules_version;
	job->spec.rules_known |= !differ;
	sv_mutex_unlock(&r->core->lock);
	sv_rules_text(r->game->rules_version, now);
	r->question = sv_job_question(&job->spec, r->game, r->core->identity);
	return differ ? pd_fail_set(fail, PD_E_STATE, "game",
				    "the rules of %.80s have changed since it was submitted (version %s, now %s); "
				    "submit it again",
				    r->game->name, then, now)
		      : PD_OK;
}

static int runner_open(struct runner *r, const struct pn_host *host, struct pd_fail *fail)
{
	const struct sv_spec *spec = &r->job->spec;
	struct pn_options options;
	char wanted[SV_SIZE_TEXT], most[SV_SIZE_TEXT];
	if (spec->memory > r->core->config.memory)
		return pd_fail_set(
			fail, PD_E_NO_MEMORY, "memory",
			"it wants %s of memory, and all jobs together get %s here; resume it when there is more",
			sv_size_text(spec->memory, wanted), sv_size_text(r->core->config.memory, most));
	int rc = open_game(r, fail);
	if (rc)
		return rc;
	r->state = aligned_alloc(16, (r->game->state_size + 15) & ~(size_t)15);
	if (!r->state)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a position");
	r->lookup.game = r->game;
	r->lookup.game_id = st_game_find(r->core->store, r->game->name, r->game->rules_version);
	rc = r->game->rules->parse(r->game, spec->position, r->state, fail);
	if (!rc)
		rc = st_reader_open(r->core->store, &r->lookup.reader, fail);
	if (rc)
		return rc;
	options_of(r->core, spec, &options);
	rc = pn_solver_new(r->game, r->state, &spec->claim, &options, host, &r->job->progress, &r->solver, fail);
	if (!rc && r->lookup.failed.code) {
		*fail = r->lookup.failed;
		rc = fail->code;
	}
	if (rc)
		return rc;
	rc = load_table(r, fail);
	r->table_lost = rc == PD_E_CORRUPT;
	return rc;
}

static void runner_close(struct runner *r)
{
	pn_solver_free(r->solver);
	st_reader_close(r->lookup.reader);
	free(r->state);
	if (r->game)
		sv_game_put(r->core, r->game);
}

/* --- checkpoints -------------------------------------------------------------------------- */

/* Under the lock: what everybody may see of the search. */
static void publish(struct runner *r)
{
	struct sv_job *job = r->job;
	uint64_t before = job->progress.level1 + job->progress.level2;
	pn_solver_progress(r->solver, &job->progress);
	uint64_t nodes = job->progress.level1 + job->progress.level2;
	r->core->workers->nodes += nodes - before;
	job->seconds = r->searched_before + (double)r->searched_ns / 1e9;
	if (r->searched_ns - r->rate_ns > 500000000) {
		double rate = (double)(nodes - r->rate_nodes) * 1e9 / (double)(r->searched_ns - r->rate_ns);
		job->rate = job->rate > 0 ? 0.5 * job->rate + 0.5 * rate : rate;
		r->rate_ns = r->searched_ns;
		r->rate_nodes = nodes;
	}
	job->changes++;
}

static bool take_entries(struct runner *r, struct sv_task *task)
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
static bool take_snapshot(struct runner *r, struct sv_task *task)
{
	struct pn_progress p;
	pn_solver_progress(r->solver, &p);
	if (!r->snapshotting) {
		if (r->journal_entries < 2 * p.entries + SWEEP_SLACK)
			return true;
		r->snapshotting = task->snapshot_start = true;
		r->cursor = 0;
		r->journal_entries = 0;
	}
	struct pn_entry *copy = malloc(SWEEP_SHARE * sizeof *copy);
	task->snapshot = malloc(SWEEP_SHARE * sizeof *task->snapshot);
	bool ok = copy && task->snapshot;
	if (ok) {
		task->snapshot_count = pn_solver_snapshot(r->solver, &r->cursor, copy, SWEEP_SHARE);
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

/* Waits until the checkpoint before is written. False when it never will be. */
static bool wait_written(struct runner *r)
{
	struct sv_core *core = r->core;
	sv_mutex_lock(&core->lock);
	while (r->job->writing && !(core->stop_workers && r->job->disk_trouble))
		sv_mutex_wait(&core->lock, &core->writer->written);
	bool ok = !r->job->writing && !r->job->broken;
	sv_mutex_unlock(&core->lock);
	return ok;
}

/* Waits in the same way; true when the job is cancelled while there is no room: the search need not wait for that. */
static bool is_cancelled_meanwhile(struct runner *r)
{
	struct sv_core *core = r->core;
	struct sv_job *job = r->job;
	sv_mutex_lock(&core->lock);
	while (job->writing && !(job->disk_trouble && (core->stop_workers || job->want == SV_WANT_CANCEL)))
		sv_mutex_wait(&core->lock, &core->writer->written);
	bool cancelled = job->writing && job->want == SV_WANT_CANCEL;
	sv_mutex_unlock(&core->lock);
	return cancelled;
}

/* Under the lock: what was taken for a checkpoint is lost for want of memory. The run ends, as of its last checkpoint.
 */
static void lose(struct runner *r)
{
	struct sv_job *job = r->job;
	pd_log(PD_LOG_ERROR, "job %u: no memory for a checkpoint", job->id);
	job->broken = true;
	job->broken_state = SV_PAUSED;
	snprintf(job->reason, sizeof job->reason, "there was no memory for a checkpoint; resume it when there is");
}

/* What a job has gathered. A search without a table begins again at each start and finds the same facts, so there its
 * tree alone counts. */
static uint64_t work_of(const struct sv_job *job)
{
	const struct pn_progress *p = &job->progress;
	bool tree = job->spec.algorithm == PN_PN || job->spec.algorithm == PN_PN2;
	return p->entries + (tree ? 0 : p->facts);
}

/* Under the lock, after publish: what a crash from now on says of the job. */
static void note_crashes(struct runner *r)
{
	struct sv_job *job = r->job;
	struct sv_witness witness = {r->searched_ns, r->work_before, work_of(job), true};
	if (!job->crashes)
		return;
	if (witness.after > witness.before)
		witness.memory_short = sv_memory_short(r->core->memory_bound);
	if (sv_run_cleared(&witness))
		job->crashes = 0;
}

/* When the next checkpoint is to be. */
static void set_due(struct runner *r)
{
	uint64_t now = pd_now_ns(), interval = (now - r->start_ns) / RUN_SHARE;
	uint64_t full = (uint64_t)(r->core->config.checkpoint_s * 1e9);
	if (interval < INTERVAL_NS_FIRST)
		interval = INTERVAL_NS_FIRST;
	r->due_ns = now + (interval < full ? interval : full);
}

/* What has changed since the last checkpoint, for a task. Of a job that is cancelled only the facts: its table goes.
 * After the last one the search is given up, so that its memory does not wait for the disk. NULL without memory. */
static struct sv_task *take(struct runner *r, enum sv_state state)
{
	struct sv_core *core = r->core;
	struct sv_task *task = sv_task_new(SV_TASK_CHECKPOINT, r->job, state);
	if (!task)
		return NULL;
	task->game = r->game;
	task->question = r->question;
	task->drop_table = state == SV_SOLVED || state == SV_CANCELLED;
	task->ends_run = state != SV_RUNNING;
	if (!r->lookup.game_id) /* the first facts of the game may be another job's */
		r->lookup.game_id = st_game_find(core->store, r->game->name, r->game->rules_version);
	bool ok = task->drop_table || (take_entries(r, task) && (sv_state_over(state) || take_snapshot(r, task)));
	pn_solver_take_facts(r->solver, take_fact, &task->facts);
	sv_mutex_lock(&core->lock);
	publish(r);
	note_crashes(r);
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

/* Takes everything since the last checkpoint and hands it over; `state` is the job's from then on. False when it cannot
 * go on. A cancelled job is taken from at once, before there is room for the checkpoint before. */
static bool checkpoint(struct runner *r, enum sv_state state, const char *event)
{
	struct sv_core *core = r->core;
	struct sv_job *job = r->job;
	if (state != SV_CANCELLED && !wait_written(r))
		return false;
	struct sv_task *task = take(r, state);
	if (!task) {
		sv_mutex_lock(&core->lock);
		lose(r);
		sv_mutex_unlock(&core->lock);
		return false;
	}
	if (!wait_written(r)) {
		sv_task_free(task);
		return false;
	}
	sv_mutex_lock(&core->lock);
	job->checkpoint_now = false;
	job->ending |= task->ends_run;
	sv_job_record(job, state, NULL, &task->record);
	uint64_t now = pd_now_ns();
	if (event || now >= r->event_ns) {
		sv_job_event(job, event ? event : "checkpoint", &task->event);
		r->event_ns = now + (uint64_t)(job->seconds * 1e9 / HISTORY_POINTS);
	}
	bool ok = !task->record.failed && !task->event.failed;
	if (ok)
		sv_task_post(core, task);
	else
		lose(r);
	sv_mutex_unlock(&core->lock);
	if (!ok)
		sv_task_free(task);
	set_due(r);
	return ok;
}

/* --- the search --------------------------------------------------------------------------- */

static uint64_t nodes_left(const struct sv_job *job)
{
	uint64_t used = job->progress.level1 + job->progress.level2;
	if (!job->spec.budget_nodes)
		return UINT64_MAX;
	return used < job->spec.budget_nodes ? job->spec.budget_nodes - used : 0;
}

/* One slice, with the crew if there is one. The quota follows the measured speed. */
static enum pn_state step(struct runner *r)
{
	sv_mutex_lock(&r->core->lock);
	uint64_t left = nodes_left(r->job), quota = r->slice < left ? r->slice : left;
	if (!r->walking && r->group.in) {
		sv_search_group_go(&r->group);
		r->walking = true;
	}
	sv_mutex_unlock(&r->core->lock);
	uint64_t start = pd_now_ns();
	enum pn_state state = r->walking ? pn_solver_run_thread(r->solver, 0, quota) : pn_solver_step(r->solver, quota);
	uint64_t took = pd_now_ns() - start;
	r->searched_ns += took;
	if (took < SLICE_NS / 2)
		r->slice += r->slice / 2;
	else if (took > SLICE_NS)
		r->slice = r->slice > 200 ? r->slice / 2 : 100;
	return state;
}

/* Ends the round: all stand still. The state is the solver's then; *collect when somebody's buffers are full. */
static enum pn_state rest(struct runner *r, enum pn_state state, bool *collect)
{
	*collect = state == PN_COLLECT;
	if (!r->walking)
		return state;
	sv_mutex_lock(&r->core->lock);
	sv_search_group_rest(r->core, &r->group);
	*collect |= r->group.collect;
	sv_mutex_unlock(&r->core->lock);
	r->walking = false;
	return pn_solver_gather(r->solver);
}

/* Between two rounds: members come and go. */
static void change_group(struct runner *r)
{
	sv_mutex_lock(&r->core->lock);
	if (sv_search_group_changes(r->core, &r->group))
		sv_search_group_change(r->core, &r->group, &r->lookup);
	sv_mutex_unlock(&r->core->lock);
}

/* Looks at what is wanted and at the budgets. True when the search is to stop; *state is then the job's next. */
static bool told_to_stop(struct runner *r, enum sv_state *state, const char **event, bool *now, bool *change)
{
	struct sv_core *core = r->core;
	struct sv_job *job = r->job;
	bool stop = true;
	sv_mutex_lock(&core->lock);
	publish(r);
	*state = SV_RUNNING;
	*now = job->checkpoint_now || pd_now_ns() >= r->due_ns;
	*change = sv_search_group_changes(core, &r->group);
	if (core->stop_workers || job->want == SV_WANT_STOP) {
		*event = "stopped";
	} else if (job->want == SV_WANT_PAUSE) {
		*state = SV_PAUSED;
		*event = "paused";
		snprintf(job->reason, sizeof job->reason, "paused on request");
	} else if (job->want == SV_WANT_CANCEL) {
		*state = SV_CANCELLED;
		*event = "cancelled";
	} else if (!nodes_left(job) || (job->spec.budget_seconds > 0 && job->seconds >= job->spec.budget_seconds)) {
		*state = SV_EXHAUSTED;
		*event = "exhausted";
		snprintf(job->reason, sizeof job->reason, "the budget of %s is used up",
			 nodes_left(job) ? "seconds" : "nodes");
	} else {
		stop = false;
	}
	sv_mutex_unlock(&core->lock);
	return stop;
}

/* The last record of a job that ends with an answer or without: first the facts go to disk, because the answer's line
 * reads them there. */
static void finish(struct runner *r, enum sv_state state, const char *event)
{
	struct sv_core *core = r->core;
	struct sv_job *job = r->job;
	sv_mutex_lock(&core->lock);
	job->ending = state == SV_SOLVED ||
		      state == SV_EXHAUSTED; /* how it ends is settled, so whoever wants a change waits */
	sv_mutex_unlock(&core->lock);
	if (state == SV_SOLVED || state == SV_EXHAUSTED) {
		struct pn_answer answer;
		struct pn_progress progress;
		struct pd_buf result;
		struct pd_fail fail;
		if (!checkpoint(r, SV_RUNNING, NULL) || !wait_written(r))
			return;
		pd_buf_init(&result, RESULT_MAX);
		if (!pd_buf_reserve(&result, RESULT_MAX)) {
			sv_mutex_lock(&core->lock);
			lose(r);
			sv_mutex_unlock(&core->lock);
			return;
		}
		pn_solver_answer(r->solver, &answer);
		pn_solver_progress(r->solver, &progress);
		int rc = core->hooks->answer(core, r->lookup.reader, job, r->game, r->state, &answer, &progress,
					     &result, &fail);
		if (rc)
			pd_log(PD_LOG_WARN, "job %u: the answer's line cannot be made: %s", job->id, fail.text);
		if (result.failed) {
			pd_log(PD_LOG_WARN, "job %u: its answer has no room in a record", job->id);
			pd_buf_fini(&result);
		}
		sv_mutex_lock(&core->lock);
		free(job->result);
		job->result = result.data;
		sv_mutex_unlock(&core->lock);
	}
	sv_mutex_lock(&core->lock);
	job->crashes = 0;
	job->stopped = state == SV_RUNNING;
	if (sv_state_over(state))
		job->finished_ms = pd_wall_ms();
	if (state == SV_SOLVED || state == SV_CANCELLED)
		job->reason[0] = 0;
	sv_mutex_unlock(&core->lock);
	checkpoint(r, state, event);
	wait_written(r);
}

/* The job cannot even begin. */
static void give_up(struct runner *r, const struct pd_fail *fail)
{
	struct sv_core *core = r->core;
	struct sv_job *job = r->job;
	sv_mutex_lock(&core->lock);
	if (r->table_lost) /* it only costs time, and whoever has a backup may want to fetch it */
		snprintf(job->reason, sizeof job->reason,
			 "its table is damaged: %.100s; resumed, it searches without it and keeps its facts",
			 fail->text);
	else
		snprintf(job->reason, sizeof job->reason, "%.190s", fail->text);
	job->table_lost = r->table_lost;
	job->broken = true;
	job->broken_state = fail->code == PD_E_NO_MEMORY || r->table_lost ? SV_PAUSED : SV_FAILED;
	sv_mutex_unlock(&core->lock);
}

/* Searches until the run is over. True when it is to be finished, with *state and *event; else it ends as of its last
 * checkpoint. */
static bool search(struct runner *r, enum sv_state *end, const char **event)
{
	bool now, change, collect;
	for (;;) {
		enum pn_state state = step(r);
		bool stop = told_to_stop(r, end, event, &now, &change);
		if (state == PN_RUNNING && r->walking && !stop && !now && !change && !pn_solver_halted(r->solver) &&
		    !r->lookup.failed.code)
			continue;
		state = rest(r, state, &collect);
		if (r->lookup.failed.code || r->group.failed.code) {
			give_up(r, r->lookup.failed.code ? &r->lookup.failed : &r->group.failed);
			return false;
		}
		if (state == PN_ANSWERED) {
			*end = SV_SOLVED;
			*event = "solved";
			return true;
		}
		if (state == PN_STUCK) {
			sv_mutex_lock(&r->core->lock);
			snprintf(r->job->reason, sizeof r->job->reason, "%s", pn_solver_why(r->solver));
			sv_mutex_unlock(&r->core->lock);
			*end = SV_EXHAUSTED;
			*event = "exhausted";
			return true;
		}
		if (stop)
			return true;
		if ((collect || now) && !is_cancelled_meanwhile(r) && !checkpoint(r, SV_RUNNING, NULL))
			return false;
		change_group(r);
	}
}

/* The run is on disk before anything of it is in memory: should that end the process, the next start knows which job it
 * was. */
static bool begin(struct runner *r)
{
	struct sv_core *core = r->core;
	struct sv_job *job = r->job;
	struct sv_task *task = sv_task_new(SV_TASK_CHECKPOINT, job, SV_RUNNING);
	sv_mutex_lock(&core->lock);
	bool resumed = job->resumed = job->started_ms != 0;
	if (!resumed)
		job->started_ms = pd_wall_ms();
	job->reason[0] = 0;
	if (task) {
		sv_job_record(job, SV_RUNNING, NULL, &task->record);
		sv_job_event(job, resumed ? "resumed" : "started", &task->event);
	}
	bool ok = task && !task->record.failed && !task->event.failed;
	if (ok)
		sv_task_post(core, task);
	else
		lose(r);
	sv_mutex_unlock(&core->lock);
	if (!ok)
		sv_task_free(task);
	set_due(r);
	return ok && wait_written(r);
}

static void open_group(struct runner *r)
{
	struct sv_core *core = r->core;
	sv_mutex_lock(&core->lock);
	sv_search_group_open(&r->group, r->solver, pn_solver_room(r->solver));
	r->job->group = &r->group;
	pthread_cond_broadcast(&core->workers->work);
	sv_mutex_unlock(&core->lock);
}

static void close_group(struct runner *r)
{
	sv_mutex_lock(&r->core->lock);
	r->job->group = NULL;
	sv_search_group_close(r->core, &r->group);
	sv_mutex_unlock(&r->core->lock);
}

void sv_run(struct sv_core *core, struct sv_job *job)
{
	struct runner r = {.core = core, .job = job, .slice = SLICE_NODES_FIRST};
	struct pn_host host = {&r.lookup, sv_lookup_fact};
	struct pd_fail fail;
	r.searched_before = job->seconds;
	r.rate_nodes = job->progress.level1 + job->progress.level2;
	r.work_before = work_of(job);
	r.start_ns = pd_now_ns();
	int rc = PD_OK;
	if (begin(&r) && (rc = runner_open(&r, &host, &fail)) == PD_OK) {
		enum sv_state end = SV_RUNNING;
		const char *event = NULL;
		open_group(&r);
		bool whole = search(&r, &end, &event);
		close_group(&r);
		if (whole)
			finish(&r, end, event);
	}
	if (rc)
		give_up(&r, &fail);
	runner_close(&r);
}
