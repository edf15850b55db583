#include "server/cluster/inbox.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "proto/base/assert.h"
#include "proto/base/bytes.h"
#include "proto/base/error.h"
#include "server/cluster/desk_slots.h"

enum { KEPT_BYTES = 1 << 20 /* a buffer that is larger is given back once it is read */ };

void sc_batch_init(struct sc_batch *batch)
{
	*batch = (struct sc_batch){.read = 0};
	pd_buf_init(&batch->messages, SC_INBOX_BYTES);
}

void sc_batch_fini(struct sc_batch *batch)
{
	pd_buf_fini(&batch->messages);
}

int sc_inbox_init(struct sc_inbox *inbox)
{
	pthread_condattr_t attr;
	*inbox = (struct sc_inbox){.lost = 0};
	sc_batch_init(&inbox->batch);
	STAILQ_INIT(&inbox->desks);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	int rc = pthread_mutex_init(&inbox->lock, NULL);
	if (!rc && (rc = pthread_cond_init(&inbox->wake, &attr)))
		pthread_mutex_destroy(&inbox->lock);
	pthread_condattr_destroy(&attr);
	return rc ? PD_E_NO_MEMORY : PD_OK;
}

void sc_inbox_fini(struct sc_inbox *inbox)
{
	PD_ASSERT(STAILQ_EMPTY(&inbox->desks));
	sc_batch_fini(&inbox->batch);
	pthread_cond_destroy(&inbox->wake);
	pthread_mutex_destroy(&inbox->lock);
}

static void lock(struct sc_inbox *inbox)
{
	int rc = pthread_mutex_lock(&inbox->lock);
	PD_ASSERT(!rc);
}

/* There is something: wakes the cluster thread if it sleeps. */
static void unlock_and_wake(struct sc_inbox *inbox)
{
	bool asleep = inbox->asleep && !inbox->woken;
	inbox->woken = true;
	pthread_mutex_unlock(&inbox->lock);
	if (asleep)
		pthread_cond_signal(&inbox->wake);
}

void sc_inbox_message(struct sc_inbox *inbox, const uint8_t *data, size_t size)
{
	uint8_t head[4];
	lock(inbox);
	struct pd_buf *messages = &inbox->batch.messages;
	PD_ASSERT(size <= UINT32_MAX);
	if (pd_buf_reserve(messages, sizeof head + size)) {
		pd_put_le32(head, (uint32_t)size);
		pd_buf_put(messages, head, sizeof head);
		pd_buf_put(messages, data, size);
	} else {
		messages->failed = false; /* the next one may find room */
		inbox->lost++;
	}
	unlock_and_wake(inbox);
}

void sc_inbox_connected(struct sc_inbox *inbox, bool connected, const char *what)
{
	lock(inbox);
	struct sc_batch *b = &inbox->batch;
	b->told = true;
	b->connected = connected;
	b->came = b->came || connected;
	snprintf(b->what, sizeof b->what, "%s", what ? what : "");
	unlock_and_wake(inbox);
}

void sc_inbox_desk(struct sc_inbox *inbox, struct sv_desk *desk, bool closing)
{
	lock(inbox);
	if (!desk->queued)
		STAILQ_INSERT_TAIL(&inbox->desks, desk, next);
	desk->queued = true;
	PD_ASSERT(!desk->closing);
	desk->closing = closing;
	unlock_and_wake(inbox);
}

void sc_inbox_wake(struct sc_inbox *inbox)
{
	lock(inbox);
	unlock_and_wake(inbox);
}

void sc_inbox_stop(struct sc_inbox *inbox)
{
	lock(inbox);
	inbox->batch.stop = true;
	unlock_and_wake(inbox);
}

void sc_inbox_take(struct sc_inbox *inbox, struct sc_batch *batch, uint64_t until_ns)
{
	struct timespec until = {.tv_sec = (time_t)(until_ns / 1000000000), .tv_nsec = (long)(until_ns % 1000000000)};
	if (batch->messages.capacity > KEPT_BYTES)
		pd_buf_fini(&batch->messages);
	pd_buf_reset(&batch->messages);
	struct pd_buf emptied = batch->messages;
	lock(inbox);
	inbox->asleep = true;
	while (!inbox->woken && !pthread_cond_timedwait(&inbox->wake, &inbox->lock, &until))
		;
	inbox->asleep = inbox->woken = false;
	*batch = inbox->batch;
	sc_batch_init(&inbox->batch);
	inbox->batch.messages = emptied;
	pthread_mutex_unlock(&inbox->lock);
}

struct sv_desk *sc_inbox_next_desk(struct sc_inbox *inbox, bool *closing)
{
	lock(inbox);
	struct sv_desk *desk = STAILQ_FIRST(&inbox->desks);
	if (desk) {
		STAILQ_REMOVE_HEAD(&inbox->desks, next);
		desk->queued = false;
		*closing = desk->closing;
	}
	pthread_mutex_unlock(&inbox->lock);
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
