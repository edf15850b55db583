/* Which thread is stuck: one that uses processor time without a sign of life, and no other. */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "server/common/core_state.h"
#include "proto/base/mutex.h"
#include "server/common/pulse.h"
#include "tests/support/suite.h"

#define LIMIT_NS UINT64_C(50000000)

static struct sv_pulses pulses;
static struct sv_core core = {.pulses = &pulses};
static atomic_bool looping, beating, ending;
static atomic_uint rounds; /* of the loop, each with a beat */
static int wait_here[2];   /* a pipe that is never written to */

static void join(const char *name)
{
	pd_mutex_lock(&core.lock);
	sv_pulse_join(&core, name);
	pd_mutex_unlock(&core.lock);
}

static void *loop(void *ctx)
{
	join("loop");
	atomic_store(&looping, true);
	while (!atomic_load(&ending))
		if (atomic_load(&beating)) {
			sv_pulse_beat(&core);
			atomic_fetch_add(&rounds, 1);
		}
	return NULL;
}

static void *sleeper(void *ctx)
{
	char c;
	join("sleeper");
	return read(wait_here[0], &c, 1) < 0 ? ctx : NULL; /* until the other end is closed */
}

static uint64_t used(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

START_TEST(a_thread_that_loops_is_stuck)
{
	pthread_t one, two;
	ck_assert_int_eq(pipe(wait_here), 0);
	pd_mutex_init(&core.lock, PD_LOCK_CORE);
	ck_assert(sv_pulses_init(&pulses, 2));
	ck_assert_ptr_null(sv_pulses_stuck(&core, LIMIT_NS));
	sv_pulse_beat(&core); /* from a thread that is none of the core's */
	ck_assert_int_eq(pthread_create(&one, NULL, sleeper, NULL), 0);
	ck_assert_int_eq(pthread_create(&two, NULL, loop, NULL), 0);
	while (!atomic_load(&looping))
		;
	const char *who;
	while (!(who = sv_pulses_stuck(&core, LIMIT_NS)))
		;
	ck_assert_str_eq(who, "loop");
	ck_assert_str_eq(sv_pulses_stuck(&core, LIMIT_NS), "loop"); /* it stays so */
	/* With a beat between two looks it is well, however long it lasts. (A virtual machine may count time that its
	 * host took away from it, so that there is no bound on what a thread seems to use between two beats.) */
	atomic_store(&beating, true);
	while (sv_pulses_stuck(&core, LIMIT_NS))
		;
	for (uint64_t begin = used(); used() - begin < 4 * LIMIT_NS;) {
		for (unsigned before = atomic_load(&rounds); atomic_load(&rounds) - before < 2;)
			;
		ck_assert_ptr_null(sv_pulses_stuck(&core, LIMIT_NS));
	}
	atomic_store(&beating, false);
	while (!sv_pulses_stuck(&core, LIMIT_NS))
		;
	atomic_store(&ending, true);
	close(wait_here[1]);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	close(wait_here[0]);
	sv_pulses_fini(&pulses);
	pd_mutex_fini(&core.lock);
}
END_TEST

SUITE(pulse)
{
	tcase_add_test(c, a_thread_that_loops_is_stuck);
}
