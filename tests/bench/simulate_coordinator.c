/* The coordinator of the simulation: level 1, driven as the server's jobs drive it, and the leaves that are out. */
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "server/cluster/grain.h"
#include "solver/remote.h"
#include "tests/bench/simulate.h"

enum { TURN_NODES = 1000, LOOKS = 4, LOOK_NS = 250000000, DOUBLINGS = 6 };

static const double due_times = 20, due_least_ns = 1e9;

/* Work of the coordinator. */
static void spend(struct sim *sim, double ns)
{
	sim->free_at += ns;
	sim->used += ns;
	sim->look_used += ns;
}

/* --- leaves to workers ------------------------------------------------------------------------------ */

static void wait_again(struct sim *sim, unsigned slot)
{
	struct sim_slot *s = &sim->slot[slot];
	PD_ASSERT(!s->queued && s->task.serial && !s->id && sim->queue_count < sim->slots);
	sim->queue[(sim->queue_first + sim->queue_count++) % sim->slots] = slot;
	s->queued = true;
}

/* The machine that the slot's leaf goes to: the one that had its last leaf, or the next one, among those with an idle
 * thread, else with room; sim->machines: there is none. */
static unsigned machine_for(struct sim *sim, const struct sim_slot *s)
{
	for (unsigned spare = 0; spare < 2; spare++) {
		for (unsigned i = 0; i <= sim->machines; i++) {
			unsigned number = i ? (sim->next_machine + i - 1) % sim->machines : s->last_machine;
			const struct sim_machine *m = &sim->machine[number];
			if (number == sim->machines || m->in_hand >= (spare ? sim_machine_room(sim, m) : m->threads))
				continue;
			if (i)
				sim->next_machine = (number + 1) % sim->machines;
			return number;
		}
	}
	return sim->machines;
}

static void give_task(struct sim *sim, unsigned slot, unsigned number)
{
	struct sim_slot *s = &sim->slot[slot];
	struct sim_machine *machine = &sim->machine[number];
	const struct sim_setup *setup = sim->setup;
	struct sim_message *m = malloc(sizeof *m);
	if (!m)
		sim_fail("memory", "there is not enough for a task");
	*m = (struct sim_message){.task = s->task};
	machine->in_hand++;
	s->machine = s->last_machine = number;
	s->id = ++sim->last_id;
	spend(sim, setup->task_ns / 2);
	s->sent = sim->free_at;
	sim->out->tasks++;
	sim->out->again += s->tries++ > 0;
	struct sim_event e = {
		.kind = SIM_TASK, .machine = number, .slot = slot, .id = s->id, .life = machine->life, .message = m};
	sim_send(sim, &e, sim->free_at);
	if (setup->loss <= 0 && setup->deaths <= 0)
		return;
	double due = due_times * (double)s->task.budget * setup->node_ns;
	due = due > due_least_ns ? due : due_least_ns;
	unsigned doublings = s->tries - 1 < DOUBLINGS ? s->tries - 1 : DOUBLINGS;
	sim_events_put(&sim->events, &(struct sim_event){.time = sim->free_at + due * (double)(1u << doublings),
							 .kind = SIM_DUE,
							 .slot = slot,
							 .id = s->id});
}

static void dispatch(struct sim *sim)
{
	for (; sim->queue_count; sim->queue_count--) {
		unsigned slot = sim->queue[sim->queue_first];
		struct sim_slot *s = &sim->slot[slot];
		if (s->task.serial && !s->id) {
			unsigned number = machine_for(sim, s);
			if (number == sim->machines)
				return;
			give_task(sim, slot, number);
		}
		s->queued = false;
		sim->queue_first = (sim->queue_first + 1) % sim->slots;
	}
}

/* --- level 1 ---------------------------------------------------------------------------------------- */

static void set_ready(struct sim *sim, struct sim_slot *s, bool ready)
{
	sim->ready += ready - s->ready;
	s->ready = ready;
}

