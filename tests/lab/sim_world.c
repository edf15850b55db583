#include "tests/lab/sim_world.h"

#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/api/session_state.h"
#include "server/api/session.h"
#include "server/common/config.h"
#include "server/common/core_state.h"
#include "proto/base/mutex.h"
#include "server/common/open_games.h"
#include "server/core.h"
#include "server/jobs/model/job.h"
#include "server/jobs/index/job_index.h"
#include "server/jobs/model/job_state.h"
#include "server/jobs/index/search_threads.h"
#include "server/jobs/queue/judgement.h"
#include "store/store.h"
#include "tests/lab/sim_disk.h"
#include "tests/lab/sim_threads.h"
#include "tests/lab/sim_world_state.h"
#include "tests/support/oracle.h"

struct sim_question questions[SIM_QUESTIONS] = {
	{"connect4:4x4", "", false, 0},        {"mnk:3,3,3", "", true, 0},    {"hex:3", "", true, 0},
	{"andor:draw", "", true, 0},           {"andor:scores", "", true, 0}, {"andor:cycle", "", false, 0},
	{"andor:transpositions", "", true, 0}, {"mnk:4,3,3", "", true, 0},
};

const struct sim_kind kinds[KINDS] = {
	[SUBMIT] = {"job.submit", 30},  [GET] = {"job.get", 30},
	[LIST] = {"job.list", 5},       [PAUSE] = {"job.pause", 25},
	[RESUME] = {"job.resume", 25},  [CANCEL] = {"job.cancel", 8},
	[SET] = {"job.set", 12},        [WATCH] = {"job.watch", 12},
	[UNWATCH] = {"job.unwatch", 4}, [HISTORY] = {"job.history", 5},
	[TREE] = {"job.tree", 8},       [FACT] = {"fact.query", 20},
	[FACTS] = {"fact.query", 8},    [BEST_LINE] = {"fact.line", 6},
	[EXPORT] = {"proof.export", 3}, [READ] = {"proof.read", 2},
	[STATS] = {"server.stats", 3},  [HELLO] = {"server.hello", 2},
	[SHOW] = {"position.show", 2},  [SHUTDOWN] = {"server.shutdown", 0},
};

struct sim_world w;

/* --- the truth ---------------------------------------------------------------------------- */

void sim_world_init(void)
{
	for (unsigned i = 0; i < SIM_QUESTIONS; i++) {
		_Alignas(16) uint8_t state[GAME_STATE_MAX];
		struct game_host host = {TEST_GRAPHS, sv_graph_read};
		struct game *game;
		struct pd_fail fail;
		if (!questions[i].oracle)
			continue;
		if (game_open(questions[i].game, &host, &game, &fail)) {
			printf("%s: %s\n", questions[i].game, fail.text);
			abort();
		}
		struct oracle *oracle = oracle_new(game);
		game->rules->start(game, state);
		questions[i].value = oracle_value(oracle, state);
		oracle_free(oracle);
		game_close(game);
	}
}

static size_t count_backlog(void *ctx)
{
	return ((struct client *)ctx)->backlog;
}

static void hang_up(void *ctx)
{
	((struct client *)ctx)->hung_up = true;
}

/* --- what is asked ------------------------------------------------------------------------ */

static void put_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void put_line(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	int n = vsnprintf(w.text + w.size, sizeof w.text - w.size, format, args);
	va_end(args);
	w.size += (size_t)n;
	if (w.size >= sizeof w.text)
		abort();
}

static enum kind random_kind(void)
{
	unsigned sum = 0, at;
	for (unsigned i = 0; i < KINDS; i++)
		sum += kinds[i].weight;
	at = sim_below(sum);
	for (unsigned i = 0;; i++) {
		if (at < kinds[i].weight)
			return (enum kind)i;
		at -= kinds[i].weight;
	}
}

