#include "proto/base/mutex.h"

#include <errno.h>

#include "proto/base/assert.h"

#ifdef PD_DEBUG

#include <stdio.h>

enum { HELD_MAX = 8 };

static _Thread_local struct {
	unsigned count;
	enum pd_lock place[HELD_MAX];
} held;

static void note_taken(enum pd_lock place)
{
	PD_ASSERT(held.count < HELD_MAX);
	held.place[held.count++] = place;
}

static void check_order(enum pd_lock place)
{
	static const char *const what[] = {
#define X(row, text) text,
		PD_LOCKS(X)
#undef X
	};
	for (unsigned i = 0; i < held.count; i++)
		if (held.place[i] >= place) {
			fprintf(stderr,
				"lock order (proto/base/lock_order.h):\n  a thread takes: %s\n  and holds: %s\n",
				what[place], what[held.place[i]]);
			PD_ASSERT(!"locks are taken in order");
		}
}

void pd_lock_taken(enum pd_lock place)
{
	check_order(place);
	note_taken(place);
}

void pd_lock_released(enum pd_lock place)
{
	unsigned i = held.count;
	while (i && held.place[i - 1] != place)
		i--;
	PD_ASSERT(i);
	for (held.count--; i <= held.count; i++)
		held.place[i - 1] = held.place[i];
}

#else

static inline void note_taken(enum pd_lock place)
{
	(void)place;
}

#endif

static uintptr_t this_thread(void)
{
	return (uintptr_t)pthread_self();
}

static void set_owner(struct pd_mutex *m)
{
	PD_ASSERT(!atomic_load_explicit(&m->owner, memory_order_relaxed));
	atomic_store_explicit(&m->owner, this_thread(), memory_order_relaxed);
}

static void clear_owner(struct pd_mutex *m)
{
	PD_ASSERT(pd_mutex_held(m));
	atomic_store_explicit(&m->owner, 0, memory_order_relaxed);
	pd_lock_released(m->place);
}

void pd_mutex_init(struct pd_mutex *m, enum pd_lock place)
{
	int rc = pthread_mutex_init(&m->mutex, NULL);
	PD_ASSERT(!rc);
	atomic_init(&m->owner, 0);
	m->place = place;
}

void pd_mutex_fini(struct pd_mutex *m)
{
	PD_ASSERT(!atomic_load_explicit(&m->owner, memory_order_relaxed));
	pthread_mutex_destroy(&m->mutex);
}

void pd_mutex_lock(struct pd_mutex *m)
{
	pd_lock_taken(m->place);
	int rc = pthread_mutex_lock(&m->mutex);
	PD_ASSERT(!rc);
	set_owner(m);
}

bool pd_mutex_try(struct pd_mutex *m)
{
	if (pthread_mutex_trylock(&m->mutex))
		return false;
	note_taken(m->place);
	set_owner(m);
	return true;
}

void pd_mutex_unlock(struct pd_mutex *m)
{
	clear_owner(m);
	pthread_mutex_unlock(&m->mutex);
}

bool pd_mutex_held(const struct pd_mutex *m)
{
	return atomic_load_explicit(&m->owner, memory_order_relaxed) == this_thread();
}

void pd_mutex_wait(struct pd_mutex *m, pthread_cond_t *cond)
{
	clear_owner(m);
	pthread_cond_wait(cond, &m->mutex);
	pd_lock_taken(m->place);
	set_owner(m);
}

void pd_cond_init(pthread_cond_t *cond)
{
	pthread_condattr_t attr;
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC); /* as pd_now_ns */
	pthread_cond_init(cond, &attr);
	pthread_condattr_destroy(&attr);
}

bool pd_mutex_wait_until(struct pd_mutex *m, pthread_cond_t *cond, uint64_t until_ns)
{
	const struct timespec until = {(time_t)(until_ns / 1000000000), (long)(until_ns % 1000000000)};
	clear_owner(m);
	int rc = pthread_cond_timedwait(cond, &m->mutex, &until);
	pd_lock_taken(m->place);
	set_owner(m);
	return rc != ETIMEDOUT;
}
