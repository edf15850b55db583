#include "server/cluster/cluster.h"

#include <stdio.h>
#include <stdlib.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/mutex.h"
#include "proto/base/random.h"
#include "server/cluster/answer.h"
#include "server/cluster/dispatch.h"
#include "server/cluster/grain.h"
#include "server/cluster/receive.h"
#include "server/cluster/state.h"
#include "server/cluster/tell.h"
#include "server/cluster/trust.h"

enum {
	REST_DOUBLINGS = 3,
	GATHER_SHARE = 25,
	GATHER_NS_MAX = 500000,
	SHARED_REST = 256 /* bytes of a message besides shared positions */
};

static const uint64_t second_ns = 1000000000, look_ns = 250000000, workers_ns = 200000000;
/* After the port has reconnected, each worker reports its tasks within that time. */
static const uint64_t grace_ns = 1500000000;

static void expire_task(struct sv_cluster *c, struct sc_task *t)
{
	struct sc_worker *w = t->worker;
	PD_ASSERT(t->state == SC_OUT && w);
	w->view.sent_again++;
	/* A worker without a result since the task was sent must rest. One with a result may have lost a single
	 * message, and losses while the port was disconnected do not count. */
	if (!t->grace_ns && w->result_ns < t->sent_ns && w->rest_ns <= c->now_ns) {
		w->rest_ns = c->now_ns + (second_ns << (w->strikes < REST_DOUBLINGS ? w->strikes : REST_DOUBLINGS));
		w->strikes++;
	}
	t->grace_ns = 0;
	sc_answer_again(c, t);
}

static void check_deadlines(struct sv_cluster *c)
{
	struct sc_task *t;
	if (!c->view.connected)
		return; /* nothing can be sent */
	while ((t = sc_book_expired(&c->book, c->now_ns)))
		expire_task(c, t);
}

static void handle_connected(struct sv_cluster *c, bool came, bool connected, const char *what)
{
	struct sc_worker *w;
	struct sc_task *t;
	if (connected != c->view.connected || came)
		c->view.connected_ns = c->now_ns;
	pd_log(connected ? PD_LOG_INFO : PD_LOG_WARN, "cluster: %s", what);
	c->view.connected = connected;
	if (!came)
		return;
	sc_tell_call(c, CP_ALL);
	TAILQ_FOREACH(w, &c->roster.all, link) {
		TAILQ_FOREACH(t, &w->tasks.list, link) {
			uint64_t due = t->grace_ns ? t->grace_ns : t->due_ns;
			t->grace_ns = due > c->now_ns + second_ns ? due : c->now_ns + second_ns;
			sc_book_due(&c->book, t, c->now_ns + grace_ns);
		}
	}
}

static void update_worker(struct sv_cluster *c, struct sc_worker *w)
{
	uint64_t silent_ns = c->now_ns - w->seen_ns, since_ns = c->now_ns - w->rate_ns;
	bool there = w->view.state == SV_WORKER_THERE;
	if ((there || w->view.state == SV_WORKER_SILENT) && silent_ns > SC_GONE_S * second_ns) {
		pd_log(PD_LOG_INFO, "worker %016llx (%s) is gone", (unsigned long long)w->number, w->view.name);
		sc_answer_free(c, w);
		sc_roster_enter(&c->roster, w, SV_WORKER_GONE);
	} else if (there && silent_ns > SC_SILENT_S * second_ns) {
		sc_roster_enter(&c->roster, w, SV_WORKER_SILENT);
	}
	if (since_ns >= second_ns) {
		w->view.rate += ((double)(w->view.nodes - w->rate_nodes) * 1e9 / (double)since_ns - w->view.rate) / 4;
		w->rate_nodes = w->view.nodes;
		w->rate_ns = c->now_ns;
	}
}

