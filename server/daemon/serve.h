/* Serve: a server from start to end: opens sockets and core, runs, closes them. When a worker on another machine has
 * lied, the core is closed and opened again in between (server/proofs/maintenance/lies.h). */
#pragma once

#include "server/daemon/server.h"

struct dm_serving {
	const struct nt_config *server;
	const struct sv_config *core; /* its `patience` is set here */
	bool no_socket;               /* none in the data directory */
	/* Called each time clients can be served after the core was opened; `again` from the second time on. */
	void (*ready)(void *ctx, const struct dm_server *server, struct sv_core *core, bool again);
	void *ctx;
};

/* Returns when the server has stopped. Errors of dm_server_open and sv_core_open. */
int dm_serve(const struct dm_serving *serving, struct pd_fail *fail);
