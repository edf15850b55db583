/* One run of the simulation, and the one thread that it is compared with. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "tests/bench/simulate.h"

enum { STEP_NODES = 1000000, ENTRIES = 1024 };

void sim_fail(const char *what, const char *why)
{
	fprintf(stderr, "simulate: %s: %s\n", what, why);
	exit(2);
}

/* --- a question ------------------------------------------------------------------------------------- */

/* Level 1 as the options of the simulation have it: ALGORITHM, NAME=VALUE. */
static void set_options(struct pn_options *o, const struct sim_setup *setup)
{
	struct pd_fail fail;
	char name[64] = "";
	const char *value = setup->option ? strchr(setup->option, '=') : NULL;
	if (setup->algorithm && pn_algorithm_parse(setup->algorithm, &o->algorithm, &fail))
		sim_fail("--algorithm", fail.text);
	if (!setup->option)
		return;
	if (!value || (size_t)(value - setup->option) >= sizeof name)
		sim_fail("--option", "it is written NAME=VALUE");
	memcpy(name, setup->option, (size_t)(value - setup->option));
	if (pn_option_set(o, name, value + 1, &fail))
		sim_fail("--option", fail.text);
}

void sim_open(struct sim_question *q, const struct sim_setup *setup, unsigned remote)
{
	const struct sim_job *job = setup->job;
	struct pd_fail fail;
	struct pd_claim claim;
	_Alignas(16) uint8_t state[GAME_STATE_MAX];
	pn_options_init(&q->options);
	q->options.memory = setup->memory;
	q->options.remote = remote;
	if (remote)
		set_options(&q->options, setup);
	if (game_open(job->game, NULL, &q->game, &fail) ||
	    q->game->rules->parse(q->game, job->position, state, &fail) || pd_claim_parse(job->claim, &claim, &fail) ||
	    pn_solver_new(&(struct pn_solver_setup){q->game, state, &claim, &q->options, NULL, NULL, NULL, 0},
			  &q->solver, &fail))
		sim_fail(job->name, fail.text);
}

void sim_close(struct sim_question *q)
{
	pn_solver_free(q->solver);
	game_close(q->game);
}

static void forget(void *ctx, const uint8_t *key, size_t size, const struct pd_reason *reason)
{
}

void sim_take(struct sim_question *q)
{
	struct pn_entry entries[ENTRIES];
	while (pn_solver_take_entries(q->solver, entries, ENTRIES))
		;
	pn_solver_take_facts(q->solver, forget, NULL);
}

void sim_judge(const struct sim_question *q, const struct sim_setup *setup, struct sim_outcome *out)
{
	struct pn_answer answer;
	pn_solver_answer(q->solver, &answer);
	out->answered = answer.answered;
	out->wrong = answer.answered ? answer.lo < setup->job->lo || answer.hi > setup->job->hi
				     : answer.lo > setup->job->hi || answer.hi < setup->job->lo;
}

void sim_one(const struct sim_setup *setup, struct sim_outcome *out)
{
	struct sim_question q;
	struct pn_progress p = {0};
	enum pn_state state = PN_RUNNING;
	uint64_t begin = pd_cpu_ns();
	double time = 0;
	sim_open(&q, setup, 0);
	while ((state == PN_RUNNING || state == PN_COLLECT) && time < setup->limit_ns) {
		state = pn_solver_step(q.solver, STEP_NODES);
		sim_take(&q);
		pn_solver_progress(q.solver, &p);
		out->nodes = p.level1 + p.level2;
		out->cpu = (double)(pd_cpu_ns() - begin) / 1e9;
		time = setup->node_ns > 0 ? (double)out->nodes * setup->node_ns : out->cpu * 1e9;
	}
	out->time = time;
	sim_judge(&q, setup, out);
	sim_close(&q);
}

/* --- the cluster ------------------------------------------------------------------------------------ */

double sim_draw(struct sim *sim)
{
	sim->random = sim->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(sim->random >> 11) / (double)(UINT64_C(1) << 53);
}

void sim_send(struct sim *sim, struct sim_event *event, double time)
{
	const struct sim_setup *s = sim->setup;
	if (s->loss > 0 && sim_draw(sim) < s->loss) {
		free(event->message);
		return;
	}
	event->time = time + s->delay_ns + s->jitter_ns * sim_draw(sim);
	sim_events_put(&sim->events, event);
}

static void plan_death(struct sim *sim)
{
	double wait = -log(1 - sim_draw(sim)) / sim->setup->deaths * 1e9;
	sim_events_put(&sim->events, &(struct sim_event){.time = sim->now + wait, .kind = SIM_DEATH});
}

