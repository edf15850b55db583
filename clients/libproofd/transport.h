/* Transport: one connection, which blocks only in pc_transport_wait (private to clients/libproofd). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "clients/libproofd/address.h"
#include "proto/base/buf.h"

struct pc_transport;

struct pc_security {
	bool tls;
	const char *ca; /* NULL: the system's */
};

/* Connects; "unreachable" if there is no connection and no handshake until the deadline (deadline.h). */
int pc_transport_open(const struct pc_address *address, const struct pc_security *security, uint64_t deadline,
		      struct pc_transport **out, struct proofd_error *error);
/* NULL is fine. */
void pc_transport_close(struct pc_transport *transport);

/* Queues bytes to be sent; false without memory. */
bool pc_transport_put(struct pc_transport *transport, const void *data, size_t size);
/* Whether bytes wait to be sent. */
bool pc_transport_unsent(const struct pc_transport *transport);
/* Sends what the kernel takes. 0, or an errno. */
int pc_transport_flush(struct pc_transport *transport);
/* Appends what has arrived; *got: its size in bytes. 0, or an errno; ECONNRESET at the end of the connection, ENOMEM
 * also when `in` is full. */
int pc_transport_read(struct pc_transport *transport, struct pd_buf *in, size_t *got);
/* Waits until bytes arrive or can be sent, for at most that many seconds; negative: no limit. */
void pc_transport_wait(const struct pc_transport *transport, double seconds);
