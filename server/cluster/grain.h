/* Grain: the fewest nodes for which a leaf of a game is sent to a worker.
 *
 * Small tasks keep level 1 close to the best line and leave no thread waiting for the last leaves; large ones cost less
 * to hand out. The best size depends on the game (a node takes 30 ns to 1 us) and on the network (a round trip takes
 * 0.1 to 50 ms). So the grain is adjusted by measurements, four times a second:
 *
 *   raised    while the cluster thread is busy more than half of the time: workers begin to wait for it;
 *   raised    while a task spends more time on the way and in queues than with a thread, and takes the thread less than
 *             0.3 ms for each thread of workers, at least 0.75 ms (longer tasks would not help: workers share their
 *             processors with other programs);
 *   raised    while results wait for the job's thread more than half of the time that their tasks took, and threads of
 *             workers are idle: workers wait for level 1 itself;
 *   lowered   while threads of workers are idle and no leaf waits: the jobs have too few leaves of that size;
 *   otherwise moved towards the aim if tasks take less than half of it or more than twice as long.
 *
 * The aim grows with the threads, because one cluster thread serves them all: 0.1 ms a thread, at least 0.75 ms and at
 * most 100 ms. So it hands out 10,000 tasks a second, a quarter of what it could. The minimum grows too: 10,000 nodes
 * for up to 16 threads, 30,000 from 48 on. With an aim three times as long, simulated (tests/bench/RESULTS.md), 64
 * threads solved a job of ultimate tic-tac-toe 19.6 times as fast as one, in place of 29.4.
 * Measured: tasks of 3,000 nodes (0.25 ms) left 64 workers idle nine tenths of the time; 100,000 nodes (8 ms) kept them
 * busy for nine tenths. With few threads small tasks save nodes: losing chess after 1.e3 Nf6 took two workers
 * 55 million nodes and 8.9 s of all processors at 10,000 nodes, 93 million and 14.0 s at 30,000, 238 million and 39.7 s
 * at 100,000 (two local threads: 60 million and 9.4 s). A step is a quarter: a second changes the grain by a factor of
 * 2.4 at most, and a single odd measurement by little. */
#pragma once

#include <stdint.h>

enum { SC_GRAIN_MIN = 10000, SC_GRAIN_MAX = 3000000 /* nodes */ };

/* Measurements since the last adjustment. */
struct sc_grain_look {
	double load;      /* share of the time that the cluster thread was busy */
	double idle;      /* share of the workers' threads without a task while no leaf waited, 0..1 */
	unsigned threads; /* of present workers */
	uint64_t tasks;   /* results that came; 0: the averages below are meaningless */
	double task_ns;   /* processor time of a task at a worker, on average */
	double trip_ns;   /* from sending a task to its result, on average */
	double take_ns;   /* from the result until the job takes it, on average */
};

/* The nanoseconds that a task should take a worker's thread. */
double sc_grain_aim(unsigned threads);
/* The next grain, SC_GRAIN_MIN..SC_GRAIN_MAX; `grain` is 0 before the first adjustment. */
uint64_t sc_grain_next(uint64_t grain, const struct sc_grain_look *look);
