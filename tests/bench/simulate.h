/* Simulation of a cluster: one coordinator and the threads of many machines, on virtual clocks. A machine is a worker
 * process of the server: its threads share a cache of solved positions and a queue of tasks.
 *
 * Every leaf is really searched, by a leaf runner for each thread, and level 1 is the solver's own with remote threads
 * (solver/remote.h). Only time is made up: a search costs its nodes times a rate, a message takes its delay, and the
 * coordinator is one server with a queue before it. What happens at one time happens in the order in which it was
 * planned, so that one seed gives one run. Times are virtual nanoseconds unless a name says otherwise. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "solver/leaf_task.h"
#include "solver/solver.h"

/* --- what is simulated ---------------------------------------------------------------------------- */

struct sim_job {
	const char *name, *game, *position, *claim;
	int lo, hi; /* what is to be known of the value */
};

struct sim_setup {
	const struct sim_job *job;
	const char *algorithm, *option; /* of level 1 with workers; NULL: the defaults */
	unsigned workers;               /* threads of all machines */
	unsigned cache_threads;         /* of a machine */
	double scale;           /* the job stands for one so many times as long: a leaf and all times but that of a
				   node are a scale-th; grains here are those of the long job */
	double leaves;          /* that are out, for each thread */
	uint64_t grain;         /* nodes; 0: by the rule of server/cluster/grain.h */
	uint64_t grain_start;   /* where the rule begins */
	double node_ns;         /* of a search; 0: each leaf costs the processor time that it took here */
	double task_ns;         /* of the coordinator for a task: half when it is sent, half when its result comes */
	double worker_ns;       /* of a thread for a task, besides the search */
	double known_ns;        /* of the coordinator for a solved position, received or sent */
	double share, share_ns; /* bytes of them a second, 0: none; how long they are gathered */
	double delay_ns, jitter_ns; /* of a message: at least, and at most besides */
	double loss;                /* share of the messages that do not arrive */
	double deaths;              /* of machines, a second; each comes back empty after `away_ns` */
	double away_ns;
	uint64_t memory;        /* bytes of the coordinator's search, and of the search that it is compared with */
	uint64_t worker_memory; /* bytes of all machines together */
	uint64_t seed;          /* of delays, losses and deaths */
	double limit_ns;        /* the run ends there without an answer */
};

struct sim_outcome {
	bool answered, wrong;
	double time;                           /* until the answer */
	uint64_t nodes;                        /* of both levels, those of dropped leaves too */
	uint64_t tasks, dropped, again, known; /* sent; cancelled; sent once more; positions shared */
	double used, coordinator;              /* shares of the time, 0..1 */
	double task_time, trip_time;           /* of a task: with the worker's thread; from sending to result */
	uint64_t grain;                        /* at the end, nodes */
	double level1_us;                      /* processor time of level 1 a task, measured here */
	double cpu;                            /* seconds that the simulation took */
};

/* Answers the job by one local thread; `time` is its processor time where node_ns is 0. */
void sim_one(const struct sim_setup *setup, struct sim_outcome *out);
/* Runs the cluster. Both end the program with 2 and a message when the job cannot be asked or memory is short. */
void sim_cluster(const struct sim_setup *setup, struct sim_outcome *out);

/* --- a question ------------------------------------------------------------------------------------ */

struct sim_question {
	struct game *game;
	struct pn_options options;
	struct pn_solver *solver;
};

void sim_fail(const char *what, const char *why);
void sim_open(struct sim_question *q, const struct sim_setup *setup, unsigned remote);
void sim_close(struct sim_question *q);
/* Takes entries and facts out, as a checkpoint does. */
void sim_take(struct sim_question *q);
void sim_judge(const struct sim_question *q, const struct sim_setup *setup, struct sim_outcome *out);

/* --- events ---------------------------------------------------------------------------------------- */

enum sim_kind {
	SIM_TURN,   /* the coordinator is free for the next result */
	SIM_RESULT, /* a result arrives at the coordinator */
	SIM_TASK,   /* a task arrives at a machine */
	SIM_CANCEL, /* likewise the word that it is of no use any more */
	SIM_SHARED, /* likewise positions of other machines */
	SIM_SLICE,  /* a thread's slice is over */
	SIM_LOOK,   /* the grain is looked at */
	SIM_DUE,    /* a task's result is missed */
	SIM_GATHER, /* the positions that were gathered are sent to all machines */
	SIM_DEATH,
	SIM_BACK
};

