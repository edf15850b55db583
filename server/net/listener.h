/* Listener: a TCP port of this machine or a Unix socket that accepts clients.
 *
 * Without tokens and TLS, TCP is for loopback addresses only, because every client that reaches the port may do
 * everything except stop the server.
 *
 * Connections are accepted here and not by libuv: when descriptors or memory run out, libuv 1.44 tries again and again
 * and never returns to the loop. A listener then pauses until the next tick, and clients wait in the kernel. */
#pragma once

#include <uv.h>

#include "proto/base/error.h"
#include "server/net/server_config.h"

struct nt_listener;

/* A client has connected. Takes over its nonblocking socket; or returns false if that is not possible now, and is
 * called again by nt_listener_retry. `local`: by a Unix socket. */
typedef bool nt_accept(void *ctx, int fd, bool local);

struct nt_acceptor {
	nt_accept *accept;
	void *ctx;
};

/* An option, the field of errors, and its value: HOST:PORT, where HOST is an address ("127.0.0.1", "[::1]") or
 * "localhost"; port 0 is any. */
struct nt_place {
	const char *option, *address;
};

/* Whether the configuration permits the address: PD_E_USAGE when it is malformed, PD_E_UNSUPPORTED when it is not
 * loopback and tokens or TLS (or --plain-tcp) are missing. */
int nt_listen_check(struct nt_place place, const struct nt_config *config, struct pd_fail *fail);

/* PD_E_UNSUPPORTED for every address that is not loopback. */
int nt_listen_check_loopback(struct nt_place place, struct pd_fail *fail);

/* PD_E_USAGE when the address is malformed, PD_E_IO when the port is not available. */
int nt_listen_tcp(uv_loop_t *loop, struct nt_place place, const struct nt_acceptor *acceptor, struct nt_listener **out,
		  struct pd_fail *fail);
/* A socket file for its owner alone. One that a dead server left is replaced; one that answers is not (PD_E_LOCKED).
 * The directory must belong to the user or to root, and must be sticky or not writable by others (PD_E_USAGE). Field
 * "--socket". */
int nt_listen_unix(uv_loop_t *loop, const char *path, const struct nt_acceptor *acceptor, struct nt_listener **out,
		   struct pd_fail *fail);

/* "127.0.0.1:4590" with the port that it got, or the path. Borrowed. NULL is fine here and below. */
const char *nt_listener_address(const struct nt_listener *listener);
/* Every NT_TICK_MS: accepts again, if it is paused. */
void nt_listener_retry(struct nt_listener *listener);
/* Accepts no more connections and removes the socket file; the memory is freed when the loop has run. */
void nt_listener_close(struct nt_listener *listener);