/* The slot's leaf is of no use any more. */
static void cancel_job(struct sim *sim, struct sim_slot *s)
{
	if (s->id) {
		struct sim_machine *m = &sim->machine[s->machine];
		PD_ASSERT(m->in_hand);
		m->in_hand--;
		sim->out->dropped++;
		spend(sim, sim->setup->task_ns / 2);
		struct sim_event e = {.kind = SIM_CANCEL, .machine = s->machine, .id = s->id, .life = m->life};
		sim_send(sim, &e, sim->free_at);
	}
	s->id = 0;
	s->task.serial = 0;
}

static enum pn_state run_slot(struct sim *sim, unsigned slot)
{
	struct sim_slot *s = &sim->slot[slot];
	struct pn_leaf_task task;
	struct pn_solver *solver = sim->question.solver;
	enum pn_state state = pn_solver_run_thread(solver, s->thread, TURN_NODES);
	bool waits = state == PN_WAITING && pn_solver_leaf(solver, s->thread, &task);
	if (s->task.serial && (!waits || s->task.serial != task.serial))
		cancel_job(sim, s);
	if (waits && task.serial > sim->last_leaf)
		sim->last_leaf = task.serial;
	if (waits && !s->task.serial) {
		s->task = task;
		s->id = 0;
		s->tries = 0;
		if (!s->queued)
			wait_again(sim, slot);
	}
	set_ready(sim, s, !waits);
	return state == PN_WAITING ? PN_RUNNING : state;
}

static enum pn_state look_at_some(struct sim *sim)
{
	enum pn_state state = PN_RUNNING;
	unsigned looks = LOOKS < sim->slots ? LOOKS : sim->slots;
	for (unsigned i = 0; i < looks && state == PN_RUNNING; i++) {
		sim->look = sim->look + 1 < sim->slots ? sim->look + 1 : 0;
		const struct sim_slot *s = &sim->slot[sim->look];
		if (!s->ready && pn_solver_has_work(sim->question.solver, s->thread))
			state = run_slot(sim, sim->look);
	}
	return state;
}

/* Checkpoint: all that was found is taken. True when the search goes on. */
static bool gather(struct sim *sim)
{
	struct pn_solver *solver = sim->question.solver;
	enum pn_state state = pn_solver_gather(solver);
	sim_take(&sim->question);
	if (state == PN_STUCK)
		sim_fail("level 1", pn_solver_why(solver));
	if (state == PN_ANSWERED) {
		sim->answered = true;
		return false;
	}
	pn_solver_halt(solver, false);
	for (unsigned i = 0; i < sim->slots; i++)
		if (pn_solver_has_work(solver, sim->slot[i].thread))
			set_ready(sim, &sim->slot[i], true);
	return true;
}

/* Level 2 also searches the first nodes of each leaf here. That takes the time of the job's thread, not of the cluster
 * thread, whose load the grain follows. A leaf is charged PN_LOOK_NODES of the long job at most: by scale those are
 * fewer than the children of its first node, all of which are made and counted. */
static void charge_own_nodes(struct sim *sim)
{
	struct pn_progress p;
	pn_solver_progress(sim->question.solver, &p);
	uint64_t own = p.level2 - sim->delivered_nodes;
	double nodes = (double)(own - sim->own_nodes);
	double most = (double)(sim->last_leaf - sim->charged_leaf) * PN_LOOK_NODES / sim->setup->scale;
	sim->free_at += (nodes < most ? nodes : most) * sim->setup->node_ns;
	sim->own_nodes = own;
	sim->charged_leaf = sim->last_leaf;
}

/* Runs every thread that does not wait. */
static void run_threads(struct sim *sim)
{
	uint64_t begin = pd_cpu_ns();
	bool more = true;
	while (more) {
		enum pn_state state = PN_RUNNING;
		for (unsigned i = 0; i < sim->slots && sim->ready && state == PN_RUNNING; i++)
			if (sim->slot[i].ready)
				state = run_slot(sim, i);
		if (state == PN_RUNNING)
			state = look_at_some(sim);
		more = state != PN_RUNNING ? gather(sim) : sim->ready > 0;
	}
	sim->level1_cpu += pd_cpu_ns() - begin;
	charge_own_nodes(sim);
}

