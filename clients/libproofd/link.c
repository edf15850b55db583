#include "clients/libproofd/link.h"

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

struct pc_link {
	int fd;
	struct pc_tls *tls; /* owned; NULL: plain bytes */
	struct pd_buf out;  /* to be sent, as it goes over the wire */
	size_t sent;        /* of `out` */
};

/* --- bytes -------------------------------------------------------------------------------- */

bool pc_link_put(struct pc_link *link, const void *data, size_t size)
{
	if (!link->tls) {
		pd_buf_put(&link->out, data, size);
	} else {
		if (!pc_tls_write(link->tls, data, size))
			return false;
		pc_tls_drain(link->tls, &link->out);
	}
	return !link->out.failed;
}

bool pc_link_unsent(const struct pc_link *link)
{
	return link->out.size > link->sent;
}

int pc_link_flush(struct pc_link *link)
{
	if (link->tls)
		pc_tls_drain(link->tls, &link->out);
	if (link->out.failed)
		return ENOMEM;
	while (pc_link_unsent(link)) {
		ssize_t n = send(link->fd, link->out.data + link->sent, link->out.size - link->sent, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return 0;
		if (n <= 0)
			return n < 0 ? errno : EPIPE;
		link->sent += (size_t)n;
	}
	pd_buf_reset(&link->out);
	link->sent = 0;
	return 0;
}

/* Bytes from the socket: more than 0; 0: none now; or -1 with errno. */
static ssize_t receive(const struct pc_link *link, void *data, size_t room)
{
	ssize_t n;
	do {
		n = recv(link->fd, data, room, 0);
	} while (n < 0 && errno == EINTR);
	if (n > 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK))
		return n;
	errno = ECONNRESET;
	return n ? 0 : -1;
}

static int read_tls(struct pc_link *link, struct pd_buf *in, size_t *got)
{
	char wire[CHUNK];
	for (;;) {
		if (!pd_buf_reserve(in, CHUNK))
			return ENOMEM;
		int n = pc_tls_read(link->tls, in->data + in->size, CHUNK);
		if (n > 0) {
			in->size += (size_t)n;
			*got += (size_t)n;
			if (*got >= CHUNK)
				return 0;
			continue;
		}
		if (n < 0)
			return *got ? 0 : n == -1 ? ECONNRESET : EPROTO;
		ssize_t more = receive(link, wire, sizeof wire);
		if (more <= 0)
			return more && !*got ? errno : 0;
		if (!pc_tls_feed(link->tls, wire, (size_t)more))
			return ENOMEM;
	}
}

int pc_link_read(struct pc_link *link, struct pd_buf *in, size_t *got)
{
	*got = 0;
	if (link->tls)
		return read_tls(link, in, got);
	if (!pd_buf_reserve(in, CHUNK))
		return ENOMEM;
	ssize_t n = receive(link, in->data + in->size, CHUNK);
	if (n < 0)
		return errno;
	in->size += (size_t)n;
	*got = (size_t)n;
	return 0;
}

void pc_link_wait(const struct pc_link *link, double seconds)
{
	struct pollfd on = {link->fd, (short)(POLLIN | (pc_link_unsent(link) ? POLLOUT : 0)), 0};
	int ms = seconds < 0 || seconds > 1e6 ? -1 : (int)(seconds * 1e3) + 1;
	poll(&on, 1, ms); /* a signal ends it early, which does no harm */
}

/* --- opening ------------------------------------------------------------------------------ */

static int shake_hands(struct pc_link *link, uint64_t deadline, struct proofd_error *error)
{
	char wire[CHUNK];
	for (;;) {
		int done = pc_tls_greet(link->tls, error), why = pc_link_flush(link);
		if (done < 0)
			return -1;
		ssize_t n = why || done ? 0 : receive(link, wire, sizeof wire);
		if (n < 0)
			why = errno;
		if (why)
			return pc_fault_code(error, PD_E_UNREACHABLE, "tls", "the server does not answer to TLS: %s",
					     strerror(why));
		if (done)
			return 0;
		if (!n && pc_is_past(deadline))
			return pc_fault_code(error, PD_E_UNREACHABLE, "tls",
					     "the server does not answer to TLS: nothing comes");
		if (!n)
			pc_link_wait(link, pc_left(deadline));
		if (!pc_tls_feed(link->tls, wire, (size_t)n))
			return pc_fault_memory(error);
	}
}

int pc_link_open(const struct pc_address *address, const struct pc_security *security, uint64_t deadline,
		 struct pc_link **out, struct proofd_error *error)
{
	struct pc_link *link = calloc(1, sizeof *link);
	if (!link)
		return pc_fault_memory(error);
	pd_buf_init(&link->out, OUT_MAX);
	link->fd = pc_address_connect(address, deadline, error);
	int rc = link->fd < 0 ? -1 : 0;
	if (!rc && security->tls)
		rc = pc_tls_new(address->host, security->ca, &link->tls, error);
	if (!rc && security->tls)
		rc = shake_hands(link, deadline, error);
	if (rc) {
		pc_link_close(link);
		return -1;
	}
	*out = link;
	return 0;
}

void pc_link_close(struct pc_link *link)
{
	if (!link)
		return;
	if (link->tls && link->fd >= 0) {
		pc_tls_end(link->tls);
		pc_link_flush(link);
	}
	pc_tls_free(link->tls);
	if (link->fd >= 0)
		close(link->fd);
	pd_buf_fini(&link->out);
	free(link);
}