/* A job, most often a young one; once in a while one that there is not yet. */
static uint32_t random_job(void)
{
	uint32_t last = 1;
	for (uint32_t i = 1; i < SIM_JOBS; i++)
		if (w.model->job[i].known)
			last = i;
	uint32_t back = sim_below(sim_below(4) ? 5 : last + 1);
	return back < last ? last - back : last + 1 < SIM_JOBS ? last + sim_below(2) : last;
}

static void put_submit(struct asked *a)
{
	static const char *const algorithms[] = {"pds-pn", "dfpn-pn", "pds", "df-pn", "pn2", "pn"};
	a->key = sim_below(3) ? -1 : (int)sim_below(SIM_KEYS);
	a->question = a->key < 0 ? sim_below(SIM_QUESTIONS) : (unsigned)a->key % SIM_QUESTIONS;
	put_line("\"game\":\"%s\",\"memory\":\"%uM\",\"options\":{\"table\":%u}", questions[a->question].game,
		 4 + 28 * sim_below(2), 64u << sim_below(8));
	if (a->key >= 0) {
		put_line(",\"key\":\"k%d\",\"threads\":%u,\"priority\":%d", a->key, sim_below(4),
			 (int)sim_below(5) - 2);
		return;
	}
	put_line(",\"algorithm\":\"%s\",\"detail\":\"%s\"", algorithms[sim_below(a->question == 0 ? 2 : 6)],
		 sim_below(3) ? "frontier" : "full");
	if (!sim_below(4))
		put_line(",\"budget\":{\"nodes\":%u}", 1 + sim_below(3000));
	if (!sim_below(4))
		put_line(",\"shorten\":%u", 1 + sim_below(3000));
}

/* Whether one is under way: what is sent later may be carried out first, when the other is part of a batch. */
static bool under_way(enum kind kind, uint32_t job)
{
	for (unsigned i = 0; i < CLIENTS; i++)
		for (unsigned k = 0; k < ASKED; k++)
			if (w.client[i].asked[k].id && w.client[i].asked[k].kind == kind &&
			    w.client[i].asked[k].job == job)
				return true;
	return w.lost[job];
}

static void put_set(struct asked *a)
{
	struct sim_job *job = sim_job_of(a->job);
	a->id = 0;
	a->before = under_way(SET, a->job) ? UINT_MAX : job->sets + 1;
	a->id = w.next_id;
	job->sets++;
	a->priority = (int)sim_below(201) - 100;
	job->set = false;
	put_line(",\"priority\":%d", a->priority);
	if (w.raise)
		put_line(",\"budget\":{\"nodes\":100000000}");
	else if (sim_below(2))
		put_line(",\"budget\":{\"nodes\":%u}", 1 + sim_below(1000000));
}

static void put_params(struct asked *a)
{
	struct sim_job *job;
	switch (a->kind) {
	case SUBMIT:
		put_submit(a);
		return;
	case FACT:
	case BEST_LINE:
	case SHOW:
		a->question = sim_below(SIM_QUESTIONS);
		put_line("\"game\":\"%s\"", questions[a->question].game);
		return;
	case FACTS:
		a->question = sim_below(SIM_QUESTIONS);
		if (!strncmp(questions[a->question].game, "andor", 5))
			a->question = 0;
		put_line("\"game\":\"%s\",\"positions\":[\"\"", questions[a->question].game);
		for (unsigned i = sim_below(200); i-- > 0;)
			put_line(",\"\"");
		put_line("]");
		return;
	case LIST:
		put_line("\"limit\":%u", 1 + sim_below(20));
		return;
	case STATS:
	case HELLO:
	case SHUTDOWN:
		return;
	case READ:
		put_line("\"proof\":%u", 1 + sim_below(3));
		return;
	default:
		break;
	}
	a->job = random_job();
	job = sim_job_of(a->job);
	put_line("\"job\":%u", a->job);
	if (a->kind == PAUSE)
		a->before = under_way(RESUME, a->job) ? UINT_MAX : job->resumes;
	if (a->kind == RESUME) {
		job->resumes++;
		job->paused = false;
	}
	if (a->kind == CANCEL)
		job->cancels = true;
	if (a->kind == SET)
		put_set(a);
	if (a->kind == WATCH)
		put_line(",\"interval\":0.%u", 1 + sim_below(9));
}