/* --- results ---------------------------------------------------------------------------------------- */

/* A position for all machines, if the bytes suffice; as tell.c of server/cluster. */
static void gather_position(struct sim *sim, const struct pn_leaf_solved *solved)
{
	enum { NUMBERS = 18 /* bytes of a position besides its key */ };
	struct sim_share *s = &sim->share;
	double bytes = NUMBERS + solved->key_size;
	if (sim->machines == 1 || s->message->solved_count == SIM_SHARE_MAX ||
	    s->bytes + bytes > sim->setup->share * sim->setup->share_ns / 1e9)
		return;
	if (!s->message->solved_count)
		sim_events_put(&sim->events,
			       &(struct sim_event){.time = s->due > sim->now ? s->due : sim->now, .kind = SIM_GATHER});
	s->message->solved[s->message->solved_count++] = *solved;
	s->bytes += bytes;
}

void sim_coordinator_share(struct sim *sim)
{
	struct sim_share *s = &sim->share;
	size_t size = sizeof *s->message + s->message->solved_count * sizeof *s->message->solved;
	sim->out->known += s->message->solved_count;
	spend(sim, s->message->solved_count * sim->setup->known_ns);
	for (unsigned i = 0; i < sim->machines; i++) {
		struct sim_message *m = malloc(size);
		if (!m)
			sim_fail("memory", "there is not enough for shared positions on their way to a machine");
		memcpy(m, s->message, size);
		sim_send(sim, &(struct sim_event){.kind = SIM_SHARED, .machine = i, .message = m}, sim->now);
	}
	s->message->solved_count = 0;
	s->bytes = 0;
	s->due = sim->now + sim->setup->share_ns;
}

static void take_result(struct sim *sim, struct sim_event *e)
{
	const struct sim_message *m = e->message;
	struct sim_slot *s = &sim->slot[e->slot];
	spend(sim, sim->setup->task_ns / 2 + m->solved_count * sim->setup->known_ns);
	for (unsigned i = 0; i < m->solved_count; i++)
		gather_position(sim, &m->solved[i]);
	if (s->id == e->id) {
		PD_ASSERT(sim->machine[e->machine].in_hand);
		sim->machine[e->machine].in_hand--;
		sim->look_tasks++;
		sim->results++;
		sim->task_sum += m->work;
		sim->trip_sum += sim->now - s->sent;
		sim->all_task += m->work;
		sim->all_trip += sim->now - s->sent;
		if (pn_solver_deliver(sim->question.solver, s->thread, &m->result))
			sim->delivered_nodes += m->result.nodes;
		s->id = 0;
		s->task.serial = 0;
		set_ready(sim, s, true);
	}
	free(e->message);
}

static void note_idle(struct sim *sim)
{
	unsigned idle = 0;
	for (unsigned i = 0; !sim->queue_count && i < sim->machines; i++)
		if (sim->machine[i].in_hand < sim->machine[i].threads)
			idle += sim->machine[i].threads - sim->machine[i].in_hand;
	sim->idle_sum += (double)idle / sim->setup->workers;
	sim->idle_count++;
}

void sim_coordinator_turn(struct sim *sim)
{
	sim->free_at = sim->now;
	sim->turning = false;
	if (sim->inbox_count) {
		struct sim_event e = sim->inbox[sim->inbox_first];
		sim->inbox_first = (sim->inbox_first + 1) % sim->inbox_room;
		sim->inbox_count--;
		take_result(sim, &e);
		note_idle(sim);
		run_threads(sim);
	}
	if (sim->answered)
		return;
	dispatch(sim);
	if (!sim->inbox_count && sim->free_at <= sim->now)
		return;
	sim->turning = true;
	sim_events_put(&sim->events, &(struct sim_event){.time = sim->free_at, .kind = SIM_TURN});
}

