#include "server/jobs/run/runner.h"

#include <stdio.h>
#include <stdlib.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "server/common/core_parts.h"
#include "server/common/open_games.h"
#include "server/common/program_game.h"
#include "server/common/pulse.h"
#include "server/jobs/run/checkpoint.h"
#include "server/jobs/model/job_hints.h"
#include "server/jobs/model/job_hooks.h"
#include "server/jobs/run/picture_request.h"
#include "server/common/memory_bound.h"
#include "server/jobs/queue/quota.h"
#include "server/jobs/queue/scheduler.h"
#include "server/jobs/model/tt_entry.h"
#include "server/jobs/queue/dependency.h"
#include "server/jobs/run/injected_facts.h"
#include "server/jobs/index/job_index.h"

enum {
	SLICE_NS = 5000000, /* aimed at */
	SLICE_NODES_FIRST = 2000,
	PIECE_NODES = 2000,             /* nodes of a slice between two checks for workers' results */
	RESULT_MAX = ST_JOB_MAX - 16384 /* the rest is for the other members of a record */
};

/* --- the transposition table on disk -------------------------------------------------------------------- */

static int load_entries(void *ctx, const struct st_tt_entry *entries, size_t count)
{
	struct sv_run *r = ctx;
	sv_pulse_beat(r->core);
	if (sv_memory_own() + pn_solver_growth(r->solver, count) >= r->memory_most) {
		r->loading = SV_TABLE_TOO_LARGE;
		return PD_E_NO_MEMORY;
	}
	for (size_t i = 0; i < count; i++) {
		struct pn_entry e;
		sv_entry_unpack(&entries[i], &e);
		pn_solver_load(r->solver, &e, 1);
	}
	return PD_OK;
}

/* PD_E_CORRUPT when the table belongs to another question. */
static int load_table(struct sv_run *r, struct pd_fail *fail)
{
	struct st_store *store = sv_store(r->core);
	struct pd_id known;
	int rc = st_tt_question(store, r->job->record.id, &known, fail);
	if (rc)
		return rc;
	if (pd_id_equal(known, r->question)) {
		sv_lock(r->core);
		r->memory_most = sv_memory_quota(sv_bound(r->core)->bytes);
		sv_unlock(r->core);
		rc = st_tt_each(store, r->job->record.id, load_entries, r, fail);
		return r->loading == SV_TABLE_TOO_LARGE
			       ? pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for its table")
			       : rc;
	}
	if (known.lo || known.hi)
		return pd_fail_set(fail, PD_E_CORRUPT, "tables",
				   "the table of job %u in work.mdb belongs to another question", r->job->record.id);
	return PD_OK;
}

/* --- opening ------------------------------------------------------------------------------ */

static void make_options(const struct sv_core *core, const struct sv_spec *spec, const struct game *game,
			 struct pn_options *o)
{
	unsigned workers = sv_config(core)->threads, wanted = spec->threads ? spec->threads : workers;
	*o = spec->options;
	o->threads = wanted < workers ? wanted : workers;
	o->algorithm = spec->algorithm;
	o->detail = spec->detail;
	o->memory = spec->memory;
	o->seed = spec->seed;
	o->shorten = spec->shorten;
	o->identity = sv_identity(core);
	o->remote = sv_program_is(game->rules) ? 0 : sv_remote_most(core); /* workers have no programs */
}

/* Opens the game, unless its rules have changed: then the answer and every entry of the table could differ. */
static int open_game(struct sv_run *r, struct pd_fail *fail)
{
	struct sv_job *job = r->job;
	char then[SV_RULES_TEXT] = "not noted", now[SV_RULES_TEXT];
	int rc = sv_game_get(r->core, job->record.spec.game, &r->game, fail);
	if (rc)
		return rc;
	sv_lock(r->core);
	bool differ = sv_job_rules_differ(&job->record.spec, r->game);
	if (job->record.spec.rules.known)
		sv_rules_text(job->record.spec.rules.version, then);
	if (differ)
		job->run.broken.event = "rules changed";
	else
		job->record.spec.rules.version = game_version(r->game);
	job->record.spec.rules.known |= !differ;
	sv_unlock(r->core);
	sv_rules_text(game_version(r->game), now);
	r->question = sv_job_question(&job->record.spec, r->game, sv_identity(r->core));
	return differ ? pd_fail_set(fail, PD_E_STATE, "game",
				    "the rules of %.80s have changed since it was submitted (version %s, now %s); "
				    "submit it again",
				    r->game->name, then, now)
		      : PD_OK;
}

