/* Transport: one connection, which blocks only in pc_transport_wait (private to clients/libproofd). */
#pragma once

#include <stdint.h>

#include "clients/libproofd/error.h"
#include "proto/base/buf.h"

/* A deadline is a time of pd_now_ns; 0: no limit. Returns the time `seconds` from now, or 0 if `seconds` is not
 * positive, or longer than a program runs (INFINITY). */
uint64_t pc_deadline(double seconds);
/* Seconds until the deadline; negative: no limit. */
double pc_left(uint64_t deadline);
bool pc_is_past(uint64_t deadline);
uint64_t pc_earlier(uint64_t a, uint64_t b);

/* Where a server is. */
struct pc_address {
	char text[256]; /* as it was given */
	bool path;      /* a Unix socket, and `text` is its path */
	char host[200]; /* otherwise; without brackets */
	char port[8];
};

/* HOST:PORT, [HOST]:PORT or a path with a slash; NULL or "": $PROOFD_SERVER, or 127.0.0.1:4590. "usage" with the field
 * "address" if it is none of these. */
int pc_address_parse(const char *text, struct pc_address *out, struct proofd_error *error);

struct pc_transport;

struct pc_security {
	bool tls;
	const char *ca; /* NULL: the system's */
};

/* Connects; "unreachable" if the connection, with its handshake, is not made before the deadline. The addresses of the
 * host share that time; the system looks its name up, without a limit. */
int pc_transport_open(const struct pc_address *address, const struct pc_security *security, uint64_t deadline,
		      struct pc_transport **out, struct proofd_error *error);
/* NULL is fine. */
void pc_transport_close(struct pc_transport *transport);

/* Queues bytes to be sent; false if memory runs out. */
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