/* The share of the workers' threads without a task; 0 while leaves wait. */
static double idle_share(const struct sv_cluster *c)
{
	const struct sc_worker *w;
	const struct sv_desk *d;
	unsigned idle = 0;
	TAILQ_FOREACH(d, &c->desks, link)
		if (d->waiting.count)
			return 0;
	TAILQ_FOREACH(w, &c->roster.idle, free)
		idle += w->view.threads - w->tasks.count;
	return c->view.threads ? (double)idle / c->view.threads : 0;
}

/* How long results of a game wait for their jobs, on average. */
static double average_take_ns(struct sv_cluster *c, const struct sc_game *g)
{
	struct sv_desk *d;
	uint64_t takes = 0, ns = 0;
	TAILQ_FOREACH(d, &c->desks, link) {
		if (d->game != g)
			continue;
		pd_mutex_lock(&d->lock);
		takes += d->takes;
		ns += d->takes_ns;
		d->takes = d->takes_ns = 0;
		pd_mutex_unlock(&d->lock);
	}
	return takes ? (double)ns / (double)takes : 0;
}

static void adjust_grain_of(struct sv_cluster *c, struct sc_game *g, double load)
{
	struct sc_grain_look look = {.load = load,
				     .idle = c->tick.idle_count ? c->tick.idle_sum / c->tick.idle_count : 0,
				     .threads = g->threads,
				     .tasks = g->tasks,
				     .task_ns = g->tasks ? (double)g->task_ns / (double)g->tasks : 0,
				     .trip_ns = g->tasks ? (double)g->trips_ns / (double)g->tasks : 0,
				     .take_ns = average_take_ns(c, g)};
	c->view.grain = sc_grain_next(atomic_load_explicit(&g->grain, memory_order_relaxed), &look);
	atomic_store_explicit(&g->grain, c->view.grain, memory_order_relaxed);
	g->tasks = g->task_ns = g->trips_ns = 0;
	g->looked_ns = c->now_ns;
}

static void adjust_grain(struct sv_cluster *c)
{
	struct sv_desk *d;
	uint64_t cpu_ns = pd_cpu_ns(), since_ns = c->now_ns - c->tick.look_ns;
	c->tick.idle_sum += idle_share(c);
	c->tick.idle_count++;
	c->view.busy_ns = cpu_ns;
	if (since_ns < look_ns)
		return;
	double load = (double)(cpu_ns - c->tick.look_cpu_ns) / (double)since_ns;
	TAILQ_FOREACH(d, &c->desks, link)
		if (d->share && d->game->looked_ns != c->now_ns) /* once for all its desks */
			adjust_grain_of(c, d->game, load);
	c->tick.look_ns = c->now_ns;
	c->tick.look_cpu_ns = cpu_ns;
	c->tick.idle_sum = 0;
	c->tick.idle_count = 0;
}

static void publish_state(struct sv_cluster *c)
{
	const struct sv_desk *d;
	c->view.waiting = 0;
	TAILQ_FOREACH(d, &c->desks, link)
		c->view.waiting += d->waiting.count;
	c->view.out = c->book.count - c->view.waiting;
	sc_board_figures(&c->board, &c->view);
	/* A change of state is published together with the figures, which count the present workers. */
	if (c->roster.entries == c->tick.workers_entries && c->now_ns - c->tick.workers_ns < workers_ns)
		return;
	sc_board_workers(&c->board, &c->roster);
	c->tick.workers_entries = c->roster.entries;
	c->tick.workers_ns = c->now_ns;
}

/* Most of what a task costs is waking this thread and the job's. So input is gathered for a twenty-fifth of the time
 * that a task should take, if at least half a task was sent in such a time since the last tick. */
static void adjust_gathering(struct sv_cluster *c)
{
	double ns = sc_grain_aim(c->view.threads) / GATHER_SHARE;
	uint64_t sent = c->view.tasks + c->view.sent_again, since_ns = c->now_ns + SC_TICK_NS - c->tick.next_ns;
	ns = ns < GATHER_NS_MAX ? ns : GATHER_NS_MAX;
	c->tick.gather_ns = 2 * ns * (double)(sent - c->tick.sent) < (double)since_ns ? 0 : (uint64_t)ns;
	c->tick.sent = sent;
}

