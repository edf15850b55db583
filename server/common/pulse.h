/* Pulse: whether the search threads and the writer are alive, for a watchdog.
 *
 * A thread gives a sign of life between two steps of its work: a search thread after each slice (5 ms) and each piece
 * of a table that it loads, the writer after each commit and each step of moving facts (100 ms). It is stuck when it
 * has used SV_PULSE_CPU_S of processor time without one: it loops. A thread that waits uses none, so neither a slow
 * disk nor a crowded machine is taken for a fault, however long it lasts. A core's lock that is never released need not
 * be detected here: the loop thread, which asks, takes it ten times a second. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct sv_core;

enum { SV_PULSE_CPU_S = 120 };

/* One thread. */
struct sv_pulse {
	pthread_t thread; /* set before `taken` counts it */
	const char *name; /* static */
	atomic_uint_fast64_t beats;
	uint64_t seen, cpu_ns; /* the loop thread's: beats when it looked, and the processor time used by then */
};

struct sv_pulses {
	struct sv_pulse *pulse; /* owned */
	unsigned room;
	atomic_uint taken; /* number in use, from the first */
};

/* Room for `room` threads; false without memory. */
bool sv_pulses_init(struct sv_pulses *pulses, unsigned room);
void sv_pulses_fini(struct sv_pulses *pulses);
/* Adds the calling thread to those of the core. Under the lock. */
void sv_pulse_join(struct sv_core *core, const char *name);
/* The calling thread's sign of life; ignored for a thread that has not joined. Without or under the lock. */
void sv_pulse_beat(struct sv_core *core);
/* For the loop thread, while the threads run: NULL, or the name of a thread that has used more than limit_ns of
 * processor time since an earlier call, and has given no sign of life since. */
const char *sv_pulses_stuck(struct sv_core *core, uint64_t limit_ns);
