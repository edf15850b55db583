#include "server/daemon/server.h"

#include <signal.h>
#include <unistd.h>

#include "proto/base/assert.h"
#include "proto/base/clock.h"
#include "server/daemon/descriptors.h"
#include "server/daemon/log_file.h"
#include "server/daemon/loop_memory.h"
#include "server/daemon/notify.h"
#include "server/daemon/reports.h"
#include "server/net/lines.h"
#include "server/net/listener.h"
#include "server/net/monitor.h"
#include "server/net/web.h"

enum { DM_WATCHED_MAX = 1024 /* more than the descriptors that the loop watches besides clients */ };

/* Where clients come in; all owned, NULL: none. */
struct dm_listeners {
	struct nt_listener *tcp;
	struct nt_listener *local; /* the Unix socket */
	struct nt_listener *http;
	struct nt_web *web; /* the HTTP server that `http` accepts for */
	struct nt_monitor *monitor;
};

/* Signals that are watched. */
enum { TERMINATE, INTERRUPT, ASKED, HANGUP, SIGNALS };

/* Owned by the loop thread, except `wake`. */
struct dm_server {
	uv_loop_t loop;
	uv_async_t wake; /* any thread */
	uv_timer_t tick;
	uv_check_t check; /* runs once a turn, after everything else */
	uv_signal_t signal[SIGNALS];
	struct nt_config config;          /* its strings are borrowed */
	struct nt_tls_identity *identity; /* owned; NULL: no TLS */
	struct dm_listeners listeners;
	struct nt_pages pages;
	struct nt_conns conns;
	struct dm_notify notify;
	struct dm_reports reports;
	struct sv_core *core; /* borrowed; NULL outside dm_server_run */
	bool stopping;
	bool again;       /* it does not stop for good: a worker lied, and the core is to be opened again */
	uint64_t stop_ns; /* when it began to stop */
};

static void close_listeners(struct dm_server *server)
{
	nt_listener_close(server->listeners.tcp);
	nt_listener_close(server->listeners.local);
	nt_listener_close(server->listeners.http);
	server->listeners.tcp = server->listeners.local = server->listeners.http = NULL;
}

static void finish_clients(struct dm_server *server)
{
	server->stopping = true;
	server->stop_ns = pd_now_ns();
	server->pages.stopping = true;
	nt_conns_finish(&server->conns);
}

static void begin_stop(struct dm_server *server, const char *why)
{
	if (server->stopping && !server->again)
		return;
	pd_log(PD_LOG_INFO, "stopping: %s", why);
	dm_notify_stopping(&server->notify);
	close_listeners(server);
	if (!server->stopping)
		finish_clients(server);
	server->again = false;
}

/* A worker lied: no request is taken until the core is open again. New connections wait. */
static void begin_again(struct dm_server *server)
{
	if (server->stopping)
		return;
	pd_log(PD_LOG_WARN, "a worker lied: connections close, and new ones wait, until its facts are retracted");
	server->again = server->conns.paused = true;
	finish_clients(server);
}

static void on_signal(uv_signal_t *signal, int number)
{
	struct dm_server *server = signal->data;
	/* Without a watcher the signals end the process, as they do by default. */
	uv_signal_stop(&server->signal[TERMINATE]);
	uv_signal_stop(&server->signal[INTERRUPT]);
	begin_stop(server, number == SIGTERM ? "SIGTERM" : "SIGINT");
}

/* SIGHUP: an error changes nothing. These files are small, so the loop reads them itself. */
static void reload_tokens(struct dm_server *server)
{
	struct pd_fail fail;
	struct sv_tokens *tokens = malloc(sizeof *tokens);
	int rc = tokens ? sv_tokens_read(server->config.token_file, true, tokens, &fail)
			: pd_fail_set(&fail, PD_E_NO_MEMORY, "", "no memory for the tokens");
	if (!rc && !sv_core_tokens(server->core, tokens))
		rc = pd_fail_set(&fail, PD_E_NO_MEMORY, "", "no memory for the tokens");
	if (rc)
		pd_log(PD_LOG_ERROR, "the tokens do not change: %s", fail.text);
	else
		pd_log(PD_LOG_INFO, "%u token%s read from %.200s", tokens->count, tokens->count == 1 ? "" : "s",
		       server->config.token_file);
	free(tokens);
}

static void reload_identity(struct dm_server *server)
{
	struct pd_fail fail;
	struct nt_tls_identity *identity;
	if (nt_tls_identity_open(server->config.tls_cert, server->config.tls_key, &identity, &fail)) {
		pd_log(PD_LOG_ERROR, "the certificate does not change: %s", fail.text);
		return;
	}
	nt_tls_identity_close(server->identity);
	server->identity = server->conns.identity = identity;
	pd_log(PD_LOG_INFO, "new connections use the certificate in %.200s", server->config.tls_cert);
}

