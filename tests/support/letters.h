/* Letters: messages that ports of this process received, queued for one thread. For programs that are no tests: what
 * cannot be ends them. */
#ifndef LETTERS_H
#define LETTERS_H

#include <pthread.h>
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
	unsigned connected; /* ports that are */
};

/* What a port calls back with; lives as long as the port. */
struct letters_entry {
	struct letters *letters;
	unsigned index; /* letter.port */
};

void letters_init(struct letters *letters);
/* Opens a port whose messages are queued; one that loses its connection ends the program. */
struct cp_port *letters_port(const struct cp_opener *opener, uint64_t number, struct letters_entry *entry);
/* Until that many ports are connected. */
void letters_await(struct letters *letters, unsigned count);
/* The next message, for which it waits until then; NULL: there is none. The caller frees it. */
struct letter *letters_next(struct letters *letters, uint64_t until_ns);

#endif