static int runner_open(struct sv_run *r, const struct pn_host *host, struct pd_fail *fail)
{
	const struct sv_spec *spec = &r->job->record.spec;
	struct pn_options options;
	char wanted[SV_SIZE_TEXT], most[SV_SIZE_TEXT];
	if (spec->memory > sv_config(r->core)->memory)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "memory",
				   "it needs %s of memory, and all jobs together have %s; resume it when there is more",
				   sv_size_text(spec->memory, wanted), sv_size_text(sv_config(r->core)->memory, most));
	if (open_game(r, fail))
		return fail->code;
	r->state = aligned_alloc(16, (r->game->state_size + 15) & ~(size_t)15);
	if (!r->state)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a position");
	r->lookup.game = r->game;
	r->lookup.game_id = st_game_find(sv_store(r->core), r->game->name, game_version(r->game));
	if (r->game->rules->parse(r->game, spec->position, r->state, fail) ||
	    st_reader_open(sv_store(r->core), &r->lookup.reader, fail))
		return fail->code;
	make_options(r->core, spec, r->game, &options);
	if (options.threads == 1 && !options.remote) {
		if (!sv_own_facts_init(&r->own, pn_algorithm(options.algorithm)->level2))
			return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a list of facts");
		r->lookup.own = &r->own;
	}
	struct sv_hints first;
	int rc = sv_hints_read(r->game, r->state, spec, &first, fail);
	if (!rc)
		rc = pn_solver_new(&(struct pn_solver_setup){r->game, r->state, &spec->claim, &options, host,
							     &r->job->run.snapshot.progress, first.lines, first.count},
				   &r->solver, fail);
	sv_hints_fini(&first);
	if (!rc && (r->lookup.failed.code || sv_program_failed(r->game, &r->lookup.failed))) {
		*fail = r->lookup.failed;
		rc = fail->code;
	}
	if (rc)
		return rc;
	rc = load_table(r, fail);
	if (rc == PD_E_CORRUPT)
		r->loading = SV_TABLE_DAMAGED;
	return rc;
}

static void runner_close(struct sv_run *r)
{
	pn_solver_free(r->solver);
	sv_own_facts_fini(&r->own);
	st_reader_close(r->lookup.reader);
	free(r->state);
	if (r->game)
		sv_game_put(r->core, r->game);
}

/* --- the search --------------------------------------------------------------------------- */

static uint64_t nodes_left(const struct sv_job *job)
{
	uint64_t used = job->run.snapshot.progress.level1 + job->run.snapshot.progress.level2;
	if (!job->record.spec.budget.nodes)
		return UINT64_MAX;
	return used < job->record.spec.budget.nodes ? job->record.spec.budget.nodes - used : 0;
}

/* Under the lock: bytes that the tables of this job and of older ones take when they grow next, except those that keep
 * their size. */
static uint64_t growth_of(struct sv_run *r)
{
	const struct sv_job *other;
	uint64_t sum = pn_solver_growth(r->solver, UINT64_MAX);
	r->job->run.growth = r->hold ? 0 : sum;
	r->job->run.keeps_size = r->hold;
	LIST_FOREACH(other, &sv_search_threads(r->core)->running, run.running)
		sum += other->record.id < r->job->record.id ? other->run.growth : 0;
	return sum;
}

/* With remote threads, searches in short pieces, so that results do not wait long. */
static enum pn_state search_slice(struct sv_run *r, uint64_t nodes)
{
	if (!r->in_round)
		return pn_solver_step(r->solver, nodes);
	if (!r->remote.count)
		return pn_solver_run_thread(r->solver, 0, nodes);
	enum pn_state state = PN_RUNNING;
	uint64_t until = pd_now_ns() + SLICE_NS;
	while (state == PN_RUNNING && nodes && pd_now_ns() < until && !pn_solver_halted(r->solver)) {
		uint64_t piece = nodes < PIECE_NODES ? nodes : PIECE_NODES;
		state = sv_remote_drive(&r->remote);
		if (state == PN_RUNNING && sv_config(r->core)->only_workers) { /* this thread only drives */
			sv_remote_wait(&r->remote);
		} else if (state == PN_RUNNING) {
			state = pn_solver_run_thread(r->solver, 0, piece);
			nodes -= piece;
		}
	}
	return state;
}

/* Nodes until the next barrier (own_facts.h); 0: the run is at it. */
static uint64_t barrier_in(const struct sv_run *r)
{
	uint64_t nodes = pn_solver_nodes(r->solver, 0);
	return !r->lookup.own ? UINT64_MAX : nodes < r->own.due ? r->own.due - nodes : 0;
}