void sim_coordinator_result(struct sim *sim, struct sim_event *event)
{
	if (sim->inbox_count == sim->inbox_room) {
		unsigned room = sim->inbox_room ? 2 * sim->inbox_room : 1024;
		struct sim_event *inbox = malloc(room * sizeof *inbox);
		if (!inbox)
			sim_fail("memory", "there is not enough for the results that wait for the coordinator");
		for (unsigned i = 0; i < sim->inbox_count; i++)
			inbox[i] = sim->inbox[(sim->inbox_first + i) % sim->inbox_room];
		free(sim->inbox);
		sim->inbox = inbox;
		sim->inbox_room = room;
		sim->inbox_first = 0;
	}
	sim->inbox[(sim->inbox_first + sim->inbox_count++) % sim->inbox_room] = *event;
	if (!sim->turning)
		sim_coordinator_turn(sim);
}

static void set_grain(struct sim *sim)
{
	double scale = sim->setup->scale;
	pn_solver_grain(sim->question.solver, (uint64_t)((double)sim->grain / scale),
			(unsigned)(PN_LOOK_NODES / scale));
}

void sim_coordinator_begin(struct sim *sim)
{
	struct pd_fail fail;
	for (unsigned i = 0; i < sim->slots; i++) {
		sim->slot[i].last_machine = sim->machines;
		if (pn_solver_join(sim->question.solver, NULL, true, &sim->slot[i].thread, &fail))
			sim_fail("a remote thread", fail.text);
		set_ready(sim, &sim->slot[i], true);
	}
	pn_solver_gather(sim->question.solver);
	pn_solver_halt(sim->question.solver, false);
	sim->grain = sim->setup->grain ? sim->setup->grain : sim->setup->grain_start;
	set_grain(sim);
	run_threads(sim);
	sim_coordinator_turn(sim);
}

void sim_coordinator_look(struct sim *sim)
{
	double since = sim->now - sim->looked, load = since > 0 ? sim->look_used / since : 0;
	double full = sim->look_tasks ? sim->setup->scale / (double)sim->look_tasks : 0;
	const struct sc_grain_look look = {
		.load = load < 1 ? load : 1,
		.idle = sim->idle_count ? sim->idle_sum / (double)sim->idle_count : 0,
		.threads = sim->setup->workers,
		.tasks = sim->look_tasks,
		.task_ns = sim->task_sum * full,
		.trip_ns = sim->trip_sum * full,
	};
	if (!sim->setup->grain) {
		sim->grain = sc_grain_next(sim->grain, &look);
		set_grain(sim);
	}
	sim->look_used = sim->idle_sum = sim->task_sum = sim->trip_sum = 0;
	sim->idle_count = sim->look_tasks = 0;
	sim->looked = sim->now;
	sim_events_put(&sim->events,
		       &(struct sim_event){.time = sim->now + LOOK_NS / sim->setup->scale, .kind = SIM_LOOK});
}

/* --- what goes wrong -------------------------------------------------------------------------------- */

/* The slot's leaf is sent again. */
static void send_again(struct sim *sim, unsigned slot)
{
	struct sim_slot *s = &sim->slot[slot];
	s->id = 0;
	if (!s->queued)
		wait_again(sim, slot);
	if (!sim->turning)
		sim_coordinator_turn(sim);
}

void sim_coordinator_due(struct sim *sim, const struct sim_event *event)
{
	const struct sim_slot *s = &sim->slot[event->slot];
	if (s->id != event->id)
		return;
	if (sim->machine[s->machine].in_hand)
		sim->machine[s->machine].in_hand--;
	send_again(sim, event->slot);
}

void sim_coordinator_back(struct sim *sim, unsigned machine)
{
	sim->machine[machine].in_hand = 0;
	for (unsigned i = 0; i < sim->slots; i++)
		if (sim->slot[i].id && sim->slot[i].machine == machine)
			send_again(sim, i);
}
