/* The port over a Unix socket: for workers on the daemon's machine, without a message server.
 *
 * The daemon listens; each worker connects, and says its number first. A message follows its size, 4 bytes, least
 * significant first. The thread that waits in the port does all but what other threads send: they write at once what
 * the socket takes. The same thread connects again, so a worker outlives its daemon. A daemon forgets a worker that
 * hangs up; the cluster misses its heartbeats.
 *
 * The socket is for its owner alone, as that of `--socket`. */
#define _GNU_SOURCE /* ppoll, accept4 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/buf.h"
#include "proto/base/bytes.h"
#include "proto/base/clock.h"
#include "proto/base/mutex.h"
#include "proto/base/socket_path.h"
#include "proto/cluster/wire.h"
#include "server/cluster/port.h"

enum {
	PEERS_MAX = 256, /* others wait until one of these hangs up */
	HEAD = 4,        /* bytes of a message's size */
	HELLO = 8,       /* bytes of a worker's number */
	BACKLOG = 64,
	READ_BYTES = 1 << 16,   /* of one read */
	UNSENT_MAX = 1 << 26,   /* bytes that wait for one process; sending more fails */
	GATHER_BYTES = 1 << 14, /* the waiting thread's unsent bytes that are written before it waits */
	TRY_MS_MIN = 50,
	TRY_MS_MAX = 1000, /* between two tries to connect */
	CLOSE_S = 2        /* the most that closing a port waits for others to read */
};

static const uint64_t ms = 1000000, second_ns = 1000000000;
static const char scheme[] = "unix://";

struct setup {
	struct sockaddr_un name;
	char where[sizeof scheme + sizeof((struct sockaddr_un *)0)->sun_path];
};

/* A process at the other end. */
struct peer {
	int fd;
	uint64_t number;   /* CP_ALL: not said yet */
	bool broken;       /* the waiting thread closes it */
	struct pd_buf in;  /* received and not complete; the waiting thread's */
	struct pd_buf out; /* sent until `sent` */
	size_t sent;
};

struct unix_port {
	struct cp_port port;
	const struct setup *setup;
	uint64_t worker;
	struct cp_events events;
	int kick, listener;        /* an eventfd that ends a poll; of a daemon, else -1 */
	uint64_t try_ns, pause_ms; /* a worker's next try to connect, and the pause after it */
	bool told;                 /* that it is not connected */

	struct pd_mutex lock; /* guards the members below; only the waiting thread adds and removes peers */
	pthread_t owner;
	bool owned, asleep, woken;
	struct peer peers[PEERS_MAX];
	unsigned count;
};

static bool is_daemon(const struct unix_port *p)
{
	return p->worker == CP_COORDINATOR;
}

static void report_connection(struct unix_port *p, bool connected, const char *what, const char *why)
{
	char sentence[300];
	snprintf(sentence, sizeof sentence, "%s %s%s%s", what, p->setup->where, *why ? ": " : "", why);
	p->events.connected(p->events.ctx, connected, sentence);
}

/* --- sending, under the lock -------------------------------------------------------------------- */

static void kick_owner(struct unix_port *p)
{
	const uint64_t one = 1;
	PD_ASSERT(pd_mutex_held(&p->lock));
	if (p->asleep && write(p->kick, &one, sizeof one) < 0)
		PD_ASSERT(errno == EAGAIN); /* its counter is large, so the poll ends */
}

/* Writes what the socket takes. */
static void write_out(struct peer *peer)
{
	while (peer->sent < peer->out.size && !peer->broken) {
		ssize_t n = send(peer->fd, peer->out.data + peer->sent, peer->out.size - peer->sent,
				 MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n >= 0)
			peer->sent += (size_t)n;
		else if (errno == EAGAIN || errno == EWOULDBLOCK)
			break;
		else if (errno != EINTR)
			peer->broken = true;
	}
	if (peer->sent == peer->out.size || peer->broken) {
		pd_buf_reset(&peer->out);
		peer->sent = 0;
	} else if (peer->sent > peer->out.size / 2) {
		pd_buf_eat(&peer->out, peer->sent);
		peer->sent = 0;
	}
}

static bool add_message(struct peer *peer, const uint8_t *data, size_t size)
{
	uint8_t head[HEAD];
	pd_put_le32(head, (uint32_t)size);
	if (peer->out.size - peer->sent > UNSENT_MAX || !pd_buf_reserve(&peer->out, HEAD + size)) {
		peer->out.failed = false;
		return false;
	}
	pd_buf_put(&peer->out, head, HEAD);
	pd_buf_put(&peer->out, data, size);
	return true;
}

