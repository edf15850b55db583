#include "server/cluster/dispatch.h"

#include "proto/base/assert.h"
#include "proto/base/mutex.h"
#include "proto/base/clock.h"
#include "server/cluster/answer.h"
#include "server/cluster/tell.h"

enum { LOOKS = 16 /* workers compared after the first suitable one */, TRIES_MOST = 6 };

/* Sorts the desk in behind those of its priority. */
static void insert_desk_by_priority(struct sv_cluster *c, struct sv_desk *d)
{
	struct sv_desk *other;
	int priority = atomic_load(&d->priority);
	if (d->known && d->rank == priority)
		return;
	if (d->known)
		TAILQ_REMOVE(&c->desks, d, link);
	d->known = true;
	d->rank = priority;
	c->roster.changed = true;
	TAILQ_FOREACH(other, &c->desks, link)
		if (other->rank < priority)
			break;
	if (other)
		TAILQ_INSERT_BEFORE(other, d, link);
	else
		TAILQ_INSERT_TAIL(&c->desks, d, link);
}

static void cancel_task(struct sv_cluster *c, struct sc_task *t)
{
	if (t->state == SC_IDLE)
		return;
	c->view.cancelled++;
	sc_answer_end(c, t, 0);
}

static void close_desk(struct sv_cluster *c, struct sv_desk *d)
{
	for (unsigned i = 0; i < d->slots_max; i++)
		cancel_task(c, &d->slot[i].task);
	PD_ASSERT(!d->waiting.count);
	if (d->known)
		TAILQ_REMOVE(&c->desks, d, link);
	c->roster.changed = true;
	sc_games_put(&c->games, d->game);
	sc_desk_free(d);
	atomic_fetch_sub(&c->desk_count, 1);
}

static void take_desk_changes(struct sv_cluster *c, struct sv_desk *d)
{
	insert_desk_by_priority(c, d);
	pd_mutex_lock(&d->lock);
	for (unsigned i = 0; i < d->changed.count; i++) {
		struct sc_slot *slot = &d->slot[d->changed.at[i]];
		struct sc_task *t = &slot->task;
		slot->changed = false;
		if (slot->wanted && t->state != SC_IDLE && t->leaf.serial == slot->posted.serial)
			continue;
		cancel_task(c, t);
		if (!slot->wanted)
			continue;
		t->desk = d;
		t->slot = d->changed.at[i];
		t->leaf = slot->posted;
		sc_book_begin(&c->book, t);
		sc_task_place(t, &d->waiting, false);
	}
	d->changed.count = 0;
	pd_mutex_unlock(&d->lock);
}

void sc_dispatch_desks(struct sv_cluster *c)
{
	struct sv_desk *d;
	bool closing;
	while ((d = sc_inbox_next_desk(&c->inbox, &closing))) {
		if (closing)
			close_desk(c, d);
		else
			take_desk_changes(c, d);
	}
}

/* Whether a worker may have the task now. A worker whose last task failed gets one at a time. */
static bool may_take_task(const struct sv_cluster *c, struct sc_worker *w, const struct sc_task *t)
{
	if (w->rest_ns > c->now_ns || (w->strikes && w->tasks.count))
		return false;
	return sc_worker_can(w, t->desk->game);
}

/* The best worker of a list. One that was given the task before is the last choice. */
static struct sc_worker *find_best_worker(const struct sv_cluster *c, const struct sc_worker_list *list,
					  const struct sc_task *t)
{
	struct sc_worker *w, *found = NULL;
	int found_worth = -1;
	unsigned looked = 0;
	uint64_t last = t->desk->slot[t->slot].last_worker;
	TAILQ_FOREACH(w, list, free) {
		if (found && ++looked > LOOKS)
			break;
		if (!may_take_task(c, w, t))
			continue;
		int worth = sc_task_was_given(t, w->number)         ? 0
			    : w->number == last                     ? 3
			    : w->last_game == t->desk->game->number ? 2
								    : 1;
		if (worth > found_worth) {
			found = w;
			found_worth = worth;
		}
		if (worth == 3)
			break;
	}
	return found;
}

/* The time limit of an answer: 20 times what such tasks take, at least a second, doubled with each try. */
static uint64_t task_deadline_ns(const struct sc_task *t)
{
	static const double times = 20, least = 1e9, most = 600e9;
	const struct sc_game *g = t->desk->game;
	double by_nodes = g->node_ns * (double)t->leaf.budget;
	double ns = times * (by_nodes > g->trip_ns ? by_nodes : g->trip_ns);
	unsigned doublings = t->tries - 1 < TRIES_MOST ? t->tries - 1 : TRIES_MOST;
	PD_ASSERT(t->tries);
	ns = (ns < least ? least : ns) * (double)(1u << doublings);
	return (uint64_t)(ns > most ? most : ns);
}