static void reopen_log(struct dm_server *server)
{
	struct pd_fail fail;
	if (dm_log_reopen(server->config.log_file, &fail))
		pd_log(PD_LOG_ERROR, "the log continues in the old file: %s", fail.text);
	else
		pd_log(PD_LOG_INFO, "SIGHUP: the log continues in %.200s", server->config.log_file);
}

static void on_hangup(uv_signal_t *signal, int number)
{
	struct dm_server *server = signal->data;
	(void)number;
	if (server->config.log_file)
		reopen_log(server);
	if (server->core && server->config.token_file)
		reload_tokens(server);
	if (server->identity)
		reload_identity(server);
}

static void say_status(void *ctx, const char *line)
{
	(void)ctx;
	pd_log_asked("status: %s", line);
}

static void on_asked(uv_signal_t *signal, int number)
{
	struct dm_server *server = signal->data;
	(void)number;
	if (server->core)
		sv_status_each(server->core, say_status, NULL);
}

static void on_wake(uv_async_t *wake)
{
	struct dm_server *server = wake->data;
	if (!server->core)
		return;
	sv_core_pump(server->core);
	nt_conns_pumped(&server->conns);
}

static void on_tick(uv_timer_t *tick)
{
	struct dm_server *server = tick->data;
	PD_ASSERT(server->core); /* the timer runs only in dm_server_run */
	sv_core_tick(server->core);
	dm_notify_tick(&server->notify, server->core);
	pd_log_tell(false);
	nt_conns_tick(&server->conns);
	nt_conns_pumped(&server->conns);
	nt_listener_retry(server->listeners.tcp);
	nt_listener_retry(server->listeners.local);
	nt_listener_retry(server->listeners.http);
	if (server->listeners.monitor)
		nt_monitor_tick(server->listeners.monitor);
}

static void on_check(uv_check_t *check)
{
	struct dm_server *server = check->data;
	PD_ASSERT(server->core);
	nt_conns_turn(&server->conns);
	if (server->listeners.monitor)
		nt_monitor_turn(server->listeners.monitor);
	if (sv_core_stopping(server->core))
		begin_stop(server, "requested by a client");
	bool written;
	if (sv_core_lied(server->core, &written))
		begin_again(server);
	bool late = server->stopping && pd_now_ns() - server->stop_ns > DM_STOP_MS * UINT64_C(1000000);
	bool over = server->stopping && (late || TAILQ_EMPTY(&server->conns.all));
	if (over && (!server->again || written)) /* a lie must be on disk first */
		uv_stop(&server->loop);
}

static int open_loop(struct dm_server *server, struct pd_fail *fail)
{
	int rc = uv_loop_init(&server->loop);
	if (rc)
		return pd_fail_set(fail, PD_E_IO, "", "cannot make an event loop: %s", uv_strerror(rc));
	server->wake.data = server->tick.data = server->check.data = server;
	rc = uv_async_init(&server->loop, &server->wake, on_wake);
	/* The other initializations cannot fail once there is a loop with an async handle. */
	uv_timer_init(&server->loop, &server->tick);
	uv_check_init(&server->loop, &server->check);
	for (unsigned i = 0; i < SIGNALS; i++) {
		uv_signal_init(&server->loop, &server->signal[i]);
		server->signal[i].data = server;
	}
	if (rc)
		return pd_fail_set(fail, PD_E_IO, "", "cannot set up the event loop: %s", uv_strerror(rc));
	return PD_OK;
}

static int listen_tcp(struct dm_server *server, struct nt_place place, struct pd_fail *fail)
{
	int rc = nt_listen_check(place, &server->config, fail);
	return rc ? rc
		  : nt_listen_tcp(&server->loop, place, &(struct nt_acceptor){nt_lines_accept, &server->conns},
				  &server->listeners.tcp, fail);
}

static int listen_http(struct dm_server *server, struct nt_place place, struct pd_fail *fail)
{
	int rc = nt_listen_check(place, &server->config, fail);
	if (rc)
		return rc;
	server->listeners.web = nt_web_new(&server->conns, &server->pages, &server->config);
	if (!server->listeners.web)
		return pd_fail_set(fail, PD_E_NO_MEMORY, place.option, "no memory to listen");
	return nt_listen_tcp(&server->loop, place, &(struct nt_acceptor){nt_web_accept, server->listeners.web},
			     &server->listeners.http, fail);
}