static int port_send(struct cp_port *base, uint64_t to, const uint8_t *data, size_t size, struct pd_fail *fail)
{
	struct unix_port *p = (struct unix_port *)base;
	bool found = to == CP_ALL, added = true;
	PD_ASSERT(size <= CW_MESSAGE_MAX);
	pd_mutex_lock(&p->lock);
	bool own = p->owned && pthread_equal(p->owner, pthread_self());
	for (unsigned i = 0; i < p->count; i++) {
		struct peer *peer = &p->peers[i];
		if (peer->number == CP_ALL || peer->broken || (to != CP_ALL && peer->number != to))
			continue;
		found = true;
		added = add_message(peer, data, size) && added;
		if (!own || peer->out.size - peer->sent >= GATHER_BYTES)
			write_out(peer);
		if (!own && (peer->broken || peer->out.size))
			kick_owner(p); /* it polls for room */
	}
	pd_mutex_unlock(&p->lock);
	if (!found)
		return pd_fail_set(fail, PD_E_IO, "workers", "not connected to %s", p->setup->where);
	return added ? PD_OK
		     : pd_fail_set(fail, PD_E_IO, "workers", "too much waits to be sent to %s", p->setup->where);
}

static void port_wake(struct cp_port *base)
{
	struct unix_port *p = (struct unix_port *)base;
	pd_mutex_lock(&p->lock);
	if (!p->woken)
		kick_owner(p);
	p->woken = true;
	pd_mutex_unlock(&p->lock);
}

/* --- connections -------------------------------------------------------------------------------- */

static void add_peer(struct unix_port *p, int fd, uint64_t number)
{
	PD_ASSERT(p->count < PEERS_MAX);
	pd_mutex_lock(&p->lock);
	struct peer *peer = &p->peers[p->count++];
	*peer = (struct peer){.fd = fd, .number = number};
	pd_buf_init(&peer->in, HEAD + CW_MESSAGE_MAX + READ_BYTES);
	pd_buf_init(&peer->out, 2 * (size_t)UNSENT_MAX + 2 * CW_MESSAGE_MAX);
	pd_mutex_unlock(&p->lock);
}

static void drop_peer(struct unix_port *p, unsigned i)
{
	pd_mutex_lock(&p->lock);
	struct peer peer = p->peers[i];
	p->peers[i] = p->peers[--p->count];
	pd_mutex_unlock(&p->lock);
	close(peer.fd);
	pd_buf_fini(&peer.in);
	pd_buf_fini(&peer.out);
}

static bool is_broken(struct unix_port *p, unsigned i)
{
	pd_mutex_lock(&p->lock);
	bool broken = p->peers[i].broken;
	pd_mutex_unlock(&p->lock);
	return broken;
}

static void mark_broken(struct unix_port *p, unsigned i)
{
	pd_mutex_lock(&p->lock);
	p->peers[i].broken = true;
	pd_mutex_unlock(&p->lock);
}

static void drop_broken(struct unix_port *p)
{
	unsigned before = p->count;
	for (unsigned i = p->count; i-- > 0;)
		if (is_broken(p, i))
			drop_peer(p, i);
	if (p->count == before || is_daemon(p))
		return;
	p->try_ns = pd_now_ns() + p->pause_ms * ms;
	report_connection(p, false, "lost the connection to", "");
}

static void say_hello(struct unix_port *p)
{
	uint8_t hello[HELLO];
	pd_put_le64(hello, p->worker);
	pd_mutex_lock(&p->lock);
	if (!add_message(&p->peers[0], hello, sizeof hello))
		p->peers[0].broken = true;
	pd_mutex_unlock(&p->lock);
}

/* A worker's. It does not wait for a daemon that does not accept. */
static void try_connect(struct unix_port *p)
{
	const struct sockaddr_un *name = &p->setup->name;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && !connect(fd, (const struct sockaddr *)name, sizeof *name)) {
		add_peer(p, fd, CP_COORDINATOR);
		say_hello(p);
		p->pause_ms = TRY_MS_MIN;
		p->told = false;
		report_connection(p, true, "connected to", "");
		return;
	}
	if (!p->told)
		report_connection(p, false, "cannot connect to", strerror(errno));
	p->told = true;
	if (fd >= 0)
		close(fd);
	p->pause_ms = 2 * p->pause_ms < TRY_MS_MAX ? 2 * p->pause_ms : TRY_MS_MAX;
	p->try_ns = pd_now_ns() + p->pause_ms * ms;
}

