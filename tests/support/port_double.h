/* Port double: a network in the process between a coordinator and its workers. It delays, drops, repeats and so
 * reorders messages by seed, and can be cut and healed, for all or for one worker. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "server/cluster/port.h"
#include "tests/support/port_nap.h"

enum { PORT_ENDS_MAX = 64 };

struct port_double;

/* One end: the coordinator's or a worker's. */
struct port_end {
	struct cp_port port;
	struct port_double *net;
	struct cp_events events;
	struct port_nap nap;
	uint64_t number;  /* CP_COORDINATOR, or a worker's */
	bool open, apart; /* apart: nothing comes to it or leaves it, and it does not know */
};

struct port_message {
	struct port_message *next;
	uint64_t due_ns, to;
	size_t size;
	uint8_t data[];
};

struct port_double {
	/* Set before the first end is opened; may be changed under the lock. */
	uint64_t delay_ns;     /* each message takes up to that long */
	unsigned drop, repeat; /* percent of the messages */
	uint64_t seed;
	/* Its own. */
	pthread_mutex_t lock;
	pthread_cond_t moved;
	pthread_t thread;
	bool stop, cut;
	unsigned told; /* counts changes of `cut` */
	struct port_end end[PORT_ENDS_MAX], *calling;
	struct port_message *first; /* by due time */
	uint64_t sent, dropped;
};

void port_double_start(struct port_double *net, uint64_t seed);
/* All ends are closed. */
void port_double_stop(struct port_double *net);
struct cp_opener port_double_opener(struct port_double *net);
/* Nothing passes any more, and all ends are told; or they are told that it does again. What was on the way is lost. */
void port_double_cut(struct port_double *net, bool cut);
/* Nothing comes to that worker or from it any more, without a word; or it does again. */
void port_double_part(struct port_double *net, uint64_t worker, bool apart);
