/* Letters: messages received by ports of this process, queued for one thread. A single port is polled by that thread;
 * several ports have a thread each. For programs that are not tests: an error ends the program. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "server/cluster/port.h"

struct letter {
	struct letter *next;
	unsigned port; /* index of the port that received it */
	size_t size;
	uint8_t data[];
};

struct letters {
	pthread_mutex_t lock;
	pthread_cond_t came;
	struct letter *first, **last;
	unsigned connected;   /* number of connected ports */
	struct cp_port *only; /* the port to wait in; NULL: they have threads */
};

/* The context of a port's callbacks; lives as long as the port. */
struct letters_entry {
	struct letters *letters;
	unsigned index; /* letter.port */
	/* Filled in by letters_open. */
	struct cp_port *port;
	pthread_t thread;
	atomic_bool stop;
};

void letters_init(struct letters *letters);
/* Opens ports with numbers from `first`, and queues their messages; a lost connection ends the program. */
void letters_open(struct letters *letters, const struct cp_opener *opener, uint64_t first,
		  struct letters_entry *entries, unsigned count);
/* Closes them. */
void letters_close(struct letters *letters, struct letters_entry *entries, unsigned count);
/* Waits until that many ports are connected. */
void letters_await(struct letters *letters, unsigned count);
/* The next message, which the caller frees; NULL: none until then. */
struct letter *letters_next(struct letters *letters, uint64_t until_ns);
