#define _GNU_SOURCE /* ppoll */
#include "server/cluster/nats/nats_loop.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "proto/base/mutex.h"

enum {
	LAST_READS = 1000, /* the most reads of a closed socket until libnats notices its end */
	POLL_S_MAX = 24 * 3600
};

static const uint64_t second_ns = 1000000000;

bool cn_loop_init(struct cn_loop *loop)
{
	*loop = (struct cn_loop){.kick = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), .fd = -1};
	if (loop->kick < 0)
		return false;
	pd_mutex_init(&loop->using, PD_LOCK_NATS_USING);
	pd_mutex_init(&loop->door, PD_LOCK_NATS_DOOR);
	return true;
}

void cn_loop_fini(struct cn_loop *loop)
{
	PD_ASSERT(!loop->connection && loop->fd < 0);
	pd_mutex_fini(&loop->using);
	pd_mutex_fini(&loop->door);
	close(loop->kick);
}

static bool is_owner(struct cn_loop *loop)
{
	return atomic_load(&loop->owner) == (uintptr_t)pthread_self();
}

/* Ends the owner's poll. */
static void kick_poll(struct cn_loop *loop)
{
	const uint64_t one = 1;
	if (atomic_load(&loop->asleep) && write(loop->kick, &one, sizeof one) < 0)
		PD_ASSERT(false); /* its counter cannot overflow */
}

/* Makes the owner examine the connection again, before or in its poll. */
static void mark_changed(struct cn_loop *loop)
{
	atomic_store(&loop->changed, true);
	kick_poll(loop);
}

/* --- hooks: libnats calls them under the lock of the connection ------------------------------- */

static void set_fd(struct cn_loop *loop, int fd)
{
	pd_mutex_lock(&loop->door);
	loop->fd = fd;
	pd_mutex_unlock(&loop->door);
	mark_changed(loop);
}

static natsStatus hook_attach(void **data, void *ctx, natsConnection *connection, natsSock fd)
{
	struct cn_loop *loop = ctx;
	const struct linger no = {0};
	int flags = fcntl(fd, F_GETFD);
	(void)connection;
	*data = loop;
	/* By default child processes inherit libnats's sockets, and closing a socket discards unsent data. */
	if (flags < 0 || fcntl(fd, F_SETFD, flags | FD_CLOEXEC) ||
	    setsockopt(fd, SOL_SOCKET, SO_LINGER, &no, sizeof no))
		return NATS_SYS_ERROR;
	atomic_store(&loop->pending, false);
	set_fd(loop, fd);
	return NATS_OK;
}

/* !add: the socket is about to be closed. */
static natsStatus hook_read(void *data, bool add)
{
	if (!add)
		set_fd(data, -1);
	return NATS_OK;
}

static natsStatus hook_write(void *data, bool add)
{
	struct cn_loop *loop = data;
	atomic_store(&loop->pending, add);
	if (add && !atomic_load(&loop->writing) && !is_owner(loop))
		mark_changed(loop);
	return NATS_OK;
}

static natsStatus hook_detach(void *data)
{
	(void)data;
	return NATS_OK;
}

natsStatus cn_loop_hook(struct cn_loop *loop, natsOptions *options)
{
	return natsOptions_SetEventLoop(options, loop, hook_attach, hook_read, hook_write, hook_detach);
}

/* --- reading and writing, under `using` ------------------------------------------------------- */

static void write_pending(struct cn_loop *loop)
{
	loop->unsent = 0;
	if (loop->connection && atomic_load(&loop->pending))
		natsConnection_ProcessWriteEvent(loop->connection);
	loop->stuck = loop->connection && atomic_load(&loop->pending);
}

/* The messages that libnats has put in the subscriptions' queues. */
static unsigned take_messages(struct cn_loop *loop, natsMsg *out[CN_LOOP_BATCH])
{
	unsigned count = 0;
	uint64_t queued;
	for (unsigned i = 0; i < CN_LOOP_SUBSCRIPTIONS; i++) {
		natsSubscription *from = loop->subscriptions[i];
		if (!from || natsSubscription_QueuedMsgs(from, &queued) != NATS_OK)
			continue;
		while (queued-- > 0 && count < CN_LOOP_BATCH)
			if (natsSubscription_NextMsg(&out[count], from, 0) == NATS_OK)
				count++;
	}
	return count;
}

static void shut_connection(struct cn_loop *loop)
{
	pd_mutex_lock(&loop->door);
	if (loop->fd >= 0)
		shutdown(loop->fd, SHUT_RDWR);
	pd_mutex_unlock(&loop->door);
}

/* After shut_connection: has libnats read to the end, so that it closes the connection now. */
static void read_to_end(struct cn_loop *loop)
{
	for (unsigned i = 0; i < LAST_READS && loop->connection && !natsConnection_IsClosed(loop->connection); i++)
		natsConnection_ProcessReadEvent(loop->connection);
}

/* --- the keeper ------------------------------------------------------------------------------- */

void cn_loop_begin(struct cn_loop *loop, natsConnection *connection)
{
	pd_mutex_lock(&loop->using);
	PD_ASSERT(!loop->connection && !loop->open);
	loop->connection = connection;
	pd_mutex_unlock(&loop->using);
	mark_changed(loop);
}

void cn_loop_subscription(struct cn_loop *loop, natsSubscription *subscription)
{
	unsigned i = 0;
	pd_mutex_lock(&loop->using);
	while (loop->subscriptions[i])
		i++;
	PD_ASSERT(i < CN_LOOP_SUBSCRIPTIONS);
	loop->subscriptions[i] = subscription;
	pd_mutex_unlock(&loop->using);
}

