/* The machines of the simulation: each thread searches one leaf at a time, in slices, so that a cancelled one ends
 * soon. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/clock.h"
#include "tests/bench/simulate.h"

enum { SLICE = 8192 /* nodes; the real one's take a millisecond */, IDENTITY = 7777 };

/* Bytes of a thread: three eighths are its arena's, the rest is part of its machine's cache. */
static uint64_t memory_of_worker(const struct sim *sim)
{
	return sim->setup->worker_memory / sim->setup->workers;
}

unsigned sim_machine_room(const struct sim *sim, const struct sim_machine *machine)
{
	return (unsigned)fmax(sim->setup->leaves * machine->threads, 1);
}

void sim_machines_make(struct sim *sim)
{
	const struct sim_setup *s = sim->setup;
	sim->machines = (s->workers + s->cache_threads - 1) / s->cache_threads;
	sim->machine = calloc(sim->machines, sizeof *sim->machine);
	for (unsigned i = 0; sim->machine && i < sim->machines; i++) {
		struct sim_machine *m = &sim->machine[i];
		m->first = i * s->cache_threads;
		m->threads = s->workers - m->first < s->cache_threads ? s->workers - m->first : s->cache_threads;
		m->room = 2 * sim_machine_room(sim, m); /* the coordinator may not know yet what ended here */
		m->queue = calloc(m->room, sizeof *m->queue);
		m->cache = pn_leaf_cache_new(sim->question.game, memory_of_worker(sim) / 8 * 5 * m->threads, IDENTITY);
		if (!m->cache || !m->queue)
			sim_fail("memory", "there is not enough for the machines");
		sim_machine_reset(sim, m);
	}
	if (!sim->machine)
		sim_fail("memory", "there is not enough for the machines");
}

static void drop_queue(struct sim_machine *m)
{
	while (m->waiting)
		free(m->queue[--m->waiting].message);
}

void sim_machines_free(struct sim *sim)
{
	for (unsigned i = 0; i < sim->setup->workers; i++)
		pn_leaf_runner_free(sim->worker[i].runner);
	for (unsigned i = 0; i < sim->machines; i++) {
		drop_queue(&sim->machine[i]);
		free(sim->machine[i].queue);
		pn_leaf_cache_free(sim->machine[i].cache);
	}
	free(sim->machine);
}

void sim_machine_reset(struct sim *sim, struct sim_machine *machine)
{
	const struct pn_options *o = &sim->question.options;
	struct pd_fail fail;
	uint64_t memory = memory_of_worker(sim);
	struct pn_leaf_runner_setup setup = {
		.game = sim->question.game,
		.cache = machine->cache,
		.memory = memory / 8 * 3,
		.nodes_max = memory / 64, /* as server/worker */
		.weak = o->weak,
		.mobility = o->mobility,
		.heuristics = o->heuristics,
		.knowledge = o->knowledge,
		.seed = o->seed,
	};
	for (unsigned i = 0; i < machine->threads; i++) {
		struct sim_worker *w = &sim->worker[machine->first + i];
		pn_leaf_runner_free(w->runner);
		w->runner = NULL;
		if (pn_leaf_runner_new(&setup, &w->runner, &fail))
			sim_fail("a worker", fail.text);
		w->id = 0;
	}
	drop_queue(machine);
	machine->life++;
}

/* The time of work that took that many nodes, or so much time here. */
static double charge(const struct sim *sim, uint64_t nodes, uint64_t cpu_ns)
{
	return sim->setup->node_ns > 0 ? (double)nodes * sim->setup->node_ns : (double)cpu_ns;
}

/* Searches the next slice, and plans its end. */
static void search_slice(struct sim *sim, unsigned machine, unsigned number, double overhead)
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
							 .machine = machine,
							 .worker = number,
							 .life = sim->machine[machine].life,
							 .id = w->id});
}

static void begin_next(struct sim *sim, unsigned machine, unsigned number)
{
	struct sim_worker *w = &sim->worker[number];
	struct sim_machine *m = &sim->machine[machine];
	struct pd_fail fail;
	if (w->id || !m->waiting)
		return;
	struct sim_event e = m->queue[0];
	m->waiting--;
	memmove(m->queue, m->queue + 1, m->waiting * sizeof *m->queue);
	w->id = e.id;
	w->slot = e.slot;
	w->task = e.message->task;
	w->begun = sim->now;
	w->charged = 0;
	w->dropped = false;
	if (pn_leaf_begin(w->runner, &w->task, &fail))
		sim_fail("a task", fail.text);
	search_slice(sim, machine, number, sim->setup->worker_ns);
	free(e.message);
}

/* Nodes of the task in work. */
static uint64_t nodes_now(const struct sim *sim, const struct sim_worker *w)
{
	return sim->setup->node_ns > 0 ? (uint64_t)(w->charged / sim->setup->node_ns) : 0;
}

static void send_answer(struct sim *sim, unsigned machine, unsigned number)
{
	struct sim_worker *w = &sim->worker[number];
	struct pn_leaf_solved solved[PN_LEAF_SOLVED_MAX];
	unsigned count = sim->setup->share > 0 ? pn_leaf_solved(w->runner, solved, PN_LEAF_SOLVED_MAX) : 0;
	struct sim_message *m = malloc(sizeof *m + count * sizeof *solved);
	if (!m)
		sim_fail("memory", "there is not enough for a result");
	*m = (struct sim_message){.task = w->task, .work = sim->now - w->begun, .solved_count = count};
	pn_leaf_result(w->runner, &m->result);
	for (unsigned i = 0; i < count; i++)
		m->solved[i] = solved[i];
	sim->leaf_nodes += m->result.nodes;
	struct sim_event e = {.kind = SIM_RESULT, .machine = machine, .slot = w->slot, .id = w->id, .message = m};
	sim_send(sim, &e, sim->now);
}

static void end_slice(struct sim *sim, unsigned machine, unsigned number)
{
	struct sim_worker *w = &sim->worker[number];
	if (w->dropped) {
		sim->leaf_nodes += nodes_now(sim, w);
	} else if (w->over) {
		send_answer(sim, machine, number);
	} else {
		search_slice(sim, machine, number, 0);
		return;
	}
	sim->worked += sim->now - w->begun;
	w->id = 0;
	begin_next(sim, machine, number);
}

static void cancel_job(struct sim *sim, struct sim_machine *m, uint64_t id)
{
	unsigned left = 0;
	for (unsigned i = 0; i < m->threads; i++)
		if (sim->worker[m->first + i].id == id)
			sim->worker[m->first + i].dropped = true;
	for (unsigned i = 0; i < m->waiting; i++)
		if (m->queue[i].id == id)
			free(m->queue[i].message);
		else
			m->queue[left++] = m->queue[i];
	m->waiting = left;
}

void sim_machine_event(struct sim *sim, struct sim_event *event)
{
	struct sim_machine *m = &sim->machine[event->machine];
	if (event->kind == SIM_SHARED) {
		for (unsigned i = 0; i < event->message->solved_count; i++)
			pn_leaf_cache_learn(m->cache, &event->message->solved[i]);
		free(event->message);
	} else if (m->dead || event->life != m->life) {
		free(event->message);
	} else if (event->kind == SIM_SLICE) {
		end_slice(sim, event->machine, event->worker);
	} else if (event->kind == SIM_CANCEL) {
		cancel_job(sim, m, event->id);
	} else if (m->waiting < m->room) {
		m->queue[m->waiting++] = *event;
		for (unsigned i = 0; i < m->threads; i++)
			begin_next(sim, event->machine, m->first + i);
	} else {
		free(event->message); /* its deadline comes */
	}
}
