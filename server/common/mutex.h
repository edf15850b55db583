/* Mutex: a pthread mutex that knows which thread holds it, so that functions which need the lock can assert it:
 *
 *	PD_ASSERT(sv_mutex_held(&core->lock));
 *
 * The owner is recorded in every build: an atomic store for each lock and unlock. */
#ifndef SV_MUTEX_H
#define SV_MUTEX_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct sv_mutex {
	pthread_mutex_t mutex;
	atomic_uintptr_t owner; /* pthread_self() of the thread that holds it; 0: free */
};

void sv_mutex_init(struct sv_mutex *m);
void sv_mutex_fini(struct sv_mutex *m);
void sv_mutex_lock(struct sv_mutex *m);
void sv_mutex_unlock(struct sv_mutex *m);
/* Whether the calling thread holds it. */
bool sv_mutex_held(struct sv_mutex *m);
/* Waits for the condition; the mutex is released meanwhile. */
void sv_mutex_wait(struct sv_mutex *m, pthread_cond_t *cond);
/* The same until a time of the condition's clock. False when the time is up. */
bool sv_mutex_wait_until(struct sv_mutex *m, pthread_cond_t *cond, const struct timespec *until);

#endif