static void death(struct sim *sim)
{
	unsigned number = (unsigned)(sim_draw(sim) * sim->machines);
	plan_death(sim);
	if (sim->machine[number].dead)
		return;
	sim->machine[number].dead = true;
	sim_events_put(
		&sim->events,
		&(struct sim_event){.time = sim->now + sim->setup->away_ns, .kind = SIM_BACK, .machine = number});
}

static void happen(struct sim *sim, struct sim_event *e)
{
	switch (e->kind) {
	case SIM_TURN:
		sim_coordinator_turn(sim);
		break;
	case SIM_RESULT:
		sim_coordinator_result(sim, e);
		break;
	case SIM_TASK:
	case SIM_CANCEL:
	case SIM_SLICE:
	case SIM_SHARED:
		sim_machine_event(sim, e);
		break;
	case SIM_GATHER:
		sim_coordinator_share(sim);
		break;
	case SIM_LOOK:
		sim_coordinator_look(sim);
		break;
	case SIM_DUE:
		sim_coordinator_due(sim, e);
		break;
	case SIM_DEATH:
		death(sim);
		break;
	case SIM_BACK:
		sim_machine_reset(sim, &sim->machine[e->machine]);
		sim->machine[e->machine].dead = false;
		sim_coordinator_back(sim, e->machine);
		break;
	}
}

static void begin_run(struct sim *sim)
{
	const struct sim_setup *s = sim->setup;
	sim->slots = (unsigned)fmax(s->leaves * s->workers, 1);
	sim->slots = sim->slots ? sim->slots : 1;
	sim->random = s->seed;
	sim_open(&sim->question, s, sim->slots);
	sim->share.message = calloc(1, sizeof *sim->share.message + SIM_SHARE_MAX * sizeof(struct pn_leaf_solved));
	if (!sim->share.message)
		sim_fail("memory", "there is not enough for the positions that machines share");
	sim->slot = calloc(sim->slots, sizeof *sim->slot);
	sim->queue = calloc(sim->slots, sizeof *sim->queue);
	sim->worker = calloc(s->workers, sizeof *sim->worker);
	if (!sim->slot || !sim->queue || !sim->worker)
		sim_fail("memory", "there is not enough for the workers");
	sim_machines_make(sim);
	sim_coordinator_begin(sim);
	sim_coordinator_look(sim);
	if (s->deaths > 0)
		plan_death(sim);
}

static void end_run(struct sim *sim)
{
	for (unsigned i = 0; i < sim->events.count; i++)
		free(sim->events.heap[i].message);
	for (; sim->inbox_count; sim->inbox_count--) {
		free(sim->inbox[sim->inbox_first].message);
		sim->inbox_first = (sim->inbox_first + 1) % sim->inbox_room;
	}
	sim_machines_free(sim);
	free(sim->events.heap);
	free(sim->inbox);
	free(sim->worker);
	free(sim->queue);
	free(sim->slot);
	free(sim->share.message);
	sim_close(&sim->question);
}

void sim_cluster(const struct sim_setup *setup, struct sim_outcome *out)
{
	struct sim sim = {.setup = setup, .out = out};
	struct sim_event e;
	struct pn_progress p;
	uint64_t start = pd_cpu_ns();
	begin_run(&sim);
	while (!sim.answered && sim.now < setup->limit_ns && sim_events_take(&sim.events, &e)) {
		PD_ASSERT(e.time >= sim.now);
		sim.now = e.time;
		happen(&sim, &e);
	}
	pn_solver_progress(sim.question.solver, &p);
	sim_judge(&sim.question, setup, out);
	double time = sim.free_at > sim.now ? sim.free_at : sim.now, results = sim.results ? (double)sim.results : 1;
	for (unsigned i = 0; i < setup->workers; i++)
		if (sim.worker[i].id) { /* in work to the end */
			sim.worked += sim.now - sim.worker[i].begun;
			if (setup->node_ns > 0)
				sim.leaf_nodes += (uint64_t)((sim.now - sim.worker[i].begun) / setup->node_ns);
		}
	out->time = time;
	out->nodes = p.level1 + sim.leaf_nodes + sim.own_nodes;
	out->used = sim.worked / (time * setup->workers);
	out->coordinator = sim.used / time;
	out->task_time = sim.all_task / results;
	out->trip_time = sim.all_trip / results;
	out->grain = sim.grain;
	out->level1_us = (double)sim.level1_cpu / 1e3 / results;
	out->cpu = (double)(pd_cpu_ns() - start) / 1e9;
	end_run(&sim);
}