void cn_loop_open(struct cn_loop *loop, bool open)
{
	pd_mutex_lock(&loop->using);
	loop->open = open;
	pd_mutex_unlock(&loop->using);
}

bool cn_loop_ask(struct cn_loop *loop, natsConnection *connection, int64_t ms)
{
	unsigned waits = atomic_load(&loop->waits);
	natsStatus s;
	do
		s = natsConnection_FlushTimeout(connection, ms);
	while (s == NATS_TIMEOUT && waits % 2 == 0 && atomic_load(&loop->waits) == waits);
	return s == NATS_OK;
}

void cn_loop_end(struct cn_loop *loop)
{
	/* First: the owner may wait in libnats for the rest of a TLS record, or for room. */
	shut_connection(loop);
	pd_mutex_lock(&loop->using);
	read_to_end(loop);
	loop->connection = NULL;
	loop->open = false;
	for (unsigned i = 0; i < CN_LOOP_SUBSCRIPTIONS; i++)
		loop->subscriptions[i] = NULL;
	pd_mutex_unlock(&loop->using);
	mark_changed(loop);
}

/* --- the owner -------------------------------------------------------------------------------- */

natsStatus cn_loop_send(struct cn_loop *loop, const char *subject, const void *data, size_t size, bool *connected)
{
	natsStatus s = NATS_OK;
	bool own = is_owner(loop);
	PD_ASSERT(size <= INT32_MAX);
	pd_mutex_lock(&loop->using);
	*connected = loop->connection && loop->open;
	if (*connected && loop->stuck && natsConnection_Buffered(loop->connection) > CN_LOOP_UNSENT_MAX) {
		s = NATS_INSUFFICIENT_BUFFER;
	} else if (*connected) {
		atomic_store(&loop->writing, true);
		s = natsConnection_Publish(loop->connection, subject, data, (int)size);
		atomic_store(&loop->writing, false);
		loop->unsent += size;
		if (!own || loop->unsent >= CN_LOOP_WRITE_BYTES)
			write_pending(loop);
	}
	bool stuck = loop->stuck;
	pd_mutex_unlock(&loop->using);
	if (stuck && !own)
		mark_changed(loop); /* so that it polls for room */
	return s;
}

/* Polls until there is something to do for the connection or the owner; true: for the owner. */
static bool poll_until(struct cn_loop *loop, struct pollfd fds[2], uint64_t until_ns)
{
	uint64_t now = pd_now_ns(), kicks;
	uint64_t left = until_ns > now ? until_ns - now : 0;
	atomic_store(&loop->asleep, true);
	if (atomic_load(&loop->woken) || atomic_load(&loop->changed))
		left = 0;
	struct timespec most = {.tv_sec = POLL_S_MAX};
	if (left / second_ns < POLL_S_MAX)
		most = (struct timespec){(time_t)(left / second_ns), (long)(left % second_ns)};
	if (ppoll(fds, 2, &most, NULL) < 0)
		fds[0].revents = fds[1].revents = 0; /* a signal, or no memory: poll again */
	atomic_store(&loop->asleep, false);
	if (fds[0].revents && read(loop->kick, &kicks, sizeof kicks) < 0)
		PD_ASSERT(false); /* no other thread reads it */
	return atomic_load(&loop->woken) || pd_now_ns() >= until_ns;
}

unsigned cn_loop_wait(struct cn_loop *loop, uint64_t until_ns, natsMsg *out[CN_LOOP_BATCH])
{
	unsigned count = 0;
	bool end = false;
	atomic_store(&loop->owner, (uintptr_t)pthread_self());
	atomic_fetch_add(&loop->waits, 1);
	while (!end && !count) {
		struct pollfd fds[2] = {{.fd = loop->kick, .events = POLLIN}, {.fd = -1, .events = POLLIN}};
		atomic_store(&loop->changed, false);
		pd_mutex_lock(&loop->using);
		write_pending(loop);
		count = take_messages(loop, out); /* left over from a full batch */
		if (loop->connection) {
			pd_mutex_lock(&loop->door);
			fds[1].fd = loop->fd;
			pd_mutex_unlock(&loop->door);
		}
		if (loop->stuck)
			fds[1].events |= POLLOUT;
		pd_mutex_unlock(&loop->using);
		if (count)
			break;
		end = poll_until(loop, fds, until_ns);
		if (!(fds[1].revents & ~POLLOUT))
			continue;
		pd_mutex_lock(&loop->using);
		if (loop->connection)
			natsConnection_ProcessReadEvent(loop->connection);
		count = take_messages(loop, out);
		pd_mutex_unlock(&loop->using);
	}
	return count;
}

void cn_loop_waited(struct cn_loop *loop)
{
	atomic_store(&loop->woken, false); /* the owner looks for its input next */
	atomic_fetch_add(&loop->waits, 1);
}

void cn_loop_wake(struct cn_loop *loop)
{
	atomic_store(&loop->woken, true);
	kick_poll(loop);
}

void cn_loop_flush(struct cn_loop *loop)
{
	pd_mutex_lock(&loop->using);
	write_pending(loop);
	pd_mutex_unlock(&loop->using);
}

void cn_loop_hang_up(struct cn_loop *loop)
{
	pd_mutex_lock(&loop->using);
	shut_connection(loop);
	read_to_end(loop);
	pd_mutex_unlock(&loop->using);
}