int dm_server_open(const struct nt_config *config, struct dm_server **out, struct pd_fail *fail)
{
	struct dm_server *server = calloc(1, sizeof *server);
	if (!server)
		return pd_fail_set(fail, PD_E_NO_MEMORY, "", "no memory for the server");
	server->config = *config;
	int rc = dm_descriptors_reserve(config, &server->config.connections_max, fail);
	rc = rc ? rc : dm_loop_memory_init(server->config.connections_max + DM_WATCHED_MAX, fail);
	rc = rc ? rc : open_loop(server, fail);
	if (rc) {
		free(server);
		return rc;
	}
	signal(SIGPIPE, SIG_IGN); /* a disconnected client is a write error */
	signal(SIGCHLD, SIG_DFL); /* where it is ignored, the end of a process cannot be awaited */
	nt_conns_init(&server->conns, &server->loop, &server->config);
	nt_pages_init(&server->pages, &server->conns);
	dm_notify_init(&server->notify);
	rc = dm_reports_init(&server->reports, &server->loop, config->on_finish, fail);
	if (!rc && config->tls_cert)
		rc = nt_tls_identity_open(config->tls_cert, config->tls_key, &server->identity, fail);
	server->conns.identity = server->identity;
	if (!rc && config->listen)
		rc = listen_tcp(server, (struct nt_place){"--listen", config->listen}, fail);
	if (!rc && config->socket)
		rc = dm_server_listen_unix(server, config->socket, fail);
	if (!rc && config->monitor)
		rc = nt_monitor_open(&server->loop, config->monitor, &server->pages, &server->listeners.monitor, fail);
	if (!rc && config->http)
		rc = listen_http(server, (struct nt_place){"--http", config->http}, fail);
	if (rc) {
		dm_server_close(server);
		return rc;
	}
	*out = server;
	return PD_OK;
}

int dm_server_listen_unix(struct dm_server *server, const char *path, struct pd_fail *fail)
{
	if (server->listeners.local)
		return PD_OK;
	return nt_listen_unix(&server->loop, path, &(struct nt_acceptor){nt_lines_accept, &server->conns},
			      &server->listeners.local, fail);
}

void dm_server_wake(void *ctx)
{
	struct dm_server *server = ctx;
	uv_async_send(&server->wake);
}

void dm_server_watch_signals(struct dm_server *server)
{
	uv_signal_start(&server->signal[TERMINATE], on_signal, SIGTERM);
	uv_signal_start(&server->signal[INTERRUPT], on_signal, SIGINT);
	uv_signal_start(&server->signal[ASKED], on_asked, SIGUSR1);
	if (server->config.log_file || server->config.token_file || server->identity || !isatty(STDIN_FILENO))
		uv_signal_start(&server->signal[HANGUP], on_hangup, SIGHUP);
}

bool dm_server_run(struct dm_server *server, struct sv_core *core)
{
	PD_ASSERT(core && !server->core && (!server->stopping || server->again));
	server->again = server->stopping = server->pages.stopping = server->conns.paused = false;
	dm_notify_again(&server->notify);
	server->core = server->conns.core = core;
	uv_timer_start(&server->tick, on_tick, NT_TICK_MS, NT_TICK_MS);
	uv_check_start(&server->check, on_check);
	if (server->reports.reporter)
		sv_core_on_finish(core, dm_reports_finished, &server->reports);
	dm_notify_ready(&server->notify, core);
	uv_run(&server->loop, UV_RUN_DEFAULT);
	if (!TAILQ_EMPTY(&server->conns.all))
		pd_log(PD_LOG_INFO, "closing the connections of clients that did not end in time");
	nt_conns_close(&server->conns);
	if (server->listeners.monitor)
		nt_monitor_rest(server->listeners.monitor);
	uv_timer_stop(&server->tick);
	uv_check_stop(&server->check);
	sv_core_on_finish(core, NULL, NULL);
	server->core = server->conns.core = NULL;
	if (!server->again)
		return false;
	/* Opening the core again may take long; signals may safely interrupt it. */
	uv_signal_stop(&server->signal[TERMINATE]);
	uv_signal_stop(&server->signal[INTERRUPT]);
	return true;
}

void dm_server_patience(void *ctx)
{
	struct dm_server *server = ctx;
	dm_notify_patience(&server->notify);
}

void dm_server_close(struct dm_server *server)
{
	if (!server)
		return;
	PD_ASSERT(!server->core);
	close_listeners(server);
	server->conns.paused = false;
	nt_conns_close(&server->conns);
	dm_reports_close(&server->reports);
	nt_monitor_close(server->listeners.monitor);
	uv_close((uv_handle_t *)&server->wake, NULL);
	uv_close((uv_handle_t *)&server->tick, NULL);
	uv_close((uv_handle_t *)&server->check, NULL);
	for (unsigned i = 0; i < SIGNALS; i++)
		uv_close((uv_handle_t *)&server->signal[i], NULL);
	uv_run(&server->loop, UV_RUN_DEFAULT);
	nt_monitor_free(server->listeners.monitor);
	nt_web_free(server->listeners.web);
	int rc = uv_loop_close(&server->loop);
	PD_ASSERT(!rc); /* no handle is left open */
	nt_tls_identity_close(server->identity);
	free(server);
	pd_log_tell(true);
}

const char *dm_server_address(const struct dm_server *server)
{
	return nt_listener_address(server->listeners.tcp);
}

const char *dm_server_socket(const struct dm_server *server)
{
	return nt_listener_address(server->listeners.local);
}

const char *dm_server_monitor(const struct dm_server *server)
{
	return server->listeners.monitor ? nt_monitor_address(server->listeners.monitor) : NULL;
}

const char *dm_server_http(const struct dm_server *server)
{
	return nt_listener_address(server->listeners.http);
}
