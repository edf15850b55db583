#include "clients/libproofd/transport.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "clients/libproofd/fault.h"
#include "clients/libproofd/tls.h"
#include "proto/base/clock.h"

enum { CHUNK = 64 << 10, OUT_MAX = 256 << 20 };

struct pc_transport {
	int fd;
	struct pc_tls *tls; /* owned; NULL: plain bytes */
	struct pd_buf out;  /* bytes to be sent, encrypted if there is TLS */
	size_t sent;        /* of `out` */
};

uint64_t pc_deadline(double seconds)
{
	return seconds > 0 && seconds < 1e9 ? pd_now_ns() + (uint64_t)(seconds * 1e9) : 0;
}

double pc_left(uint64_t deadline)
{
	uint64_t now = pd_now_ns();
	return !deadline ? -1 : deadline > now ? (double)(deadline - now) / 1e9 : 0;
}

bool pc_is_past(uint64_t deadline)
{
	return deadline && pd_now_ns() >= deadline;
}

uint64_t pc_earlier(uint64_t a, uint64_t b)
{
	return a && (!b || a < b) ? a : b;
}

bool pc_transport_put(struct pc_transport *transport, const void *data, size_t size)
{
	if (!transport->tls) {
		pd_buf_put(&transport->out, data, size);
	} else {
		if (!pc_tls_write(transport->tls, data, size))
			return false;
		pc_tls_drain(transport->tls, &transport->out);
	}
	return !transport->out.failed;
}

bool pc_transport_unsent(const struct pc_transport *transport)
{
	return transport->out.size > transport->sent;
}

int pc_transport_flush(struct pc_transport *transport)
{
	if (transport->tls)
		pc_tls_drain(transport->tls, &transport->out);
	if (transport->out.failed)
		return ENOMEM;
	while (pc_transport_unsent(transport)) {
		ssize_t n = send(transport->fd, transport->out.data + transport->sent,
				 transport->out.size - transport->sent, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return 0;
		if (n <= 0)
			return n < 0 ? errno : EPIPE;
		transport->sent += (size_t)n;
	}
	pd_buf_reset(&transport->out);
	transport->sent = 0;
	return 0;
}

/* Receives bytes: their number; 0: none for now; -1 with errno. */
static ssize_t receive_bytes(const struct pc_transport *transport, void *data, size_t room)
{
	ssize_t n;
	do {
		n = recv(transport->fd, data, room, 0);
	} while (n < 0 && errno == EINTR);
	if (n > 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK))
		return n;
	errno = ECONNRESET;
	return n ? 0 : -1;
}

static int read_tls(struct pc_transport *transport, struct pd_buf *in, size_t *got)
{
	char wire[CHUNK];
	for (;;) {
		if (!pd_buf_reserve(in, CHUNK))
			return ENOMEM;
		int n = pc_tls_read(transport->tls, in->data + in->size, CHUNK);
		if (n > 0) {
			in->size += (size_t)n;
			*got += (size_t)n;
			if (*got >= CHUNK)
				return 0;
			continue;
		}
		if (n < 0)
			return *got ? 0 : n == -1 ? ECONNRESET : EPROTO;
		ssize_t more = receive_bytes(transport, wire, sizeof wire);
		if (more <= 0)
			return more && !*got ? errno : 0;
		if (!pc_tls_feed(transport->tls, wire, (size_t)more))
			return ENOMEM;
	}
}

int pc_transport_read(struct pc_transport *transport, struct pd_buf *in, size_t *got)
{
	*got = 0;
	if (transport->tls)
		return read_tls(transport, in, got);
	if (!pd_buf_reserve(in, CHUNK))
		return ENOMEM;
	ssize_t n = receive_bytes(transport, in->data + in->size, CHUNK);
	if (n < 0)
		return errno;
	in->size += (size_t)n;
	*got = (size_t)n;
	return 0;
}

void pc_transport_wait(const struct pc_transport *transport, double seconds)
{
	struct pollfd on = {transport->fd, (short)(POLLIN | (pc_transport_unsent(transport) ? POLLOUT : 0)), 0};
	int ms = seconds < 0 || seconds > 1e6 ? -1 : (int)(seconds * 1e3) + 1;
	poll(&on, 1, ms); /* a signal may end the wait early */
}

static const char usual[] = "127.0.0.1:4590";

/* Splits HOST:PORT and removes brackets around the host. */
static bool split_address(const char *text, struct pc_address *out)
{
	const char *colon = strrchr(text, ':'), *from = text, *to = colon;
	if (!colon || !colon[1] || strlen(colon + 1) > 5 || strspn(colon + 1, "0123456789") != strlen(colon + 1) ||
	    atoi(colon + 1) > 65535)
		return false;
	if (*from == '[' && to > from && to[-1] == ']') {
		from++;
		to--;
	}
	if (to <= from || (size_t)(to - from) >= sizeof out->host)
		return false;
	memcpy(out->host, from, (size_t)(to - from));
	out->host[to - from] = 0;
	snprintf(out->port, sizeof out->port, "%s", colon + 1);
	return true;
}

/* Refuses a URL and says what to write instead. */
static int refuse_url(const char *text, struct proofd_error *error)
{
	const char *rest = strstr(text, "://") + 3;
	bool path = !strncmp(text, "unix:", 5);
	return pc_fault_code(error, PD_E_USAGE, "address", "'%.80s' is a URL; write %s: %.*s", text,
			     path ? "the path of the socket" : "HOST:PORT",
			     (int)(path ? strlen(rest) : strcspn(rest, "/")), rest);
}

