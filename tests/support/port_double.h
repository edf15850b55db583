/* Port double: a network in the process between a coordinator and its workers. It delays, drops and repeats messages by
 * seed, which also reorders them, and can be cut and healed for all workers or one. */
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
	bool open, apart; /* apart: it neither sends nor receives, and does not notice */
};

struct port_message {
	struct port_message *next;
	uint64_t due_ns, to;
	size_t size;
	uint8_t data[];
};

struct port_double {
	/* Set before the first end is opened; may be changed under the lock. */
	uint64_t delay_ns;     /* longest delay of a message */
	unsigned drop, repeat; /* percent of the messages */
	uint64_t seed;
	/* Private. */
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
/* All ends must be closed. */
void port_double_stop(struct port_double *net);
/* Messages that the calling thread has sent. */
extern _Thread_local uint64_t port_double_sent;
struct cp_opener port_double_opener(struct port_double *net);
/* Cuts or heals the network, and tells all ends. Messages in transit are lost. */
void port_double_cut(struct port_double *net, bool cut);
/* Silently disconnects that worker, or reconnects it. */
void port_double_part(struct port_double *net, uint64_t worker, bool apart);
