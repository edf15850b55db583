/* Threads of the simulation: real ones, of which exactly one runs at a time, and a clock that only they move.
 *
 * sim_threads.c defines the functions of pthreads, the clock and random numbers that the core, the store and LMDB call;
 * being the program's own, they take the place of libc's. At every such call the running thread may have to hand over
 * to another, which a seeded source picks. A thread that waits holds up no other: when all wait, the clock jumps to the
 * next time that one of them waits for. When there is none, that is a finding.
 *
 * So a seed is a run: the same calls in the same order, at the same times. The digest of a run says so.
 *
 * Atomics are no such calls. What spins on one (the solver's table) does so for the length of a few instructions
 * without a call in between, and is never interrupted there. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SIM_CRASHED = 77 }; /* exit code of a process that has come to its crash */

/* The calling thread becomes the first one; ends with the process. `crash`: the process ends at that step, after a call
 * of `crashed`; 0: never. */
void sim_begin(uint64_t seed, uint64_t crash, bool trace, void (*crashed)(void));
uint64_t sim_random(void);
unsigned sim_below(unsigned n);
uint64_t sim_now_ns(void);
uint64_t sim_steps(void);
uint64_t sim_digest(void);
/* Something that a second run of the seed must do as well. */
void sim_note(const void *data, size_t size);
/* A call at which another thread may go on; the object it is about goes into the trace. */
void sim_step(const char *what, const void *object);
void sim_sleep(const char *what, uint64_t ns);
bool sim_is_on(void);
/* Prints what is wrong, the seed, what each thread does and the last steps; ends the process with 1. */
_Noreturn void sim_finding(const char *format, ...) __attribute__((format(printf, 1, 2)));
