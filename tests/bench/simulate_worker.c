/* The workers of the simulation: each searches one leaf at a time, in slices, so that a cancelled one ends soon. */
#include <stdlib.h>

#include "proto/base/clock.h"
#include "tests/bench/simulate.h"

enum { SLICE = 8192 /* nodes; the real one's take a millisecond */, IDENTITY = 7777 };

/* Bytes of a worker: three eighths are its arena's, the rest is part of its machine's cache. */
static uint64_t memory_of_worker(const struct sim *sim)
{
	return sim->setup->worker_memory / sim->setup->workers;
}

void sim_machines_make(struct sim *sim)
{
	const struct sim_setup *s = sim->setup;
	unsigned machines = sim_machine_of(sim, s->workers - 1) + 1;
	sim->machine = calloc(machines, sizeof *sim->machine);
	for (unsigned i = 0; sim->machine && i < machines; i++) {
		unsigned rest = s->workers - i * s->cache_threads;
		unsigned threads = rest < s->cache_threads ? rest : s->cache_threads;
		uint64_t bytes = memory_of_worker(sim) / 8 * 5 * threads;
		sim->machine[i].cache = pn_leaf_cache_new(sim->question.game, bytes, IDENTITY);
		if (!sim->machine[i].cache)
			sim_fail("caches", "there is no memory for them");
	}
}

void sim_machines_free(struct sim *sim)
{
	for (unsigned i = 0; i <= sim_machine_of(sim, sim->setup->workers - 1); i++)
		pn_leaf_cache_free(sim->machine[i].cache);
	free(sim->machine);
}

void sim_worker_reset(struct sim *sim, struct sim_worker *w)
{
	const struct pn_options *o = &sim->question.options;
	struct pd_fail fail;
	uint64_t memory = memory_of_worker(sim);
	pn_leaf_runner_free(w->runner);
	w->runner = NULL;
	struct pn_leaf_runner_setup setup = {
		.game = sim->question.game,
		.cache = sim->machine[sim_machine_of(sim, (unsigned)(w - sim->worker))].cache,
		.memory = memory / 8 * 3,
		.nodes_max = memory / 64, /* as server/worker */
		.weak = o->weak,
		.mobility = o->mobility,
		.heuristics = o->heuristics,
		.knowledge = o->knowledge,
		.seed = o->seed,
	};
	if (pn_leaf_runner_new(&setup, &w->runner, &fail))
		sim_fail("a worker", fail.text);
	for (unsigned i = 0; i < w->waiting; i++)
		free(w->queue[i].message);
	w->waiting = 0;
	w->id = 0;
	w->life++;
}

/* The time of work that took that many nodes, or so much time here. */
static double charge(const struct sim *sim, uint64_t nodes, uint64_t cpu_ns)
{
	return sim->setup->node_ns > 0 ? (double)nodes * sim->setup->node_ns : (double)cpu_ns;
}

/* Searches the next slice, and plans its end. */
static void slice(struct sim *sim, unsigned number, double overhead)
{
	struct sim_worker *w = &sim->worker[number];
	uint64_t begin = pd_cpu_ns();
	double time;
	const uint64_t nodes = (uint64_t)(SLICE / sim->setup->scale);
	w->over = pn_leaf_run(w->runner, nodes ? nodes : 1);
	uint64_t took = pd_cpu_ns() - begin;
	time = charge(sim, nodes ? nodes : 1, took);
	if (w->over && sim->setup->node_ns > 0) {
		struct pn_leaf_result result;
		pn_leaf_result(w->runner, &result);
		time = charge(sim, result.nodes, 0) - w->charged;
		time = time > 0 ? time : 0;
	}
	w->charged += time;
	sim_events_put(&sim->events, &(struct sim_event){.time = sim->now + overhead + time,
							 .kind = SIM_SLICE,
							 .worker = number,
							 .life = w->life,
							 .id = w->id});
}

static void begin_next(struct sim *sim, unsigned number)
{
	struct sim_worker *w = &sim->worker[number];
	struct pd_fail fail;
	if (w->id || !w->waiting)
		return;
	struct sim_event e = w->queue[0];
	for (unsigned i = 1; i < w->waiting; i++)
		w->queue[i - 1] = w->queue[i];
	w->waiting--;
	w->id = e.id;
	w->slot = e.slot;
	w->task = e.message->task;
	w->begun = sim->now;
	w->charged = 0;
	w->dropped = false;
	if (pn_leaf_begin(w->runner, &w->task, &fail))
		sim_fail("a task", fail.text);
	slice(sim, number, sim->setup->worker_ns);
	free(e.message);
}

/* Nodes of the task in work. */
static uint64_t nodes_now(const struct sim *sim, const struct sim_worker *w)
{
	return sim->setup->node_ns > 0 ? (uint64_t)(w->charged / sim->setup->node_ns) : 0;
}

static void answer(struct sim *sim, unsigned number)
{
	struct sim_worker *w = &sim->worker[number];
	struct pn_leaf_solved solved[PN_LEAF_SOLVED_MAX];
	unsigned count = sim->setup->share > 0 ? pn_leaf_solved(w->runner, solved, PN_LEAF_SOLVED_MAX) : 0;
	struct sim_message *m = malloc(sizeof *m + count * sizeof *solved);
	if (!m)
		sim_fail("a result", "there is no memory for it");
	*m = (struct sim_message){.task = w->task, .work = sim->now - w->begun, .solved_count = count};
	pn_leaf_result(w->runner, &m->result);
	for (unsigned i = 0; i < count; i++)
		m->solved[i] = solved[i];
	sim->leaf_nodes += m->result.nodes;
	struct sim_event e = {.kind = SIM_RESULT, .worker = number, .slot = w->slot, .id = w->id, .message = m};
	sim_send(sim, &e, sim->now);
}

static void end_slice(struct sim *sim, unsigned number)
{
	struct sim_worker *w = &sim->worker[number];
	if (w->dropped) {
		sim->leaf_nodes += nodes_now(sim, w);
	} else if (w->over) {
		answer(sim, number);
	} else {
		slice(sim, number, 0);
		return;
	}
	sim->worked += sim->now - w->begun;
	w->id = 0;
	begin_next(sim, number);
}

static void cancel_job(struct sim *sim, unsigned number, uint64_t id)
{
	struct sim_worker *w = &sim->worker[number];
	unsigned left = 0;
	if (w->id == id)
		w->dropped = true;
	for (unsigned i = 0; i < w->waiting; i++)
		if (w->queue[i].id == id)
			free(w->queue[i].message);
		else
			w->queue[left++] = w->queue[i];
	w->waiting = left;
}

void sim_worker_event(struct sim *sim, struct sim_event *event)
{
	struct sim_worker *w = &sim->worker[event->worker];
	if (event->kind == SIM_SHARED) {
		struct pn_leaf_cache *cache = sim->machine[sim_machine_of(sim, event->worker)].cache;
		for (unsigned i = 0; i < event->message->solved_count; i++)
			pn_leaf_cache_learn(cache, &event->message->solved[i]);
		free(event->message);
		return;
	}
	if (w->dead || event->life != w->life) {
		free(event->message);
		return;
	}
	if (event->kind == SIM_SLICE) {
		end_slice(sim, event->worker);
	} else if (event->kind == SIM_CANCEL) {
		cancel_job(sim, event->worker, event->id);
	} else if (w->waiting < SIM_QUEUE) {
		w->queue[w->waiting++] = *event;
		begin_next(sim, event->worker);
	} else {
		free(event->message); /* its deadline comes */
	}
}