struct sim_message;

struct sim_event {
	double time;
	uint64_t order; /* rising */
	enum sim_kind kind;
	unsigned machine, worker, slot, life; /* `life` of the machine that it is for */
	uint64_t id;
	struct sim_message *message; /* owned; NULL: none */
};

struct sim_events {
	struct sim_event *heap;
	unsigned count, room;
	uint64_t order;
};

void sim_events_put(struct sim_events *events, const struct sim_event *event);
/* The next one; false: there is none. */
bool sim_events_take(struct sim_events *events, struct sim_event *out);

/* --- coordinator and workers ----------------------------------------------------------------------- */

/* A task or its result, with solved positions. */
struct sim_message {
	struct pn_leaf_task task;
	struct pn_leaf_result result;
	double work; /* of a result: time of the thread */
	unsigned solved_count;
	struct pn_leaf_solved solved[];
};

struct sim_slot { /* a remote search thread */
	unsigned thread, tries, machine, last_machine;
	struct pn_leaf_task task; /* serial 0: none */
	uint64_t id;              /* of its sending; 0: it waits to be sent */
	double sent;
	bool ready, queued;
};

struct sim_worker { /* one thread */
	struct pn_leaf_runner *runner;
	bool dropped; /* the task in work is of no use */
	uint64_t id;  /* in work; 0: none */
	unsigned slot;
	struct pn_leaf_task task;
	double begun, charged; /* of the task in work */
	bool over;
};

struct sim_machine {
	struct pn_leaf_cache *cache; /* owned; it survives the death of the machine */
	/* As the coordinator sees it: */
	unsigned in_hand;
	/* As it is: */
	unsigned first, threads; /* its workers */
	unsigned life;
	bool dead;
	unsigned waiting, room;
	struct sim_event *queue; /* owned; tasks that wait for a thread */
};

/* Solved positions on their way to all machines. */
struct sim_share {
	struct sim_message *message; /* owned; with room for SIM_SHARE_MAX */
	double bytes, due;           /* of the message; the earliest time of the next one */
};

enum { SIM_SHARE_MAX = 1 << 16 };

struct sim {
	const struct sim_setup *setup;
	struct sim_outcome *out;
	struct sim_question question;
	struct sim_events events;
	struct sim_share share;
	struct sim_slot *slot;
	unsigned slots, look, ready;
	struct sim_worker *worker;
	struct sim_machine *machine;
	unsigned machines, next_machine; /* next_machine: where the search for an idle one begins */
	unsigned *queue;                 /* slots whose leaves wait, a ring of `slots` places */
	unsigned queue_first, queue_count;
	struct sim_event *inbox; /* results that wait for the coordinator, a ring */
	unsigned inbox_first, inbox_count, inbox_room;
	double now, free_at; /* of the coordinator */
	bool turning, answered;
	uint64_t last_id, random, grain;
	double looked, used, look_used, worked; /* used: by the coordinator; worked: of the threads */
	double idle_sum, task_sum, trip_sum, all_task, all_trip;
	uint64_t idle_count, look_tasks, results;
	uint64_t leaf_nodes;
	uint64_t delivered_nodes;         /* of the results that level 1 took */
	uint64_t own_nodes;               /* of level 2 at the coordinator */
	uint64_t last_leaf, charged_leaf; /* serial numbers: seen last; whose first nodes were charged last */
	uint64_t level1_cpu;
};

double sim_draw(struct sim *sim); /* 0..1 */
/* A message goes out at `time`; it is lost where chance says so. Takes event->message over. */
void sim_send(struct sim *sim, struct sim_event *event, double time);

/* Makes all machines. */
void sim_machines_make(struct sim *sim);
void sim_machines_free(struct sim *sim);
/* Tasks that a machine may have in hand. */
unsigned sim_machine_room(const struct sim *sim, const struct sim_machine *machine);
void sim_machine_reset(struct sim *sim, struct sim_machine *machine);
void sim_machine_event(struct sim *sim, struct sim_event *event);
void sim_coordinator_begin(struct sim *sim);
void sim_coordinator_result(struct sim *sim, struct sim_event *event);
void sim_coordinator_turn(struct sim *sim);
void sim_coordinator_look(struct sim *sim);
void sim_coordinator_share(struct sim *sim);
void sim_coordinator_due(struct sim *sim, const struct sim_event *event);
void sim_coordinator_back(struct sim *sim, unsigned machine);
