/* Runner: one job's search, from the table on disk to the answer.
 *
 * The worker steps the solver in slices of a few milliseconds, alone or with a crew (crew.h). Between two slices it looks at what is wanted of it, publishes progress, and
 * when a checkpoint is due takes what changed and hands it to the writer as one task: table entries, facts, counters, one moment of the search
 * (D2). It goes on at once and waits only if the checkpoint before is not written yet.
 *
 * Checkpoints come early at first, an eighth of the run's age apart until the configured interval is reached, so that a crash loses at most a
 * small share of what a run has done, however short it was. The snapshot is swept in bounded shares when the journal
 * has grown past twice the table. */
#include "server/core/internal.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/bytes.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"

enum {
	SLICE_NS = 5000000,       /* aimed at */
	SLICE_NODES_FIRST = 2000,
	INTERVAL_NS_FIRST = 100000000,
	RUN_SHARE = 8,            /* of a run's age lies between two checkpoints while it is young */
	SWEEP_SHARE = 1 << 16,    /* table entries a checkpoint adds to the snapshot */
	SWEEP_SLACK = 100000,     /* journal entries below which no snapshot is worth while */
	ENTRIES_CHUNK = 1 << 12,
	RESULT_MAX = ST_JOB_MAX - 8192, /* the rest is for the other members of a record */
	HISTORY_POINTS = 200      /* at least so many points of the history are kept, evenly in time */
};

struct runner {
	struct sv_core *core;
	struct sv_job *job;
	struct game *game;
	struct sv_lookup lookup;    /* its game has no number before its first facts */
	struct pn_solver *solver;
	struct sv_crew crew;
	bool walking;               /* a round is under way */
	uint8_t *state;             /* the root */
	uint64_t slice;             /* nodes */
	uint64_t start_ns;          /* of this run */
	uint64_t due_ns;            /* of the next checkpoint */
	uint64_t event_ns;          /* when the next point of the history is due */
	double searched_before;     /* seconds of earlier runs */
	uint64_t searched_ns;       /* of this one */
	uint64_t rate_ns, rate_nodes; /* at the last measuring of the rate */
	uint64_t journal_entries;   /* written since the last sweep began */
	bool sweeping;
	uint64_t cursor;
};

/* --- the table on disk ---------------------------------------------------------------------------------------------------------------- */

static void entry_pack(const struct pn_entry *e, struct st_table_entry *out)
{
	uint8_t *p = out->bytes;
	pd_put_le64(p, e->id.lo);
	pd_put_le64(p + 8, e->id.hi);
	pd_put_le32(p + 16, e->num[0]);
	pd_put_le32(p + 20, e->num[1]);
	pd_put_le32(p + 24, e->work);
	pd_put_le16(p + 28, e->move);
	pd_put_le16(p + 30, e->depth);
}

static void entry_unpack(const struct st_table_entry *in, struct pn_entry *e)
{
	const uint8_t *p = in->bytes;
	*e = (struct pn_entry){
		.id = {pd_get_le64(p), pd_get_le64(p + 8)},
		.num = {pd_get_le32(p + 16), pd_get_le32(p + 20)},
		.work = pd_get_le32(p + 24),
		.move = pd_get_le16(p + 28),
		.depth = pd_get_le16(p + 30),
	};
}

static int load_entries(void *ctx, const struct st_table_entry *entries, size_t count)
{
	struct runner *r = ctx;
	for (size_t i = 0; i < count; i++) {
		struct pn_entry e;
		entry_unpack(&entries[i], &e);
		pn_solver_load(r->solver, &e, 1);
	}
	return PD_OK;
}

/* --- opening ---------------------------------------------------------------------------------------------------------------------------- */

/* Left alone, a job takes all workers. */
static void options_of(const struct sv_core *core, const struct sv_spec *spec, struct pn_options *o)
{
	unsigned workers = core->config.threads, wanted = spec->threads ? spec->threads : workers;
	*o = spec->options;
	o->walkers = wanted < workers ? wanted : workers;
	o->algorithm = spec->algorithm;
	o->detail = spec->detail;
	o->memory = spec->memory;
	o->seed = spec->seed;
	o->shorten = spec->shorten;
}