static bool send_task_to_worker(struct sv_cluster *c, struct sc_task *t)
{
	struct sc_worker *w = find_best_worker(c, &c->roster.idle, t);
	struct sc_slot *slot = &t->desk->slot[t->slot];
	if (!w)
		w = find_best_worker(c, &c->roster.spare, t);
	if (!w)
		return false;
	if (t->tries)
		c->view.sent_again++;
	else
		c->view.tasks++;
	sc_task_give(t, w->number, c->now_ns);
	t->worker = w;
	sc_task_place(t, &w->tasks, false);
	sc_book_due(&c->book, t, c->now_ns + task_deadline_ns(t));
	atomic_store_explicit(&slot->worker, w->number, memory_order_relaxed);
	slot->last_worker = w->number;
	w->fresh++;
	w->last_game = t->desk->game->number;
	/* It moves behind the other free workers. */
	if (w->free_in) {
		TAILQ_REMOVE(w->free_in, w, free);
		TAILQ_INSERT_TAIL(w->free_in, w, free);
	}
	sc_roster_place(&c->roster, w);
	sc_roster_tell(&c->roster, w);
	return true;
}

void sc_dispatch(struct sv_cluster *c)
{
	struct sv_desk *first = TAILQ_FIRST(&c->desks), *d;
	if (!c->view.connected)
		return;
	while (first) {
		bool given = true;
		while (given) { /* desks of one priority take turns */
			given = false;
			for (d = first; d && d->rank == first->rank; d = TAILQ_NEXT(d, link)) {
				struct sc_task *t = TAILQ_FIRST(&d->waiting.list);
				given = (t && send_task_to_worker(c, t)) || given;
			}
		}
		for (d = first; d && d->rank == first->rank; d = TAILQ_NEXT(d, link))
			;
		first = d;
	}
}

/* Counts the threads of present workers: all, and those for each desk's game. */
static void count_threads(struct sv_cluster *c)
{
	struct sc_worker *w;
	struct sv_desk *d;
	c->view.workers = c->view.threads = 0;
	TAILQ_FOREACH(w, &c->roster.all, link)
		if (w->view.state == SV_WORKER_THERE) {
			c->view.workers++;
			c->view.threads += w->view.threads;
		}
	TAILQ_FOREACH(d, &c->desks, link) {
		d->game->threads = 0;
		TAILQ_FOREACH(w, &c->roster.all, link)
			if (w->view.state == SV_WORKER_THERE && sc_worker_can(w, d->game))
				d->game->threads += w->view.threads;
	}
}

/* Leaves that may be out: a quarter more than threads, so that few threads wait for messages. Three for two threads
 * would take more additional nodes than the wait costs (tests/bench/RESULTS.md). */
static unsigned leaves_out(unsigned threads)
{
	return threads + threads / 4;
}

/* The desk with the fewest slots among those that share and have no share yet, or NULL. */
static struct sv_desk *find_smallest_desk(struct sv_cluster *c, int top)
{
	struct sv_desk *d, *least = NULL;
	TAILQ_FOREACH(d, &c->desks, link)
		if (d->rank == top && d->game->threads && !d->share && (!least || d->slots_max < least->slots_max))
			least = d;
	return least;
}

void sc_dispatch_shares(struct sv_cluster *c)
{
	struct sv_desk *d;
	unsigned sharing = 0, left = 0;
	int top = 0;
	count_threads(c);
	TAILQ_FOREACH(d, &c->desks, link) {
		unsigned room = leaves_out(d->game->threads);
		d->share = 0;
		if (!room || (sharing && d->rank != top))
			continue;
		top = d->rank;
		sharing++;
		left = room > left ? room : left;
	}
	/* Small desks come first, so that the others share what they leave. */
	for (; sharing; sharing--) {
		d = find_smallest_desk(c, top);
		PD_ASSERT(d);
		unsigned room = leaves_out(d->game->threads), share = (left + sharing - 1) / sharing;
		share = share < room ? share : room;
		share = share < d->slots_max ? share : d->slots_max;
		d->share = share ? share : 1;
		left -= d->share < left ? d->share : left;
	}
	TAILQ_FOREACH(d, &c->desks, link)
		atomic_store_explicit(&d->wanted, d->share, memory_order_relaxed);
	c->roster.changed = false;
}

bool sc_dispatch_now(struct sv_cluster *c, struct sv_desk *d)
{
	if (!pd_mutex_try(&c->round.lock))
		return false;
	bool now = d->known && d->rank == atomic_load(&d->priority) && !c->tick.gather_ns;
	if (now) {
		c->now_ns = pd_now_ns();
		take_desk_changes(c, d);
		if (c->roster.changed)
			sc_dispatch_shares(c);
		sc_dispatch(c);
		sc_tell_all(c);
	}
	pd_mutex_unlock(&c->round.lock);
	return now;
}