static bool put_call(struct client *c, enum kind kind, uint32_t job, bool alone)
{
	struct asked *a = NULL;
	for (unsigned i = 0; i < ASKED && !a; i++)
		if (!c->asked[i].id)
			a = &c->asked[i];
	if (!a)
		return false;
	*a = (struct asked){.id = ++w.next_id, .kind = kind, .line = w.next_line, .key = -1, .alone = alone};
	c->open++;
	w.model->requests++;
	put_line("{\"jsonrpc\":\"2.0\",\"id\":%" PRIu64 ",\"method\":\"%s\",\"params\":{", a->id, kinds[kind].method);
	if (job) {
		a->job = job;
		if (kind == RESUME) {
			sim_job_of(job)->resumes++;
			sim_job_of(job)->paused = false;
		}
		put_line("\"job\":%u", job);
		if (kind == SET)
			put_set(a);
	} else {
		put_params(a);
	}
	a->known = a->job && sim_job_of(a->job)->known;
	put_line("}}");
	return true;
}

static void send_text(struct client *c)
{
	sim_note(w.text, w.size);
	c->in_call = true;
	sv_session_line(c->session, w.text, w.size);
	c->in_call = false;
}

static void begin_text(void)
{
	w.size = 0;
	w.next_line++;
}

static bool may_send(const struct client *c)
{
	return c->session && !sv_session_waiting(c->session) && sv_session_inflight(c->session) < SV_INFLIGHT_MAX &&
	       c->open + BATCH < ASKED;
}

static void send_random(struct client *c)
{
	unsigned count = sim_below(4) ? 1 : 2 + sim_below(BATCH - 2);
	if (!may_send(c))
		return;
	begin_text();
	if (count == 1) {
		put_call(c, random_kind(), 0, true);
	} else {
		put_line("[");
		for (unsigned i = 0; i < count && put_call(c, random_kind(), 0, false); i++)
			put_line(i + 1 < count ? "," : "]");
	}
	if (!sim_below(15)) /* long lines are read by a thread */
		put_line("%*s", 17000 + (int)sim_below(30000), "");
	send_text(c);
}

/* --- clients come and go ------------------------------------------------------------------ */

static void open_client(struct client *c)
{
	struct sv_sink sink = {c, sim_reply_take, count_backlog, hang_up, true};
	memset(c, 0, sizeof *c);
	c->session = sv_session_new(w.core, &sink);
	if (!c->session)
		sim_finding("there is no session to be had");
}

/* What it asked for may happen or not, and it is not reported. */
static void close_client(struct client *c)
{
	struct sv_session *session = c->session;
	if (!session)
		return;
	for (unsigned i = 0; i < ASKED; i++)
		if (c->asked[i].id)
			w.lost[c->asked[i].job] = true;
	sv_session_free(session);
	memset(c, 0, sizeof *c);
}

static void wake_up(void *ctx)
{
	pthread_mutex_lock(&w.lock);
	w.wake = true;
	pthread_cond_signal(&w.woken);
	pthread_mutex_unlock(&w.lock);
}

/* No worker has anything to do, and a job that one could take waits, for so long: somebody was not woken. */
static void check_workers(void)
{
	pd_mutex_lock(&w.core->lock);
	const struct sv_job *job = w.core->search_threads->searching ? NULL : sv_find_ready(w.core, NULL);
	if (!job)
		w.idle_ns = 0;
	else if (!w.idle_ns)
		w.idle_ns = sim_now_ns();
	else if (sim_now_ns() - w.idle_ns > IDLE_SECONDS * UINT64_C(1000000000))
		sim_finding("job %u is queued, all workers are free, and none takes it", job->record.id);
	pd_mutex_unlock(&w.core->lock);
}