/* Tells the workers whether they may share solved positions, if that has changed. */
static void update_sharing(struct sv_cluster *c)
{
	struct sc_worker *w;
	c->sharing.workers = 0;
	TAILQ_FOREACH(w, &c->roster.all, link)
		c->sharing.workers += w->view.state == SV_WORKER_THERE && sc_trust_shares(&c->config, w, c->now_ns);
	TAILQ_FOREACH(w, &c->roster.all, link)
		if (w->view.state == SV_WORKER_THERE && w->talk.shares != sc_tell_shares(c, w))
			sc_tell_welcome(c, w);
}

static void run_tick(struct sv_cluster *c)
{
	struct sc_worker *w;
	adjust_gathering(c);
	check_deadlines(c);
	TAILQ_FOREACH(w, &c->roster.all, link)
		update_worker(c, w);
	update_sharing(c);
	adjust_grain(c);
	sc_receive_tick(c);
	publish_state(c);
}

static void *cluster_main(void *arg)
{
	struct sv_cluster *c = arg;
	struct sc_batch batch;
	struct sv_desk *d;
	const uint8_t *data;
	size_t size;
	bool stop = false;
	sc_batch_init(&batch);
	c->tick.look_cpu_ns = pd_cpu_ns();
	pd_mutex_lock(&c->round.lock);
	while (!stop) {
		uint64_t due_ns = sc_tell_due(c), from_ns = c->now_ns + c->tick.gather_ns;
		pd_mutex_unlock(&c->round.lock); /* before runs are woken: they want it (sc_dispatch_now) */
		TAILQ_FOREACH(d, &c->desks, link)
			sc_desk_wake(d);
		sc_inbox_take(&c->inbox, &batch, from_ns, due_ns < c->tick.next_ns ? due_ns : c->tick.next_ns);
		pd_mutex_lock(&c->round.lock);
		c->now_ns = pd_now_ns();
		stop = batch.stop;
		if (batch.told)
			handle_connected(c, batch.came, batch.connected, batch.what);
		while (sc_batch_next(&batch, &data, &size))
			sc_receive(c, data, size);
		sc_answer_verdicts(c);
		sc_dispatch_desks(c);
		if (c->now_ns >= c->tick.next_ns) {
			run_tick(c);
			c->tick.next_ns = c->now_ns + SC_TICK_NS;
		}
		if (c->roster.changed)
			sc_dispatch_shares(c);
		sc_dispatch(c);
		sc_tell_all(c);
	}
	pd_mutex_unlock(&c->round.lock);
	PD_ASSERT(!atomic_load(&c->desk_count));
	sc_batch_fini(&batch);
	return NULL;
}

static void on_message(void *ctx, const uint8_t *data, size_t size)
{
	struct sv_cluster *c = ctx;
	if (size <= CW_MESSAGE_MAX)
		sc_inbox_message(&c->inbox, data, size);
}

static void on_connected(void *ctx, bool connected, const char *what)
{
	struct sv_cluster *c = ctx;
	sc_inbox_connected(&c->inbox, connected, what);
}

static void prepare_cluster(struct sv_cluster *c, const struct sv_cluster_config *config,
			    const struct sv_cluster_host *host)
{
	c->config = *config;
	c->host = *host;
	if (config->seal) {
		c->seal = *config->seal;
		c->config.seal = &c->seal;
	}
	c->config.past = config->past ? config->past : &c->past;
	c->config.where = NULL;
	snprintf(c->view.where, sizeof c->view.where, "%s", config->where ? config->where : "");
	c->tick.lines_left = 100;
	c->seed = config->seed ? config->seed : pd_random64();
	c->epoch = c->view.coordinator = pd_random64();
	c->now_ns = c->tick.next_ns = c->tick.look_ns = c->view.connected_ns = pd_now_ns();
	pd_mutex_init(&c->round.lock, PD_LOCK_ROUND);
	sc_book_init(&c->book, c->now_ns);
	sc_roster_init(&c->roster);
	TAILQ_INIT(&c->desks);
	pd_buf_init(&c->out, CW_MESSAGE_MAX);
	pd_buf_init(&c->sharing.bodies, CW_MESSAGE_MAX - SHARED_REST);
	atomic_init(&c->desk_count, 0);
}

