#include "clients/libproofd/transport.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clients/libproofd/deadline.h"
#include "clients/libproofd/fault.h"
#include "clients/libproofd/tls.h"

enum { CHUNK = 64 << 10, OUT_MAX = 256 << 20 };

struct pc_transport {
	int fd;
	struct pc_tls *tls; /* owned; NULL: plain bytes */
	struct pd_buf out;  /* to be sent, as it goes over the wire */
	size_t sent;        /* of `out` */
};

/* --- bytes -------------------------------------------------------------------------------- */

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

/* Bytes from the socket: more than 0; 0: none now; or -1 with errno. */
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
	poll(&on, 1, ms); /* a signal ends it early, which does no harm */
}

/* --- opening ------------------------------------------------------------------------------ */

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
	transport->fd = pc_address_connect(address, deadline, error);
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
