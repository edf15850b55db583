#include "server/daemon/serve.h"

#include <limits.h>

#include "proto/base/assert.h"

/* Listens on proofd.sock in the data directory, which only its owner can open. A failure is only logged when clients
 * can connect over TCP. */
static int listen_in_data(const struct dm_serving *serving, struct dm_server *server, struct pd_fail *fail)
{
	char path[PATH_MAX + sizeof "/proofd.sock"];
	const char *data = serving->core->data;
	if (!data || serving->core->read_only || serving->no_socket || !realpath(data, path))
		return PD_OK;
	PD_ASSERT(strlen(path) < PATH_MAX);
	memcpy(path + strlen(path), "/proofd.sock", sizeof "/proofd.sock");
	int rc = dm_server_listen_unix(server, path, fail);
	if (!rc || !serving->server->listen)
		return rc;
	pd_log(PD_LOG_WARN, "no socket in the data directory: %s; use --socket PATH for another place", fail->text);
	return PD_OK;
}

/* Serves with one core; *again: the core has to be opened once more. */
static int serve_core(const struct dm_serving *serving, struct dm_server *server, bool *again, struct pd_fail *fail)
{
	struct sv_config config = *serving->core;
	struct sv_core *core;
	char path[PATH_MAX];
	config.reopens = true;
	config.patience = dm_server_patience;
	config.patience_ctx = server;
	int rc = sv_core_open(&config, dm_server_wake, server, &core, fail);
	if (rc)
		return rc;
	rc = *again ? PD_OK : listen_in_data(serving, server, fail);
	if (!rc) {
		const char *local = dm_server_socket(server);
		sv_core_socket(core, local ? realpath(local, path) : NULL);
		dm_server_watch_signals(server); /* before anyone knows that it is ready */
		serving->ready(serving->ctx, server, core, *again);
		*again = dm_server_run(server, core);
	}
	sv_core_close(core);
	return rc;
}

int dm_serve(const struct dm_serving *serving, struct pd_fail *fail)
{
	struct dm_server *server;
	bool again = false;
	PD_ASSERT(serving->ready);
	int rc = dm_server_open(serving->server, &server, fail);
	if (rc)
		return rc;
	do
		rc = serve_core(serving, server, &again, fail);
	while (!rc && again);
	dm_server_close(server);
	return rc;
}
