/* Inbox: input of the cluster thread.
 *
 * Any thread adds input under a short lock. The cluster thread waits in the port (port.h) while the inbox is empty, and
 * takes all input at once by swapping buffers. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "proto/base/buf.h"
#include "proto/base/mutex.h"
#include "server/cluster/port.h"

struct sv_desk;

STAILQ_HEAD(sc_desk_queue, sv_desk);

/* The input that the cluster thread takes at once. */
struct sc_batch {
	struct pd_buf messages; /* each after its size, 4 bytes; read by sc_batch_next */
	size_t read;
	bool told, came, connected; /* the port has reported its state; has reconnected; is connected */
	char what[160];             /* its report */
	bool stop;
};

struct sc_inbox {
	struct pd_mutex lock;
	struct cp_port *port;       /* wakes the cluster thread; NULL: it does not run yet */
	bool filled;                /* there is input */
	uint64_t lost;              /* messages dropped for lack of room since the start */
	struct sc_desk_queue desks; /* desks that have changed */
	struct sc_batch batch;
};

enum { SC_INBOX_BYTES = 64 << 20 };

/* PD_OK or PD_E_NO_MEMORY. */
void sc_inbox_init(struct sc_inbox *inbox);
void sc_inbox_fini(struct sc_inbox *inbox);
/* Sets the port that the cluster thread, which starts afterwards, waits in. Threads other than the port's must not use
 * the inbox after the port is closed. */
void sc_inbox_port(struct sc_inbox *inbox, struct cp_port *port);
void sc_batch_init(struct sc_batch *batch);
void sc_batch_fini(struct sc_batch *batch);

/* Adds a message of the port; drops it if there is no room. */
void sc_inbox_message(struct sc_inbox *inbox, const uint8_t *data, size_t size);
void sc_inbox_connected(struct sc_inbox *inbox, bool connected, const char *what);
/* Adds a desk that has changed; `closing`: the cluster thread owns it from now on. Needs no memory (desk_slots.h). */
void sc_inbox_desk(struct sc_inbox *inbox, struct sv_desk *desk, bool closing);
/* Wakes the cluster thread for a verdict of the judge. */
void sc_inbox_wake(struct sc_inbox *inbox);
void sc_inbox_stop(struct sc_inbox *inbox);

/* For the cluster thread: waits in the port for input or until `until_ns`, and swaps *batch, whose messages were read.
 * Input that comes before `from_ns` is taken together then. */
void sc_inbox_take(struct sc_inbox *inbox, struct sc_batch *batch, uint64_t from_ns, uint64_t until_ns);
/* The next desk that has changed, and whether it is closed; NULL: there is none. */
struct sv_desk *sc_inbox_next_desk(struct sc_inbox *inbox, bool *closing);
/* The next message; false: there is none. Borrowed until the batch is swapped. */
bool sc_batch_next(struct sc_batch *batch, const uint8_t **data, size_t *size);