static int runner_open(struct runner *r, const struct pn_host *host, struct pd_fail *fail)
{
	const struct sv_spec *spec = &r->job->spec;
	struct pn_options options;
	int rc = sv_game_get(r->core, spec->game, &r->game, fail);
	if (rc)
		return rc;
	r->state = aligned_alloc(16, (r->game->state_size + 15) & ~(size_t)15);
	if (!r->state)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a position");
	r->lookup.game_id = st_game_find(r->core->store, r->game->name, r->game->rules_version);
	rc = r->game->rules->parse(r->game, spec->position, r->state, fail);
	if (!rc)
		rc = st_reader_open(r->core->store, &r->lookup.reader, fail);
	if (rc)
		return rc;
	options_of(r->core, spec, &options);
	rc = pn_solver_new(r->game, r->state, &spec->claim, &options, host, &r->job->progress, &r->solver, fail);
	if (!rc)
		rc = st_table_each(r->core->store, r->job->id, load_entries, r, fail);
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

/* --- checkpoints --------------------------------------------------------------------------------------------------------------------------- */

/* Under the lock: what everybody may see of the search. */
static void publish(struct runner *r)
{
	struct sv_job *job = r->job;
	uint64_t before = job->progress.level1 + job->progress.level2;
	pn_solver_progress(r->solver, &job->progress);
	uint64_t nodes = job->progress.level1 + job->progress.level2;
	r->core->nodes += nodes - before;
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
			struct st_table_entry *entries = realloc(task->entries, room * sizeof *entries);
			if (!entries)
				return false;
			task->entries = entries;
		}
		for (size_t i = 0; i < n; i++)
			entry_pack(&chunk[i], &task->entries[task->entry_count++]);
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
static bool take_sweep(struct runner *r, struct sv_task *task)
{
	struct pn_progress p;
	pn_solver_progress(r->solver, &p);
	if (!r->sweeping) {
		if (r->journal_entries < 2 * p.entries + SWEEP_SLACK)
			return true;
		r->sweeping = task->sweep_start = true;
		r->cursor = 0;
		r->journal_entries = 0;
	}
	struct pn_entry *copy = malloc(SWEEP_SHARE * sizeof *copy);
	task->sweep = malloc(SWEEP_SHARE * sizeof *task->sweep);
	bool ok = copy && task->sweep;
	if (ok) {
		task->sweep_count = pn_solver_sweep(r->solver, &r->cursor, copy, SWEEP_SHARE);
		for (size_t i = 0; i < task->sweep_count; i++)
			entry_pack(&copy[i], &task->sweep[i]);
		if (r->cursor == UINT64_MAX) {
			r->sweeping = false;
			task->sweep_end = true;
		}
	}
	free(copy);
	return ok;
}

/* Waits until the checkpoint before is written. False when it never will be. */
static bool wait_written(struct runner *r)
{
	struct sv_core *core = r->core;
	pthread_mutex_lock(&core->lock);
	while (r->job->writing && !(core->stop_workers && r->job->disk_trouble))
		pthread_cond_wait(&core->written, &core->lock);
	bool ok = !r->job->writing && !r->job->broken;
	pthread_mutex_unlock(&core->lock);
	return ok;
}

/* Under the lock: what was taken for a checkpoint is lost for want of memory. The run ends, as of its last checkpoint. */
static void lose(struct runner *r)
{
	struct sv_job *job = r->job;
	pd_log(PD_LOG_ERROR, "job %u: no memory for a checkpoint", job->id);
	job->broken = true;
	job->broken_state = SV_PAUSED;
	snprintf(job->reason, sizeof job->reason, "there was no memory for a checkpoint; resume it when there is");
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

/* Takes everything since the last checkpoint and hands it over; `state` is the job's from then on. False when it cannot go on. */
static bool checkpoint(struct runner *r, enum sv_state state, const char *event)
{
	struct sv_core *core = r->core;
	struct sv_job *job = r->job;
	if (!wait_written(r))
		return false;
	struct sv_task *task = sv_task_new(SV_TASK_CHECKPOINT, job, state);
	if (!task) {
		pthread_mutex_lock(&core->lock);
		lose(r);
		pthread_mutex_unlock(&core->lock);
		return false;
	}
	task->game = r->game;
	if (!r->lookup.game_id) /* the first facts of the game may be another job's */
		r->lookup.game_id = st_game_find(core->store, r->game->name, r->game->rules_version);
	bool ok = take_entries(r, task) && (sv_state_over(state) || take_sweep(r, task));
	pn_solver_take_facts(r->solver, take_fact, &task->facts);
	task->drop_table = state == SV_SOLVED || state == SV_CANCELLED;
	task->ends_run = state != SV_RUNNING;
	pthread_mutex_lock(&core->lock);
	publish(r);
	job->checkpoint_now = false;
	job->ending = task->ends_run;
	sv_job_record(job, state, NULL, &task->record);
	uint64_t now = pd_now_ns();
	if (event || now >= r->event_ns) {
		sv_job_event(job, event ? event : "checkpoint", &task->event);
		r->event_ns = now + (uint64_t)(job->seconds * 1e9 / HISTORY_POINTS);
	}
	ok = ok && !task->facts.failed && !task->record.failed && !task->event.failed;
	if (ok)
		sv_task_post(core, task);
	else
		lose(r);
	pthread_mutex_unlock(&core->lock);
	if (!ok)
		sv_task_free(task);
	set_due(r);
	return ok;
}

/* --- the search ------------------------------------------------------------------------------------------------------------------------------ */

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
	pthread_mutex_lock(&r->core->lock);
	uint64_t left = nodes_left(r->job), quota = r->slice < left ? r->slice : left;
	if (!r->walking && r->crew.in) {
		sv_crew_go(&r->crew);
		r->walking = true;
	}
	pthread_mutex_unlock(&r->core->lock);
	uint64_t start = pd_now_ns();
	enum pn_state state =
		r->walking ? pn_solver_walk(r->solver, 0, quota) : pn_solver_step(r->solver, quota);
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
	pthread_mutex_lock(&r->core->lock);
	sv_crew_rest(r->core, &r->crew);
	*collect |= r->crew.collect;
	pthread_mutex_unlock(&r->core->lock);
	r->walking = false;
	return pn_solver_gather(r->solver);
}

/* Between two rounds: members come and go. */
static void change_crew(struct runner *r)
{
	pthread_mutex_lock(&r->core->lock);
	if (sv_crew_changes(r->core, &r->crew))
		sv_crew_change(r->core, &r->crew, r->lookup.game_id);
	pthread_mutex_unlock(&r->core->lock);
}

/* Looks at what is wanted and at the budgets. True when the search is to stop; *state is then the job's next. */
static bool told_to_stop(struct runner *r, enum sv_state *state, const char **event, bool *now, bool *change)
{
	struct sv_core *core = r->core;
	struct sv_job *job = r->job;
	bool stop = true;
	pthread_mutex_lock(&core->lock);
	publish(r);
	*state = SV_RUNNING;
	*now = job->checkpoint_now || pd_now_ns() >= r->due_ns;
	*change = sv_crew_changes(core, &r->crew);
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
		snprintf(job->reason, sizeof job->reason, "the budget of %s is used up", nodes_left(job) ? "seconds" : "nodes");
	} else {
		stop = false;
	}
	pthread_mutex_unlock(&core->lock);
	return stop;
}

