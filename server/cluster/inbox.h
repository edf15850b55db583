/* Inbox: what waits for the cluster thread.
 *
 * Any thread puts something in under a short lock. The cluster thread waits in the port (port.h) while there is
 * nothing, and takes all that there is at once, by exchanging it for what it took before. */
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

/* What the cluster thread takes. */
struct sc_batch {
	struct pd_buf messages; /* each behind its size, 4 bytes; read by sc_batch_next */
	size_t read;
	bool told, came, connected; /* of the port: it said something; it is there again; it is there */
	char what[160];
	bool stop;
};

struct sc_inbox {
	struct pd_mutex lock;
	struct cp_port *port;       /* to wake the cluster thread by; NULL: it does not run yet */
	bool filled;                /* there is something */
	uint64_t lost;              /* messages for which there was no room; since the start */
	struct sc_desk_queue desks; /* those that have something to say */
	struct sc_batch batch;
};

enum { SC_INBOX_BYTES = 64 << 20 };

/* PD_OK or PD_E_NO_MEMORY. */
void sc_inbox_init(struct sc_inbox *inbox);
void sc_inbox_fini(struct sc_inbox *inbox);
/* The port that the cluster thread, which starts after this, waits in. Who fills the inbox besides the port itself has
 * ended before the port is closed. */
void sc_inbox_port(struct sc_inbox *inbox, struct cp_port *port);
void sc_batch_init(struct sc_batch *batch);
void sc_batch_fini(struct sc_batch *batch);

/* A message of the port. Without room it is lost, as the port may lose it. */
void sc_inbox_message(struct sc_inbox *inbox, const uint8_t *data, size_t size);
void sc_inbox_connected(struct sc_inbox *inbox, bool connected, const char *what);
/* The desk has something to say; `closing`: it is closed, and is the cluster thread's from now on. Its place in the
 * inbox is its own (desk_slots.h). */
void sc_inbox_desk(struct sc_inbox *inbox, struct sv_desk *desk, bool closing);
/* There is something elsewhere: a verdict. */
void sc_inbox_wake(struct sc_inbox *inbox);
void sc_inbox_stop(struct sc_inbox *inbox);

/* For the cluster thread: waits in the port until there is something or the time has come, and exchanges *batch, which
 * is read. */
void sc_inbox_take(struct sc_inbox *inbox, struct sc_batch *batch, uint64_t until_ns);
/* The next desk that has something to say, and whether it is closed; NULL: there is none. */
struct sv_desk *sc_inbox_next_desk(struct sc_inbox *inbox, bool *closing);
/* The next message; false: there is none. Borrowed until the batch is exchanged. */
bool sc_batch_next(struct sc_batch *batch, const uint8_t **data, size_t *size);
