#include "server/cluster/tick.h"

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/mutex.h"
#include "server/cluster/answer.h"
#include "server/cluster/dispatch.h"
#include "server/cluster/grain.h"
#include "server/cluster/rival.h"
#include "server/cluster/tell.h"

enum { STRANGERS_A_TICK = 64, LINES_A_TICK = 2, LINES_MOST = 100, REST_DOUBLINGS = 3 };

static const uint64_t second_ns = 1000000000, look_ns = 250000000, workers_ns = 200000000;
/* After the port came back: within that time each worker has said what it has in hand. */
static const uint64_t grace_ns = 1500000000;

/* --- deadlines ---------------------------------------------------------------------------------- */

static void expire_task(struct sv_cluster *c, struct sc_task *t)
{
	struct sc_worker *w = t->worker;
	PD_ASSERT(t->state == SC_OUT && w);
	w->view.sent_again++;
	/* One that gave no result since the task was sent rests; one that did may have lost a single message, and what
	 * was lost while the port was away is no one's fault. */
	if (!t->grace_ns && w->result_ns < t->sent_ns && w->rest_ns <= c->now_ns) {
		w->rest_ns = c->now_ns + (second_ns << (w->strikes < REST_DOUBLINGS ? w->strikes : REST_DOUBLINGS));
		w->strikes++;
	}
	t->grace_ns = 0;
	sc_answer_again(c, t);
}

static void look_at_deadlines(struct sv_cluster *c)
{
	struct sc_task *t;
	if (!c->view.connected)
		return; /* nothing could be sent */
	while ((t = sc_book_expired(&c->book, c->now_ns)))
		expire_task(c, t);
}

void sc_tick_connected(struct sv_cluster *c, bool came, bool connected, const char *what)
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

/* --- workers ------------------------------------------------------------------------------------ */

static void look_at_worker(struct sv_cluster *c, struct sc_worker *w)
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

/* The share of the workers' threads that have nothing to do while nothing waits for them. */
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

/* --- grain -------------------------------------------------------------------------------------- */

/* How long the jobs let the results of a game wait. */
static double take_ns(struct sv_cluster *c, const struct sc_game *g)
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

static void look_at_game(struct sv_cluster *c, struct sc_game *g, double load)
{
	struct sc_grain_look look = {.load = load,
				     .idle = c->tick.idle_count ? c->tick.idle_sum / c->tick.idle_count : 0,
				     .threads = g->threads,
				     .tasks = g->tasks,
				     .task_ns = g->tasks ? (double)g->task_ns / (double)g->tasks : 0,
				     .trip_ns = g->tasks ? (double)g->trips_ns / (double)g->tasks : 0,
				     .take_ns = take_ns(c, g)};
	c->view.grain = sc_grain_next(atomic_load_explicit(&g->grain, memory_order_relaxed), &look);
	atomic_store_explicit(&g->grain, c->view.grain, memory_order_relaxed);
	g->tasks = g->task_ns = g->trips_ns = 0;
	g->looked_ns = c->now_ns;
}

static void look_at_grain(struct sv_cluster *c)
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
		if (d->share && d->game->looked_ns != c->now_ns) /* one look for all its desks */
			look_at_game(c, d->game, load);
	c->tick.look_ns = c->now_ns;
	c->tick.look_cpu_ns = cpu_ns;
	c->tick.idle_sum = 0;
	c->tick.idle_count = 0;
}

/* --- the tick ----------------------------------------------------------------------------------- */

void sc_tick_publish(struct sv_cluster *c)
{
	const struct sv_desk *d;
	c->view.waiting = 0;
	TAILQ_FOREACH(d, &c->desks, link)
		c->view.waiting += d->waiting.count;
	c->view.out = c->book.count - c->view.waiting;
	sc_board_figures(&c->board, &c->view);
	/* A change of state is published with the figures, which count the workers that are there. */
	if (c->roster.entries == c->tick.workers_entries && c->now_ns - c->tick.workers_ns < workers_ns)
		return;
	sc_board_workers(&c->board, &c->roster);
	c->tick.workers_entries = c->roster.entries;
	c->tick.workers_ns = c->now_ns;
}

void sc_tick(struct sv_cluster *c)
{
	struct sc_worker *w;
	c->answers_left = STRANGERS_A_TICK;
	c->lines_left += c->lines_left < LINES_MOST ? LINES_A_TICK : 0;
	look_at_deadlines(c);
	TAILQ_FOREACH(w, &c->roster.all, link)
		look_at_worker(c, w);
	look_at_grain(c);
	sc_rival_tick(c);
	sc_tick_publish(c);
}
