/* Port nap: `wait` and `wake` (server/cluster/port.h) of a port whose messages come from other threads. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct port_nap {
	pthread_mutex_t lock;
	pthread_cond_t moved;
	bool woken;
};

void port_nap_init(struct port_nap *nap);
void port_nap_fini(struct port_nap *nap);
void port_nap_wait(struct port_nap *nap, uint64_t until_ns);
void port_nap_wake(struct port_nap *nap);
