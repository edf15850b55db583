/* Server: the event loop around a core.
 *
 * One thread, the one that calls dm_server_run, does everything with sockets and everything with the core (core.h: the
 * loop thread). The core's threads only wake it. It stops on SIGTERM, SIGINT or server.shutdown: no new connections, no
 * new requests, calls in flight are answered, and then it returns, within DM_STOP_MS. From the first signal on a second
 * one ends the process at once, as signals do by default; the store is made for that. */
#ifndef DM_SERVER_H
#define DM_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/error.h"
#include "server/core.h"
#include "server/net/server_config.h"

enum {
	DM_STOP_MS = 800 /* for calls in flight; sv_core_close has the rest of two seconds */
};

struct dm_server;

/* Listens; no request is answered before dm_server_run. Makes the process ignore SIGPIPE. Errors as in listener.h, and
 * PD_E_IO. */
int dm_server_open(const struct nt_config *config, struct dm_server **out, struct pd_fail *fail);
/* Listens on a Unix socket, when it does not do so yet. */
int dm_server_listen_unix(struct dm_server *server, const char *path, struct pd_fail *fail);
/* For sv_core_open, with the server as ctx: safe from any thread until dm_server_close. */
void dm_server_wake(void *ctx);
/* From here on SIGTERM and SIGINT stop the server in order, also when they come before dm_server_run. SIGUSR1 logs a
 * status. SIGHUP opens the log file again; of a server that has none and runs on a terminal it is the end, as by
 * default: the terminal has gone. */
void dm_server_hear_signals(struct dm_server *server);
/* Serves until told to stop. All sessions are closed when it returns. True: not to stop, but because a worker lied
 * (sv_core_lied). The core is then to be closed and opened again, and dm_server_hear_signals and dm_server_run called
 * once more; clients that connect wait meanwhile, and signals end the process as they do by default. */
bool dm_server_run(struct dm_server *server, struct sv_core *core);
/* For the `patience` of struct sv_config, with the server as ctx: a service manager is told to be patient. */
void dm_server_patience(void *ctx);
/* After the core is closed. NULL is fine. */
void dm_server_close(struct dm_server *server);

/* Where it listens: "127.0.0.1:4590" with the port it got; the socket's path. NULL when it does not. Borrowed. */
const char *dm_server_address(const struct dm_server *server);
const char *dm_server_socket(const struct dm_server *server);
const char *dm_server_monitor(const struct dm_server *server);
const char *dm_server_http(const struct dm_server *server);

#endif