/* The last record of a job that ends with an answer or without: first the facts go to disk, because the answer's line reads them there. */
static void finish(struct runner *r, enum sv_state state, const char *event)
{
	struct sv_core *core = r->core;
	struct sv_job *job = r->job;
	if (state == SV_SOLVED || state == SV_EXHAUSTED) {
		struct pn_answer answer;
		struct pn_progress progress;
		struct pd_buf result;
		struct pd_fail fail;
		if (!checkpoint(r, SV_RUNNING, NULL) || !wait_written(r))
			return;
		pd_buf_init(&result, RESULT_MAX);
		pn_solver_answer(r->solver, &answer);
		pn_solver_progress(r->solver, &progress);
		int rc = sv_answer_make(core, r->lookup.reader, job, r->game, r->state, &answer, &progress, &result, &fail);
		if (rc)
			pd_log(PD_LOG_WARN, "job %u: the answer's line cannot be made: %s", job->id, fail.text);
		if (result.failed) {
			pd_log(PD_LOG_WARN, "job %u: its answer has no room in a record", job->id);
			pd_buf_fini(&result);
		}
		pthread_mutex_lock(&core->lock);
		free(job->result);
		job->result = result.data;
		pthread_mutex_unlock(&core->lock);
	}
	pthread_mutex_lock(&core->lock);
	if (sv_state_over(state))
		job->finished_ms = pd_wall_ms();
	if (state == SV_SOLVED || state == SV_CANCELLED)
		job->reason[0] = 0;
	pthread_mutex_unlock(&core->lock);
	checkpoint(r, state, event);
	wait_written(r);
}