/* The loop of a shell: waits for the core or for a while. */
static void run_loop(uint64_t wait_ns)
{
	static uint64_t ticked;
	struct timespec until;
	uint64_t now = sim_now_ns() + wait_ns;
	until.tv_sec = (time_t)(now / 1000000000u);
	until.tv_nsec = (long)(now % 1000000000u);
	pthread_mutex_lock(&w.lock);
	if (!w.wake)
		pthread_cond_timedwait(&w.woken, &w.lock, &until);
	bool woken = w.wake;
	w.wake = false;
	pthread_mutex_unlock(&w.lock);
	if (woken)
		sv_core_pump(w.core);
	if (sim_now_ns() - ticked > TICK_NS) {
		ticked = sim_now_ns();
		sv_core_tick(w.core);
	}
	check_workers();
	for (unsigned i = 0; i < CLIENTS; i++)
		if (w.client[i].hung_up)
			sim_finding("the core asks for the end of a session, and there is memory");
}

static void something(void)
{
	struct client *c = &w.client[sim_below(CLIENTS)];
	unsigned what = sim_below(100);
	if (!c->session)
		open_client(c);
	else if (what < 2)
		close_client(c);
	else if (what < 6)
		c->backlog = c->backlog ? 0 : 1 + sim_below(100000);
	else if (what < 60)
		send_random(c);
	if (w.epoch->last)
		return;
	if (!w.epoch->data && !sim_below(40))
		st_fault(w.core->store, sim_below(2) ? ST_FAULT_COMMIT : ST_FAULT_PUT, 1 + sim_below(20));
	if (w.epoch->data && !sim_below(60)) {
		sim_disk_bad(sim_below(2) ? 1 + sim_below(30) : 0);
		w.model->faults++;
	}
}

/* --- to the end --------------------------------------------------------------------------- */

static bool all_answered(void)
{
	for (unsigned i = 0; i < CLIENTS; i++)
		if (w.client[i].open)
			return false;
	return true;
}

static bool all_at_rest(bool all)
{
	bool rest = true;
	w.unsettled[0] = 0;
	pd_mutex_lock(&w.core->lock);
	for (uint32_t i = 0; i < w.core->index->all.count; i++) {
		const struct sv_job *job = w.core->index->all.jobs[i];
		bool own = !job || (job->record.state != SV_QUEUED && job->record.state != SV_RUNNING &&
				    job->run.phase == SV_PHASE_REST &&
				    !(all && (job->record.state == SV_PAUSED || job->record.state == SV_EXHAUSTED)));
		rest &= own;
		if (!own)
			snprintf(w.unsettled, sizeof w.unsettled, "job %u, %s about %s: %s, phase %d %s",
				 job->record.id, pn_algorithm_text(job->record.spec.algorithm), job->record.spec.game,
				 sv_state_text(job->record.state), (int)job->run.phase, job->record.reason);
	}
	pd_mutex_unlock(&w.core->lock);
	return rest;
}

/* Asks once more until that is answered. */
static void ask_again(struct client *c, enum kind kind, uint32_t job)
{
	uint64_t late = sim_now_ns() + QUIET_SECONDS * UINT64_C(1000000000);
	while (!may_send(c)) {
		run_loop(TURN_NS);
		if (sim_now_ns() > late)
			sim_finding("a client's requests are not answered");
	}
	begin_text();
	put_call(c, kind, job, true);
	send_text(c);
	while (!all_answered()) {
		run_loop(TURN_NS);
		if (sim_now_ns() > late)
			sim_finding("%s is not answered", kinds[kind].method);
	}
}

