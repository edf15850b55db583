#include "server/common/mutex.h"

#include <errno.h>

#include "proto/base/assert.h"

static uintptr_t self(void)
{
	return (uintptr_t)pthread_self();
}

static void take(struct sv_mutex *m)
{
	PD_ASSERT(!atomic_load_explicit(&m->owner, memory_order_relaxed));
	atomic_store_explicit(&m->owner, self(), memory_order_relaxed);
}

static void release(struct sv_mutex *m)
{
	PD_ASSERT(sv_mutex_held(m));
	atomic_store_explicit(&m->owner, 0, memory_order_relaxed);
}

void sv_mutex_init(struct sv_mutex *m)
{
	int rc = pthread_mutex_init(&m->mutex, NULL);
	PD_ASSERT(!rc);
	atomic_init(&m->owner, 0);
}

void sv_mutex_fini(struct sv_mutex *m)
{
	PD_ASSERT(!atomic_load_explicit(&m->owner, memory_order_relaxed));
	pthread_mutex_destroy(&m->mutex);
}

void sv_mutex_lock(struct sv_mutex *m)
{
	int rc = pthread_mutex_lock(&m->mutex);
	PD_ASSERT(!rc);
	take(m);
}

void sv_mutex_unlock(struct sv_mutex *m)
{
	release(m);
	pthread_mutex_unlock(&m->mutex);
}

bool sv_mutex_held(struct sv_mutex *m)
{
	return atomic_load_explicit(&m->owner, memory_order_relaxed) == self();
}

void sv_mutex_wait(struct sv_mutex *m, pthread_cond_t *cond)
{
	release(m);
	pthread_cond_wait(cond, &m->mutex);
	take(m);
}

bool sv_mutex_wait_until(struct sv_mutex *m, pthread_cond_t *cond, const struct timespec *until)
{
	release(m);
	int rc = pthread_cond_timedwait(cond, &m->mutex, until);
	take(m);
	return rc != ETIMEDOUT;
}
