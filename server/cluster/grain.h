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
 *   raised    while results wait for the job's thread for more than half of the time that their tasks took: then
 *             workers wait for level 1 itself;
 *   lowered   while threads of workers are idle and no leaf waits for them, which means that the jobs have too few
 *             leaves worth that many nodes, and the cluster thread has time to spare;
 *   otherwise it is drawn towards the aim, where tasks take a thread less than half of it or more than twice as long.
 *
 * The aim is 5 ms for up to 16 threads and grows with them, to 20 ms for 64 and 100 ms at most: each thread more is
 * more tasks a second to hand out, and there is one cluster thread. Measured, tasks of 3,000 nodes (0.25 ms) left 64
 * workers idle nine tenths of the time; 100,000 nodes (8 ms) kept them busy for nine tenths. Each step is a quarter, so
 * that a second can change the grain by a factor of 2.4 and a single odd look by little. */
#ifndef SC_GRAIN_H
#define SC_GRAIN_H

#include <stdint.h>

enum { SC_GRAIN_MIN = 30000, SC_GRAIN_MAX = 3000000 /* nodes */ };

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

#endif
