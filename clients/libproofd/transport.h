/* Transport: one connection, which never blocks but in pc_transport_wait (private to clients/libproofd). */
#ifndef PC_TRANSPORT_H
#define PC_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "clients/libproofd/address.h"
#include "proto/base/buf.h"

struct pc_transport;

struct pc_security {
	bool tls;
	const char *ca; /* NULL: the system's */
};

/* "unreachable" when there is no connection, and no handshake, until the deadline (deadline.h). */
int pc_transport_open(const struct pc_address *address, const struct pc_security *security, uint64_t deadline,
		      struct pc_transport **out, struct proofd_error *error);
/* NULL is fine. */
void pc_transport_close(struct pc_transport *transport);

/* Takes bytes to be sent; false when there is no memory for them. */
bool pc_transport_put(struct pc_transport *transport, const void *data, size_t size);
/* Whether bytes wait to be sent. */
bool pc_transport_unsent(const struct pc_transport *transport);
/* Sends what the kernel takes. 0, or an errno. */
int pc_transport_flush(struct pc_transport *transport);
/* Appends what has come; *got: bytes of it. 0, or an errno; ECONNRESET at the end of the connection, ENOMEM also when
 * `in` is full. */
int pc_transport_read(struct pc_transport *transport, struct pd_buf *in, size_t *got);
/* Waits until something comes, or bytes that wait can be sent, for at most that many seconds; below 0: for ever. */
void pc_transport_wait(const struct pc_transport *transport, double seconds);

#endif