static void search(struct runner *r)
{
	enum sv_state next = SV_RUNNING;
	const char *event = NULL;
	bool now, change, collect;
	for (;;) {
		enum pn_state state = step(r);
		bool stop = told_to_stop(r, &next, &event, &now, &change);
		if (state == PN_RUNNING && r->walking && !stop && !now && !change && !pn_solver_halted(r->solver))
			continue;
		state = rest(r, state, &collect);
		if (state == PN_ANSWERED) {
			pthread_mutex_lock(&r->core->lock);
			publish(r);
			pthread_mutex_unlock(&r->core->lock);
			finish(r, SV_SOLVED, "solved");
			return;
		}
		if (state == PN_STUCK) {
			pthread_mutex_lock(&r->core->lock);
			snprintf(r->job->reason, sizeof r->job->reason, "%s", pn_solver_why(r->solver));
			pthread_mutex_unlock(&r->core->lock);
			finish(r, SV_EXHAUSTED, "exhausted");
			return;
		}
		if (stop) {
			finish(r, next, event);
			return;
		}
		if ((collect || now) && !checkpoint(r, SV_RUNNING, NULL))
			return;
		change_crew(r);
	}
}

/* The job cannot even begin. */
static void give_up(struct runner *r, const struct pd_fail *fail)
{
	struct sv_core *core = r->core;
	struct sv_job *job = r->job;
	pd_log(PD_LOG_ERROR, "job %u: %s", job->id, fail->text);
	pthread_mutex_lock(&core->lock);
	snprintf(job->reason, sizeof job->reason, "%.190s", fail->text);
	job->broken = true;
	job->broken_state = fail->code == PD_E_NO_MEMORY ? SV_PAUSED : SV_FAILED;
	pthread_mutex_unlock(&core->lock);
}

static void open_crew(struct runner *r)
{
	struct sv_core *core = r->core;
	pthread_mutex_lock(&core->lock);
	sv_crew_open(&r->crew, r->solver, pn_solver_room(r->solver));
	r->job->crew = &r->crew;
	pthread_cond_broadcast(&core->work);
	pthread_mutex_unlock(&core->lock);
}

static void close_crew(struct runner *r)
{
	pthread_mutex_lock(&r->core->lock);
	r->job->crew = NULL;
	sv_crew_close(r->core, &r->crew);
	pthread_mutex_unlock(&r->core->lock);
}

void sv_run(struct sv_core *core, struct sv_job *job)
{
	struct runner r = {.core = core, .job = job, .slice = SLICE_NODES_FIRST};
	struct pn_host host = {&r.lookup, sv_lookup_fact};
	struct pd_fail fail;
	r.searched_before = job->seconds;
	r.rate_nodes = job->progress.level1 + job->progress.level2;
	r.start_ns = pd_now_ns();
	int rc = runner_open(&r, &host, &fail);
	if (rc) {
		give_up(&r, &fail);
	} else {
		pthread_mutex_lock(&core->lock);
		bool resumed = job->started_ms != 0;
		if (!resumed)
			job->started_ms = pd_wall_ms();
		job->reason[0] = 0;
		pthread_mutex_unlock(&core->lock);
		if (checkpoint(&r, SV_RUNNING, resumed ? "resumed" : "started")) {
			open_crew(&r);
			search(&r);
			close_crew(&r);
		}
	}
	runner_close(&r);
}
