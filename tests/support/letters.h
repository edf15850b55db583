/* Letters: messages that ports of this process received, queued for one thread, which waits in the port if it is the
 * only one; several have a thread each. For programs that are no tests: what cannot be ends them. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "server/cluster/port.h"

struct letter {
	struct letter *next;
	unsigned port; /* which of the ports has received it */
	size_t size;
	uint8_t data[];
};

struct letters {
	pthread_mutex_t lock;
	pthread_cond_t came;
	struct letter *first, **last;
	unsigned connected;   /* ports that are */
	struct cp_port *only; /* the port to wait in; NULL: they have threads */
};

/* What a port calls back with; lives as long as the port. */
struct letters_entry {
	struct letters *letters;
	unsigned index; /* letter.port */
	/* Filled in by letters_open. */
	struct cp_port *port;
	pthread_t thread;
	atomic_bool stop;
};

void letters_init(struct letters *letters);
/* Opens ports with numbers from `first`, whose messages are queued; one that loses its connection ends the program. */
void letters_open(struct letters *letters, const struct cp_opener *opener, uint64_t first,
		  struct letters_entry *entries, unsigned count);
/* Closes them. */
void letters_close(struct letters *letters, struct letters_entry *entries, unsigned count);
/* Until that many ports are connected. */
void letters_await(struct letters *letters, unsigned count);
/* The next message, for which it waits until then; NULL: there is none. The caller frees it. */
struct letter *letters_next(struct letters *letters, uint64_t until_ns);
