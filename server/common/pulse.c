#include "server/common/pulse.h"

#include <stdlib.h>

#include "proto/base/assert.h"
#include "server/common/core_parts.h"
#include "server/common/core_state.h"

bool sv_pulses_init(struct sv_pulses *pulses, unsigned room)
{
	PD_ASSERT(!pulses->pulse);
	pulses->pulse = calloc(room, sizeof *pulses->pulse);
	pulses->room = pulses->pulse ? room : 0;
	return pulses->pulse != NULL;
}

void sv_pulses_fini(struct sv_pulses *pulses)
{
	free(pulses->pulse);
	*pulses = (struct sv_pulses){0};
}

void sv_pulse_join(struct sv_core *core, const char *name)
{
	struct sv_pulses *pulses = core->pulses;
	unsigned i = atomic_load_explicit(&pulses->taken, memory_order_relaxed);
	PD_ASSERT(sv_locked(core));
	PD_ASSERT(i < pulses->room);
	pulses->pulse[i].thread = pthread_self();
	pulses->pulse[i].name = name;
	atomic_store_explicit(&pulses->taken, i + 1, memory_order_release);
}

void sv_pulse_beat(struct sv_core *core)
{
	struct sv_pulses *pulses = core->pulses;
	unsigned taken = atomic_load_explicit(&pulses->taken, memory_order_acquire);
	pthread_t self = pthread_self();
	for (unsigned i = 0; i < taken; i++)
		if (pthread_equal(pulses->pulse[i].thread, self)) {
			atomic_fetch_add_explicit(&pulses->pulse[i].beats, 1, memory_order_relaxed);
			return;
		}
}

/* Nanoseconds that a thread has used; 0 when the system does not say. */
static uint64_t cpu_of(pthread_t thread)
{
	clockid_t clock;
	struct timespec used;
	if (pthread_getcpuclockid(thread, &clock) || clock_gettime(clock, &used))
		return 0;
	return (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
}

const char *sv_pulses_stuck(struct sv_core *core, uint64_t limit_ns)
{
	struct sv_pulses *pulses = core->pulses;
	unsigned taken = atomic_load_explicit(&pulses->taken, memory_order_acquire);
	const char *stuck = NULL;
	for (unsigned i = 0; i < taken; i++) {
		struct sv_pulse *p = &pulses->pulse[i];
		uint64_t beats = atomic_load_explicit(&p->beats, memory_order_relaxed), cpu = cpu_of(p->thread);
		if (beats != p->seen || !p->cpu_ns) {
			p->seen = beats;
			p->cpu_ns = cpu;
		} else if (cpu > p->cpu_ns + limit_ns) {
			stuck = p->name;
		}
	}
	return stuck;
}
