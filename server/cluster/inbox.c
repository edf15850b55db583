#include "server/cluster/inbox.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "proto/base/assert.h"
#include "proto/base/bytes.h"
#include "proto/base/clock.h"
#include "proto/base/mutex.h"
#include "server/cluster/desk_slots.h"

enum { KEPT_BYTES = 1 << 20 /* a larger buffer is freed after it was read */ };

void sc_batch_init(struct sc_batch *batch)
{
	*batch = (struct sc_batch){.read = 0};
	pd_buf_init(&batch->messages, SC_INBOX_BYTES);
}

void sc_batch_fini(struct sc_batch *batch)
{
	pd_buf_fini(&batch->messages);
}

void sc_inbox_init(struct sc_inbox *inbox)
{
	*inbox = (struct sc_inbox){.lost = 0};
	sc_batch_init(&inbox->batch);
	STAILQ_INIT(&inbox->desks);
	pd_mutex_init(&inbox->lock, PD_LOCK_INBOX);
}

void sc_inbox_fini(struct sc_inbox *inbox)
{
	PD_ASSERT(STAILQ_EMPTY(&inbox->desks));
	sc_batch_fini(&inbox->batch);
	pd_mutex_fini(&inbox->lock);
}

/* Marks the inbox as filled, and wakes the cluster thread unless the inbox was filled already. */
static void unlock_and_wake(struct sc_inbox *inbox)
{
	struct cp_port *port = inbox->filled ? NULL : inbox->port;
	inbox->filled = true;
	pd_mutex_unlock(&inbox->lock);
	if (port)
		port->type->wake(port);
}

void sc_inbox_port(struct sc_inbox *inbox, struct cp_port *port)
{
	pd_mutex_lock(&inbox->lock);
	inbox->port = port;
	pd_mutex_unlock(&inbox->lock);
}

void sc_inbox_message(struct sc_inbox *inbox, const uint8_t *data, size_t size)
{
	uint8_t head[4];
	pd_mutex_lock(&inbox->lock);
	struct pd_buf *messages = &inbox->batch.messages;
	PD_ASSERT(size <= UINT32_MAX);
	if (pd_buf_reserve(messages, sizeof head + size)) {
		pd_put_le32(head, (uint32_t)size);
		pd_buf_put(messages, head, sizeof head);
		pd_buf_put(messages, data, size);
	} else {
		messages->failed = false; /* there may be room for the next one */
		inbox->lost++;
	}
	unlock_and_wake(inbox);
}

void sc_inbox_connected(struct sc_inbox *inbox, bool connected, const char *what)
{
	pd_mutex_lock(&inbox->lock);
	struct sc_batch *b = &inbox->batch;
	b->told = true;
	b->connected = connected;
	b->came = b->came || connected;
	snprintf(b->what, sizeof b->what, "%s", what ? what : "");
	unlock_and_wake(inbox);
}

void sc_inbox_desk(struct sc_inbox *inbox, struct sv_desk *desk, bool closing)
{
	pd_mutex_lock(&inbox->lock);
	if (!desk->queued)
		STAILQ_INSERT_TAIL(&inbox->desks, desk, next);
	desk->queued = true;
	PD_ASSERT(!desk->closing);
	desk->closing = closing;
	unlock_and_wake(inbox);
}

void sc_inbox_wake(struct sc_inbox *inbox)
{
	pd_mutex_lock(&inbox->lock);
	unlock_and_wake(inbox);
}

void sc_inbox_stop(struct sc_inbox *inbox)
{
	pd_mutex_lock(&inbox->lock);
	inbox->batch.stop = true;
	unlock_and_wake(inbox);
}

void sc_inbox_take(struct sc_inbox *inbox, struct sc_batch *batch, uint64_t from_ns, uint64_t until_ns)
{
	struct cp_port *port = inbox->port;
	PD_ASSERT(port);
	if (pd_now_ns() < from_ns)
		port->type->wait(port, 0); /* sends */
	uint64_t now_ns = pd_now_ns();
	if (now_ns < from_ns) /* outside of the port, so that no input wakes the thread */
		nanosleep(&(struct timespec){.tv_nsec = (long)(from_ns - now_ns)}, NULL);
	if (batch->messages.capacity > KEPT_BYTES)
		pd_buf_fini(&batch->messages);
	pd_buf_reset(&batch->messages);
	struct pd_buf emptied = batch->messages;
	pd_mutex_lock(&inbox->lock);
	bool filled = inbox->filled;
	do {
		/* Wait even when there is input: the port receives and sends here. */
		pd_mutex_unlock(&inbox->lock);
		port->type->wait(port, filled ? 0 : until_ns);
		pd_mutex_lock(&inbox->lock);
		filled = inbox->filled;
	} while (!filled && pd_now_ns() < until_ns);
	inbox->filled = false;
	*batch = inbox->batch;
	sc_batch_init(&inbox->batch);
	inbox->batch.messages = emptied;
	pd_mutex_unlock(&inbox->lock);
}

struct sv_desk *sc_inbox_next_desk(struct sc_inbox *inbox, bool *closing)
{
	pd_mutex_lock(&inbox->lock);
	struct sv_desk *desk = STAILQ_FIRST(&inbox->desks);
	if (desk) {
		STAILQ_REMOVE_HEAD(&inbox->desks, next);
		desk->queued = false;
		*closing = desk->closing;
	}
	pd_mutex_unlock(&inbox->lock);
	return desk;
}

bool sc_batch_next(struct sc_batch *batch, const uint8_t **data, size_t *size)
{
	if (batch->read == batch->messages.size)
		return false;
	const uint8_t *at = (const uint8_t *)batch->messages.data + batch->read;
	*size = pd_get_le32(at);
	*data = at + 4;
	batch->read += 4 + *size;
	PD_ASSERT(batch->read <= batch->messages.size);
	return true;
}