/* The disk is good again, everybody reads: all requests are answered, and all jobs come to their end. */
static void quiet(void)
{
	uint64_t late = sim_now_ns() + QUIET_SECONDS * UINT64_C(1000000000);
	sim_disk_bad(0);
	st_fault(w.core->store, ST_FAULT_COMMIT, 0);
	st_fault(w.core->store, ST_FAULT_PUT, 0);
	for (unsigned i = 0; i < CLIENTS; i++)
		w.client[i].backlog = 0;
	while (!all_answered() || !all_at_rest(false)) {
		run_loop(TURN_NS);
		if (sim_now_ns() > late)
			sim_finding("%s: %s",
				    all_answered() ? "jobs do not come to their end" : "requests are not answered",
				    w.unsettled);
	}
	if (!w.client[0].session)
		open_client(&w.client[0]);
	w.raise = true;
	for (uint32_t i = 1; w.epoch->last && i <= w.core->index->all.count; i++) {
		if (w.core->index->all.jobs[i - 1] && w.model->job[i].over == 0) {
			ask_again(&w.client[0], SET, i);
			ask_again(&w.client[0], RESUME, i);
		}
	}
	w.raise = false;
	late = sim_now_ns() + QUIET_SECONDS * UINT64_C(1000000000);
	while (!all_at_rest(w.epoch->last)) {
		run_loop(TURN_NS);
		if (sim_now_ns() > late)
			sim_finding("jobs that were resumed do not come to their end: %s", w.unsettled);
	}
}

/* Every job that was told to anybody is there. */
static void look_at_all(void)
{
	for (uint32_t i = 1; i < SIM_JOBS; i++)
		if (w.model->job[i].known)
			ask_again(&w.client[0], GET, i);
}

static void shut(void)
{
	uint64_t from = sim_now_ns();
	for (unsigned i = 0; i < CLIENTS; i++)
		close_client(&w.client[i]);
	sv_core_close(w.core);
	uint64_t took = sim_now_ns() - from;
	if (took > w.model->closed_ns_max)
		w.model->closed_ns_max = took;
	if (took > UINT64_C(120000000000))
		sim_finding("the core took %.1f s to close", (double)took / 1e9);
	w.model->closes++;
}

void sim_world_run(const struct sim_epoch *epoch)
{
	struct sv_config config;
	struct pd_fail fail;
	memset(&w, 0, sizeof w);
	w.epoch = epoch;
	w.model = epoch->model;
	pthread_mutex_init(&w.lock, NULL);
	pthread_cond_init(&w.woken, NULL);
	sv_config_init(&config);
	config.data = epoch->data;
	config.graphs = TEST_GRAPHS;
	config.identity = 1;
	config.threads = 1 + sim_below(4);
	config.checkpoint_s = sim_below(2) ? 0.05 : 0.05 * (1 + sim_below(30));
	config.memory = 64 << 20;
	if (sv_core_open(&config, wake_up, NULL, &w.core, &fail))
		sim_finding("the core cannot be opened: %s", fail.text);
	st_tune(w.core->store, &(struct st_tuning){.flush_facts = 20 + sim_below(300),
						   .step_facts = 20 + sim_below(100),
						   .compaction_width = 2 + sim_below(3)});
	for (unsigned i = 0; i < CLIENTS; i++)
		open_client(&w.client[i]);
	look_at_all();
	for (unsigned i = 0; i < epoch->turns || epoch->end == SIM_CRASH; i++) {
		for (unsigned k = sim_below(4); k-- > 0;)
			something();
		run_loop(sim_below(TURN_NS));
	}
	if (epoch->end == SIM_QUIET) {
		quiet();
		look_at_all();
	} else if (sim_below(2) && may_send(&w.client[0])) {
		begin_text();
		put_call(&w.client[0], SHUTDOWN, 0, true);
		send_text(&w.client[0]);
		for (unsigned i = sim_below(5); i-- > 0;)
			run_loop(TURN_NS);
	}
	shut();
}