int pc_address_parse(const char *text, struct pc_address *out, struct proofd_error *error)
{
	struct sockaddr_un at;
	if (!text || !*text)
		text = getenv("PROOFD_SERVER");
	if (!text || !*text)
		text = usual;
	*out = (struct pc_address){.path = strchr(text, '/') != NULL};
	if (strstr(text, "://"))
		return refuse_url(text, error);
	if (strlen(text) >= sizeof out->text || (out->path && strlen(text) >= sizeof at.sun_path))
		return pc_fault_code(error, PD_E_USAGE, "address",
				     "the address is too long; the path of a socket has at most %zu bytes",
				     sizeof at.sun_path - 1);
	snprintf(out->text, sizeof out->text, "%s", text);
	if (!out->path && !split_address(text, out))
		return pc_fault_code(error, PD_E_USAGE, "address",
				     "an address is HOST:PORT or the path of a Unix socket, not '%.80s'", text);
	return 0;
}

/* Makes the kernel notice within two minutes that the other machine is gone, and send small requests at once. */
static void keep_alive(int fd)
{
	const int on = 1, idle = 60, interval = 10, count = 6;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count);
}

/* Connects within that many seconds (negative: no limit); -1 with errno. */
static int connect_to(int family, const struct sockaddr *at, socklen_t size, double seconds)
{
	double limit = seconds < 0 ? 0 : seconds < 0.001 ? 0.001 : seconds; /* 0 would mean no limit */
	const struct timeval time = {(time_t)limit, (suseconds_t)((limit - (double)(time_t)limit) * 1e6)};
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time); /* it also limits connect */
	if (!connect(fd, at, size) && !fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK)) {
		if (family != AF_UNIX)
			keep_alive(fd);
		return fd;
	}
	int why = errno;
	close(fd);
	errno = why;
	return -1;
}

static int set_unreachable(const struct pc_address *address, const char *why, struct proofd_error *error)
{
	return pc_fault_code(error, PD_E_UNREACHABLE, "", "no server answers at %.200s: %s", address->text, why);
}

static const char *connect_reason(int errnum)
{
	return errnum == EINPROGRESS || errnum == EAGAIN ? "it neither accepts nor refuses the connection"
							 : strerror(errnum);
}

static int connect_address(const struct pc_address *address, uint64_t deadline, struct proofd_error *error)
{
	struct addrinfo *list, hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
	int fd = -1, count = 0;
	if (address->path) {
		struct sockaddr_un at = {.sun_family = AF_UNIX};
		memcpy(at.sun_path, address->text, strlen(address->text));
		fd = connect_to(AF_UNIX, (const struct sockaddr *)&at, sizeof at, pc_left(deadline));
		return fd < 0 ? set_unreachable(address, connect_reason(errno), error) : fd;
	}
	int rc = getaddrinfo(address->host, address->port, &hints, &list);
	if (rc)
		return set_unreachable(address, gai_strerror(rc), error);
	for (const struct addrinfo *a = list; a; a = a->ai_next)
		count++;
	for (const struct addrinfo *a = list; a && fd < 0; a = a->ai_next)
		fd = connect_to(a->ai_family, a->ai_addr, a->ai_addrlen, pc_left(deadline) / count--);
	int why = errno;
	freeaddrinfo(list);
	return fd < 0 ? set_unreachable(address, connect_reason(why), error) : fd;
}

static int shake_hands(struct pc_transport *transport, uint64_t deadline, struct proofd_error *error)
{
	char wire[CHUNK];
	for (;;) {
		int done = pc_tls_greet(transport->tls, error), why = pc_transport_flush(transport);
		if (done < 0)
			return -1;
		ssize_t n = why || done ? 0 : receive_bytes(transport, wire, sizeof wire);
		if (n < 0)
			why = errno;
		if (why)
			return pc_fault_code(error, PD_E_UNREACHABLE, "tls", "the TLS handshake failed: %s",
					     strerror(why));
		if (done)
			return 0;
		if (!n && pc_is_past(deadline))
			return pc_fault_code(error, PD_E_UNREACHABLE, "tls",
					     "the server does not answer the TLS handshake");
		if (!n)
			pc_transport_wait(transport, pc_left(deadline));
		if (!pc_tls_feed(transport->tls, wire, (size_t)n))
			return pc_fault_memory(error);
	}
}

int pc_transport_open(const struct pc_address *address, const struct pc_security *security, uint64_t deadline,
		      struct pc_transport **out, struct proofd_error *error)
{
	struct pc_transport *transport = calloc(1, sizeof *transport);
	if (!transport)
		return pc_fault_memory(error);
	pd_buf_init(&transport->out, OUT_MAX);
	transport->fd = connect_address(address, deadline, error);
	int rc = transport->fd < 0 ? -1 : 0;
	if (!rc && security->tls)
		rc = pc_tls_new(address->host, security->ca, &transport->tls, error);
	if (!rc && security->tls)
		rc = shake_hands(transport, deadline, error);
	if (rc) {
		pc_transport_close(transport);
		return -1;
	}
	*out = transport;
	return 0;
}

void pc_transport_close(struct pc_transport *transport)
{
	if (!transport)
		return;
	if (transport->tls && transport->fd >= 0) {
		pc_tls_end(transport->tls);
		pc_transport_flush(transport);
	}
	pc_tls_free(transport->tls);
	if (transport->fd >= 0)
		close(transport->fd);
	pd_buf_fini(&transport->out);
	free(transport);
}
