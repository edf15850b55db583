/* Mutex: a pthread mutex with a place in the order of locks (lock_order.h). It knows which thread holds it, so that
 * functions which need it can assert that:
 *
 *	PD_ASSERT(pd_mutex_held(&core->lock));
 *
 * The owner is recorded in every build: an atomic store for each lock and unlock. The order is asserted in debug and
 * sanitizer builds (PD_DEBUG). */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "proto/base/lock_order.h"

struct pd_mutex {
	pthread_mutex_t mutex;
	atomic_uintptr_t owner; /* pthread_self() of the thread that holds it; 0: free */
	enum pd_lock place;
};

/* clang-format off */
#define PD_MUTEX_INIT(lock) {.mutex = PTHREAD_MUTEX_INITIALIZER, .place = (lock)}
/* clang-format on */

void pd_mutex_init(struct pd_mutex *m, enum pd_lock place);
void pd_mutex_fini(struct pd_mutex *m);
void pd_mutex_lock(struct pd_mutex *m);
/* False when another thread holds it. May be called out of order, because it does not wait. */
bool pd_mutex_try(struct pd_mutex *m);
void pd_mutex_unlock(struct pd_mutex *m);
/* Whether the calling thread holds it. */
bool pd_mutex_held(const struct pd_mutex *m);
/* Waits for the condition; the mutex is released meanwhile. */
void pd_mutex_wait(struct pd_mutex *m, pthread_cond_t *cond);
/* Makes a condition variable for pd_mutex_wait and pd_mutex_wait_until. */
void pd_cond_init(pthread_cond_t *cond);
/* Waits like pd_mutex_wait, but only until a time of pd_now_ns; false after that time. */
bool pd_mutex_wait_until(struct pd_mutex *m, pthread_cond_t *cond, uint64_t until_ns);

/* For other kinds of locks: this thread is about to take the lock, or has released it. Does nothing in release
 * builds. */
#ifdef PD_DEBUG
void pd_lock_taken(enum pd_lock place);
void pd_lock_released(enum pd_lock place);
#else
static inline void pd_lock_taken(enum pd_lock place)
{
	(void)place;
}
static inline void pd_lock_released(enum pd_lock place)
{
	(void)place;
}
#endif