/* One slice, with the search group if it has members. Its nodes follow the measured speed and the memory that is left;
 * without any, nothing is searched. */
static enum pn_state run_slice(struct sv_run *r)
{
	PD_ASSERT(r->slice > 0);
	sv_lock(r->core);
	uint64_t left = nodes_left(r->job), quota = r->slice < left ? r->slice : left, bound = sv_bound(r->core)->bytes;
	uint64_t growth = growth_of(r);
	quota = quota < barrier_in(r) ? quota : barrier_in(r);
	if (!r->in_round && (r->group.in || r->remote.count)) {
		sv_search_group_go(r->core, &r->group);
		r->in_round = true;
	}
	sv_unlock(r->core);
	uint64_t nodes = quota ? sv_memory_pacer_begin(&r->pacer, quota, bound, sv_config(r->core)->threads) : 0;
	r->still = quota && !nodes;
	r->hold = sv_memory_pacer_holds(&r->pacer, growth, bound);
	if (r->still) {
		sv_memory_pacer_wait();
		return PN_RUNNING;
	}
	if (!r->in_round)
		pn_solver_hold(r->solver, r->hold);
	uint64_t start = pd_now_ns(), cpu = pd_cpu_ns(), before = pn_solver_nodes(r->solver, 0);
	enum pn_state state = search_slice(r, nodes);
	uint64_t took = pd_now_ns() - start;
	if (nodes)
		sv_memory_pacer_end(&r->pacer, pn_solver_nodes(r->solver, 0) - before);
	r->meter.searched_ns += took;
	r->meter.cpu_ns += pd_cpu_ns() - cpu;
	if (r->remote.count && sv_config(r->core)->only_workers)
		return state;
	if (took < SLICE_NS / 2 && nodes == r->slice)
		r->slice += r->slice / 2;
	else if (took > SLICE_NS)
		r->slice = r->slice > 200 ? r->slice / 2 : 100;
	return state;
}

/* Ends the round, so that all threads stand still. The state of the whole search; *collect: buffers are full. */
static enum pn_state end_round(struct sv_run *r, enum pn_state state, bool *collect)
{
	*collect = state == PN_COLLECT;
	if (!r->in_round)
		return state;
	sv_lock(r->core);
	sv_search_group_rest(r->core, &r->group);
	*collect |= r->group.collect;
	sv_unlock(r->core);
	r->in_round = false;
	pn_solver_hold(r->solver, r->hold);
	return pn_solver_gather(r->solver);
}

static void change_group(struct sv_run *r)
{
	sv_lock(r->core);
	if (sv_search_group_changes(r->core, &r->group))
		sv_search_group_change(r->core, &r->group, &r->lookup);
	r->job->run.helpers = r->group.in;
	sv_unlock(r->core);
}

/* Checks requests, budgets, quotas and other jobs. True when the search is to stop, with the job's next *state. */
static bool check_orders(struct sv_run *r, enum sv_state *state, bool *now, bool *change)
{
	struct sv_core *core = r->core;
	struct sv_job *job = r->job;
	const struct sv_job *next;
	char *reason = job->record.reason;
	bool stop = true;
	sv_lock(core);
	sv_run_publish(r);
	*state = SV_RUNNING;
	*now = job->run.checkpoint_wanted || pd_now_ns() >= r->due_ns;
	*change = sv_search_group_changes(core, &r->group) || sv_remote_changes(&r->remote) ||
		  job->entry.sub_has_news || sv_picture_due(job);
	if (sv_search_threads(core)->stop || job->run.want == SV_WANT_STOP) {
		/* on disk it is still running */
	} else if (job->run.want == SV_WANT_PAUSE) {
		*state = SV_PAUSED;
		snprintf(reason, sizeof job->record.reason, SV_PAUSED_ON_REQUEST);
	} else if (job->run.want == SV_WANT_CANCEL) {
		*state = SV_CANCELLED;
	} else if (sv_job_budget_used(job)) {
		*state = SV_EXHAUSTED;
		snprintf(reason, sizeof job->record.reason, "the budget of %s is used up", sv_job_budget_used(job));
	} else if (sv_dependency_serves_none(job, reason, sizeof job->record.reason)) {
		*state = SV_PAUSED;
	} else if (sv_quota_holds(core, job)) {
		*state = SV_PAUSED;
		sv_quota_hold(core, job);
	} else if (sv_group_ends_run(core, job)) {
		*state = SV_QUEUED;
		sv_end_run_for_group(core, job);
	} else if (*now && (next = sv_find_heir(core, job)) != NULL) {
		*state = SV_QUEUED;
		sv_give_way(core, job, next);
	} else {
		stop = false;
	}
	sv_unlock(core);
	return stop;
}

