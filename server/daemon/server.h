/* Server: the event loop around a core.
 *
 * The thread that calls dm_server_run does everything with sockets and with the core (core.h: the loop thread); the
 * core's threads only wake it. The loop stops on SIGTERM, SIGINT or server.shutdown: no new connections and requests,
 * calls in flight are answered, and it returns within DM_STOP_MS. A second signal ends the process at once, which is
 * safe for the store. */
#pragma once

#include "server/core.h"
#include "server/net/server_config.h"

enum {
	DM_STOP_MS = 800 /* for calls in flight; sv_core_close takes up to a second more */
};

struct dm_server;

/* Listens; requests are answered from dm_server_run on. Ignores SIGPIPE. Errors of listener.h, and PD_E_IO. */
int dm_server_open(const struct nt_config *config, struct dm_server **out, struct pd_fail *fail);
/* Listens on a Unix socket, unless it already does. */
int dm_server_listen_unix(struct dm_server *server, const char *path, struct pd_fail *fail);
/* For sv_core_open, with the server as ctx: safe from any thread until dm_server_close. */
void dm_server_wake(void *ctx);
/* From here on SIGTERM and SIGINT stop the server in order, also before dm_server_run. SIGUSR1 logs a status. SIGHUP
 * reopens the log file and rereads tokens and certificate; a server on a terminal without any of these ends. */
void dm_server_watch_signals(struct dm_server *server);
/* Serves until told to stop; then all sessions are closed. True: a worker lied (sv_core_lied), and the core has to be
 * closed and opened again before dm_server_watch_signals and dm_server_run are called once more; clients that connect
 * wait meanwhile, and signals end the process. */
bool dm_server_run(struct dm_server *server, struct sv_core *core);
/* For the `patience` of struct sv_config, with the server as ctx: asks the service manager for patience. */
void dm_server_patience(void *ctx);
/* After the core is closed. NULL is fine. */
void dm_server_close(struct dm_server *server);

/* Where it listens: "127.0.0.1:4590" with the actual port; the socket's path. NULL: it does not. Borrowed. */
const char *dm_server_address(const struct dm_server *server);
const char *dm_server_socket(const struct dm_server *server);
const char *dm_server_monitor(const struct dm_server *server);
const char *dm_server_http(const struct dm_server *server);
