/* Listener: a place where clients come in, a TCP port of this machine or a Unix socket.
 *
 * Without tokens and TLS, TCP is for loopback addresses only: a client that can reach the port may do everything except
 * stop the server, so the port must not be reachable from elsewhere.
 *
 * Connections are accepted here, and not by libuv: when descriptors or memory run out, libuv 1.44 tries again and again
 * and never comes back to the loop. A listener then rests until the next tick, and clients wait in the kernel. */
#ifndef DM_LISTENER_H
#define DM_LISTENER_H

#include <stdbool.h>
#include <uv.h>

#include "proto/base/error.h"
#include "server/daemon/server_config.h"

struct dm_listener;

/* A client has connected. Takes over its socket, which does not block; or returns false when that cannot be done right
 * now: it is then asked again by dm_listener_retry. `local`: by a Unix socket. */
typedef bool dm_visitor(void *ctx, int fd, bool local);

/* Who takes the clients that come in. */
struct dm_welcome {
	dm_visitor *visitor;
	void *ctx;
};

/* An option, which is the field of errors, and its value: HOST:PORT, HOST being an address ("127.0.0.1", "[::1]") or
 * "localhost", PORT 0 for any. */
struct dm_place {
	const char *option, *address;
};

/* Whether the configuration permits the address: PD_E_USAGE when it cannot be read, PD_E_UNSUPPORTED when it is not
 * loopback and there are no tokens, or no TLS and no permission to do without. */
int dm_listen_check(struct dm_place place, const struct dm_config *config, struct pd_fail *fail);

/* PD_E_USAGE when the address cannot be read, PD_E_IO when the port cannot be had. */
int dm_listen_tcp(uv_loop_t *loop, struct dm_place place, const struct dm_welcome *welcome, struct dm_listener **out,
		  struct pd_fail *fail);
/* A socket file, for its owner alone. One that a dead server left behind is replaced; one that answers is not
 * (PD_E_LOCKED). Its directory belongs to the user or to root, and others cannot write to it, or it is sticky
 * (PD_E_USAGE). Field "--socket". */
int dm_listen_unix(uv_loop_t *loop, const char *path, const struct dm_welcome *welcome, struct dm_listener **out,
		   struct pd_fail *fail);

/* "127.0.0.1:4590" with the port that it got, or the path. Borrowed. */
const char *dm_listener_address(const struct dm_listener *listener);
/* Every DM_TICK_MS: accepts again, if it rests. */
void dm_listener_retry(struct dm_listener *listener);
/* Accepts no more connections and removes the socket file; the memory goes when the loop has run. NULL is fine. */
void dm_listener_close(struct dm_listener *listener);

#endif