/* The answer object becomes the job's result, unless it cannot be printed or does not fit into a record. False without
 * memory. */
static bool make_result(struct sv_run *r)
{
	struct sv_core *core = r->core;
	struct sv_job *job = r->job;
	struct pn_answer answer;
	struct pn_progress progress;
	struct pd_buf result;
	struct pd_fail fail;
	pd_buf_init(&result, RESULT_MAX);
	if (!pd_buf_reserve(&result, RESULT_MAX))
		return false;
	pn_solver_answer(r->solver, &answer);
	pn_solver_progress(r->solver, &progress);
	const struct sv_ended ended = {job, r->game, r->state, &answer, &progress};
	if (sv_job_hooks(core)->answer(core, r->lookup.reader, &ended, &result, &fail))
		pd_log(PD_LOG_WARN, "job %u: the line of its answer cannot be made: %s", job->record.id, fail.text);
	if (result.failed) {
		pd_log(PD_LOG_WARN, "job %u: its answer does not fit into a record", job->record.id);
		pd_buf_fini(&result);
	}
	sv_lock(core);
	free(job->record.result);
	job->record.result = result.data;
	sv_unlock(core);
	return true;
}

/* The run ends without having searched, or because it cannot read facts, or its program has failed. */
static void abandon_run(struct sv_run *r, const struct pd_fail *fail)
{
	struct sv_core *core = r->core;
	struct sv_job *job = r->job;
	sv_lock(core);
	bool damaged = r->loading == SV_TABLE_DAMAGED, short_of_memory = r->loading == SV_TABLE_TOO_LARGE;
	if (damaged) /* searching without it only costs time, and there may be a backup */
		snprintf(job->record.reason, sizeof job->record.reason,
			 "its table is damaged: %.100s; when resumed, it searches without it and keeps its facts",
			 fail->text);
	else
		snprintf(job->record.reason, sizeof job->record.reason, "%.190s", fail->text);
	job->record.table_lost = damaged;
	if (short_of_memory && job->run.want == SV_WANT_PAUSE)
		snprintf(job->record.reason, sizeof job->record.reason,
			 SV_PAUSED_ON_REQUEST); /* it does not go on by itself */
	else if (short_of_memory && job->run.want == SV_GO_ON)
		sv_quota_hold_loading(core, job);
	sv_run_break(job, fail->code == PD_E_NO_MEMORY || damaged ? SV_PAUSED : SV_FAILED);
	sv_unlock(core);
}

/* The last record of a run. The line of an answer reads its facts from disk, so they are written first. */
static void finish_run(struct sv_run *r, enum sv_state state)
{
	struct sv_core *core = r->core;
	struct sv_job *job = r->job;
	bool answer = state == SV_SOLVED || state == SV_EXHAUSTED;
	sv_lock(core);
	if (answer && job->run.phase == SV_PHASE_SEARCHING) /* a checkpoint may have been lost meanwhile */
		sv_job_enter(job, SV_PHASE_ENDING);         /* a request for another end of the run waits */
	sv_unlock(core);
	if (answer && (!sv_run_checkpoint(r, SV_RUNNING, NULL) || !sv_run_wait_written(r)))
		return;
	bool made = !answer || make_result(r);
	struct pd_fail fail;
	if (answer && sv_program_failed(r->game, &fail)) {
		abandon_run(r, &fail);
		return;
	}
	sv_lock(core);
	if (made) {
		job->record.crashes = 0;
		job->record.stopped_cleanly = state == SV_RUNNING;
		if (sv_state_over(state))
			job->record.finished_ms = pd_wall_ms();
		if (state == SV_SOLVED || state == SV_CANCELLED)
			job->record.reason[0] = 0;
		if (state != SV_PAUSED) /* the search ended in the slice in which it was to be put on hold */
			job->record.on_hold = SV_HOLD_NONE;
	} else {
		sv_run_lose(r);
	}
	sv_unlock(core);
	if (!made)
		return;
	sv_run_checkpoint(r, state,
			  state == SV_RUNNING  ? "stopped"
			  : state == SV_QUEUED ? "gave way"
					       : sv_state_text(state));
	sv_run_wait_written(r);
}

/* Takes a checkpoint when one is due or the run is at a barrier (own_facts.h), unless the job is cancelled while the
 * disk is full. False when the run cannot go on. */