static void accept_peers(struct unix_port *p)
{
	int fd;
	while (p->count < PEERS_MAX && (fd = accept4(p->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0)
		add_peer(p, fd, CP_ALL);
}

/* --- receiving, by the waiting thread ----------------------------------------------------------- */

/* A worker's first message: its number. An older connection of the same worker is over. */
static bool take_hello(struct unix_port *p, struct peer *peer, const uint8_t *data, size_t size)
{
	uint64_t number = size == HELLO ? pd_get_le64(data) : CP_ALL;
	if (number == CP_ALL || number == CP_COORDINATOR)
		return false;
	pd_mutex_lock(&p->lock);
	for (unsigned i = 0; i < p->count; i++)
		p->peers[i].broken |= p->peers[i].number == number;
	peer->number = number;
	pd_mutex_unlock(&p->lock);
	return true;
}

/* Delivers the messages that are complete. False: what came is not a message. */
static bool take_messages(struct unix_port *p, struct peer *peer, bool *any)
{
	size_t at = 0;
	while (peer->in.size - at >= HEAD) {
		const uint8_t *data = (const uint8_t *)peer->in.data + at;
		size_t size = pd_get_le32(data);
		if (size > CW_MESSAGE_MAX)
			return false;
		if (peer->in.size - at - HEAD < size)
			break;
		if (peer->number != CP_ALL)
			p->events.message(p->events.ctx, data + HEAD, size);
		else if (!take_hello(p, peer, data + HEAD, size))
			return false;
		*any = true;
		at += HEAD + size;
	}
	pd_buf_eat(&peer->in, at);
	return true;
}

/* False: the connection is over. */
static bool read_peer(struct unix_port *p, struct peer *peer, bool *any)
{
	char bytes[READ_BYTES];
	ssize_t n = recv(peer->fd, bytes, sizeof bytes, MSG_DONTWAIT);
	if (n <= 0)
		return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
	pd_buf_put(&peer->in, bytes, (size_t)n);
	return !peer->in.failed && take_messages(p, peer, any);
}

/* --- waiting ------------------------------------------------------------------------------------ */

/* Writes what waits, and lists what is polled: the eventfd, the listener, the peers. Under the lock. */
static unsigned list_fds(struct unix_port *p, struct pollfd fds[2 + PEERS_MAX])
{
	fds[0] = (struct pollfd){.fd = p->kick, .events = POLLIN};
	fds[1] = (struct pollfd){.fd = p->count < PEERS_MAX ? p->listener : -1, .events = POLLIN};
	for (unsigned i = 0; i < p->count; i++) {
		struct peer *peer = &p->peers[i];
		write_out(peer);
		fds[2 + i] = (struct pollfd){.fd = peer->fd, .events = POLLIN};
		fds[2 + i].events |= peer->out.size ? POLLOUT : 0;
	}
	return 2 + p->count;
}

/* True: `wake` was called. */
static bool poll_until(struct unix_port *p, uint64_t until_ns, struct pollfd fds[2 + PEERS_MAX], unsigned *count)
{
	uint64_t kicks, now = pd_now_ns();
	pd_mutex_lock(&p->lock);
	p->owner = pthread_self();
	p->owned = p->asleep = true;
	*count = list_fds(p, fds);
	uint64_t left = p->woken || until_ns <= now ? 0 : until_ns - now;
	pd_mutex_unlock(&p->lock);
	if (left > 3600 * second_ns)
		left = 3600 * second_ns;
	const struct timespec most = {(time_t)(left / second_ns), (long)(left % second_ns)};
	if (ppoll(fds, *count, &most, NULL) < 0) /* a signal, or no memory: poll again */
		for (unsigned i = 0; i < *count; i++)
			fds[i].revents = 0;
	if (fds[0].revents && read(p->kick, &kicks, sizeof kicks) < 0)
		PD_ASSERT(errno == EAGAIN);
	pd_mutex_lock(&p->lock);
	bool woken = p->woken;
	p->woken = p->asleep = false;
	pd_mutex_unlock(&p->lock);
	return woken;
}

static void port_wait(struct cp_port *base, uint64_t until_ns)
{
	struct unix_port *p = (struct unix_port *)base;
	struct pollfd fds[2 + PEERS_MAX];
	unsigned count;
	bool any = false, end = false;
	if (!is_daemon(p) && !p->count && pd_now_ns() >= p->try_ns)
		try_connect(p);
	if (!is_daemon(p) && !p->count && p->try_ns < until_ns)
		until_ns = p->try_ns;
	while (!end && !any) {
		end = poll_until(p, until_ns, fds, &count);
		for (unsigned i = 2; i < count; i++)
			if ((fds[i].revents & ~POLLOUT) && !read_peer(p, &p->peers[i - 2], &any))
				mark_broken(p, i - 2);
		if (fds[1].revents)
			accept_peers(p);
		drop_broken(p);
		end |= pd_now_ns() >= until_ns;
	}
}

/* --- opening and closing ------------------------------------------------------------------------ */

/* Writes what waits for a process, until that time of pd_now_ns. No thread waits in the port. */
static void flush_peer(struct peer *peer, uint64_t until_ns)
{
	uint64_t now;
	for (write_out(peer); peer->out.size && (now = pd_now_ns()) < until_ns; write_out(peer)) {
		struct pollfd fd = {.fd = peer->fd, .events = POLLOUT};
		poll(&fd, 1, (int)((until_ns - now) / ms) + 1);
	}
}

static void port_close(struct cp_port *base)
{
	struct unix_port *p = (struct unix_port *)base;
	uint64_t until_ns = pd_now_ns() + CLOSE_S * second_ns;
	while (p->count) {
		flush_peer(&p->peers[0], until_ns);
		drop_peer(p, 0);
	}
	if (p->listener >= 0) {
		unlink(p->setup->name.sun_path);
		close(p->listener);
	}
	if (p->kick >= 0)
		close(p->kick);
	pd_mutex_fini(&p->lock);
	free(p);
}

static const struct cp_port_type type = {port_send, port_wait, port_wake, port_close};

static int start_listening(struct unix_port *p, struct pd_fail *fail)
{
	const struct sockaddr_un *name = &p->setup->name;
	int rc = pd_socket_path_clear(name->sun_path, "workers", fail);
	if (rc)
		return rc;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	bool bound = fd >= 0 && !fchmod(fd, 0600) && !bind(fd, (const struct sockaddr *)name, sizeof *name);
	if (bound && !chmod(name->sun_path, 0600) && !listen(fd, BACKLOG)) {
		p->listener = fd;
		return PD_OK;
	}
	rc = pd_fail_set(fail, PD_E_IO, "workers", "cannot listen on %s: %s", p->setup->where, strerror(errno));
	if (fd >= 0)
		close(fd);
	return rc;
}

static int port_open(void *ctx, uint64_t worker, const struct cp_events *events, struct cp_port **out,
		     struct pd_fail *fail)
{
	struct unix_port *p = calloc(1, sizeof *p);
	PD_ASSERT(worker != CP_ALL && events->message && events->connected);
	if (!p)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "workers", "no memory for the connections of workers");
	p->port.type = &type;
	p->setup = ctx;
	p->worker = worker;
	p->events = *events;
	p->listener = -1;
	p->pause_ms = TRY_MS_MIN;
	p->kick = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pd_mutex_init(&p->lock, PD_LOCK_UNIX_PORT);
	int rc = p->kick < 0    ? pd_fail_set(fail, PD_E_IO, "workers", "no file descriptor for the workers' socket")
		 : is_daemon(p) ? start_listening(p, fail)
				: PD_OK;
	if (rc) {
		port_close(&p->port);
		return rc;
	}
	if (is_daemon(p))
		report_connection(p, true, "listening on", "");
	*out = &p->port;
	return PD_OK;
}

static int make_opener(const struct cp_config *config, struct cp_opener *out, struct pd_fail *fail)
{
	const char *path = config->url + strlen(scheme);
	const char *unfit = config->tls_ca     ? "workers-tls-ca"
			    : config->tls_cert ? "workers-tls-cert"
			    : config->tls_key  ? "workers-tls-key"
			    : config->creds    ? "workers-creds"
					       : NULL;
	struct setup *s = calloc(1, sizeof *s);
	int rc = PD_OK;
	if (!s)
		rc = pd_fail_set(fail, PD_E_NO_MEMORY, "workers", "no memory for the options of the workers");
	else if (unfit)
		rc = pd_fail_set(fail, PD_E_USAGE, unfit, "a Unix socket has neither TLS nor credentials");
	else if (*path != '/' || strlen(path) >= sizeof s->name.sun_path)
		rc = pd_fail_set(fail, PD_E_USAGE, "workers",
				 "the URL for workers on this machine is unix:///PATH, with a path of at "
				 "most %zu bytes",
				 sizeof s->name.sun_path - 1);
	if (rc) {
		free(s);
		return rc;
	}
	s->name.sun_family = AF_UNIX;
	memcpy(s->name.sun_path, path, strlen(path) + 1);
	snprintf(s->where, sizeof s->where, "%s%s", scheme, path);
	*out = (struct cp_opener){s, port_open};
	return PD_OK;
}

static void end_opener(struct cp_opener *opener)
{
	free(opener->ctx);
	*opener = (struct cp_opener){0};
}

static const char *opener_where(const struct cp_opener *opener)
{
	return ((const struct setup *)opener->ctx)->where;
}

const struct cp_transport sv_transport_unix = {
	CP_TRANSPORT_HEAD,
	.opener = make_opener,
	.end = end_opener,
	.where = opener_where,
};