/* Ends what was started. The judge goes first, because it wakes the port. */
static void undo_open(struct sv_cluster *c)
{
	if (c->judge)
		sc_judge_close(c->judge);
	if (c->port)
		c->port->type->close(c->port);
	sc_board_fini(&c->board);
	sc_games_fini(&c->games);
	sc_inbox_fini(&c->inbox);
	sc_roster_fini(&c->roster);
	pd_buf_fini(&c->out);
	pd_buf_fini(&c->sharing.bodies);
	pd_mutex_fini(&c->round.lock);
	free(c);
}

int sv_cluster_open(const struct sv_cluster_config *config, const struct sv_cluster_host *host, struct sv_cluster **out,
		    struct pd_fail *fail)
{
	struct sv_cluster *c = calloc(1, sizeof *c);
	if (!c)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for a cluster");
	prepare_cluster(c, config, host);
	struct cp_events events = {.ctx = c, .message = on_message, .connected = on_connected};
	sc_inbox_init(&c->inbox);
	sc_games_init(&c->games, &c->host);
	sc_board_init(&c->board);
	sc_board_figures(&c->board, &c->view);
	int rc = config->port.open(config->port.ctx, CP_COORDINATOR, &events, &c->port, fail);
	if (!rc) {
		sc_inbox_port(&c->inbox, c->port);
		rc = sc_judge_open(&c->inbox, &c->games, &c->judge, fail);
	}
	if (!rc && pthread_create(&c->round.thread, NULL, cluster_main, c))
		rc = pd_fail_set(fail, PD_E_NO_MEMORY, "", "no thread for the cluster");
	if (rc) {
		undo_open(c);
		return rc;
	}
	pd_log(PD_LOG_INFO, "cluster: this coordinator is %016llx", (unsigned long long)c->epoch);
	*out = c;
	return PD_OK;
}

void sv_cluster_close(struct sv_cluster *cluster)
{
	if (!cluster)
		return;
	sc_inbox_stop(&cluster->inbox);
	pthread_join(cluster->round.thread, NULL);
	undo_open(cluster);
}

void sv_cluster_note_lie(const struct sv_cluster_config *config, uint64_t now_ns)
{
	if (config->past) /* assume that the worker had the key, if there is one */
		sc_trust_ban(config, config->seal != NULL, true, sv_cluster_shares(config), now_ns);
}

bool sv_cluster_shares(const struct sv_cluster_config *config)
{
	return sc_trust_shared(config);
}

const char *sv_worker_state_text(enum sv_worker_state state)
{
	static const char *const texts[] = {[SV_WORKER_THERE] = "there",
					    [SV_WORKER_SILENT] = "silent",
					    [SV_WORKER_GONE] = "gone",
					    [SV_WORKER_REFUSED] = "refused",
					    [SV_WORKER_BANNED] = "banned"};
	PD_ASSERT((unsigned)state < sizeof texts / sizeof *texts);
	return texts[state];
}

void sv_cluster_view(struct sv_cluster *cluster, struct sv_cluster_view *out)
{
	pd_mutex_lock(&cluster->board.lock);
	*out = cluster->board.view;
	pd_mutex_unlock(&cluster->board.lock);
}

bool sv_cluster_other(struct sv_cluster *cluster, char out[SV_COORDINATOR_TEXT])
{
	struct sv_cluster_view view = {.other = 0};
	if (cluster)
		sv_cluster_view(cluster, &view);
	snprintf(out, SV_COORDINATOR_TEXT, "%016llx", (unsigned long long)view.other);
	return view.other;
}

unsigned sv_cluster_workers(struct sv_cluster *cluster, struct sv_worker_view *out, unsigned max)
{
	return sc_board_list(&cluster->board, out, max);
}