static bool checkpoint_when_due(struct sv_run *r, bool due)
{
	bool barrier = !barrier_in(r);
	if (!due && !barrier)
		return true;
	if (sv_run_cancelled_meanwhile(r)) /* if not, the previous checkpoint is on disk */
		return true;
	if ((due || !r->own.writing) && !sv_run_checkpoint(r, SV_RUNNING, NULL))
		return false;
	if (!barrier)
		return true;
	sv_own_facts_pass(&r->own, pn_solver_nodes(r->solver, 0));
	if (!r->lookup.game_id) /* they may be the first facts of the game */
		r->lookup.game_id = st_game_find(sv_store(r->core), r->game->name, game_version(r->game));
	return true;
}

/* Searches until the run is over. True when it is to be finished in the state *end; else it ends as of its last
 * checkpoint. */
static bool search_job(struct sv_run *r, enum sv_state *end)
{
	bool now, change, collect;
	sv_injected_facts_take(r);
	for (;;) {
		enum pn_state state = run_slice(r);
		bool stop = check_orders(r, end, &now, &change);
		if (state == PN_RUNNING && r->in_round && !stop && !now && !change && !pn_solver_halted(r->solver) &&
		    !r->lookup.failed.code)
			continue;
		state = end_round(r, state, &collect);
		if (!r->lookup.failed.code && sv_program_failed(r->game, &r->lookup.failed))
			pd_log(PD_LOG_ERROR, "job %u: %s", r->job->record.id, r->lookup.failed.text);
		if (r->lookup.failed.code || r->group.failed.code) {
			abandon_run(r, r->lookup.failed.code ? &r->lookup.failed : &r->group.failed);
			return false;
		}
		if (state == PN_ANSWERED) {
			*end = SV_SOLVED;
			return true;
		}
		if (state == PN_STUCK) {
			bool lost = pn_solver_lost_facts(r->solver); /* then the run ends as of its last checkpoint */
			sv_lock(r->core);
			if (lost)
				sv_run_lose(r);
			else
				snprintf(r->job->record.reason, sizeof r->job->record.reason, "%s",
					 pn_solver_why(r->solver));
			sv_unlock(r->core);
			*end = SV_EXHAUSTED;
			return !lost;
		}
		if (stop)
			return true;
		if (change)
			sv_picture_take(r);
		if (r->still) /* a checkpoint would take memory, and without a step the solver is not gathered */
			continue;
		if (!checkpoint_when_due(r, collect || now))
			return false;
		change_group(r);
		sv_remote_change(&r->remote);
		sv_injected_facts_take(r);
	}
}

static void open_group(struct sv_run *r)
{
	struct sv_core *core = r->core;
	sv_lock(core);
	sv_search_group_open(&r->group, r->solver, pn_solver_room(r->solver));
	sv_injected_facts_begin(r->job);
	r->job->run.group = &r->group;
	r->job->run.search_ns = pd_now_ns();
	r->job->run.loading_ns = r->job->run.search_ns - r->meter.start_ns;
	pthread_cond_broadcast(&sv_search_threads(core)->work);
	sv_unlock(core);
}

static void close_group(struct sv_run *r)
{
	sv_lock(r->core);
	r->job->run.group = NULL;
	r->job->run.helpers = 0;
	r->job->run.growth = 0;
	r->job->run.keeps_size = false;
	sv_picture_end(r->core, r->job);
	sv_search_group_close(r->core, &r->group);
	sv_unlock(r->core);
}

void sv_run(struct sv_core *core, struct sv_job *job)
{
	PD_ASSERT(!sv_locked(core));
	struct sv_run r = {.core = core, .job = job, .slice = SLICE_NODES_FIRST};
	struct pn_host host = {&r.lookup, sv_lookup_fact, sv_lookup_found};
	struct pd_fail fail;
	r.meter.seconds_before = job->run.snapshot.seconds;
	r.meter.cpu_before = job->run.snapshot.cpu;
	r.meter.rate_nodes = job->run.snapshot.progress.level1 + job->run.snapshot.progress.level2;
	r.meter.work_before = sv_run_work(job);
	r.meter.start_ns = pd_now_ns();
	int rc = PD_OK;
	if (sv_run_begin(&r) && (rc = runner_open(&r, &host, &fail)) == PD_OK) {
		enum sv_state end = SV_RUNNING;
		open_group(&r);
		r.remote = (struct sv_remote){.job = job, .solver = r.solver, .lookup = &r.lookup, .game = r.game};
		sv_remote_open(&r.remote, core);
		bool whole = search_job(&r, &end);
		sv_remote_close(&r.remote);
		close_group(&r);
		if (whole)
			finish_run(&r, end);
	}
	if (rc)
		abandon_run(&r, &fail);
	runner_close(&r);
}
