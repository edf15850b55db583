/* Grain: the fewest nodes for which a leaf is sent to a worker, of one game.
 *
 * Small tasks keep level 1 close to the best line and leave no thread waiting for its last leaves; large ones cost less
 * to hand out. Neither is known before: nodes take 30 ns in one game and a microsecond in another, and a round trip
 * takes 0.1 ms on one machine and 50 ms between two towns. So the grain follows what is seen, four times a second:
 *
 *   raised    while the cluster thread is busy for more than half of the time: beyond that workers wait for it, and
 *             only larger tasks help;
 *   raised    while a task spends more of its round trip on the way and in queues than with a thread, and takes the
 *             thread less than the aim. (Longer ones would not help: then workers share their processors with others.)
 *   raised    while results wait for the job's thread for more than half of the time that their tasks took, and threads
 *             of workers are idle: then workers wait for level 1 itself;
 *   lowered   while threads of workers are idle and no leaf waits for them, which means that the jobs have too few
 *             leaves worth that many nodes, and the cluster thread has time to spare;
 *   otherwise it is drawn towards the aim, where tasks take a thread less than half of it or more than twice as long.
 *
 * The aim grows with the threads: 0.75 ms for one or two, 5 ms for 16, 20 ms for 64, 100 ms at most, since each thread
 * more is more tasks a second to hand out, and there is one cluster thread. The least grain does, too: 10,000 nodes
 * for up to five threads, 30,000 from 16 on. Measured with many workers, tasks of 3,000 nodes (0.25 ms) left 64 of
 * them idle nine tenths of the time; 100,000 nodes (8 ms) kept them busy for nine tenths. Few threads can have small
 * tasks, and the search gains by it: losing chess after 1.e3 Nf6 took two workers 55 million nodes and 8.9 s of all
 * processors at 10,000 nodes, 93 million and 14.0 s at 30,000, 238 million and 39.7 s at 100,000 (two local threads:
 * 60 million and 9.4 s). Each step is a quarter, so that a second can change the grain by a factor of 2.4 and a single
 * odd look by little.
 */
#pragma once

#include <stdint.h>

enum { SC_GRAIN_MIN = 10000, SC_GRAIN_MAX = 3000000 /* nodes */ };

/* What was seen since the last look. */
struct sc_grain_look {
	double load;      /* share of the time that the cluster thread was busy */
	double idle;      /* share of the workers' threads without a task while no leaf waited, 0..1 */
	unsigned threads; /* of workers that are there */
	uint64_t tasks;   /* results that came; the next three are of no account when there are none */
	double task_ns;   /* a worker's processor time for a task, on average */
	double trip_ns;   /* from its sending to its result, on average */
	double take_ns;   /* from there until the job takes it, on average */
};

/* Nanoseconds of a worker's thread that a task should take. */
double sc_grain_aim(unsigned threads);
/* The grain from now on; `grain` is 0 before the first look. SC_GRAIN_MIN..SC_GRAIN_MAX. */
uint64_t sc_grain_next(uint64_t grain, const struct sc_grain_look *look);
