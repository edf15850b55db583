#include "tests/support/port_nap.h"

#include <time.h>

void port_nap_init(struct port_nap *nap)
{
	pthread_condattr_t attr;
	pthread_mutex_init(&nap->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&nap->moved, &attr);
	pthread_condattr_destroy(&attr);
	nap->woken = false;
}

void port_nap_fini(struct port_nap *nap)
{
	pthread_cond_destroy(&nap->moved);
	pthread_mutex_destroy(&nap->lock);
}

void port_nap_wait(struct port_nap *nap, uint64_t until_ns)
{
	const struct timespec until = {.tv_sec = (time_t)(until_ns / 1000000000),
				       .tv_nsec = (long)(until_ns % 1000000000)};
	pthread_mutex_lock(&nap->lock);
	while (!nap->woken && until_ns && !pthread_cond_timedwait(&nap->moved, &nap->lock, &until))
		;
	nap->woken = false;
	pthread_mutex_unlock(&nap->lock);
}

void port_nap_wake(struct port_nap *nap)
{
	pthread_mutex_lock(&nap->lock);
	nap->woken = true;
	pthread_cond_signal(&nap->moved);
	pthread_mutex_unlock(&nap->lock);
}
